/** Tables that are defined once: what a migration makes of them, what a row has, and statements that are held to them. */
import {
  Column,
  type ColumnsOf,
  nameOf,
  type Part,
  sought,
  type Sql,
  TABLE,
  type Table,
  written,
} from './column';
import { and, list, raw, sql } from './sql';

/** A table, with its columns by their names: `${articles}` and `${articles.slug}` are their names in a statement. */
export type TableOf<C extends ColumnsOf> = Table<C> & { readonly [Name in keyof C]: C[Name] };

type Read<C> = C extends Column<infer R, unknown> ? R : never;
type Written<C> = C extends Column<unknown, infer W> ? W : never;
/** Whether a property may be left out. */
type MayLack<T> = unknown extends T ? false : undefined extends T ? true : false;
type Optional<T> = { [Name in keyof T as MayLack<T[Name]> extends true ? Name : never]?: T[Name] };
type Required<T> = { [Name in keyof T as MayLack<T[Name]> extends true ? never : Name]: T[Name] };
type Simple<T> = { readonly [Name in keyof T]: T[Name] };

type Row<C> = Simple<
  Required<{ [Name in keyof C]: Read<C[Name]> }> & {
    [Name in keyof Optional<{ [N in keyof C]: Read<C[N]> }>]?: Exclude<Read<C[Name]>, undefined>;
  }
>;
type NewRow<C> = Simple<
  Required<{ [Name in keyof C]: Written<C[Name]> }> & Optional<{ [Name in keyof C]: Written<C[Name]> }>
>;
/** What may be NULL is so by null; undefined leaves it as it is. */
type Changes<C> = {
  readonly [Name in keyof C]?:
    | Read<C[Name]>
    | (undefined extends Written<C[Name]> ? (undefined extends Read<C[Name]> ? null : never) : never)
    | undefined;
};

/** What a query has of a row of a table. */
export type RowOf<T extends Table> = T extends Table<infer C> ? Row<C> : never;
/** What an insert takes for a row of a table. */
export type NewRowOf<T extends Table> = T extends Table<infer C> ? NewRow<C> : never;
/** What an update takes. */
export type ChangesOf<T extends Table> = T extends Table<infer C> ? Changes<C> : never;

/** The rest of a statement. */
type Rest<R> = (strings: TemplateStringsArray, ...parts: readonly Part[]) => Sql<R>;

/** Every table of PostgreSQL has columns of these names. */
const SYSTEM = /^(ctid|cmax|cmin|tableoid|xmax|xmin)$/i;

/**
 * A name in quotes: exactly itself, whatever its letters, and though it is a word of SQL.
 *
 * @throws {TypeError} for a name that an engine would not take, or would cut
 */
function quote(name: string): string {
  if (!/^[a-z_]\w{0,62}$/i.test(name) || /^sqlite_/i.test(name) || SYSTEM.test(name))
    throw new TypeError(
      `expected a name of at most 63 letters, digits and _, and none that databases reserve, got ${name}`,
    );
  return `"${name}"`;
}

/**
 * Defines a table: table('books', { isbn: TEXT.primaryKey(), title: TEXT, weight: DOUBLE.nullable() }). A column is NOT NULL
 * unless it says otherwise.
 *
 * @param constraints what concerns several columns: sql`UNIQUE (title, author)`
 * @throws {TypeError} for a name that is none in every database
 */
export function table<const C extends ColumnsOf>(
  name: string,
  columns: C,
  ...constraints: readonly Sql<unknown>[]
): TableOf<C> {
  const own = quote(name);
  const bound = Object.entries(columns).map(([key, column]) => [key, column.in(own, quote(key))] as const);
  if (new Set(bound.map(([key]) => key.toLowerCase())).size < bound.length)
    throw new TypeError(`expected names of columns that differ by more than case in ${name}`);
  const all = Object.fromEntries(bound) as C;
  return Object.defineProperty({ ...all } as TableOf<C>, TABLE, {
    value: { name: own, columns: all, constraints },
  });
}

