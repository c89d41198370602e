import type { Holder } from '../json/parse';
import { isObject, members } from '../document/document';
import {
  applicable,
  Applicables,
  type Components,
  type HoldsOf,
  inPlaceOf,
  listOf,
  type Node,
  patternsOf,
} from './applicable';
import type { Direction } from './one-way';

/** Converts the value at `holder[key]`, in place. Returns whether it changed anything. */
export type Convert = (holder: Holder, key: string | number) => boolean;

/** A position in a value, with the schemas that describe the values there. */
export interface Position {
  readonly nodes: readonly unknown[];
  readonly shapes: Applicables<Shape>;
  /** Whether these schemas, or any below them, mark values; undefined until the first use. */
  mayMark?: boolean;
}

/** The shape of a value by all schemas that apply to it. */
export interface Shape {
  readonly int64: boolean;
  /** Whether the value goes the other way only. */
  readonly marked: boolean;
  /** Whether properties are listed, and no schema admits others. */
  readonly closed: boolean;
  /** The listed properties. */
  readonly properties: ReadonlyMap<string, Position>;
  /** The position of a property of any other name; undefined if that depends on the name. */
  readonly otherProperties: Position | 'none' | undefined;
  readonly schemas: readonly Described[];
  readonly defaults: readonly (readonly [name: string, fill: string])[];
  readonly prefixItems: readonly Position[];
  readonly items: Position | undefined;
  /** The components of `contains`, which describe the items that conform to them. */
  readonly contained: readonly string[];
}

/** A schema that applies to a value. */
interface Described {
  readonly node: Node;
  /** Schemas that apply with it to the same value: its `unevaluated*` do not describe what these evaluate. */
  readonly within: readonly Node[];
}

/**
 * The maximum number of cached positions and shapes. A client can choose among twelve branches of an anyOf in thousands of
 * ways.
 */
const MAX_REMEMBERED = 1_000;

function remember<V>(memory: Map<string, V>, id: string, value: V): V {
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(id, value);
  return value;
}

/** Finds the rewritten schemas that describe each part of a value, through references, `allOf` and the branches it takes. */
export class ShapeTable {
  private readonly positions = new Map<string, Position>();
  private readonly shapes = new Map<string, Shape>();
  private readonly ids = new WeakMap<object, number>();
  private nodes = 0;

  constructor(
    private readonly components: Components,
    private readonly direction: Direction,
    private readonly holdsOf: HoldsOf,
  ) {}

  /** The position of values that these schemas describe. */
  position(nodes: readonly unknown[]): Position {
    const id = this.idOf(nodes);
    const known = this.positions.get(id);
    if (known) return known;
    const { components } = this;
    const shapes = new Applicables(nodes, components, this.holdsOf, (applying) => this.shape(applying));
    return remember(this.positions, id, { nodes, shapes });
  }

  /** The position of the property of a name; undefined if no schema describes it. */
  propertyPosition(shape: Shape, name: string): Position | undefined {
    const listed = shape.properties.get(name);
    if (listed) return listed;
    if (shape.otherProperties !== undefined)
      return shape.otherProperties === 'none' ? undefined : shape.otherProperties;
    return this.positionOf(this.propertySchemas(shape.schemas, name));
  }

  private positionOf(nodes: readonly unknown[]): Position | undefined {
    return nodes.length > 0 ? this.position(nodes) : undefined;
  }

  private idOf(nodes: readonly unknown[]): string {
    return nodes
      .map((node) => {
        if (!isObject(node)) return String(node);
        const known = this.ids.get(node) ?? this.nodes++;
        this.ids.set(node, known);
        return known;
      })
      .join();
  }

  private shape(nodes: readonly Node[]): Shape {
    const id = this.idOf(nodes);
    return this.shapes.get(id) ?? remember(this.shapes, id, this.combine(nodes));
  }

