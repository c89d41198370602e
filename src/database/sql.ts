/**
 * A value as both databases hold it. Integers are bigint in both directions, and so are truth values (0n, 1n) that a
 * query returns; a number is a double; a string is any well-formed Unicode string.
 */
export type Value = bigint | number | string | Uint8Array | null;

/** Text that the two dialects write differently. */
export interface PerDialect {
  readonly kind: 'dialect';
  readonly sqlite: string;
  readonly postgres: string;
}

export interface ColumnType extends PerDialect {
  /** PostgreSQL's name of an array of it. */
  readonly array: string;
}

const columnType = (sqlite: string, postgres: string, array: string): ColumnType => ({
  kind: 'dialect',
  sqlite,
  postgres,
  array,
});

export const INT64 = columnType('INTEGER', 'bigint', 'bigint[]');
export const DOUBLE = columnType('REAL', 'double precision', 'float8[]');
/** Compared and ordered by code point in both. */
export const TEXT = columnType('TEXT', 'text COLLATE "C"', 'text[]');
export const BYTES = columnType('BLOB', 'bytea', 'bytea[]');

export type Columns = Readonly<Record<string, ColumnType>>;

type Item = Readonly<Partial<Record<string, Value | undefined>>>;

/** Values that a query reads as a table. */
interface Rows {
  readonly kind: 'rows';
  readonly name: string;
  readonly columns: Columns;
  readonly items: readonly Item[];
}

type Fragment = PerDialect | Rows | Sql<unknown>;
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
  readonly values: (Value | readonly Value[])[];
}

const checked = new WeakSet<TemplateStringsArray>();

/**
 * A statement of both dialects: sql`SELECT id FROM books WHERE isbn = ${isbn}`. Values become parameters; other
 * statements, column types and `rows` become text.
 *
 * @throws {TypeError} if the two databases would not do the same: after LIMIT and OFFSET, where SQLite takes a negative
 * number for no limit, a whole number from 0 on is expected; NaN, of which SQLite makes NULL, is a value nowhere
 */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql<Row> {
  if (!checked.has(strings)) {
    checkText(strings);
    checked.add(strings);
  }
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? null;
    checkValue(part);
    const word = isFragment(part) ? undefined : LIMIT.exec(strings[i] ?? '')?.[1];
    if (word !== undefined && !isCount(part))
      throw new TypeError(`expected a whole number from 0 on after ${word}, got ${describe(part)}`);
  }
  return { kind: 'sql', strings, parts };
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

/** `CREATE TABLE`, unless it is there. SQLite holds the columns to their types as PostgreSQL does. */
export function createTable(name: string, definition: Sql<unknown>): Sql<unknown> {
  const strict: PerDialect = { kind: 'dialect', sqlite: ' STRICT', postgres: '' };
  const strings = [`CREATE TABLE IF NOT EXISTS ${name} (`, ')', ''];
  return { kind: 'sql', strings, parts: [definition, strict] };
}

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

const describe = (part: Part) => (typeof part === 'object' ? 'none' : String(part));

function checkValue(part: Part): void {
  if (Number.isNaN(part)) throw new TypeError('expected a value that a database can hold, got NaN');
}

const isFragment = (part: Part): part is Fragment =>
  typeof part === 'object' && part !== null && !(part instanceof Uint8Array);

const isCount = (part: Part) =>
  typeof part === 'bigint' ? part >= 0n : Number.isInteger(part) && Number(part) >= 0;

type Dialect = 'sqlite' | 'postgres';

/** Writes a statement in a dialect. */
export function render(query: Sql<unknown>, dialect: Dialect): Rendered {
  const values: Rendered['values'] = [];
  return { text: writeSql(query, dialect, values), values };
}

function writeSql({ strings, parts }: Sql<unknown>, dialect: Dialect, values: Rendered['values']): string {
  let text = strings[0] ?? '';
  for (let i = 0; i < parts.length; i++)
    text += writePart(parts[i] ?? null, dialect, values) + (strings[i + 1] ?? '');
  return text;
}

function writePart(part: Part, dialect: Dialect, values: Rendered['values']): string {
  if (!isFragment(part)) return writeParameter(part, dialect, values);
  if (part.kind === 'dialect') return part[dialect];
  if (part.kind === 'sql') return writeSql(part, dialect, values);
  return dialect === 'sqlite' ? writeRowsOfSqlite(part, values) : writeRowsOfPostgres(part, values);
}

function writeParameter(
  value: Value | readonly Value[],
  dialect: Dialect,
  values: Rendered['values'],
): string {
  const number = values.push(value);
  return dialect === 'sqlite' ? '?' : `$${number}`;
}

function writeRowsOfPostgres({ name, columns, items }: Rows, values: Rendered['values']): string {
  const names = Object.keys(columns);
  const arrays = names.map((column) => {
    const parameter = writeParameter(
      items.map((item) => valueOf(item, column)),
      'postgres',
      values,
    );
    return `${parameter}::${columns[column]?.array}`;
  });
  return `unnest(${arrays.join(', ')}) AS ${name} (${names.join(', ')})`;
}

function writeRowsOfSqlite({ name, columns, items }: Rows, values: Rendered['values']): string {
  const names = Object.keys(columns);
  if (items.length === 0)
    return `(SELECT ${names.map((column) => `NULL AS ${column}`).join(', ')} LIMIT 0) AS ${name}`;
  for (const item of items) for (const column of names) values.push(valueOf(item, column));
  const row = `(${'?,'.repeat(names.length - 1)}?)`;
  const selected = names.map((column, i) => `column${i + 1} AS ${column}`).join(', ');
  return `(SELECT ${selected} FROM (VALUES ${row}${`,${row}`.repeat(items.length - 1)})) AS ${name}`;
}

function valueOf(item: Item, column: string): Value {
  const value = item[column] ?? null;
  checkValue(value);
  return value;
}