/** `CREATE TABLE`, unless it is there. Every engine holds the columns to their types. */
export function createTable(of: Table): Sql<unknown>;
export function createTable(name: string, definition: Sql<unknown>): Sql<unknown>;
export function createTable(of: Table | string, definition?: Sql<unknown>): Sql<unknown> {
  const [name, content] = typeof of === 'string' ? [of, definition ?? raw('')] : definitionOf(of[TABLE]);
  return {
    kind: 'sql',
    strings: [`CREATE TABLE IF NOT EXISTS ${name} (`, ') ', ''],
    parts: [content, { kind: 'strict' }],
    ...(typeof of !== 'string' && { makes: of }),
  };
}

function definitionOf({ name, columns, constraints }: Table[typeof TABLE]): [string, Sql<unknown>] {
  const own = Object.values(columns).filter(({ rules }) => !rules.added);
  return [name, list([...own.map(columnOf), ...constraints])];
}

/**
 * `ALTER TABLE ... ADD COLUMN`, for a column that is `added()`.
 *
 * @throws {TypeError} for one that SQLite cannot add
 */
export function addColumn(column: Column): Sql<unknown> {
  const { place, added, key, unique, absent, initial, references } = column.rules;
  if (!place || !added) throw new TypeError('expected a column of a table that is added()');
  const name = nameOf(column);
  if (key ?? unique)
    throw new TypeError(`${name} cannot be added as unique: create a unique index in the same migration`);
  if (absent === undefined && !initial)
    throw new TypeError(`${name} needs a default(), or must be nullable: the table may have rows`);
  if (references && initial) throw new TypeError(`${name} cannot be added with a reference and a default`);
  return { ...list([raw(`ALTER TABLE ${place.table} ADD COLUMN `), columnOf(column)], ''), makes: column };
}

/** A column as CREATE TABLE has it. */
function columnOf(column: Column): Sql<unknown> {
  const { name, rules } = column;
  const { place, key, unique, absent, initial, references } = rules;
  const own = place?.column ?? '';
  const target = references?.column.rules.place;
  if (references && !target) throw new TypeError(`expected a column of a table that ${own} refers to`);
  const rest = [
    absent === undefined && name !== 'identity' ? ' NOT NULL' : '',
    key ? ' PRIMARY KEY' : '',
    unique ? ' UNIQUE' : '',
    initial ? ` DEFAULT ${literal(column, initial.value)}` : '',
    target ? ` REFERENCES ${target.table} (${target.column})` : '',
    references?.onDelete ? ` ON DELETE ${references.onDelete}` : '',
  ];
  const type = new Column(name);
  return list([raw(`${own} `), type, raw(rest.join('')), { kind: 'check', type: name, column: own }], '');
}

/** A value as text: a definition takes no parameters. */
function literal(column: Column, value: unknown): string {
  const held = written(column, value);
  if (column.name === 'boolean') return held === 1n ? 'TRUE' : 'FALSE';
  if (typeof held === 'bigint' || Number.isFinite(held)) return String(held);
  // PostgreSQL holds U+0000 and U+0001 in a form of its own.
  if (typeof held === 'string' && !/[\0\u0001]/.test(held)) return `'${held.replaceAll("'", "''")}'`;
  throw new TypeError(`expected a default that can be written as text, got ${typeof value}`);
}

/** The list of a select, or of RETURNING. @throws {TypeError} for a type that has no expression */
function selected(columns: ColumnsOf): Sql<unknown> {
  return list(
    Object.entries(columns).map(([key, column]) => {
      if (!column.at) throw new TypeError(`expected an expression for ${key}: ${column.name} .from(sql...)`);
      const own = quote(key);
      return column.rules.place?.column === own ? column : list([column, raw(` AS ${own}`)], '');
    }),
  );
}

/** A statement that a template ends, and whose rows have these columns. */
const ended =
  <R>(columns: ColumnsOf, whole: (rest: Sql<unknown>, all: Sql<unknown>) => Sql<unknown>): Rest<R> =>
  (strings, ...parts) =>
    ({ ...whole(sql(strings, ...parts), selected(columns)), columns }) as Sql<R>;

/**
 * Begins a SELECT of all columns of a table, or of those in a list, with FROM: the template goes on with the rest.
 *
 *     select(books)`WHERE ${books.isbn} = ${isbn}`
 *     select({ title: books.title, loans: INT64.from(sql`count(*)`) })`FROM ${books} JOIN ... GROUP BY 1`
 */
