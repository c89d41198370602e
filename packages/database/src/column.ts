/** The types of columns, and what else a table says of each. */
import { InvalidValue } from './store';
import { FORMS, type JsonValue, NONE, type Value } from './values';

/** Text that dialects write differently, by their names. An engine of none of these names takes no such statement. */
export interface PerDialect {
  readonly kind: 'dialect';
  readonly [dialect: string]: string;
}

/** A word of an engine: `strict` ends the definition of a table whose columns hold values of their types only. */
export interface Word {
  readonly kind: 'strict' | 'concurrently' | 'tryLock';
}

/**
 * A function of an int64 other than 0: it is 0 (false) if another transaction holds the lock of that number, and otherwise this
 * transaction holds it until its end. An engine that has only one writer needs no such lock.
 * sql`SELECT ${TRY_LOCK}(${number}) AS locked`
 */
export const TRY_LOCK: Word = { kind: 'tryLock' };

/**
 * Of an index, in a migration with `transaction: false`: others write meanwhile. Empty where they do so anyway, or cannot.
 * sql`CREATE INDEX ${CONCURRENTLY} IF NOT EXISTS books_by_title ON books (title)`
 */
export const CONCURRENTLY: Word = { kind: 'concurrently' };

/** What the values of a column must be, for an engine that has no such type of its own. */
export interface Check {
  readonly kind: 'check';
  readonly type: TypeName;
  /** Quoted. */
  readonly column: string;
}

/** Values that a query reads as a table. */
export interface Rows {
  readonly kind: 'rows';
  readonly name: string;
  readonly columns: Columns;
  readonly items: readonly Item[];
}

export type Item = Readonly<Partial<Record<string, Value | undefined>>>;

export type Fragment = PerDialect | Word | Check | Rows | Column | Table | Sql<unknown>;
/** What stands in a statement. A truth value is written as 0 or 1, which every column of them takes. */
export type Part = Value | boolean | Fragment;

/** A statement, or a part of one, with its values; `Row` is the type of the rows that it returns. */
export interface Sql<Row> {
  readonly kind: 'sql';
  readonly strings: readonly string[];
  readonly parts: readonly Part[];
  /** Never set. */
  readonly row?: Row;
  /** Of the rows that it returns, if each is read as its column says. */
  readonly columns?: ColumnsOf;
  /** What it makes: a table, without its columns that are `added()`, or one of these. */
  readonly makes?: Table | Column;
}

/** Has what a table is, beside its columns. It is no name of a column. */
export const TABLE = Symbol('table');

export interface Table<C extends ColumnsOf = ColumnsOf> {
  readonly [TABLE]: {
    /** Quoted. */
    readonly name: string;
    readonly columns: C;
    readonly constraints: readonly Sql<unknown>[];
  };
}

/** Columns by their names. */
export type ColumnsOf = Readonly<Record<string, Column>>;

/** A type of every engine, or one of a store's own; `array` is PostgreSQL's name of an array of it. */
export type ColumnType = Column | (PerDialect & { readonly array: string });

export type Columns = Readonly<Record<string, ColumnType>>;

export type TypeName = keyof typeof FORMS;

/** What follows the type of a column in a table. */
interface Rules {
  readonly key?: true;
  /** Whether a row has a key that is counted as a number. */
  readonly isNumber?: true;
  readonly unique?: true;
  /** What a row has where there is NULL; without it a column is NOT NULL. */
  readonly absent?: null | 'left out';
  readonly initial?: { readonly value: unknown };
  readonly references?: { readonly column: Column; readonly onDelete: OnDelete | undefined };
  /** Whether a later migration adds it. */
  readonly added?: true;
  /** Quoted. */
  readonly place?: { readonly table: string; readonly column: string };
}

type OnDelete = 'CASCADE' | 'SET NULL';

/**
 * The type of a column: alone, such as TEXT, or as a column of a table. `Read` is what a row has of it, and `Written` what an
 * insert takes; undefined stands for a property that may be left out.
 */
export class Column<Read = unknown, Written = Read> {
  readonly kind = 'column';
  /** Never set. */
  declare readonly read?: Read;
  /** Never set. */
  declare readonly written?: Written;

  /** @param at the expression whose values it has; undefined for a type alone */
  constructor(
    readonly name: TypeName,
    readonly rules: Rules = {},
    readonly at?: Sql<unknown>,
  ) {}

  primaryKey(): Column<Read, Written> {
    return this.with({ key: true });
  }

  unique(): Column<Read, Written> {
    return this.with({ unique: true });
  }

