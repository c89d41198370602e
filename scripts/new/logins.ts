/** Finds the operations by which users log in and register, in whatever words and shapes a document has them. */
import {
  isJson,
  isObject,
  joinPointer,
  type OpenApiDocument,
  type Operation,
  schemeKind,
  viewSchemas,
} from '../../src/contract';
import { pascalOf, wordsOf } from './names';

/** A value in a request or an answer. */
export interface Field {
  /** The names of the properties that lead to it; empty: the whole body. */
  readonly path: readonly string[];
  /** JSON pointers to its schemas. */
  readonly schemas: readonly string[];
  readonly required: boolean;
}

/** An operation that is given the name and the password of a user. */
export interface Asking {
  readonly operation: Operation;
  /** Where they stand: the name of the part of the request. */
  readonly part: 'body' | 'query' | 'header';
  readonly fields: readonly Field[];
  readonly login: Field;
  readonly password: Field;
  /** The key and the media type of its success; a status range and `default` are no status that a handler can answer. */
  readonly status: string;
  readonly answer: { readonly mediaType: string; readonly schema: string } | undefined;
  /** The values of its answer. */
  readonly answered: readonly Field[];
  /** Among them the token; undefined: it answers none. */
  readonly token: Field | undefined;
}

/** The users of a service. */
export interface Logins {
  readonly login: Asking;
  readonly register: Asking | undefined;
  /** The security scheme that the tokens are for. */
  readonly scheme: string;
  /** The word before the token, for an API key. */
  readonly prefix: string | undefined;
}

/** What was found, and what to tell people about it. */
export interface Found {
  readonly logins: Logins | undefined;
  readonly notes: readonly string[];
}

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z\d]/g, '');

/** Names of properties, without case and punctuation; the best first. */
const NAMES =
  'email,emailaddress,useremail,mail,username,userlogin,login,loginname,loginid,handle,nickname,nick,user,userid,account,accountname,identifier,identity,phone,phonenumber,mobile,name'.split(
    ',',
  );
const PASSWORD = /^(user|account|plain|raw)?(password|passwd|passphrase|pwd|pass)$/;
const TOKENS =
  'accesstoken,token,authtoken,authenticationtoken,authorizationtoken,jwt,jwttoken,jwtaccesstoken,bearertoken,bearer,sessiontoken,usertoken,apitoken,logintoken,idtoken,access,sessionid,session,sid,ticket,apikey,key'.split(
    ',',
  );
const LOGIN =
  /^(login|signin|authenticate|authentication|auth|authorize|token|tokens|session|sessions|oauth|connect)$/;
const REGISTER = /^(register|registers|registration|registrations|signup|join|enroll)$/;
const USER =
  /^(users?|accounts?|customers?|members?|people|persons?|profiles?|authors?|players?|clients?|me)$/;
/** They take a password too, and are neither. */
const OTHER =
  /^(reset|resets|forgot|forgotten|lost|recover|recovery|change|update|verify|verification|validate|confirm|confirmation|activate|activation|refresh|revoke|introspect|logout|signout|delete|remove|invite|invitation|invitations|admin|mfa|otp|totp|2fa|twofactor|unlock|check|exists|availability|available|deactivate)$/;

/** `log in`, `sign up` and `two factor` are one word each. */
const wordsIn = (text: string): string[] =>
  wordsOf(text)
    .join(' ')
    .replace(/\b(log|sign) (in|up|out)\b/g, '$1$2')
    .replace(/\btwo factor\b/g, 'twofactor')
    .split(' ');

/** The texts and other scalars of a body, with the names that lead to them. */
export function fieldsOf(
  document: OpenApiDocument,
  schemas: readonly string[],
  direction: 'request' | 'response',
  path: readonly string[] = [],
  isRequired = true,
): Field[] {
  const view = viewSchemas(document, schemas, direction);
  if (view.properties.size === 0 || !view.types.has('object'))
    return [{ path, schemas, required: isRequired }];
  if (path.length === 3) return [];
  return [...view.properties]
    .filter(([name]) => !view.withheld.has(name))
    .flatMap(([name, pointers]) =>
      fieldsOf(document, pointers, direction, [...path, name], isRequired && view.required.has(name)),
    );
}

const nameOf = ({ path }: Field): string => plain(path.at(-1) ?? '');

/** The first field with one of the names. Those at the top come before those inside of others. */
function named(fields: readonly Field[], names: readonly string[]): Field | undefined {
  const ranked = fields.filter((field) => names.includes(nameOf(field)));
  return ranked.sort(
    (a, b) => a.path.length - b.path.length || names.indexOf(nameOf(a)) - names.indexOf(nameOf(b)),
  )[0];
}

