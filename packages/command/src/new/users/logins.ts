/** Finds the operations by which users log in and register, in whatever words and shapes a document has them. */
import {
  isJson,
  isObject,
  joinPointer,
  type OpenApiDocument,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation, schemeKind } from 'contract-first-server';
import { guessed, isOwn, type Role } from './login-words';
import { plain } from '../names';

/** A value in a request or an answer. */
export interface Field {
  /** The names of the properties that lead to it; empty: the whole body. */
  readonly path: readonly string[];
  /** JSON pointers to its schemas. */
  readonly schemas: readonly string[];
  readonly required: boolean;
  /** Whether each of the properties is required where it stands. */
  readonly certain: readonly boolean[];
}

/** An operation whose body has the name and the password of a user. In a URL, logs would show the password. */
export interface Asking {
  readonly operation: Operation;
  /** JSON pointer to the schema of its body. */
  readonly media: string;
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
  /** The operations that answer the user who asks. They take no body. */
  readonly own: readonly Asking[];
  /** The security scheme that the tokens are for. */
  readonly scheme: string;
  /** The word before the token, for an API key. */
  readonly prefix: string | undefined;
}

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
/** The texts and other scalars of a body, with the names that lead to them. */
export function fieldsOf(
  document: OpenApiDocument,
  schemas: readonly string[],
  direction: 'request' | 'response',
  path: readonly string[] = [],
  certain: readonly boolean[] = [],
): Field[] {
  const view = viewSchemas(document, schemas, direction);
  if (view.properties.size === 0 || !view.types.has('object'))
    return [{ path, schemas, required: certain.every((each) => each), certain }];
  if (path.length === 3) return [];
  return [...view.properties]
    .filter(([name]) => !view.withheld.has(name))
    .flatMap(([name, pointers]) =>
      fieldsOf(document, pointers, direction, [...path, name], [...certain, view.required.has(name)]),
    );
}

/** The name of the last property, without case and punctuation. */
export const keyOf = ({ path }: Field): string => plain(path.at(-1) ?? '');

/** The first field with one of the names. Those at the top come before those inside of others. */
function named(fields: readonly Field[], names: readonly string[]): Field | undefined {
  const ranked = fields.filter((field) => names.includes(keyOf(field)));
  return ranked.sort(
    (a, b) => a.path.length - b.path.length || names.indexOf(keyOf(a)) - names.indexOf(keyOf(b)),
  )[0];
}

function isText(document: OpenApiDocument, { schemas }: Field, direction: 'request' | 'response'): boolean {
  const { types } = viewSchemas(document, schemas, direction);
  return types.has('string') && types.size <= 2;
}

/** Where a request has the name and the password; undefined if it has none. */
function askedBy(document: OpenApiDocument, operation: Operation) {
  const content = operation.requestBody?.content ?? [];
  const media =
    content.find(({ type }) => isJson(type.essence)) ??
    content.find(({ type }) => type.essence === 'application/x-www-form-urlencoded');
  if (media?.schema === undefined) return undefined;
  const fields = fieldsOf(document, [media.schema], 'request');
  const texts = fields.filter((field) => isText(document, field, 'request'));
  const password =
    texts.find((field) => PASSWORD.test(keyOf(field))) ??
    texts.find(({ schemas }) => viewSchemas(document, schemas, 'request').formats.has('password'));
  const others = texts.filter((field) => field !== password);
  const login = named(others, NAMES);
  return password && login && { operation, media: media.schema, fields, login, password };
}

/** The success of an operation, and the token in it. */
function answeredBy(document: OpenApiDocument, { responses }: Operation) {
  const [status = '', success] = [...responses].find(([key]) => key.startsWith('2')) ?? [];
  const media = success?.content.find(({ type }) => isJson(type.essence)) ?? success?.content[0];
  if (media?.schema === undefined) return { status, answer: undefined, answered: [], token: undefined };
  const answered = fieldsOf(document, [media.schema], 'response');
  const texts = answered.filter((field) => isText(document, field, 'response'));
  const token = texts.find(({ path }) => path.length === 0) ?? named(texts, TOKENS);
  return { status, answer: { mediaType: media.key, schema: media.schema }, answered, token };
}

/** What `x-login` or `x-register` says about an operation: whether it is one, or the scheme that its tokens are for. */
function hintOf(
  document: OpenApiDocument,
  { pointer }: Operation,
  role: Role,
): { readonly is: boolean; readonly scheme?: unknown } | undefined {
  const hint = document.follow(pointer).value[`x-${role}`];
  if (typeof hint === 'boolean') return { is: hint };
  return isObject(hint) ? { is: true, scheme: hint['scheme'] } : undefined;
}

function roleOf(document: OpenApiDocument, asking: Asking): Role | undefined {
  const { operation, token, answered } = asking;
  for (const role of ['login', 'register'] as const) if (hintOf(document, operation, role)?.is) return role;
  const role = guessed(
    operation,
    token !== undefined,
    answered.some((field) => keyOf(field) === keyOf(asking.login)),
  );
  return role && hintOf(document, operation, role)?.is === false ? undefined : role;
}