export function select<C extends ColumnsOf>(from: Table<C> | C): Rest<Row<C>> {
  return TABLE in from
    ? ended(from[TABLE].columns, (rest, all) => sql`SELECT ${all} FROM ${from} ${rest}`)
    : ended(from, (rest, all) => sql`SELECT ${all} ${rest}`);
}

/**
 * Begins an INSERT of a row, or of several. It returns the rows that it has written; the template may have ON CONFLICT.
 *
 * @throws {InvalidValue} for a value that its column cannot hold
 */
export function insertInto<C extends ColumnsOf>(
  into: Table<C>,
  rows: NewRow<C> | readonly NewRow<C>[],
): Rest<Row<C>> {
  const { columns, name } = into[TABLE];
  // Without what every object has: it may be the name of a column.
  const items = ([rows].flat() as readonly Given[]).map((item): Given => ({ __proto__: null, ...item }));
  for (const item of items) checkNames(columns, item, name);
  const names = Object.keys(columns).filter(
    (key) => columns[key]?.name !== 'identity' || isGiven(key, items),
  );
  if (names.length === 0 && items.length > 1) throw new TypeError(`expected one row, got ${items.length}`);
  const held = items.map((item) => sql`(${list(names.map((key) => written(at(columns, key), item[key])))})`);
  const own = raw(names.map(quote).join(', '));
  const values = held.length > 0 ? sql`VALUES ${list(held)}` : sql`SELECT ${own} FROM ${into} WHERE FALSE`;
  const source = names.length > 0 ? sql`(${own}) ${values}` : raw('DEFAULT VALUES');
  return ended(columns, (rest, all) => sql`INSERT INTO ${into} ${source} ${rest} RETURNING ${all}`);
}

type Given = Readonly<Record<string, unknown>>;

/** Whether a key is given, and not counted by the database. */
function isGiven(key: string, items: readonly Given[]): boolean {
  const count = items.filter((item) => item[key] !== undefined).length;
  if (count > 0 && count < items.length) throw new TypeError(`expected ${key} in every row, or in none`);
  return count === items.length;
}

/**
 * Begins an UPDATE, and returns the rows that it has changed: update(books, { title })`WHERE isbn = ${isbn}`.
 *
 * @throws {InvalidValue} for a value that its column cannot hold
 */
export function update<C extends ColumnsOf>(of: Table<C>, changes: Changes<C>): Rest<Row<C>> {
  const { columns, name } = of[TABLE];
  checkNames(columns, changes, name);
  const sets = Object.entries<unknown>(changes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => sql`${raw(quote(key))} = ${written(at(columns, key), value)}`);
  const first = raw(quote(Object.keys(columns)[0] ?? ''));
  // One that changes nothing still finds its rows.
  const changed = sets.length > 0 ? list(sets) : sql`${first} = ${first}`;
  return ended(columns, (rest, all) => sql`UPDATE ${of} SET ${changed} ${rest} RETURNING ${all}`);
}

/** Begins a DELETE, and returns the rows that are gone: deleteFrom(books)`WHERE isbn = ${isbn}`. */
export const deleteFrom = <C extends ColumnsOf>(from: Table<C>): Rest<Row<C>> =>
  ended(from[TABLE].columns, (rest, all) => sql`DELETE FROM ${from} ${rest} RETURNING ${all}`);

/**
 * The condition that columns equal values, for `and` and WHERE: equal(books, { title, weight: null }). undefined is no
 * condition, and null is NULL.
 */
export function equal<C extends ColumnsOf>(of: Table<C>, values: Changes<C>): Sql<unknown> {
  const { columns, name } = of[TABLE];
  checkNames(columns, values, name);
  return and(
    Object.entries<unknown>(values).map(([key, value]) => {
      if (value === undefined) return undefined;
      const column = at(columns, key);
      return value === null ? sql`${column} IS NULL` : sql`${column} = ${sought(column, value)}`;
    }),
  );
}

const at = (columns: ColumnsOf, key: string): Column => columns[key] as Column;

/** @throws {TypeError} for a value without a column, which would be lost */
function checkNames(columns: ColumnsOf, item: object, table: string): void {
  for (const [key, value] of Object.entries(item))
    if (value !== undefined && !Object.hasOwn(columns, key))
      throw new TypeError(`${table.replaceAll('"', '')} has no column ${JSON.stringify(key.slice(0, 100))}`);
}
