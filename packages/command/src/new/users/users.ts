/** What the document tells of its users: the columns of their table, and what its answers say of them. */
import { type OpenApiDocument, samples, viewSchemas } from 'contract-first-server/tools';
import { quoted } from '../../generate/handler-names';
import { codeOf } from '../code';
import { type ColumnType, typeOf } from '../../generate/column-types';
import { remarkOf } from '../errors/envelopes';
import { type Asking, type Field, keyOf, type Logins } from './logins';
import { camelOf, pascalOf } from '../names';
import { handledValue } from '../types';

/** A column of the table of users, beside its key, and the hash of the password. */
export interface UserColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  /** The values that it may have, as a type; undefined: all of its word. */
  readonly narrow: string | undefined;
  /** The value of a new user for whom nobody has given one, as code; undefined: none. */
  readonly made: string | undefined;
  readonly sample: unknown;
}

/** The facts about a user. */
export interface UserFacts {
  /** By the plain names of their properties. */
  readonly columns: ReadonlyMap<string, UserColumn>;
  /** Whether the ids of users are numbers. */
  readonly isCounted: boolean;
}

/** What an answer says in one place. */
interface Said {
  readonly code: string;
  readonly sample: unknown;
  /** Whether it may be undefined. */
  readonly isOptional?: boolean;
}

export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000001';
const KEYS = /^(id|userid|uuid|uid|accountid|sub)$/;
const LIFETIME = /^(expires?(in)?(seconds)?|ttl|lifetime|tokenlifetime|maxage)$/;
const EXPIRY = /^(expires?(at|on)?|expiry|expiration|expirationdate|validuntil)$/;

/** What an answer says of the token beside it; undefined: another fact. */
function tokenFact(
  document: OpenApiDocument,
  field: Field,
  { token, login, answered }: Asking,
): Said | undefined {
  if (field === token) return { code: 'token', sample: 'a.token.abc' };
  const { types, formats, values } = viewSchemas(document, field.schemas, 'response');
  const name = keyOf(field);
  if (name === 'tokentype') {
    const texts = [...(values?.values() ?? [])].filter((value) => typeof value === 'string');
    const sample = texts.find((value) => /^bearer$/i.test(value)) ?? 'Bearer';
    return { code: quoted(sample), sample };
  }
  if (LIFETIME.test(name) && types.has('integer'))
    return {
      code: formats.has('int64') ? 'BigInt(tokens.lifetime)' : 'tokens.lifetime',
      sample: 3600,
    };
  if (EXPIRY.test(name) && formats.has('date-time'))
    return {
      code: 'new Date(Date.now() + tokens.lifetime * 1000).toISOString()',
      sample: '2026-01-01T00:00:00Z',
    };
  const isInside = (one: Field) => one.path.length > 1 && (one === token || keyOf(one) === keyOf(login));
  const isBeside = field.path.length === 1 && answered.some(isInside);
  const isSuccess = /^(success|ok)$/.test(name) && types.has('boolean');
  const remark =
    isBeside || isSuccess ? remarkOf(document, field.path.at(-1) ?? '', field.schemas) : undefined;
  return remark === undefined ? undefined : { code: codeOf(remark), sample: remark };
}

const isSecret = (field: Field): boolean => /passw|secret|passphrase|^pwd$/.test(keyOf(field));
/** What no table of users has. */
const isApart = (field: Field): boolean =>
  isSecret(field) || /^(refresh|refreshtoken|refreshtokenid)$/.test(keyOf(field));

export function factsOf(document: OpenApiDocument, { login, register, own }: Logins): UserFacts {
  const asking = register ?? login;
  const answered = [login, ...(register ? [register] : []), ...own].flatMap((one) =>
    one.answered.filter((field) => !tokenFact(document, field, one) && !isApart(field)),
  );
  const asked = (register?.fields ?? [login.login]).filter(
    (field) => field !== asking.password && !isSecret(field),
  );
  const columns = new Map<string, UserColumn>();
  for (const field of [...asked, ...answered]) {
    const key = keyOf(field);
    const isLogin = key === keyOf(login.login);
    const from = asked.find((one) => keyOf(one) === key);
    if (columns.has(key) || (KEYS.test(key) && !isLogin && !from)) continue;
    const shown = answered.filter((one) => keyOf(one) === key);
    const column = columnOf(document, field, from, shown, isLogin);
    if (column) columns.set(key, column);
  }
  const isCounted = answered.some(
    (field) =>
      KEYS.test(keyOf(field)) &&
      !columns.has(keyOf(field)) &&
      viewSchemas(document, field.schemas, 'response').types.has('integer'),
  );
  return { columns, isCounted };
}