function isText(document: OpenApiDocument, { schemas }: Field, direction: 'request' | 'response'): boolean {
  const { types } = viewSchemas(document, schemas, direction);
  return types.has('string') && types.size <= 2;
}

/** Where a request has the name and the password; undefined if it has none. */
function askedBy(
  document: OpenApiDocument,
  operation: Operation,
): Omit<Asking, 'status' | 'answer' | 'answered' | 'token'> | undefined {
  const { requestBody, parameters } = operation;
  const media =
    requestBody?.content.find(({ type }) => isJson(type.essence)) ??
    requestBody?.content.find(({ type }) => type.essence === 'application/x-www-form-urlencoded');
  const parts = [
    {
      part: 'body' as const,
      fields: media?.schema === undefined ? [] : fieldsOf(document, [media.schema], 'request'),
    },
    ...(['query', 'header'] as const).map((part) => ({
      part,
      fields: parameters
        .filter((parameter) => parameter.in === part && parameter.schemaPointer !== undefined)
        .map(({ name, required, schemaPointer = '' }) => ({
          path: [name],
          schemas: [schemaPointer],
          required,
        })),
    })),
  ];
  for (const { part, fields } of parts) {
    const texts = fields.filter((field) => isText(document, field, 'request'));
    const password =
      texts.find((field) => PASSWORD.test(nameOf(field))) ??
      texts.find(({ schemas }) => viewSchemas(document, schemas, 'request').formats.has('password'));
    const login = named(
      texts.filter((field) => field !== password),
      NAMES,
    );
    if (password && login) return { operation, part, fields, login, password };
  }
  return undefined;
}

/** The success of an operation, and the token in it. */
function answeredBy(
  document: OpenApiDocument,
  { responses }: Operation,
): Pick<Asking, 'status' | 'answer' | 'answered' | 'token'> {
  const [status = '', success] = [...responses].find(([key]) => /^2/.test(key)) ?? [];
  const media = success?.content.find(({ type }) => isJson(type.essence)) ?? success?.content[0];
  if (media?.schema === undefined) return { status, answer: undefined, answered: [], token: undefined };
  const answered = fieldsOf(document, [media.schema], 'response');
  const texts = answered.filter((field) => isText(document, field, 'response'));
  const token = texts.find(({ path }) => path.length === 0) ?? named(texts, TOKENS);
  return { status, answer: { mediaType: media.key, schema: media.schema }, answered, token };
}

/** Whether anybody may request the operation. */
const isOpen = ({ security }: Operation): boolean =>
  security.length === 0 || security.some((alternative) => alternative.length === 0);

/** `true` and `false` of `x-login` and `x-register`: what the document says about an operation. */
function hintOf(document: OpenApiDocument, { pointer }: Operation, name: string): boolean | undefined {
  const { value } = document.follow(pointer);
  const hint = value[name];
  return typeof hint === 'boolean' ? hint : undefined;
}

type Role = 'login' | 'register';

function roleOf(document: OpenApiDocument, asking: Asking): Role | undefined {
  const { operation, token, answered } = asking;
  const hints = [hintOf(document, operation, 'x-login'), hintOf(document, operation, 'x-register')];
  if (hints[0] === true) return 'login';
  if (hints[1] === true) return 'register';
  const [path = ''] = operation.paths;
  const segments = path.split('/').filter((segment) => segment !== '');
  const words = new Set([...wordsIn(segments.slice(-2).join(' ')), ...wordsIn(operation.operationId)]);
  const has = (kind: RegExp): boolean => [...words].some((word) => kind.test(word));
  if (!isOpen(operation) || path.includes('{') || has(OTHER)) return undefined;
  if (!/^(POST|PUT|GET)$/.test(operation.method)) return undefined;
  const isUser = answered.some((field) => nameOf(field) === nameOf(asking.login));
  const last = wordsIn(segments.at(-1) ?? '');
  const registers =
    has(REGISTER) ||
    (!last.some((word) => LOGIN.test(word)) &&
      last.some((word) => USER.test(word)) &&
      operation.method !== 'GET');
  const logsIn = !registers && token !== undefined && (has(LOGIN) || !isUser);
  const role = logsIn ? 'login' : registers && operation.method !== 'GET' ? 'register' : undefined;
  return role === 'login' && hints[0] === false
    ? undefined
    : role === 'register' && hints[1] === false
      ? undefined
      : role;
}

export function loginsOf(document: OpenApiDocument, operations: readonly Operation[]): Found {
  const asking = operations.flatMap((operation): Asking[] => {
    const asked = askedBy(document, operation);
    return asked ? [{ ...asked, ...answeredBy(document, operation) }] : [];
  });
  const by = (role: Role) => asking.filter((one) => roleOf(document, one) === role);
  return {
    logins: undefined,
    notes: [],
    debug: { login: by('login'), register: by('register'), asking },
  } as never;
}
