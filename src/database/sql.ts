import { InvalidValue, StatementError } from './store';

/**
 * A value as both databases hold it. Integers are bigint in both directions, and so are truth values (0n, 1n) that a
 * query returns; a number is a double; a string is any well-formed Unicode string.
 */
export type Value = bigint | number | string | Uint8Array | null;

/** Text that dialects write differently, by their names. An engine of none of these names takes no such statement. */
export interface PerDialect {
  readonly kind: 'dialect';
  readonly [dialect: string]: string;
}

/** What every engine has, and writes in its own way. */
type WordName = 'int64' | 'double' | 'text' | 'bytes' | 'identity' | 'strict';

interface Word<Name extends WordName> {
  readonly kind: 'word';
  readonly name: Name;
}

const wordOf = <Name extends WordName>(name: Name): Word<Name> => ({ kind: 'word', name });

export const INT64 = wordOf('int64');
export const DOUBLE = wordOf('double');
/** Compared and ordered by code point. */
export const TEXT = wordOf('text');
export const BYTES = wordOf('bytes');
/** A type of every engine, or one of a store's own; `array` is PostgreSQL's name of an array of it. */
export type ColumnType =
  typeof INT64 | typeof DOUBLE | typeof TEXT | typeof BYTES | (PerDialect & { readonly array: string });

/** A key that the database counts: from 1 on, and no number twice. It contains PRIMARY KEY. */
export const IDENTITY = wordOf('identity');
/** Ends the definition of a table whose columns hold values of their types only. */
const STRICT = wordOf('strict');

export type Columns = Readonly<Record<string, ColumnType>>;

type Item = Readonly<Partial<Record<string, Value | undefined>>>;

/** Values that a query reads as a table. */
export interface Rows {
  readonly kind: 'rows';
  readonly name: string;
  readonly columns: Columns;
  readonly items: readonly Item[];
}

type Fragment = PerDialect | Word<WordName> | Rows | Sql<unknown>;
type Part = Value | Fragment;

/** A statement, or a part of one, with its values; `Row` is the type of the rows that it returns. */
export interface Sql<Row> {
  readonly kind: 'sql';
  readonly strings: readonly string[];
  readonly parts: readonly Part[];
  /** Never set. */
  readonly row?: Row;
}

/** A statement as a driver takes it. */
export interface Rendered {
  readonly text: string;
  readonly values: readonly (Value | readonly Value[])[];
}

/** How an engine writes statements. */
export interface Dialect {
  /** Of the texts of a `PerDialect` it takes the first that is there. */
  readonly names: readonly string[];
  readonly words: Readonly<Record<WordName, string>>;
  /** @param number of the value in the statement, from 1 on; `before` is the text of the statement before it */
  parameter(number: number, value: Value, before: string): string;
  /** @param add takes a value, or several, as the next parameter, and returns its number */
  rows(rows: Rows, add: (value: Value | readonly Value[]) => number, before: string): string;
}

const checked = new WeakSet<TemplateStringsArray>();

/**
 * A statement of every dialect: sql`SELECT id FROM books WHERE isbn = ${isbn}`. Values become parameters; other
 * statements, names, column types and `rows` become text.
 *
 * Numbers of any size may be looked for: one that no column holds equals nothing. After LIMIT and OFFSET a number beyond
 * int64 is the greatest possible.
 *
 * @throws {InvalidValue} where databases would not do the same: after LIMIT and OFFSET, where SQLite takes a negative
 * number for no limit, a whole number from 0 on is expected; half of a surrogate pair is part of no string
 * @throws {TypeError} for NaN, of which SQLite makes NULL
 */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql<Row> {
  if (!checked.has(strings)) {
    checkText(strings);
    checked.add(strings);
  }
  let counts: Part[] | undefined;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? null;
    checkValue(part);
    const word = isFragment(part) ? undefined : LIMIT.exec(strings[i] ?? '')?.[1];
    if (word !== undefined) (counts ??= [...parts])[i] = countOf(part, word);
  }
  return { kind: 'sql', strings, parts: counts ?? parts };
}

/**
 * A table of `columns` that a statement reads like any other: sql`SELECT id FROM ${rows('batch', { id: INT64 }, books)}`.
 * A property that is undefined is NULL.
 */
export function rows<Name extends string>(
  name: string,
  columns: Readonly<Record<Name, ColumnType>>,
  items: readonly Readonly<Partial<Record<NoInfer<Name>, Value | undefined>>>[],
): Rows {
  return { kind: 'rows', name, columns, items };
}