  private combine(nodes: readonly Node[]): Shape {
    const { components } = this;
    const applied = new Set(nodes);
    const schemas = nodes.map((node) => ({
      node,
      within:
        'remainingProperties' in node || 'remainingItems' in node ? inPlaceOf(node, components, applied) : [],
    }));
    const names = new Set(nodes.flatMap((node) => members(node['properties']).map(([name]) => name)));
    // A required name is listed, and that of a discriminator, though nothing describes its value.
    const demanded = names.size > 0 ? nodes.flatMap(demandedNames) : [];
    const properties = [...new Set([...names, ...demanded])].map((name) => {
      const described = this.propertySchemas(schemas, name);
      return [name, described.length > 0 ? described : [true]] as const;
    });
    const patterned = nodes.some((node) => patternsOf(node).length > 0);
    const others = this.positionOf(this.propertySchemas(schemas, undefined));
    const prefixed = Math.max(0, ...nodes.map((node) => listOf(node['prefixItems']).length));
    const opened = nodes.some(
      (node) =>
        (node['additionalProperties'] ?? false) !== false || typeof node['remainingProperties'] === 'string',
    );
    return {
      int64: nodes.some(({ exact }) => isObject(exact) && exact['int64'] === true),
      marked: nodes.some(({ marked }) => marked === true),
      closed: names.size > 0 && !opened && !patterned,
      properties: new Map(properties.map(([name, property]) => [name, this.position(property)])),
      otherProperties: patterned ? undefined : (others ?? 'none'),
      schemas,
      defaults: properties.flatMap(([name, property]) => {
        const fill = this.defaultOf(property);
        return fill === undefined ? [] : [[name, fill] as const];
      }),
      prefixItems: Array.from({ length: prefixed }, (_, i) => this.position(this.itemSchemas(schemas, i))),
      items: this.positionOf(this.itemSchemas(schemas, prefixed)),
      contained: nodes.flatMap(({ containing }) =>
        isObject(containing) ? [String(containing['component'])] : [],
      ),
    };
  }

  /** The default of a property, as JSON: of the schemas that always apply to it. */
  private defaultOf(property: readonly unknown[]): string | undefined {
    const nodes = applicable(property, this.components);
    if (this.direction === 'response' || nodes.some(({ marked }) => marked === true)) return undefined;
    const fill = nodes.find((node) => 'fill' in node)?.['fill'];
    return typeof fill === 'string' ? fill : undefined;
  }

  /** The schemas that describe the property of a name; without a name, one that is neither listed nor matched. */
  private propertySchemas(described: readonly Described[], name: string | undefined): unknown[] {
    const { components } = this;
    return described.flatMap(({ node, within }) => {
      const own = propertiesOf(node, name);
      const remaining = node['remainingProperties'];
      if (own.length > 0 || typeof remaining !== 'string') return own;
      return within.some((other) => propertiesOf(other, name).length > 0) ? [] : [components[remaining]];
    });
  }

  /** The schemas that describe the item at an index. */
  private itemSchemas(described: readonly Described[], index: number): unknown[] {
    const { components } = this;
    return described.flatMap(({ node, within }) => {
      const own = itemsOf(node, index);
      const remaining = node['remainingItems'];
      if (own.length > 0 || typeof remaining !== 'string') return own;
      return within.some((other) => itemsOf(other, index).length > 0) ? [] : [components[remaining]];
    });
  }
}

/** The schemas by which a node itself describes a property; without a name, one that it neither lists nor matches. */
function propertiesOf(node: Node, name: string | undefined): unknown[] {
  const properties = node['properties'];
  const listed = name !== undefined && isObject(properties) && Object.hasOwn(properties, name);
  const own = listed ? [properties[name]] : [];
  const patterns = name === undefined ? [] : patternsOf(node);
  for (const [pattern, schema] of patterns) if (pattern.test(name ?? '')) own.push(schema);
  const others = node['additionalProperties'] ?? false;
  return own.length > 0 || others === false ? own : [others];
}

/** The schemas by which a node itself describes the item at an index. */
function itemsOf(node: Node, index: number): unknown[] {
  const prefixItems = listOf(node['prefixItems']);
  if (index < prefixItems.length) return [prefixItems[index]];
  return 'items' in node ? [node['items']] : [];
}

/** The names of `required` and `dependentRequired`. */
function demandedNames({ required, dependentRequired, discriminate }: Node): string[] {
  const chooses = isObject(discriminate) ? [discriminate['property']] : [];
  return [required, chooses, ...members(dependentRequired).map(([, names]) => names)]
    .flatMap(listOf)
    .map(String);
}

/** The position of the item at an index. */
export const itemPosition = (shape: Shape, index: number): Position | undefined =>
  shape.prefixItems[index] ?? shape.items;
