/** How the values of a column travel: as a handler has them, and as databases hold them. */

/**
 * A value as both databases hold it. Integers are bigint in both directions, and so are truth values (0n, 1n) that a
 * query returns; a number is a double; a string is any well-formed Unicode string.
 */
export type Value = bigint | number | string | Uint8Array | null;

/** A value of JSON. An integer of 64 bits is a bigint. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** Stands for a value that a column cannot hold. */
export const NONE = Symbol('a value that the column cannot hold');

interface Form {
  /** What is expected of a value, as the predicate of a sentence. */
  readonly rule: string;
  /** As the database holds it, or NONE. */
  readonly write: (value: unknown) => Value | typeof NONE;
  /** As it is compared with what is held, where that differs. NULL equals nothing. */
  readonly sought?: (value: unknown) => Value | typeof NONE;
  /** What `exact` statements read, as a handler has it; the same without. */
  readonly read?: (value: Value) => unknown;
}

export const INT64_MAX = 2n ** 63n - 1n;

/** An integer that fits, as a bigint. */
const toInteger = (value: unknown, most: bigint): bigint | typeof NONE => {
  const integer = Number.isInteger(value) ? BigInt(value as number) : value;
  return typeof integer === 'bigint' && integer <= most && integer >= -most - 1n ? integer : NONE;
};

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

/** A double beyond all integers of 64 bits compares with them as the number does that is none of them. */
function toComparable(value: unknown): bigint | number | typeof NONE {
  if (isNumber(value)) return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  if (typeof value !== 'bigint' || BigInt.asIntN(64, value) === value)
    return typeof value === 'bigint' ? value : NONE;
  return value > 0n ? Number.MAX_VALUE : -Number.MAX_VALUE;
}

const only =
  <T extends Value>(isOf: (value: unknown) => value is T) =>
  (value: unknown): T | typeof NONE =>
    isOf(value) ? value : NONE;

const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

const INSTANT =
  /^(\d{4,6})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)( BC)?$/;

/** Whether a month has a day: Date takes the 30th of February for a day of March. */
function utcOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : undefined;
}

/** Both databases hold years of four digits, and so does RFC 3339. */
const bounded = (date: Date, text: string): string => {
  const year = date.getUTCFullYear();
  return year < 1 ? '-infinity' : year > 9999 ? 'infinity' : text;
};

/**
 * The instant of a date-time (RFC 3339 section 5.6), or of what PostgreSQL prints of one, in UTC and to the microsecond. A leap
 * second is the first of the next day, as in POSIX. Before the year 1 it is -infinity, and after 9999 infinity: both engines
 * order these as they should.
 *
 * @returns undefined if it is none
 */
function toInstant(text: string): string | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [east = 0, minutes = 0, seconds = 0] = match
    .slice(9, 12)
    .map((part: string | undefined) => Number(part ?? 0));
  const date = utcOf(match[12] === undefined ? year : 1 - year, month, day);
  if (!date || hour > 23 || minute > 59 || second > 60 || east > 23 || minutes > 59) return undefined;
  const offset = ((east * 60 + minutes) * 60 + seconds) * (match[8] === '-' ? -1 : 1);
  date.setTime(date.getTime() + (hour * 3600 + minute * 60 + second - offset) * 1000);
  return bounded(date, `${date.toISOString().slice(0, 19)}.${(match[7] ?? '').slice(0, 6).padEnd(6, '0')}Z`);
}

function toDay(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = utcOf(Number(year), Number(month), Number(day));
  return date && bounded(date, text);
}

/** Text that is ordered as what it means. */
const ordered = (
  rule: string,
  convert: (text: string) => string | undefined,
  read: (text: string) => string,
) => {
  const sought = (value: unknown) => (typeof value === 'string' ? (convert(value) ?? null) : NONE);
  const write = (value: unknown) => {
    const text = sought(value);
    return text === null || text === 'infinity' || text === '-infinity' ? NONE : text;
  };
  return { rule, write, sought, read: (value: Value) => read(String(value)) };
};

/**
 * JSON text (RFC 8259) with the names in their order. A bigint has the exponent 0, which no number has: `5e0` is 5n, and `5` is 5.
 *
 * @throws {Error} for what JSON cannot hold, and for what is too deep
 */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return `${value}e0`;
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${Array.from(value, toJson).join()}]`;
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value))
    return JSON.stringify(value);
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  if (prototype === undefined || (prototype !== null && Object.getPrototypeOf(prototype) !== null))
    throw new TypeError('expected a JSON value');
  const members = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`).join()}}`;
}

function unlessThrown(convert: (value: unknown) => string): (value: unknown) => string | typeof NONE {
  return (value) => {
    try {
      return convert(value);
    } catch {
      return NONE;
    }
  };
}

const fromJson = (text: Value): unknown =>
  JSON.parse(String(text), (_, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && /^-?\d+e0$/.test(source) ? BigInt(source.slice(0, -2)) : value;
  });

function noEquality(): never {
  throw new TypeError('JSON values cannot be compared: compare what they contain');
}

function fromSafe(value: Value): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error('expected an integer within 2^53');
  return number;
}

const int64: Form = {
  rule: `must be an integer from ${-INT64_MAX - 1n} to ${INT64_MAX}`,
  write: (value) => toInteger(value, INT64_MAX),
  sought: toComparable,
  // The sum or the average of an engine.
  read: (value) => (typeof value === 'number' ? BigInt(value) : value),
};

/** By the name of the word. */
export const FORMS = {
  int64,
  identity: int64,
  integer: {
    rule: `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
    write: (value) => (Number.isSafeInteger(Number(value)) ? toInteger(value, INT64_MAX) : NONE),
    sought: toComparable,
    read: fromSafe,
  },
  double: {
    rule: 'must be a number',
    write: only(isNumber),
    sought: (value) => (typeof value === 'bigint' || isNumber(value) ? Number(value) : NONE),
    read: Number,
  },
  text: { rule: 'must be a string of well-formed Unicode', write: only(isText) },
  bytes: { rule: 'must be bytes', write: only((value): value is Uint8Array => value instanceof Uint8Array) },
  boolean: {
    rule: 'must be a boolean',
    write: (value) => (typeof value === 'boolean' ? BigInt(value) : NONE),
    sought: (value) => (typeof value === 'boolean' || value === 0n || value === 1n ? BigInt(value) : NONE),
    read: (value) => value === 1n,
  },
  timestamp: ordered('must be a date-time of the years 0001 to 9999 in UTC', toInstant, (text) =>
    (toInstant(text) ?? text).replace(/\.?0{1,6}Z$/, 'Z'),
  ),
  date: ordered('must be a date of the years 0001 to 9999', toDay, (text) => text),
  json: { rule: 'must be a JSON value', write: unlessThrown(toJson), sought: noEquality, read: fromJson },
} as const satisfies Readonly<Record<string, Form>>;