  /** May be NULL, which a row has as null. In a select list: of a table that a LEFT JOIN may have no row of. */
  nullable(): Column<Read | null, Written | null | undefined> {
    return this.with({ absent: null });
  }

  /** May be NULL: the row then lacks the property. */
  optional(): Column<Read | undefined, Written | undefined> {
    return this.with({ absent: 'left out' });
  }

  /** Refers to a column of another table, of the same type. */
  references(column: Column<Read, unknown>, onDelete?: OnDelete): Column<Read, Written> {
    return this.with({ references: { column, onDelete } });
  }

  /** What an insert takes that has no value. */
  default(value: Exclude<Read, undefined>): Column<Read, Written | undefined> {
    return this.with({ initial: { value } });
  }

  /** Is not in `createTable`, because databases have the table without it: a migration of its own has `addColumn`. */
  added(): Column<Read, Written> {
    return this.with({ added: true });
  }

  /** Its values are of a narrower type of TypeScript. Nothing checks that. */
  as<T>(): Column<T> {
    return this.with({});
  }

  /** An expression of this type, for a select list: INT64.from(sql`count(*)`). */
  from(expression: Sql<unknown>): Column<Read, Written> {
    return new Column(this.name, this.rules, expression);
  }

  /** The column of that name, in the table of that name; both are quoted. */
  in(table: string, column: string): Column<Read, Written> {
    return this.with<Read, Written>({ place: { table, column } }).from({
      kind: 'sql',
      strings: [`${table}.${column}`],
      parts: [],
    });
  }

  private with<R, W>(rules: Rules): Column<R, W> {
    return new Column(this.name, { ...this.rules, ...rules }, this.at);
  }
}

export const INT64 = new Column<bigint>('int64');
/** An integer that a number holds exactly; in the database one of 64 bits. */
export const INTEGER = new Column<number>('integer');
export const DOUBLE = new Column<number>('double');
/** Compared and ordered by code point. */
export const TEXT = new Column<string>('text');
export const BYTES = new Column<Uint8Array>('bytes');
export const BOOLEAN = new Column<boolean>('boolean');
/** A date-time (RFC 3339 section 5.6), kept as its instant: in UTC, to the microsecond. */
export const TIMESTAMP = new Column<string>('timestamp');
/** A full-date (RFC 3339 section 5.6). */
export const DATE = new Column<string>('date');
/** Any value of JSON, as it was written: integers of 64 bits, the order of names, every string. */
export const JSON_VALUE = new Column<JsonValue>('json');
/** A key that the database counts: from 1 on, and no number twice. It contains PRIMARY KEY. */
export const IDENTITY = new Column<bigint, bigint | undefined>('identity');
/** IDENTITY, of integers that a number holds exactly. */
export const COUNTER = new Column<number, number | undefined>('identity', { isNumber: true });

/** For messages: `articles.slug`, or the name of its type. */
export const nameOf = ({ rules: { place }, name }: Column) =>
  place ? `${place.table}.${place.column}`.replaceAll('"', '') : name;

const formOf = ({ name, rules }: Column) => FORMS[rules.isNumber ? 'integer' : name];

/** A value as the database holds it. @throws {InvalidValue} if the column cannot hold it */
export function written(column: Column, value: unknown): Value {
  const { rule, write } = formOf(column);
  const { absent, initial } = column.rules;
  if (value === undefined && initial) return written(column, initial.value);
  if (absent !== undefined && (value ?? null) === null) return null;
  const result = write(value);
  return result === NONE ? refuse(column, rule, value) : result;
}

/** A value as it is compared with those of a column: NULL, which equals nothing, if there can be none like it. */
export function sought(column: Column, value: unknown): Value {
  if (value === null) return null;
  const form = formOf(column);
  const result = ('sought' in form ? form.sought : form.write)(value);
  return result === NONE ? refuse(column, form.rule, value) : result;
}

function refuse(column: Column, rule: string, value: unknown): never {
  throw new InvalidValue(`${nameOf(column)} ${rule}`, [value], { rule });
}

/** A row as its columns say. What is none of them stays as it is. */
export function readRow(columns: ColumnsOf, row: unknown): unknown {
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(row as Readonly<Record<string, Value>>)) {
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (!column || value !== null) members.push([name, column ? read(column, value) : value]);
    else if (column.rules.absent === null) members.push([name, null]);
    else if (column.rules.absent === undefined)
      throw new Error(`expected a value of ${nameOf(column)}, got NULL: it may have to be nullable()`);
  }
  return Object.fromEntries(members);
}

function read(column: Column, value: Value): unknown {
  const form = formOf(column);
  return 'read' in form ? form.read(value) : value;
}
