/** Writes what the users of a service need: their table, and the handlers that log them in and register them. */
import {
  isJson,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  samples,
  type ServedOperation,
  stringifyJson,
  UndocumentedResponse,
  viewSchemas,
} from '../../src/contract';
import { handlerName, quoted } from '../generate/handler-names';
import { remarkOf } from './envelopes';
import { codeOf, propertyName } from './error-body';
import type { OwnKind } from './errors';
import type { Asking, Field, Logins } from './logins';
import { camelOf, pascalOf } from './names';
import { handledValue } from './types';
import type { Sequence } from './tests';
import { put, type userExamples, valueAt } from './user-examples';

/** What the document decides about its users. */
export interface Users extends Logins {
  readonly files: Readonly<Record<string, string>>;
  readonly kinds: readonly OwnKind[];
  /** The operations that may answer each kind. */
  readonly refusals: Readonly<Record<string, readonly string[]>>;
  /** The code of the user that the tests begin with. */
  readonly stored: string;
  readonly scopes: readonly string[];
  /** The id of that user. */
  readonly id: string;
  readonly notes: readonly string[];
  /** Whether the scenario or a generated request proves an obligation that only a handler can fulfil. */
  readonly isProven: (obligation: string) => boolean;
}

/** A column of the table of users, beside its key, and the hash of the password. */
interface Column {
  readonly name: string;
  readonly word: 'TEXT' | 'INT64' | 'INTEGER' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'DATE' | 'JSON_VALUE';
  readonly nullable: boolean;
  readonly optional: boolean;
  readonly unique: boolean;
  /** The values that it may have, as a type; undefined: all of its word. */
  readonly narrow: string | undefined;
  /** The value of a new user for whom nobody has given one, as code; undefined: none. */
  readonly made: string | undefined;
  readonly sample: unknown;
}

/** Thrown where the document does not tell what a handler does. */
class Unclear extends Error {}

export const plain = (text: string): string => text.toLowerCase().replace(/[^a-z\d]/g, '');
const lastOf = ({ path }: Field): string => path.at(-1) ?? '';
const keyOf = (field: Field): string => plain(lastOf(field));

const KEYS = /^(id|userid|uuid|uid|accountid|sub)$/;

/** What an answer says of the token beside it, as code and as a value; undefined: another fact. */
function factOf(
  document: OpenApiDocument,
  field: Field,
  asking: Asking,
): readonly [string, unknown] | undefined {
  if (field === asking.token) return ['token', 'a.token.abc'];
  const { types, formats, values } = viewSchemas(document, field.schemas, 'response');
  const name = keyOf(field);
  if (name === 'tokentype') {
    const texts = [...(values?.values() ?? [])].filter((value) => typeof value === 'string');
    const listed = texts.find((value) => /^bearer$/i.test(value)) ?? 'Bearer';
    return [quoted(listed), listed];
  }
  if (/^(expires?(in)?(seconds)?|ttl|lifetime|tokenlifetime|maxage)$/.test(name) && types.has('integer')) {
    const code = formats.has('int64') ? 'BigInt(tokens.lifetime)' : 'tokens.lifetime';
    return [code, 3600];
  }
  if (
    /^(expires?(at|on)?|expiry|expiration|expirationdate|validuntil)$/.test(name) &&
    formats.has('date-time')
  )
    return ['new Date(Date.now() + tokens.lifetime * 1000).toISOString()', '2026-01-01T00:00:00Z'];
  const isInside = (one: Field) =>
    one.path.length > 1 && (one === asking.token || keyOf(one) === keyOf(asking.login));
  const isBeside = field.path.length === 1 && asking.answered.some(isInside);
  const isSuccess = /^(success|ok)$/.test(name) && types.has('boolean');
  const remark = isBeside || isSuccess ? remarkOf(document, lastOf(field), field.schemas) : undefined;
  return remark === undefined ? undefined : [codeOf(remark), remark];
}

