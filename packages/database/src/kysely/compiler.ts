import {
  type BinaryOperationNode,
  ColumnNode,
  type ColumnUpdateNode,
  type CompiledQuery,
  DefaultQueryCompiler,
  type InsertQueryNode,
  type OperationNode,
  type Operator,
  OperatorNode,
  PrimitiveValueListNode,
  type QueryId,
  ReferenceNode,
  type RootOperationNode,
  type UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely';
import { sql, type Column, type Part, type Sql, type Value } from '..';
import { sought, written } from '../column';
import { raw } from '../sql';
import { isQuery, type Names, Scope } from './scope';

/** The queries of Kysely as statements of `packages/database/src`, which writes parameters in the dialect of each database. */
const statements = new WeakMap<CompiledQuery, Sql<unknown>>();

const COMPARISONS: readonly Operator[] = ['=', '==', '!=', '<>', '<', '<=', '>', '>='];

/**
 * Writes what SQLite and PostgreSQL have in common. What only one of them has is written as Kysely writes it, and the other
 * refuses it: a `StatementError`. Values that are compared with columns of tables, or written into them, are brought to their
 * form, and rows are read as these columns say.
 */
export class Compiler extends DefaultQueryCompiler {
  #strings: string[] = [];
  #parts: Part[] = [];
  #scopes = new Map<OperationNode, Scope>();

  /** @param tables the columns of each table whose types are known */
  constructor(private readonly tables: ReadonlyMap<string, Names>) {
    super();
  }

  /**
   * @throws {TypeError} for what is no query, and for a parameter that is no `Part`
   * @throws {InvalidValue} for a value that its column cannot hold
   */
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    if (!isQuery(node) && node.kind !== 'RawNode')
      throw new TypeError(
        `expected a query, got ${node.kind.replace(/Node$/, '')}: the migrations of the schema create tables`,
      );
    [this.#strings, this.#parts] = [[''], []];
    this.#scopes = new Map();
    const compiled = super.compileQuery(node, queryId);
    const statement = sql(Object.assign(this.#strings, { raw: this.#strings }), ...this.#parts);
    const outputs = isQuery(node) ? [...new Scope(node, undefined, this.tables).outputs()] : [];
    const columns = outputs.flatMap(([name, column]) => (column ? [[name, column.nullable()] as const] : []));
    // With tables, everything that is returned is read in one way: of what is no column, the database decides.
    const isTyped = this.tables.size > 0;
    statements.set(compiled, isTyped ? { ...statement, columns: Object.fromEntries(columns) } : statement);
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
    this.#add(checkValue(value));
  }

  #add(part: Part): void {
    this.#parts.push(part);
    this.#strings.push('');
  }

  /** Of the query that is being written. */
  get #scope(): Scope | undefined {
    return this.nodeStack.filter(isQuery).reduce<Scope | undefined>((outer, query) => {
      const scope = this.#scopes.get(query) ?? new Scope(query, outer, outer ? undefined : this.tables);
      this.#scopes.set(query, scope);
      return scope;
    }, undefined);
  }

  /** What a value is compared with decides its form: the statement is given the column, and not its name alone. */
  protected override visitReference(node: ReferenceNode): void {
    const column = this.#columnOf(node);
    this.#strings.push('');
    super.visitReference(node);
    const name = this.#strings.pop() ?? '';
    if (column) this.#add(column.from(raw(name)));
    else this.append(name);
  }

  /** The statement sees what is compared with a column, but not with the greatest of a column, or a subquery of one. */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    const column = ReferenceNode.is(leftOperand) ? undefined : this.#scope?.typeOf(leftOperand);
    const isCompared = OperatorNode.is(operator) && COMPARISONS.includes(operator.operator);
    if (!column || !isCompared || !ValueNode.is(rightOperand)) super.visitBinaryOperation(node);
    else {
      const value = sought(column, checkValue(rightOperand.value));
      super.visitBinaryOperation({ ...node, rightOperand: ValueNode.create(value) });
    }
  }

  #columnOf(node: OperationNode): Column | undefined {
    return ColumnNode.is(node) ? this.#scope?.find(node.column.name) : this.#scope?.typeOf(node);
  }

  protected override visitColumnUpdate({ column, value }: ColumnUpdateNode): void {
    // The name of the column alone: what follows is no comparison.
    this.visitNode(ReferenceNode.is(column) ? column.column : column);
    this.append(' = ');
    this.visitNode(writtenInto(this.#columnOf(column), value));
  }

  protected override visitValues({ values }: ValuesNode): void {
    const { columns = [] } = this.parentNode as InsertQueryNode;
    const types = columns.map((column) => this.#columnOf(column));
    const rows = values.map((row) => {
      const items = PrimitiveValueListNode.is(row) ? row.values.map(ValueNode.create) : row.values;
      return ValueListNode.create(items.map((item, i) => writtenInto(types[i], item)));
    });
    super.visitValues(ValuesNode.create(rows));
  }

  /** PostgreSQL would take the default of the column, SQLite NULL. */
  protected override visitDefaultInsertValue(): never {
    throw new TypeError(
      'expected the same columns in each row of an insert: use null where a row has no value',
    );
  }
}

/** The form of a value in a column. What is no value stays as it is. */
function writtenInto(column: Column | undefined, node: OperationNode): OperationNode {
  if (!column) return node;
  if (node.kind === 'DefaultInsertValueNode' && column.name !== 'identity')
    return ValueNode.create(written(column, undefined));
  return ValueNode.is(node) ? ValueNode.create(written(column, node.value)) : node;
}

/** An object could be taken for a statement, and its text comes from a client. */
function checkValue(value: unknown): Value | boolean {
  const isValue =
    value === null ||
    value instanceof Uint8Array ||
    ['bigint', 'number', 'string', 'boolean'].includes(typeof value);
  if (isValue) return value as Value | boolean;
  const got = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  throw new TypeError(
    `expected a bigint, a number, a string, a boolean, bytes or null as a parameter of a query, got ${got}`,
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
