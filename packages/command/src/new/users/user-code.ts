/** Writes what the users of a service need: the handlers that log them in and register them, and what their tests begin with. */
import {
  type OpenApiDocument,
  type ServedOperation,
  UndocumentedResponse,
} from 'contract-first-server/tools';
import { quoted } from '../../generate/handler-names';
import { codeOf, Expression, handlerFile, handlerPath, propertyName, Unclear } from '../code';
import { hasHeaders, type OwnKind } from '../errors/errors';
import { type Asking, type Field, keyOf, type Logins } from './logins';
import { columnText } from '../tables/table-code';
import { put, valueAt } from './user-examples';
import { EXAMPLE_ID, factsOf, saidOf, type UserFacts } from './users';

/** What the document decides about its users. */
export interface Users extends Logins {
  readonly facts: UserFacts;
  /** The name of the column by which they log in. */
  readonly name: string;
  /** The files of handlers. */
  readonly files: Readonly<Record<string, string>>;
  readonly kinds: readonly OwnKind[];
  /** The operations that may answer each kind. */
  readonly refusals: Readonly<Record<string, readonly string[]>>;
  /** The code of the user that the tests begin with. */
  readonly stored: string;
  readonly scopes: readonly string[];
  readonly notes: readonly string[];
  /** Whether the scenario or a generated request proves an obligation that only a handler can fulfil. */
  readonly isProven: (obligation: string) => boolean;
}

/** A property: `object.name`, `object?.['a-b']`. */
function memberOf(object: string, name: string, isSure = true): string {
  const isPlain = /^[A-Za-z_$][\w$]*$/.test(name);
  return `${object}${isSure ? (isPlain ? '.' : '') : '?.'}${isPlain ? name : `[${quoted(name)}]`}`;
}

/** A member of the body of a request: `body.user?.email`. */
const given = ({ operation }: Asking, { path, certain }: Field): string =>
  path.reduce(
    (code, name, i) =>
      memberOf(code, name, i === 0 ? operation.requestBody?.required === true : certain[i - 1] === true),
    'body',
  );

const isMaybe = ({ operation }: Asking, { required }: Field): boolean =>
  !required || operation.requestBody?.required !== true;
const isVague = (asking: Asking): boolean =>
  [asking.login, asking.password].some((field) => isMaybe(asking, field));

/** The status of a refusal: the first one that the operation documents, or else the usual one, which the overlay adds. */
const refusalStatus = ({ operation: { responses } }: Asking, statuses: readonly [number, ...number[]]) =>
  statuses.find((status) => responses.has(String(status))) ?? statuses[0];
const wrongStatus = (login: Asking): number => refusalStatus(login, [401, 403, 422, 400, 404]);
const takenStatus = (register: Asking): number => refusalStatus(register, [409, 422, 400, 403]);

/** How the handlers of users refuse. */
const refusalsFor = ({ login, register }: Logins) => [
  {
    ...{ kind: 'wrongPassword', operation: login.operation, status: wrongStatus(login), number: 10 },
    description: 'No user has this name and password.',
  },
  ...(register
    ? [
        {
          ...{ kind: 'nameTaken', operation: register.operation, status: takenStatus(register), number: 11 },
          description: 'A user with this name already exists.',
        },
      ]
    : []),
];

/** The refusals that the overlay adds to the operations of users, where the document has none. */
export const undocumented = (logins: Logins) =>
  refusalsFor(logins).filter(
    ({ operation: { responses }, status }) =>
      ![String(status), `${String(status)[0]}XX`, 'default'].some((key) => responses.has(key)),
  );

