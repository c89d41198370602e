import {
  type CompiledQuery,
  DefaultQueryCompiler,
  type QueryId,
  type RootOperationNode,
  type UpdateQueryNode,
} from 'kysely';
import { sql, type Sql, type Value } from '../database';

/** The queries of Kysely as statements of `src/database`, which writes parameters in the dialect of each database. */
const statements = new WeakMap<CompiledQuery, Sql<unknown>>();

const KINDS: readonly string[] = [
  'SelectQueryNode',
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
  'MergeQueryNode',
  'RawNode',
] satisfies RootOperationNode['kind'][];

/**
 * Writes what SQLite and PostgreSQL have in common. What only one of them has is written as Kysely writes it, and the other
 * refuses it: a `StatementError`.
 */
export class Compiler extends DefaultQueryCompiler {
  #strings: string[] = [];
  #values: Value[] = [];

  /** @throws {TypeError} for what is no query, and for a parameter that is no `Value` */
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    if (!KINDS.includes(node.kind))
      throw new TypeError(
        `expected a query, got ${node.kind.replace(/Node$/, '')}: the migrations of the schema make tables`,
      );
    [this.#strings, this.#values] = [[''], []];
    const compiled = super.compileQuery(node, queryId);
    const strings = Object.assign(this.#strings, { raw: this.#strings });
    statements.set(compiled, sql(strings, ...this.#values));
    return compiled;
  }

  /** For people. */
  protected override getSql(): string {
    return this.#strings.join('?');
  }

  protected override append(text: string): void {
    this.#strings.push((this.#strings.pop() ?? '') + text);
  }

  protected override appendValue(value: unknown): void {
    this.addParameter(value);
    this.#values.push(checkValue(value));
    this.#strings.push('');
  }

  /** PostgreSQL would take the default of the column, SQLite NULL. */
  protected override visitDefaultInsertValue(): never {
    throw new TypeError('expected the same columns in each row of an insert: give null where one has none');
  }
}

/** An object could be taken for a statement, and its text comes from a client. */
function checkValue(value: unknown): Value {
  const isValue =
    value === null || value instanceof Uint8Array || ['bigint', 'number', 'string'].includes(typeof value);
  if (isValue) return value as Value;
  const got = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  throw new TypeError(
    `expected a bigint, a number, a string, bytes or null as a parameter of a query, got ${got}`,
  );
}

/** @throws {TypeError} if `Compiler` has not compiled the query */
export function statementOf<Row>(compiled: CompiledQuery): Sql<Row> {
  const statement = statements.get(compiled);
  if (!statement)
    throw new TypeError(
      'expected a query of this Kysely, got text that is compiled already: write it with sql',
    );
  return statement as Sql<Row>;
}

/** Whether a query returns rows rather than a number of them. Of text nobody knows, and so it does. */
export const returnsRows = ({ query }: CompiledQuery): boolean =>
  ['SelectQueryNode', 'RawNode'].includes(query.kind) ||
  (query as UpdateQueryNode).returning !== undefined ||
  (query as UpdateQueryNode).explain !== undefined;
