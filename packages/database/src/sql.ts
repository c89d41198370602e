import {
  type Column,
  type ColumnType,
  type Fragment,
  type Item,
  type Part,
  type Rows,
  sought,
  type Sql,
  type Table,
  TABLE,
  type TypeName,
  type Word,
  written,
} from './column';
import { InvalidValue, StatementError } from './store';
import { INT64_MAX, type JsonValue, type Value } from './values';

/** What every engine writes in its own way. */
type WordName = TypeName | Word['kind'];

/** A statement as a driver takes it. */
export interface Rendered {
  readonly text: string;
  readonly values: readonly (Value | readonly Value[])[];
  /** Whether timestamps, dates and JSON are read as text. Otherwise PostgreSQL's are a Date, and a value of JSON. */
  readonly exact?: boolean;
}

export interface Result<Row = unknown> {
  readonly rows: Row[];
  /** Rows written, or read. */
  readonly count: number;
}

/** What runs statements, and throws the errors of the engine. */
export interface Runner {
  run(statement: Rendered): Promise<Result> | Result;
}

/** How an engine writes statements. */
export interface Dialect {
  /** Of the texts of a `PerDialect` it takes the first that is there. */
  readonly names: readonly string[];
  readonly words: Readonly<Record<WordName, string>>;
  /** What a column must be, where the type alone allows more. */
  readonly checks?: Readonly<Partial<Record<TypeName, (column: string) => string>>>;
  /**
   * Writes the parameters of one statement, in their order: `number` is that of the value, from 1 on, and `between` the text
   * that follows the parameter before it.
   */
  parameters(): (number: number, value: Value, between: string) => string;
  /** @param add takes a value, or several, as the next parameter, and returns its number */
  rows(rows: Rows, add: (value: Value | readonly Value[]) => number, before: string): string;
}

const DAY = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]';
const TWO = '[0-9][0-9]';

/** For engines that keep truth values as integers, timestamps and dates as text: the form in which they are ordered. */
export const CHECKS: NonNullable<Dialect['checks']> = {
  boolean: (column) => ` CHECK (${column} IN (0, 1))`,
  date: (column) => ` CHECK (${column} GLOB '${DAY}')`,
  timestamp: (column) => ` CHECK (${column} GLOB '${DAY}T${TWO}:${TWO}:${TWO}.${TWO.repeat(3)}Z')`,
};

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
  let converted: Part[] | undefined;
  /** The column before the value, and what may stand between them. */
  let column: Column | undefined;
  let between = OPERATOR;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? null;
    const before = strings[i] ?? '';
    const after = parts[i + 1];
    let value = part;
    checkValue(part);
    if (isFragment(part)) [column, between] = [isColumn(part) ? part : undefined, OPERATOR];
    else if (LIMIT.test(before)) value = countOf(part, LIMIT.exec(before)?.[1] ?? '');
    else if (column && between.test(before)) {
      value = sought(column, part);
      between = /\(\s*$|^\s*,/.test(before) ? COMMA : /BETWEEN\s*$/i.test(before) ? AND : NOTHING;
    } else {
      column = undefined;
      if (isColumn(after) && COMPARISON.test(strings[i + 1] ?? '')) value = sought(after, part);
    }
    if (value !== part) (converted ??= [...parts])[i] = value;
  }
  return { kind: 'sql', strings, parts: converted ?? parts };
}

const COMPARISON = /^\s*(?:[<>=]|<>|!=|<=|>=|IS\s+(?:NOT\s+)?DISTINCT\s+FROM)\s*$/i;
/** What stands between a column and a value that is compared with it, and between that value and the next. */
const OPERATOR = new RegExp(`${COMPARISON.source}|^\\s*(?:NOT\\s+)?(?:BETWEEN|IN\\s*\\()\\s*$`, 'i');
const COMMA = /^\s*,\s*$/;
const AND = /^\s*AND\s*$/i;
const NOTHING = /(?!)/;

const isColumn = (part: Part | undefined): part is Column =>
  part !== undefined && isFragment(part) && 'kind' in part && part.kind === 'column' && part.at !== undefined;

/** All of the conditions that are there: TRUE if none is. */
export const and = (conditions: readonly (Sql<unknown> | undefined)[]): Sql<unknown> =>
  joined(conditions, ' AND ', 'TRUE');

/** One of the conditions that are there: FALSE if none is. */
export const or = (conditions: readonly (Sql<unknown> | undefined)[]): Sql<unknown> =>
  joined(conditions, ' OR ', 'FALSE');

function joined(conditions: readonly (Sql<unknown> | undefined)[], word: string, none: string): Sql<unknown> {
  const parts = conditions.filter((condition) => condition !== undefined);
  if (parts.length === 0) return raw(none);
  return { kind: 'sql', strings: ['((', ...parts.slice(1).map(() => `)${word}(`), '))'], parts };
}

/** Text as it is. */
export const raw = (text: string): Sql<unknown> => ({ kind: 'sql', strings: [text], parts: [] });