/** The end of a handler: the token, if the answer has one, and the answer. */
function endOf(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  asking: Asking,
  facts: UserFacts,
) {
  const { operation, status, answer, token } = asking;
  if (!/^2\d\d$/.test(status)) throw new Unclear('it documents no success status');
  const success = operation.responses.get(status);
  if (hasHeaders(document, operation, status)) throw new Unclear('its success response has headers');
  let [shape, sample]: unknown[] = [{}, {}];
  for (const field of asking.answered) {
    const said = saidOf(document, asking, facts, field);
    if (said) {
      shape = put(shape, field.path, new Expression(said.code, said.isOptional));
      sample = put(sample, field.path, said.sample);
    } else if (field.required)
      throw new Unclear(
        `its success response requires ${field.path.join('.') || 'a body'}, which is not stored for a user`,
      );
  }
  const one = served.find((each) => each.operation === operation);
  try {
    const body = answer && sample;
    one?.responses.write({ status: Number(status), contentType: answer?.mediaType, body, headers: {} }, {});
  } catch (error) {
    if (!(error instanceof UndocumentedResponse)) throw error;
    throw new Unclear(`what is stored for a user does not match its success response: ${error.message}`);
  }
  const several = (success?.content.length ?? 0) > 1;
  const media = several && answer ? `contentType: ${quoted(answer.mediaType)}, ` : '';
  const id = facts.isCounted ? 'String(user.id)' : 'user.id';
  return `${token ? `const token = await tokens.issue(${id});\n` : ''}return { status: ${status}${answer ? `, ${media}body: ${codeOf(shape)}` : ''} };`;
}

const challengeOf = ({ prefix }: Logins): string =>
  `{ 'WWW-Authenticate': ${quoted(`${prefix ?? 'Bearer'} realm="api"`)} }`;

/** Answers the user who asks. A user may have been removed since the token was issued. */
function ownCode(logins: Logins, { isCounted }: UserFacts, end: string): string {
  const id = memberOf('principal', logins.scheme);
  return `async ({ principal }) => {
    const user = await store.users.get(${isCounted ? `BigInt(${id}.id)` : `${id}.id`});
    if (!user) throw new Problem('badCredentials', 'the user of this token does not exist', ${challengeOf(logins)});
    ${end}
  }`;
}

function loginCode(logins: Logins, name: string, end: string): string {
  const { login } = logins;
  const [at, secret] = [login.login, login.password].map(
    (field) => `${given(login, field)}${isMaybe(login, field) ? " ?? ''" : ''}`,
  );
  return `async ({ body }) => {
    const user = await store.users.find(${at});
    if (!(await passwords.verify(${secret}, user?.passwordHash)) || !user)
      throw new Problem<OwnKind>('wrongPassword', 'no user has this ${name} and password'${wrongStatus(login) === 401 ? `, ${challengeOf(logins)}` : ''});
    ${end}
  }`;
}

function registerCode(asking: Asking, { columns, isCounted }: UserFacts, name: string, end: string): string {
  const values = [...columns].flatMap(([key, column]) => {
    const { made, nullable } = column;
    const from = asking.fields.find((field) => keyOf(field) === key && field !== asking.password);
    if (!from) return made === undefined ? [] : [`${column.name}: ${made}`];
    if (!isMaybe(asking, from)) return [`${column.name}: ${given(asking, from)}`];
    const other = nullable ? ' ?? null' : made === undefined ? '' : ` ?? ${made}`;
    return [`${column.name}: ${from === asking.login ? name : `${given(asking, from)}${other}`}`];
  });
  const [at, secret] = [asking.login, asking.password].map((field) => given(asking, field));
  const check = `const [${name}, password] = [${at}, ${secret}];
    if (${name} === undefined || password === undefined)
      throw new Problem('invalidRequest', 'expected a ${name} and a password');
    `;
  const result = /\buser\./.test(end) ? 'user' : 'added';
  return `async ({ body }) => {
    ${isVague(asking) ? check : ''}const ${result} = await store.users.add({
      ${isCounted ? '' : 'id: randomUUID(),'}
      passwordHash: await passwords.hash(${isVague(asking) ? 'password' : secret}),
      ${values.join(',\n      ')},
    });
    if (!${result}) throw new Problem<OwnKind>('nameTaken', 'a user with this ${name} already exists');
    ${end}
  }`;
}