/**
 * The name of a table or column in a statement: sql`SELECT id FROM ${identifier(table)}`.
 *
 * @throws {TypeError} unless it is of letters, digits and `_`
 */
export function identifier(name: string): Sql<unknown> {
  if (!/^[a-z_]\w*$/i.test(name))
    throw new TypeError(`expected a name of letters, digits and _, got ${name}`);
  return { kind: 'sql', strings: [name], parts: [] };
}

/** `CREATE TABLE`, unless it is there. Every engine holds the columns to their types. */
export const createTable = (name: string, definition: Sql<unknown>): Sql<unknown> => ({
  kind: 'sql',
  strings: [`CREATE TABLE IF NOT EXISTS ${name} (`, ') ', ''],
  parts: [definition, STRICT],
});

const LIMIT = /\b(LIMIT|OFFSET)\s*$/i;
const NEGATIVE_LIMIT = /\b(LIMIT|OFFSET)\s+-/i;
const CONTROL = /^\s*(BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|SET|ATTACH)\b/i;

function checkText(strings: readonly string[]): void {
  const control = CONTROL.exec(strings[0] ?? '')?.[1];
  // On a connection that others use too it would change what their statements mean.
  if (control !== undefined)
    throw new TypeError(`expected a statement for one transaction, got ${control}: use transaction()`);
  if (strings.some((text) => NEGATIVE_LIMIT.test(text)))
    throw new TypeError('expected a whole number from 0 on after LIMIT or OFFSET, got a negative one');
}

function checkValue(part: Part): void {
  if (typeof part === 'string') {
    if (!part.isWellFormed())
      throw new InvalidValue('expected well-formed Unicode, got half of a surrogate pair', [part]);
  } else if (Number.isNaN(part)) throw new TypeError('expected a value that a database can hold, got NaN');
}

const isFragment = (part: Part): part is Fragment =>
  typeof part === 'object' && part !== null && !(part instanceof Uint8Array);

const INT64_MAX = 2n ** 63n - 1n;

/** The number of rows after LIMIT or OFFSET. No table has more than the greatest. */
function countOf(part: Part, word: string): bigint {
  const count = Number.isInteger(part) ? BigInt(part as number) : part;
  if (typeof count === 'bigint' && count >= 0n) return count > INT64_MAX ? INT64_MAX : count;
  const got = typeof part === 'object' ? 'none' : String(part);
  throw new InvalidValue(
    `expected a whole number from 0 on after ${word.toUpperCase()}, got ${got}`,
    [part],
    {
      rule: 'must be a whole number from 0 on',
    },
  );
}

/** What SQLite admits (https://sqlite.org/limits.html). PostgreSQL admits twice as many, and `pg` sends more as nonsense. */
const MAX_VALUES = 32_766;

/** Writes a statement in a dialect. @throws {StatementError} if it has too many values */
export function render(query: Sql<unknown>, dialect: Dialect): Rendered {
  const values: (Value | readonly Value[])[] = [];
  const add = (value: Value | readonly Value[]) => values.push(value);

  function writeSql({ strings, parts }: Sql<unknown>, before: string): string {
    let text = strings[0] ?? '';
    for (let i = 0; i < parts.length; i++)
      text += writePart(parts[i] ?? null, before + text) + (strings[i + 1] ?? '');
    return text;
  }

  function writePart(part: Part, before: string): string {
    if (!isFragment(part)) return dialect.parameter(add(part), part, before);
    if (part.kind === 'sql') return writeSql(part, before);
    if (part.kind === 'word') return dialect.words[part.name];
    if (part.kind === 'rows') return dialect.rows(part, add, before);
    const name = dialect.names.find((each) => Object.hasOwn(part, each));
    if (name !== undefined) return part[name] ?? '';
    const known = Object.keys(part).filter((each) => each !== 'kind');
    throw new TypeError(`expected text for ${dialect.names[0]}, got it for ${known.join(' and ')}`);
  }

  const text = writeSql(query, '');
  if (values.length > MAX_VALUES)
    throw new StatementError(`expected at most ${MAX_VALUES} values in a statement, got ${values.length}`, {
      statement: text.slice(0, 100),
    });
  return { text, values };
}

/** Whether it is a number that no column of 64 bits holds, or that is not exact as a double. */
export const isBeyondInt64 = (value: unknown): boolean =>
  typeof value === 'bigint'
    ? BigInt.asIntN(64, value) !== value
    : Number.isFinite(value) && !Number.isSafeInteger(value);

/** The value of a column in an item of `rows`. */
export function valueOf(item: Item, column: string): Value {
  const value = item[column] ?? null;
  checkValue(value);
  return value;
}