/** Parts with a text between them. */
export const list = <Row = unknown>(parts: readonly Part[], comma = ', '): Sql<Row> => ({
  kind: 'sql',
  strings: ['', ...parts.slice(1).map(() => comma), ''].slice(0, parts.length + 1),
  parts,
});

/**
 * A table of `columns` that a statement reads like any other: sql`SELECT id FROM ${rows('batch', { id: INT64 }, books)}`.
 * A property that is undefined is NULL.
 */
export function rows<Name extends string>(
  name: string,
  columns: Readonly<Record<Name, ColumnType>>,
  items: readonly Readonly<Partial<Record<NoInfer<Name>, Value | JsonValue | undefined>>>[],
): Rows {
  const held = (type: ColumnType, value: unknown) =>
    type.kind === 'column' && !PLAIN.has(type.name) ? written(type.nullable(), value) : value;
  const all = Object.entries<ColumnType>(columns);
  const itemOf = (item: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      all.map(([key, type]) => [key, held(type, Object.hasOwn(item, key) ? item[key] : null)]),
    ) as Item;
  return { kind: 'rows', name, columns, items: items.map(itemOf) };
}

/** What a driver takes as it is. */
const PLAIN = new Set<TypeName>(['int64', 'identity', 'integer', 'double', 'text', 'bytes']);

const LIMIT = /\b(LIMIT|OFFSET)\s*$/i;
const NEGATIVE_LIMIT = /\b(LIMIT|OFFSET)\s+-/i;
const CONTROL = /^\s*(BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|SET|ATTACH)\b/i;

function checkText(strings: readonly string[]): void {
  const control = CONTROL.exec(strings[0] ?? '')?.[1];
  // On a connection that others use too it would change what their statements mean.
  if (control !== undefined)
    throw new TypeError(`expected a statement for one transaction, got ${control}: use transaction()`);
  if (strings.some((text) => NEGATIVE_LIMIT.test(text)))
    throw new TypeError('expected a non-negative integer after LIMIT or OFFSET, got a negative one');
}

function checkValue(part: Part): void {
  if (typeof part === 'string') {
    if (!part.isWellFormed())
      throw new InvalidValue('expected well-formed Unicode, got half of a surrogate pair', [part]);
  } else if (Number.isNaN(part)) throw new TypeError('expected a value that a database can hold, got NaN');
}

const isFragment = (part: Part): part is Fragment =>
  typeof part === 'object' && part !== null && !(part instanceof Uint8Array);

/** The number of rows after LIMIT or OFFSET. No table has more than the greatest. */
function countOf(part: Part, word: string): bigint {
  const count = Number.isInteger(part) ? BigInt(part as number) : part;
  if (typeof count === 'bigint' && count >= 0n) return count > INT64_MAX ? INT64_MAX : count;
  const got = typeof part === 'object' ? 'none' : String(part);
  throw new InvalidValue(`expected a non-negative integer after ${word.toUpperCase()}, got ${got}`, [part], {
    rule: 'must be a non-negative integer',
  });
}

/** What SQLite admits (https://sqlite.org/limits.html). PostgreSQL admits twice as many, and `pg` sends more as nonsense. */
const MAX_VALUES = 32_766;

/** Writes a statement in a dialect. @throws {StatementError} if it has too many values */
export function render(query: Sql<unknown>, dialect: Dialect): Rendered {
  const values: (Value | readonly Value[])[] = [];
  const add = (value: Value | readonly Value[]) => values.push(value);

  const parameter = dialect.parameters();
  let text = '';
  let between = '';
  const write = (more: string) => {
    text += more;
    between += more;
  };

  function writeSql({ strings, parts }: Sql<unknown>): void {
    write(strings[0] ?? '');
    for (let i = 0; i < parts.length; i++) {
      writePart(parts[i] ?? null);
      write(strings[i + 1] ?? '');
    }
  }

  function writePart(part: Part): void {
    if (typeof part === 'boolean') writePart(BigInt(part));
    else if (!isFragment(part)) {
      text += parameter(add(part), part, between);
      between = '';
    } else if (TABLE in part) write(part[TABLE].name);
    else if (part.kind === 'sql') writeSql(part);
    else if (part.kind === 'column' && part.at) writeSql(part.at);
    else write(textOf(part));
  }

  function textOf(part: Exclude<Fragment, Sql<unknown> | Table>): string {
    if (part.kind === 'column') return dialect.words[part.name];
    if (part.kind === 'check') return dialect.checks?.[part.type]?.(part.column) ?? '';
    if (part.kind === 'rows') return dialect.rows(part, add, text);
    if (part.kind !== 'dialect') return dialect.words[part.kind];
    const name = dialect.names.find((each) => Object.hasOwn(part, each));
    if (name !== undefined) return part[name] ?? '';
    const known = Object.keys(part).filter((each) => each !== 'kind');
    throw new TypeError(`expected text for ${dialect.names[0]}, got it for ${known.join(' and ')}`);
  }

  writeSql(query);
  if (values.length > MAX_VALUES)
    throw new StatementError(`expected at most ${MAX_VALUES} values in a statement, got ${values.length}`, {
      statement: text.slice(0, 100),
    });
  return { text, values, exact: query.columns !== undefined };
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