/** @param example of the request that logs in */
export function usersOf(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  logins: Logins,
  example: unknown,
): Users {
  const { login, register, scheme } = logins;
  const facts = factsOf(document, logins);
  const name = facts.columns.get(keyOf(login.login))?.name ?? 'name';
  const notes: string[] = [];
  const handler = (asking: Asking | undefined, write: (asking: Asking, end: string) => string) => {
    if (!asking) return {};
    const { operation } = asking;
    try {
      const contents = operation.requestBody?.content ?? [];
      if (new Set(contents.map(({ schema = '' }) => document.follow(schema).pointer)).size > 1)
        throw new Unclear('its request body can have several shapes');
      const end = endOf(document, served, asking, facts);
      return { [handlerPath(operation)]: handlerFile(operation, write(asking, end)) };
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      notes.push(`${operation.operationId} stays a stub: ${error.message}`);
      return {};
    }
  };
  const files = Object.fromEntries(
    [
      handler(login, (_, end) => loginCode(logins, name, end)),
      handler(register, (asking, end) => registerCode(asking, facts, name, end)),
      ...logins.own.map((one) => handler(one, (_, end) => ownCode(logins, facts, end))),
    ].flatMap((one) => Object.entries(one)),
  );
  const demanded = served.flatMap(({ operation }) => operation.security.flat());
  const scopes = [...new Set(demanded.flatMap((one) => (one.scheme === scheme ? one.scopes : [])))];
  if (scopes.length > 0)
    notes.push(
      `operations require scopes, but the tokens of ${scheme} have none: issue them in ${quoted(login.operation.operationId)} with tokens.issue(user.id, { scopes })`,
    );
  const refused = refusalsFor(logins);
  return {
    ...{ ...logins, facts, name, files, notes, scopes },
    kinds: refused.map(({ kind, status, number }) => ({ kind, status, number: status * 100 + number })),
    refusals: {
      ...Object.fromEntries(refused.map(({ kind, operation }) => [kind, [operation.operationId]])),
      ...(register && isVague(register) && { invalidRequest: [register.operation.operationId] }),
    },
    isProven: (obligation) =>
      refused.some(({ status, operation }) =>
        obligation.startsWith(`${operation.operationId} | response | ${status} `),
      ),
    stored: storedCode(login, facts, example),
  };
}

/** The columns of the table of users. */
export const columnsCode = ({ columns }: UserFacts): string =>
  [...columns.values()].map((column) => `${columnText(column, column.narrow, column.unique)},\n`).join('');

/** The user whom the example of the login names. */
function storedCode(
  { login, password }: Asking,
  { columns, isCounted }: UserFacts,
  example: unknown,
): string {
  const values = [...columns].map(([key, { name, sample, unique }]) => {
    const value =
      key === keyOf(login) ? (valueAt(example, login) ?? '') : unique ? `first.${String(sample)}` : sample;
    return `${name}: ${codeOf(value)}`;
  });
  return `await dependencies.store.users.add({
    ${isCounted ? '' : `id: '${EXAMPLE_ID}',`}
    passwordHash: await passwords.hash(${codeOf(valueAt(example, password) ?? '')}),
    ${values.join(',\n    ')},
  });
`;
}

/** The credentials of the contract tests: those of the stored user. */
export function credentialsCode({ scheme, prefix, scopes, facts }: Users): string {
  const before = prefix === undefined ? '' : `${prefix} `;
  const token = (held: readonly string[]): string => {
    const issue = `await tokens.issue('${facts.isCounted ? '1' : EXAMPLE_ID}'${held.length > 0 ? `, { scopes: ${codeOf(held)} }` : ''})`;
    return before === '' ? issue : `\`${before}\${${issue}}\``;
  };
  const values = `valid: ${token(scopes)}, invalid: ${quoted(`${before}another`)}`;
  if (scopes.length === 0)
    return `credentials: async ({ tokens }) => ({ ${propertyName(scheme)}: { ${values} } }),\n`;
  const lacking = scopes.map(
    (missing) => `${propertyName(missing)}: ${token(scopes.filter((scope) => scope !== missing))}`,
  );
  return `credentials: async ({ tokens }) => {
    const none = ${token([])};
    const without: Readonly<Record<string, string>> = { ${lacking.join(', ')} };
    const insufficient = (scopes: readonly string[]) => [none, ...scopes.map((scope) => without[scope] ?? none)];
    return { ${propertyName(scheme)}: { ${values}, insufficient } };
  },\n`;
}