/** `POST /login` */
const titleOf = ({
  operation: {
    method,
    paths: [path = ''],
  },
}: Asking): string => `${method} ${path}`;

/** The users of a document, and what to tell people. */
export function loginsOf(
  document: OpenApiDocument,
  operations: readonly Operation[],
): { readonly logins: Logins | undefined; readonly notes: readonly string[] } {
  const asking = operations.flatMap((operation): Asking[] => {
    const asked = askedBy(document, operation);
    return asked ? [{ ...asked, ...answeredBy(document, operation) }] : [];
  });
  const notes = operations.flatMap((operation) => {
    const hinted = (['login', 'register'] as const).find((role) => hintOf(document, operation, role)?.is);
    const found = asking.find((one) => one.operation === operation);
    if (!hinted || (found && (hinted === 'register' || found.token))) return [];
    return [
      `${operation.operationId} has x-${hinted}, but ${found ? 'its success response has no token' : 'its request has no name with a password'}: it stays a stub`,
    ];
  });
  const by = (role: Role) => asking.filter((one) => roleOf(document, one) === role);
  // One that says so comes first.
  const isHinted = ({ operation }: Asking) => Number(hintOf(document, operation, 'login')?.is === true);
  const [login, ...others] = by('login')
    .filter(({ token }) => token)
    .sort((a, b) => isHinted(b) - isHinted(a));
  if (!login) return { logins: undefined, notes };
  const scheme = schemeFor(document, operations, login);
  if (scheme === undefined) {
    const hint =
      'to generate the code of its users, name the security scheme of its tokens: x-login: { scheme: NAME }';
    return {
      logins: undefined,
      notes: [
        ...notes,
        `${titleOf(login)} looks like a login, but no security scheme accepts what it returns: ${hint}`,
      ],
    };
  }
  const same = (field: Field) => keyOf(field) === keyOf(login.login);
  const register = by('register').flatMap((one): Asking[] => {
    const name = one.fields.find((field) => same(field) && field !== one.password) ?? one.login;
    return same(name) || !one.fields.some(same) ? [{ ...one, login: name }] : [];
  })[0];
  const own = operations.flatMap((operation): Asking[] => {
    const asked = { ...login, ...answeredBy(document, operation), operation, fields: [], token: undefined };
    const isTheirs = operation.security.every((all) => all.some((one) => one.scheme === scheme));
    return isOwn(operation) && isTheirs && operation.security.length > 0 && asked.answered.some(same)
      ? [asked]
      : [];
  });
  const registers = register
    ? ` and ${titleOf(register)} registers them`
    : ', and no operation registers them';
  const more = others.length > 0 ? `; ${others.map(titleOf).join(' and ')} may too` : '';
  return {
    logins: { login, register, own, scheme, prefix: prefixOf(document, scheme) },
    notes: [
      ...notes,
      `${titleOf(login)} logs users in${registers}: src/storage/users.ts stores them, and ${scheme} accepts their tokens${more}. If this is wrong, add x-login: false${register ? ' (x-register: false)' : ''} to the operation and create the service again`,
    ],
  };
}

/** The scheme of the tokens: that of the hint, or else the first one that is not for other programs. */
function schemeFor(
  document: OpenApiDocument,
  operations: readonly Operation[],
  { operation }: Asking,
): string | undefined {
  const demanded = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)));
  const hinted = hintOf(document, operation, 'login')?.scheme;
  if (typeof hinted === 'string') return demanded.has(hinted) ? hinted : undefined;
  const score = (name: string): number => {
    const value = schemeAt(document, name);
    const kind = schemeKind(value);
    if (kind === 'apiKey')
      return value['in'] === 'cookie' || /auth|token|session|jwt/i.test(String(value['name'])) ? 2 : 0;
    if (kind !== 'bearer' || value['type'] === 'openIdConnect') return 0;
    return value['type'] === 'http' ? 3 : isObject(value['flows']) && 'password' in value['flows'] ? 4 : 0;
  };
  return [...demanded].filter((name) => score(name) > 0).sort((a, b) => score(b) - score(a))[0];
}

const schemeAt = (document: OpenApiDocument, name: string) =>
  document.follow(joinPointer('/components/securitySchemes', name)).value;

/** `Token` of `Authorization: Token abc`, which the description of an API key has. */
function prefixOf(document: OpenApiDocument, name: string): string | undefined {
  const { type, name: header, description = '' } = schemeAt(document, name);
  if (type !== 'apiKey' || !/^authorization$/i.test(String(header))) return undefined;
  const [, prefix = 'Bearer'] =
    /\b([A-Z][A-Za-z]{2,15}) +(?:[<{[*]|x{3}|eyJ|\w+\.\w+\.|your\b|abc|token\b|jwt\b)/.exec(
      String(description),
    ) ??
    /["'`]([A-Z][A-Za-z]{2,15}) ?["'`]/.exec(String(description)) ??
    [];
  return prefix;
}