const isRefresh = (field: Field): boolean => /^(refresh|refreshtoken|refreshtokenid)$/.test(keyOf(field));
const isSecret = (field: Field): boolean => /passw|secret|passphrase|^pwd$/.test(keyOf(field));

/** The facts about a user. */
interface Facts {
  /** By the plain names of their properties. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Whether the ids of users are numbers. */
  readonly isCounted: boolean;
}

function factsOf(document: OpenApiDocument, { login, register }: Logins): Facts {
  const all = [login, register].flatMap((asking) => asking ?? []);
  const answered = all.flatMap((asking) =>
    asking.answered.filter(
      (field) => !factOf(document, field, asking) && !isRefresh(field) && !isSecret(field),
    ),
  );
  const asked = (register ?? login).fields.filter(
    (field) =>
      field !== (register ?? login).password &&
      !isSecret(field) &&
      (register !== undefined || field === login.login),
  );
  const columns = new Map<string, Column>();
  const loginKey = keyOf(login.login);
  for (const field of [...asked, ...answered]) {
    const key = keyOf(field);
    if (columns.has(key) || (KEYS.test(key) && key !== loginKey && !asked.some((one) => keyOf(one) === key)))
      continue;
    const from = asked.find((one) => keyOf(one) === key);
    const shown = answered.filter((one) => keyOf(one) === key);
    const schemas = (shown[0] ?? field).schemas;
    const direction = shown[0] ? 'response' : 'request';
    const view = viewSchemas(document, schemas, direction);
    const types = new Set(view.types);
    const nullable =
      types.delete('null') ||
      (from !== undefined && viewSchemas(document, from.schemas, 'request').types.has('null'));
    const word = wordOf(types, view.formats);
    const isLogin = key === loginKey;
    const isGiven = isLogin || from?.required === true;
    const optional = !isGiven && !nullable && !shown.some((one) => one.required);
    const [sample] = samples(document, schemas[0] ?? '', direction);
    const listed = [...(view.values?.values() ?? [])].filter((value) => value !== null);
    const handled = handledValue(document, schemas, listed[0] ?? sample);
    const narrowed = narrowOf(document, word, listed, schemas, direction);
    if (word === 'JSON_VALUE' && narrowed === undefined) continue;
    columns.set(key, {
      ...{ word, nullable: nullable && !isLogin, optional, sample: handled },
      name: /^(id|passwordHash)$/.test(camelOf(lastOf(field), 'value'))
        ? `given${pascalOf(lastOf(field))}`
        : camelOf(lastOf(field), 'value'),
      unique: isLogin || (from?.required === true && /^(email|emailaddress|username)$/.test(key)),
      narrow: narrowed,
      made:
        isGiven || nullable || optional
          ? undefined
          : madeOf(word, lastOf(field), listed.length > 0 ? listed[0] : undefined, handled),
    });
  }
  const isCounted = answered.some(
    (field) =>
      KEYS.test(keyOf(field)) &&
      !columns.has(keyOf(field)) &&
      viewSchemas(document, field.schemas, 'response').types.has('integer'),
  );
  return { columns, isCounted };
}

/** The type of the values of a column, where it is narrower than that of its word; of JSON: lists of texts or numbers only. */
function narrowOf(
  document: OpenApiDocument,
  word: Column['word'],
  listed: readonly unknown[],
  schemas: readonly string[],
  direction: 'request' | 'response',
): string | undefined {
  if (word === 'TEXT' && listed.length > 0) return listed.map((value) => quoted(String(value))).join(' | ');
  if (word !== 'JSON_VALUE') return undefined;
  const { types, items, prefixItems, unions } = viewSchemas(document, schemas, direction);
  const inner = viewSchemas(document, items, direction);
  const [type, another] = inner.types;
  const isList =
    types.has('array') && types.size <= 2 && items.length > 0 && prefixItems.length + unions.length === 0;
  if (!isList || another !== undefined || inner.formats.has('int64')) return undefined;
  const values = [...(inner.values?.values() ?? [])].map((value) => codeOf(value)).join(' | ');
  if (type === 'string') return `readonly ${values === '' ? 'string' : `(${values})`}[]`;
  return type === 'integer' && values === '' ? 'readonly number[]' : undefined;
}