/**
 * @param from where a request gives it
 * @param shown where answers have it
 */
function columnOf(
  document: OpenApiDocument,
  field: Field,
  from: Field | undefined,
  shown: readonly Field[],
  isLogin: boolean,
): UserColumn | undefined {
  const { schemas } = shown[0] ?? field;
  const direction = shown[0] ? 'response' : 'request';
  const { type, nullable: isNull } = typeOf(document, schemas);
  const nullable = isNull || (from !== undefined && typeOf(document, from.schemas).nullable);
  const isGiven = isLogin || from?.required === true;
  const required = isGiven || nullable || shown.some((one) => one.required);
  const [text] = samples(document, schemas[0] ?? '', direction);
  const values = viewSchemas(document, schemas, direction).values?.values() ?? [];
  const listed = [...values].filter((value) => value !== null);
  const sample = handledValue(document, schemas, listed[0] ?? text);
  const narrow =
    type === 'JSON_VALUE' ? listType(document, schemas) : type === 'TEXT' && listed.map(codeOf).join(' | ');
  if (narrow === undefined) return undefined;
  const own = field.path.at(-1) ?? '';
  const name = camelOf(own, 'value');
  return {
    ...{ type, required, sample, nullable: nullable && !isLogin, narrow: narrow || undefined },
    name: /^(id|passwordHash)$/.test(name) ? `given${pascalOf(own)}` : name,
    unique: isLogin || (isGiven && /^(email|emailaddress|username)$/.test(keyOf(field))),
    made: isGiven || nullable || !required ? undefined : madeOf(type, own, listed, sample),
  };
}

/** The type of a list of texts or numbers; undefined for any other JSON. */
function listType(document: OpenApiDocument, schemas: readonly string[]): string | undefined {
  const { types, items, prefixItems, unions } = viewSchemas(document, schemas, 'response');
  if (!types.has('array') || types.size > 2 || prefixItems.length + unions.length > 0) return undefined;
  const inner = viewSchemas(document, items, 'response');
  const [type, another] = inner.types;
  const values = [...(inner.values?.values() ?? [])].map(codeOf).join(' | ');
  if (another !== undefined || inner.formats.has('int64')) return undefined;
  if (type === 'string') return `readonly ${values === '' ? 'string' : `(${values})`}[]`;
  return type === 'integer' && values === '' ? 'readonly number[]' : undefined;
}

/** What a new user has, where the document demands a value and nobody gives one. */
function madeOf(word: ColumnType, name: string, [listed]: readonly unknown[], sample: unknown): string {
  if (word === 'TIMESTAMP') return 'new Date().toISOString()';
  if (listed !== undefined) return codeOf(listed);
  if (word === 'TEXT') return /u?uid$/i.test(name) ? 'randomUUID()' : "''";
  if (word === 'BOOLEAN') return 'false';
  if (word === 'JSON_VALUE') return '[]';
  return codeOf(word === 'INTEGER' || word === 'DOUBLE' ? 0 : sample);
}

/** What an answer says in one place; undefined: nothing. */
export function saidOf(
  document: OpenApiDocument,
  asking: Asking,
  { columns, isCounted }: UserFacts,
  field: Field,
): Said | undefined {
  const fact = tokenFact(document, field, asking);
  if (fact || isApart(field)) return fact;
  const { types, formats } = viewSchemas(document, field.schemas, 'response');
  const column = columns.get(keyOf(field));
  if (column)
    return column.nullable && !types.has('null')
      ? undefined
      : { code: `user.${column.name}`, sample: column.sample, isOptional: !column.required };
  if (!KEYS.test(keyOf(field))) return undefined;
  if (types.has('integer'))
    return formats.has('int64') ? { code: 'user.id', sample: 1n } : { code: 'Number(user.id)', sample: 1 };
  if (!types.has('string') || formats.size > (formats.has('uuid') ? 1 : 0)) return undefined;
  return isCounted ? { code: 'String(user.id)', sample: '1' } : { code: 'user.id', sample: EXAMPLE_ID };
}
