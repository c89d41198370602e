import {
  AggregateFunctionNode,
  AliasNode,
  ColumnNode,
  type FromNode,
  IdentifierNode,
  type JoinNode,
  ListNode,
  type OperationNode,
  ParensNode,
  ReferenceNode,
  SelectAllNode,
  type SelectionNode,
  TableNode,
  type UsingNode,
  type WithNode,
} from 'kysely';
import type { Column } from '..';

/** Columns by their names; undefined where the type of one is not known. */
export type Names = ReadonlyMap<string, Column | undefined>;

/** What the kinds of queries have in common, where they have it. */
interface Query extends OperationNode {
  readonly with?: WithNode;
  readonly from?: FromNode;
  readonly table?: OperationNode;
  readonly into?: OperationNode;
  readonly using?: UsingNode | JoinNode;
  readonly joins?: readonly JoinNode[];
  readonly selections?: readonly SelectionNode[];
  readonly returning?: { readonly selections: readonly SelectionNode[] };
}

const NONE: Names = new Map();

/** What the names of a query mean. */
export class Scope {
  /** By the names under which the query refers to them. */
  private readonly sources = new Map<string, Names>();
  private readonly named: Map<string, Names>;

  /**
   * @param outer of the query around it
   * @param tables by their names
   */
  constructor(
    private readonly query: Query,
    private readonly outer: Scope | undefined,
    tables: ReadonlyMap<string, Names> | undefined = outer?.named,
  ) {
    this.named = new Map(tables);
    for (const { name, expression } of query.with?.expressions ?? [])
      this.named.set(name.table.table.identifier.name, this.sourceOf(expression));
    const { from, table, into, using, joins = [] } = query;
    const used = using && 'tables' in using ? using.tables : [using?.table];
    for (const node of [table, into, ...(from?.froms ?? []), ...used, ...joins.map((join) => join.table)])
      if (node) this.addSource(node);
    // Of INSERT ... ON CONFLICT.
    if (into) this.sources.set('excluded', this.sourceOf(into));
  }

  /** The column that a reference means; undefined if its type is not known. */
  find(column: string, table?: string): Column | undefined {
    const found = table === undefined ? [...this.sources.values()] : [this.sources.get(table) ?? NONE];
    const [names] = found.filter((source) => source.has(column));
    return names ? names.get(column) : this.outer?.find(column, table);
  }

  /** What the rows of the query have. */
  outputs(): Names {
    const { selections, returning } = this.query;
    const all = (selections ?? returning?.selections ?? []).flatMap(({ selection }) =>
      this.outputsOf(selection),
    );
    return new Map(all);
  }

  private outputsOf(node: OperationNode): readonly (readonly [string, Column | undefined])[] {
    if (SelectAllNode.is(node)) return [...this.sources.values()].flatMap((names) => [...names]);
    if (AliasNode.is(node))
      return IdentifierNode.is(node.alias) ? [[node.alias.name, this.typeOf(node.node)]] : [];
    if (!ReferenceNode.is(node)) return [];
    const table = node.table?.table.identifier.name;
    if (ColumnNode.is(node.column)) return [[node.column.column.name, this.typeOf(node)]];
    return table === undefined ? this.outputsOf(node.column) : [...(this.sources.get(table) ?? NONE)];
  }

  /** The column of which an expression has a value; undefined if its type is not known. */
  typeOf(node: OperationNode): Column | undefined {
    if (ReferenceNode.is(node))
      return ColumnNode.is(node.column)
        ? this.find(node.column.column.name, node.table?.table.identifier.name)
        : undefined;
    if (ParensNode.is(node)) return this.typeOf(node.node);
    if (isQuery(node)) return [...new Scope(node, this).outputs().values()][0];
    // The least or the greatest of a column.
    if (AggregateFunctionNode.is(node) && /^(min|max)$/i.test(node.func) && node.aggregated[0])
      return this.typeOf(node.aggregated[0]);
    return undefined;
  }

  private addSource(node: OperationNode): void {
    if (ListNode.is(node)) for (const item of node.items) this.addSource(item);
    else if (TableNode.is(node)) this.sources.set(node.table.identifier.name, this.sourceOf(node));
    else if (AliasNode.is(node) && IdentifierNode.is(node.alias))
      this.sources.set(node.alias.name, this.sourceOf(node.node));
  }

  private sourceOf(node: OperationNode): Names {
    if (TableNode.is(node)) return this.named.get(node.table.identifier.name) ?? NONE;
    return isQuery(node) ? new Scope(node, this).outputs() : NONE;
  }
}

/** Whether it is a query of its own, with names of its own. */
export const isQuery = (node: OperationNode): node is Query =>
  /^(Select|Insert|Update|Delete|Merge)QueryNode$/.test(node.kind);