function wordOf(types: ReadonlySet<string>, formats: ReadonlySet<string>): Column['word'] {
  const [only = '', ...more] = types;
  if (types.has('fraction'))
    return [...types].every((type) => /^(integer|fraction)$/.test(type)) ? 'DOUBLE' : 'JSON_VALUE';
  if (more.length > 0) return 'JSON_VALUE';
  if (only === 'integer') return formats.has('int64') ? 'INT64' : 'INTEGER';
  if (only === 'boolean') return 'BOOLEAN';
  if (only !== 'string') return 'JSON_VALUE';
  return formats.has('date-time') ? 'TIMESTAMP' : formats.has('date') ? 'DATE' : 'TEXT';
}

/** What a new user has, where the document demands a value and nobody gives one. */
function madeOf(word: Column['word'], name: string, listed: unknown, sample: unknown): string {
  if (word === 'TIMESTAMP') return 'new Date().toISOString()';
  if (listed !== undefined) return codeOf(listed);
  if (word === 'TEXT') return /u?uid$/i.test(name) ? 'randomUUID()' : "''";
  if (word === 'BOOLEAN') return 'false';
  if (word === 'JSON_VALUE' && Array.isArray(sample)) return '[]';
  return codeOf(word === 'INTEGER' || word === 'DOUBLE' ? 0 : sample);
}

/** A member of a request: `body.user?.email`. */
function given({ operation, part }: Asking, { path, certain }: Field): string {
  const isBodySure = part !== 'body' || operation.requestBody?.required === true;
  return path.reduce<string>((code, name, i) => {
    const isSure = i === 0 ? isBodySure : certain[i - 1] === true;
    const isPlain = /^[A-Za-z_$][\w$]*$/.test(name);
    return `${code}${isSure ? (isPlain ? '.' : '') : '?.'}${isPlain ? name : `[${quoted(name)}]`}`;
  }, part);
}

const isMaybe = ({ operation, part }: Asking, { required }: Field): boolean =>
  !required || (part === 'body' && operation.requestBody?.required !== true);

/** A tree of code and of sample values, by the names of properties. */
interface Tree {
  code: Map<string, Tree | readonly [code: string, isOptional: boolean]>;
}

/** The body of an answer, as code and as a value. */
function answerOf(
  document: OpenApiDocument,
  asking: Asking,
  facts: Facts,
): { readonly code: string; readonly value: unknown } | undefined {
  if (!asking.answer) return undefined;
  const tree: Tree = { code: new Map() };
  const value: Record<string, unknown> = {};
  for (const field of asking.answered) {
    const said = saidOf(document, asking, facts, field);
    if (!said) {
      if (field.required)
        throw new Unclear(
          `its success demands ${field.path.join('.') || 'a body'}, which is no fact about a user`,
        );
      continue;
    }
    const [code, sample, isOptional] = said;
    if (field.path.length === 0) return { code, value: sample };
    let [at, values] = [tree, value];
    for (const name of field.path.slice(0, -1)) {
      const inner = at.code.get(name);
      const next: Tree = inner && 'code' in inner ? inner : { code: new Map() };
      at.code.set(name, next);
      const held = values[name];
      const below: Record<string, unknown> = isObject(held) ? { ...held } : {};
      values[name] = below;
      [at, values] = [next, below];
    }
    at.code.set(lastOf(field), [code, isOptional]);
    values[lastOf(field)] = sample;
  }
  return { code: treeCode(tree), value };
}

function treeCode({ code }: Tree): string {
  const members = [...code].map(([name, member]) => {
    const key = propertyName(name);
    if ('code' in member) return `${key}: ${treeCode(member)}`;
    const [value, isOptional] = member;
    if (isOptional) return `...(${value} !== undefined && { ${key}: ${value} })`;
    return value === name ? name : `${key}: ${value}`;
  });
  return `{ ${members.join(', ')} }`;
}

/** What an answer says in one place: code, a sample, and whether it may be undefined; undefined: nothing. */
function saidOf(
  document: OpenApiDocument,
  asking: Asking,
  { columns, isCounted }: Facts,
  field: Field,
): readonly [string, unknown, boolean] | undefined {
  const fact = factOf(document, field, asking);
  if (fact) return [...fact, false];
  if (isRefresh(field) || isSecret(field)) return undefined;
  const column = columns.get(keyOf(field));
  const { types, formats } = viewSchemas(document, field.schemas, 'response');
  if (column) {
    if (column.nullable && !types.has('null')) return undefined;
    return [`user.${column.name}`, column.sample, column.optional];
  }
  if (!KEYS.test(keyOf(field))) return undefined;
  if (types.has('integer'))
    return formats.has('int64') ? ['user.id', 1n, false] : ['Number(user.id)', 1, false];
  if (!types.has('string') || formats.size > (formats.has('uuid') ? 1 : 0)) return undefined;
  return isCounted ? ['String(user.id)', '1', false] : ['user.id', EXAMPLE_ID, false];
}

const EXAMPLE_ID = '00000000-0000-4000-8000-000000000001';

function tableCode(login: string, { columns, isCounted }: Facts): string {
  const lines = [...columns.values()].map(({ name, word, narrow, unique, nullable, optional }) =>
    [
      `${name}: ${word}`,
      narrow === undefined ? '' : `.as<${narrow}>()`,
      unique ? '.unique()' : '',
      nullable ? '.nullable()' : optional ? '.optional()' : '',
    ].join(''),
  );
  const words = [
    ...new Set([isCounted ? 'IDENTITY' : 'TEXT', 'TEXT', ...[...columns.values()].map(({ word }) => word)]),
  ];
  const imported = [
    ...words,
    'type Database',
    'equal',
    'insertInto',
    'type NewRowOf',
    'type RowOf',
    'select',
    'table',
  ];
  const name = (text: string) => text.replace('type ', '').toLowerCase();
  return `import { ${imported.sort((a, b) => (name(a) < name(b) ? -1 : 1)).join(', ')} } from 'contract-first-server/database';

/** Those who log in. */
export const users = table('users', {
  id: ${isCounted ? 'IDENTITY' : 'TEXT.primaryKey()'},
  passwordHash: TEXT,
  ${lines.join(',\n  ')},
});

export type User = RowOf<typeof users>;

export interface Users {
  /** Resolves to undefined, and adds nothing, if another user has what is unique. */
  add(user: NewRowOf<typeof users>): Promise<User | undefined>;
  get(id: ${isCounted ? 'bigint' : 'string'}): Promise<User | undefined>;
  /** The user with this ${login}. */
  find(${login}: string): Promise<User | undefined>;
}

export const usersIn = (database: Database): Users => ({
  async add(user) {
    const [added] = await database.query(insertInto(users, user)\`ON CONFLICT DO NOTHING\`);
    return added;
  },
  async get(id) {
    const [user] = await database.query(select(users)\`WHERE \${equal(users, { id })}\`);
    return user;
  },
  async find(${login}) {
    const [user] = await database.query(select(users)\`WHERE \${equal(users, { ${login} })}\`);
    return user;
  },
});
`;
}

/** The file of a handler. */
function handlerFile({ operation, part }: Asking, body: string): string {
  const {
    operationId,
    method,
    paths: [path = ''],
  } = operation;
  const { identifier } = handlerName(operationId);
  const shared = ['store', 'tokens', 'passwords'].filter((name) => new RegExp(`\\b${name}\\.`).test(body));
  const core = body.includes('Problem') ? "import { Problem } from 'contract-first-server';\n" : '';
  const uuid = body.includes('randomUUID(') ? "import { randomUUID } from 'node:crypto';\n" : '';
  const kind = body.includes('Problem<OwnKind>') ? "import type { OwnKind } from '../errors';\n" : '';
  return `${uuid}${core}${kind}import type { CreateHandler } from './types';

/** ${method} ${path.replaceAll('*/', '* /')} */
export const ${identifier}: CreateHandler<${quoted(operationId)}> =
  ({ ${shared.join(', ')} }) =>
  async ({ ${part} }) => {
${body}  };
`;
}

/** The status of a success, if it is one that a handler can answer. */
function statusOf({ status }: Asking): number {
  if (/^2\d\d$/.test(status)) return Number(status);
  throw new Unclear('it documents no status of success');
}

/** The end of a handler: the token, if the answer has one, and the answer. */
function endOf(
  asking: Asking,
  isCounted: boolean,
  answer: { readonly code: string } | undefined,
  media: string,
): string {
  const issue = asking.token
    ? `const token = await tokens.issue(${isCounted ? 'String(user.id)' : 'user.id'});\n`
    : '';
  return `${issue}return { status: ${statusOf(asking)}${answer ? `, ${media}body: ${answer.code}` : ''} };\n`;
}

/** The status of a refusal: the first one that the operation documents, or else the usual one, which the overlay adds. */
const refusalStatus = ({ operation: { responses } }: Asking, statuses: readonly number[]): number =>
  statuses.find((status) => responses.has(String(status))) ?? statuses[0] ?? 400;

const isVague = (asking: Asking): boolean =>
  [asking.login, asking.password].some((field) => isMaybe(asking, field));

/** The refusals of users that the overlay adds to their operations, where the document has none. */
export const undocumented = ({ login, register }: Logins) =>
  [
    {
      asking: login,
      status: refusalStatus(login, WRONG),
      description: 'No user has this name and this password.',
    },
    ...(register
      ? [
          {
            asking: register,
            status: refusalStatus(register, TAKEN),
            description: 'There is a user of this name already.',
          },
        ]
      : []),
  ]
    .filter(
      ({ asking: { operation }, status }) =>
        ![String(status), `${String(status)[0]}XX`, 'default'].some((key) => operation.responses.has(key)),
    )
    .map(({ asking: { operation }, ...response }) => ({ operation, ...response }));

const WRONG = [401, 403, 422, 400, 404];
const TAKEN = [409, 422, 400, 403];

export function usersOf(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  logins: Logins,
  example: unknown,
): Users {
  const { login, register, scheme, prefix } = logins;
  const facts = factsOf(document, logins);
  const { columns, isCounted } = facts;
  const name = columns.get(keyOf(login.login))?.name ?? 'name';
  const wrong = refusalStatus(login, WRONG);
  const taken = register && refusalStatus(register, TAKEN);
  const notes: string[] = [];
  const handler = (asking: Asking, write: () => string): Record<string, string> => {
    const { operationId } = asking.operation;
    try {
      const schemas = new Set(
        asking.operation.requestBody?.content.map(({ schema = '' }) => document.follow(schema).pointer),
      );
      if (asking.part === 'body' && schemas.size > 1)
        throw new Unclear('its request has bodies of several shapes');
      if (
        [...asking.operation.responses].some(
          ([key, { headers }]) => key === asking.status && headers.some(({ required }) => required),
        )
      )
        throw new Unclear('its success has headers');
      return { [`src/handlers/${handlerName(operationId).file}.ts`]: handlerFile(asking, write()) };
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      notes.push(`${operationId} stays a stub: ${error.message}`);
      return {};
    }
  };
  const answered = (asking: Asking) => {
    const answer = answerOf(document, asking, facts);
    const mediaType = asking.answer?.mediaType;
    const [one] = served.filter(({ operation }) => operation === asking.operation);
    const several = (asking.operation.responses.get(asking.status)?.content.length ?? 0) > 1;
    try {
      one?.responses.write(
        { status: statusOf(asking), contentType: mediaType, body: answer?.value, headers: {} },
        {},
      );
    } catch (error) {
      if (error instanceof UndocumentedResponse)
        throw new Unclear(`the facts about a user do not make its success: ${error.message}`);
      throw error;
    }
    return endOf(
      asking,
      isCounted,
      answer,
      several && mediaType !== undefined ? `contentType: ${quoted(mediaType)}, ` : '',
    );
  };
  const challenge =
    wrong === 401 ? `, { 'WWW-Authenticate': ${quoted(`${prefix ?? 'Bearer'} realm="api"`)} }` : '';
  const loginCode = () => {
    const [at, secret] = [login.login, login.password].map(
      (field) => `${given(login, field)}${isMaybe(login, field) ? " ?? ''" : ''}`,
    );
    const end = answered(login);
    return `const user = await store.users.find(${at});
    if (!(await passwords.verify(${secret}, user?.passwordHash)) || !user)
      throw new Problem<OwnKind>('wrongPassword', 'no user has this ${name} and this password'${challenge});
    ${end}`;
  };
  const registerCode = (asking: Asking) => {
    const values = [...columns].flatMap(([key, column]) => {
      const from = asking.fields.find((field) => keyOf(field) === key && field !== asking.password);
      const value = from ? given(asking, from) : undefined;
      if (value === undefined) return column.made === undefined ? [] : [`${column.name}: ${column.made}`];
      const other =
        !from || !isMaybe(asking, from)
          ? ''
          : column.nullable
            ? ' ?? null'
            : column.made === undefined
              ? ''
              : ` ?? ${column.made}`;
      const isRequired = key === keyOf(login.login) && from && isMaybe(asking, from);
      return [`${column.name}: ${isRequired ? name : `${value}${other}`}`];
    });
    const isUnsure = isVague(asking);
    const [at, secret] = [asking.login, asking.password].map((field) => given(asking, field));
    const check = isUnsure
      ? `const [${name}, password] = [${at}, ${secret}];
    if (${name} === undefined || password === undefined)
      throw new Problem('invalidRequest', 'expected a ${name} and a password');
    `
      : '';
    const end = answered(asking);
    const isUsed = /\buser\./.test(end);
    return `${check}const ${isUsed ? 'user' : 'added'} = await store.users.add({
      ${isCounted ? '' : 'id: randomUUID(),'}
      passwordHash: await passwords.hash(${isUnsure ? 'password' : secret}),
      ${values.join(',\n      ')},
    });
    if (!${isUsed ? 'user' : 'added'}) throw new Problem<OwnKind>('nameTaken', 'there is a user with this ${name} already');
    ${end}`;
  };
  const files = {
    'src/storage/users.ts': tableCode(name, facts),
    ...handler(login, loginCode),
    ...(register && handler(register, () => registerCode(register))),
  };
  const demanded = served.flatMap(({ operation }) =>
    operation.security.flat().filter((one) => one.scheme === scheme),
  );
  const scopes = [...new Set(demanded.flatMap((one) => one.scopes))];
  if (scopes.length > 0)
    notes.push(
      `the tokens of ${scheme} have no scopes, which operations demand: give them to ${quoted(login.operation.operationId)}, by tokens.issue(user.id, { scopes })`,
    );
  return {
    ...logins,
    files,
    notes,
    kinds: [
      { kind: 'wrongPassword', status: wrong, number: wrong * 100 + 10 },
      ...(taken === undefined ? [] : [{ kind: 'nameTaken', status: taken, number: taken * 100 + 11 }]),
    ],
    refusals: {
      wrongPassword: [login.operation.operationId],
      ...(register && { nameTaken: [register.operation.operationId] }),
      ...(register &&
        isVague(register) && {
          invalidRequest: [register.operation.operationId],
        }),
    },
    isProven: (obligation) =>
      obligation.startsWith(`${login.operation.operationId} | response | ${wrong} `) ||
      obligation.startsWith(`${register?.operation.operationId} | response | ${taken} `),
    id: isCounted ? '1' : EXAMPLE_ID,
    stored: storedCode(login, facts, example),
    scopes,
  };
}

/** The user whom the example of the login names. */
function storedCode(login: Asking, { columns, isCounted }: Facts, example: unknown): string {
  const at = (field: Field): unknown => valueAt(example, field);
  const values = [...columns].map(
    ([key, { name, sample, unique }]) =>
      `${name}: ${codeOf(key === keyOf(login.login) ? (at(login.login) ?? '') : unique ? `first.${String(sample)}` : sample)}`,
  );
  return `await dependencies.store.users.add({
    ${isCounted ? '' : `id: '${EXAMPLE_ID}',`}
    passwordHash: await passwords.hash(${codeOf(at(login.password) ?? '')}),
    ${values.join(',\n    ')},
  });
`;
}

/** Registers a user, logs it in, and is refused where it should be. */
export function userScenario(
  { login, register }: Logins,
  examples: ReturnType<typeof userExamples>,
): Sequence[] {
  const step = (asking: Asking, value: JsonObject, expect: string): string | undefined => {
    const isJsonBody = asking.operation.requestBody?.content.every(({ type }) => isJson(type.essence));
    if (asking.part === 'body' && isJsonBody !== true) return undefined;
    const sent =
      asking.part === 'body' ? `body: ${quoted(stringifyJson(value))}` : `parameters: ${codeOf(value)}`;
    return `{ operation: ${quoted(asking.operation.operationId)}, ${sent}, expect: ${quoted(expect)} }`;
  };
  const first = examples.register?.value;
  const name = first && register && valueAt(first, register.login);
  const secret = first && register && valueAt(first, register.password);
  const known =
    name === undefined
      ? examples.login.value
      : put(put(examples.login.value, login.login.path, name), login.password.path, secret);
  const wrong = put(known, login.password.path, `${String(valueAt(known, login.password))}x`);
  const steps = [
    ...(first && register ? [step(register, first, 'success'), step(register, first, 'nameTaken')] : []),
    step(login, known, 'success'),
    step(login, wrong, 'wrongPassword'),
  ];
  if (!steps.every((one) => one !== undefined)) return [];
  return [{ title: 'users: who has registered can log in, by the right password', steps, proves: [] }];
}

/** The credentials of the contract tests: those of the stored user. */
export function credentialsCode({ scheme, prefix, scopes, id }: Users): string {
  const before = prefix === undefined ? '' : `${prefix} `;
  const token = (held: readonly string[]): string => {
    const issue = `await tokens.issue('${id}'${held.length > 0 ? `, { scopes: ${codeOf(held)} }` : ''})`;
    return before === '' ? issue : `\`${before}\${${issue}}\``;
  };
  if (scopes.length === 0)
    return `credentials: async ({ tokens }) => ({ ${propertyName(scheme)}: { valid: ${token([])}, invalid: ${quoted(`${before}another`)} } }),\n`;
  const lacking = scopes.map(
    (missing) => `${propertyName(missing)}: ${token(scopes.filter((scope) => scope !== missing))}`,
  );
  return `credentials: async ({ tokens }) => {
    const none = ${token([])};
    const without: Readonly<Record<string, string>> = { ${lacking.join(', ')} };
    const insufficient = (scopes: readonly string[]) => [none, ...scopes.map((scope) => without[scope] ?? none)];
    return { ${propertyName(scheme)}: { valid: ${token(scopes)}, invalid: ${quoted(`${before}another`)}, insufficient } };
  },\n`;
}
