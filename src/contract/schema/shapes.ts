import { below, isObject, members } from '../document/document';
import { exactNumber, type Holder, parseJson } from '../json/parse';
import {
  applicable,
  Applicables,
  type Components,
  type Discriminate,
  type HoldsOf,
  inPlaceOf,
  listOf,
  type Node,
  patternsOf,
} from './applicable';
import type { Direction } from './one-way';
import type { SchemaSet } from './schema-set';

/** Changes the value at `holder[key]` to the form the other side expects; returns whether it changed anything. */
export type Convert = (holder: Holder, key: string | number) => boolean;

/** Where in the value at `holder[key]` something goes the other way only, as steps after slashes; undefined if nothing does. */
export type Find = (holder: Holder, key: string | number) => string | undefined;

/** A place for values, by the schemas that describe what stands there. */
interface Place {
  readonly nodes: readonly unknown[];
  readonly shapes: Applicables<Shape>;
  /** Whether these schemas, or any below them, mark something; undefined until it is known. */
  mayMark?: boolean;
}

/** What all schemas that describe one value say together about the things below it. */
interface Shape {
  readonly int64: boolean;
  /** The value goes the other way only. */
  readonly marked: boolean;
  /** Some properties are listed, and nothing admits others. */
  readonly closed: boolean;
  /** Those that are listed. */
  readonly properties: ReadonlyMap<string, Place>;
  /** Where a property of any other name stands; undefined if that depends on the name. */
  readonly otherProperties: Place | 'none' | undefined;
  readonly schemas: readonly Described[];
  readonly defaults: readonly (readonly [name: string, fill: string])[];
  readonly prefixItems: readonly Place[];
  readonly items: Place | undefined;
  /** Components that describe the items that they take. */
  readonly contained: readonly string[];
}

/** A schema that applies to a value. */
interface Described {
  readonly node: Node;
  /** The schemas beside and below it that apply to the same value: what they evaluate its `unevaluated*` do not describe. */
  readonly within: readonly Node[];
}

/**
 * Places and shapes that are remembered. With branches there can be far more: of twelve in an anyOf a client can choose in
 * thousands of ways.
 */
const MAX_REMEMBERED = 1_000;

function remember<V>(memory: Map<string, V>, id: string, value: V): V {
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(id, value);
  return value;
}

/**
 * Knows which schemas describe which part of a value, through references, `allOf`, and the branches that the value
 * took. With that it converts what was judged: on the way in, it fills in defaults, leaves out what is not listed, and
 * makes each int64 a bigint; on the way out, before judging, it leaves out what is not listed or is `writeOnly`.
 */
export class Shapes {
  private readonly places = new Map<string, Place>();
  private readonly shapes = new Map<string, Shape>();
  private readonly ids = new WeakMap<object, number>();
  private readonly marking = new WeakMap<object, boolean>();
  private nodes = 0;
  /** The value that is being converted. */
  private run: object = {};

  constructor(
    private readonly schemas: SchemaSet,
    private readonly direction: Direction,
    private readonly holdsOf: HoldsOf,
  ) {}

  /** How to convert a value described by the schema at `pointer`; undefined if there is nothing to convert. */
  converter(pointer: string): Convert | undefined {
    return this.convertBy(this.schemas.converted(pointer));
  }

  /** How to convert a value described by a rewritten schema; undefined if there is nothing to convert. */
  convertBy(node: unknown): Convert | undefined {
    if (!this.converts(node)) return undefined;
    const place = this.place([node]);
    return (holder, key) => {
      // What was asked while a request was judged, need not be asked again. A response is judged as it is afterward.
      this.run = this.direction === 'request' ? holder : {};
      return this.convert(place, holder, key);
    };
  }

  /**
   * Finds what goes the other way only in values described by the schema at `pointer`, as a branch says of a property or
   * `contains` of an item: such a schema need not hold, so that judging by it refuses nothing. Undefined if nothing is
   * marked.
   */
  finder(pointer: string): Find | undefined {
    const node = this.schemas.marking(pointer);
    if (node === undefined || !this.mayMark(node)) return undefined;
    const place = this.place([node]);
    return (holder, key) => {
      this.run = {};
      const found = this.find(place, holder, key);
      return found === undefined ? undefined : `${key}${found}`;
    };
  }

  private find(place: Place, holder: Holder, key: string | number): string | undefined {
    const value = holder[key];
    if (typeof value !== 'object' || value === null) return undefined;
    place.mayMark ??= place.nodes.some((node) => this.mayMark(node));
    if (!place.mayMark) return undefined;
    const shape = this.shapeAt(place, holder, key);
    const children = value as Holder;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const child of keys) {
      const at = this.childPlace(shape, children, child);
      if (!at) continue;
      const found = this.isMarked(at, children, child) ? '' : this.find(at, children, child);
      if (found !== undefined) return `${below('', child)}${found}`;
    }
    return undefined;
  }

  /** Where a property or item stands, by `contains` too. */
  private childPlace(shape: Shape, holder: Holder, key: string | number): Place | undefined {
    if (typeof key === 'string') return this.propertyPlace(shape, key);
    const { components } = this.schemas;
    const place = itemPlace(shape, key);
    const taken = shape.contained.filter((identifier) =>
      this.holdsOf(identifier)(holder[key], holder, key, this.run),
    );
    if (taken.length === 0) return place;
    return this.place([...(place?.nodes ?? []), ...taken.map((identifier) => components[identifier])]);
  }

  private convert(place: Place | undefined, holder: Holder, key: string | number): boolean {
    const value = holder[key];
    if (!place || (typeof value !== 'number' && (typeof value !== 'object' || value === null))) return false;
    const shape = this.shapeAt(place, holder, key);
    if (typeof value === 'number') {
      if (!shape.int64 || this.direction === 'response') return false;
      holder[key] = exactNumber(holder, key) ?? BigInt(value);
      return true;
    }
    return Array.isArray(value)
      ? this.convertItems(shape, value)
      : this.convertProperties(shape, value as Holder);
  }

  private shapeAt(place: Place, holder: Holder, key: string | number): Shape {
    return place.shapes.of(holder[key], holder, key, this.run);
  }

  private convertItems(shape: Shape, items: unknown[]): boolean {
    let changed = false;
    if (shape.prefixItems.length === 0 && !shape.items) return changed;
    for (let i = 0; i < items.length; i++) {
      if (this.convert(itemPlace(shape, i), items as unknown[] & Holder, i)) changed = true;
    }
    return changed;
  }

  private convertProperties(shape: Shape, object: Holder): boolean {
    let changed = false;
    if (this.direction === 'request') {
      for (const [name, fill] of shape.defaults) {
        if (!Object.hasOwn(object, name)) parseJson(fill, object, name);
      }
    }
    for (const name of Object.keys(object)) {
      const place = this.propertyPlace(shape, name);
      const unlisted = place === undefined && shape.closed;
      if (unlisted || (this.direction === 'response' && place && this.isMarked(place, object, name))) {
        Reflect.deleteProperty(object, name);
        changed = true;
      } else if (this.convert(place, object, name)) changed = true;
    }
    return changed;
  }

  private propertyPlace(shape: Shape, name: string): Place | undefined {
    const listed = shape.properties.get(name);
    if (listed) return listed;
    if (shape.otherProperties !== undefined)
      return shape.otherProperties === 'none' ? undefined : shape.otherProperties;
    return this.placeOf(this.propertySchemas(shape.schemas, name));
  }

  /** The schemas that describe the property of a name; undefined stands for a name that none lists and no pattern has. */
  private propertySchemas(described: readonly Described[], name: string | undefined): unknown[] {
    const { components } = this.schemas;
    return described.flatMap(({ node, within }) => {
      const own = propertiesOf(node, name);
      const remaining = node['remainingProperties'];
      if (own.length > 0 || typeof remaining !== 'string') return own;
      return within.some((other) => propertiesOf(other, name).length > 0) ? [] : [components[remaining]];
    });
  }

  /** The schemas that describe the item at an index. */
  private itemSchemas(described: readonly Described[], index: number): unknown[] {
    const { components } = this.schemas;
    return described.flatMap(({ node, within }) => {
      const own = itemsOf(node, index);
      const remaining = node['remainingItems'];
      if (own.length > 0 || typeof remaining !== 'string') return own;
      return within.some((other) => itemsOf(other, index).length > 0) ? [] : [components[remaining]];
    });
  }

  private isMarked(place: Place, holder: Holder, key: string | number): boolean {
    return this.schemas.hasOneWay && this.shapeAt(place, holder, key).marked;
  }

  private place(nodes: readonly unknown[]): Place {
    const id = this.idOf(nodes);
    const known = this.places.get(id);
    if (known) return known;
    const { components } = this.schemas;
    const shapes = new Applicables(nodes, components, this.holdsOf, (applying) => this.shape(applying));
    return remember(this.places, id, { nodes, shapes });
  }

  private placeOf(nodes: readonly unknown[]): Place | undefined {
    return nodes.length > 0 ? this.place(nodes) : undefined;
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
    const { components } = this.schemas;
    const applied = new Set(nodes);
    const schemas = nodes.map((node) => ({
      node,
      within:
        'remainingProperties' in node || 'remainingItems' in node ? inPlaceOf(node, components, applied) : [],
    }));
    const names = new Set(nodes.flatMap((node) => members(node['properties']).map(([name]) => name)));
    // A name that is demanded is listed, though nothing is said of its value.
    const demanded = names.size > 0 ? nodes.flatMap(demandedNames) : [];
    const properties = [...new Set([...names, ...demanded])].map((name) => {
      const described = this.propertySchemas(schemas, name);
      return [name, described.length > 0 ? described : [true]] as const;
    });
    const patterned = nodes.some((node) => patternsOf(node).length > 0);
    const others = this.placeOf(this.propertySchemas(schemas, undefined));
    const prefixed = Math.max(0, ...nodes.map((node) => listOf(node['prefixItems']).length));
    const opened = nodes.some(
      (node) =>
        (node['additionalProperties'] ?? false) !== false || typeof node['remainingProperties'] === 'string',
    );
    return {
      int64: nodes.some(({ exact }) => isObject(exact) && exact['int64'] === true),
      marked: nodes.some(({ marked }) => marked === true),
      closed: names.size > 0 && !opened && !patterned,
      properties: new Map(properties.map(([name, property]) => [name, this.place(property)])),
      otherProperties: patterned ? undefined : (others ?? 'none'),
      schemas,
      defaults: properties.flatMap(([name, property]) => {
        const fill = this.defaultOf(property);
        return fill === undefined ? [] : [[name, fill] as const];
      }),
      prefixItems: Array.from({ length: prefixed }, (_, i) => this.place(this.itemSchemas(schemas, i))),
      items: this.placeOf(this.itemSchemas(schemas, prefixed)),
      contained: nodes.flatMap(({ containing }) =>
        isObject(containing) ? [String(containing['judge'])] : [],
      ),
    };
  }

  /** The default of a property, as JSON: of its own schemas, or of what they refer to or consist of. */
  private defaultOf(property: readonly unknown[]): string | undefined {
    const nodes = applicable(property, this.schemas.components);
    if (this.direction === 'response' || nodes.some(({ marked }) => marked === true)) return undefined;
    const fill = nodes.find((node) => 'fill' in node)?.['fill'];
    return typeof fill === 'string' ? fill : undefined;
  }

  /** Whether a rewritten schema, or one below it, says anything that a conversion depends on. */
  private converts(root: unknown): boolean {
    return this.someNode(root, (node) => {
      const { exact, discriminate } = node;
      if (members(node['properties']).length > 0 || node['marked'] === true) return true;
      if (this.direction === 'request' && isObject(exact) && exact['int64'] === true) return true;
      return isObject(discriminate);
    });
  }

  /** Whether a rewritten schema, or one below it, marks what it describes. */
  private mayMark(root: unknown): boolean {
    if (!isObject(root)) return false;
    const known = this.marking.get(root) ?? this.someNode(root, ({ marked }) => marked === true);
    this.marking.set(root, known);
    return known;
  }

  /** Whether a rewritten schema is one of those sought, or leads to one. Not one within the other: it is longer than the stack. */
  private someNode(root: unknown, isSought: (node: Node) => boolean): boolean {
    const { components } = this.schemas;
    const schemas = new Set([root]);
    for (const node of schemas) {
      if (!isObject(node)) continue;
      if (isSought(node)) return true;
      for (const schema of schemasIn(node, components)) schemas.add(schema);
    }
    return false;
  }
}

/** What a schema itself says of the property of a name; undefined stands for one that it neither lists nor has a pattern for. */
function propertiesOf(node: Node, name: string | undefined): unknown[] {
  const properties = node['properties'];
  const listed = name !== undefined && isObject(properties) && Object.hasOwn(properties, name);
  const own = listed ? [properties[name]] : [];
  const patterns = name === undefined ? [] : patternsOf(node);
  for (const [pattern, schema] of patterns) if (pattern.test(name ?? '')) own.push(schema);
  const others = node['additionalProperties'] ?? false;
  return own.length > 0 || others === false ? own : [others];
}

/** What a schema itself says of the item at an index. */
function itemsOf(node: Node, index: number): unknown[] {
  const prefixItems = listOf(node['prefixItems']);
  if (index < prefixItems.length) return [prefixItems[index]];
  return 'items' in node ? [node['items']] : [];
}

/** The schemas that a rewritten one consists of or refers to. */
function schemasIn(node: Node, components: Components): unknown[] {
  const { containing, judge } = node;
  const named = node['discriminate'] as Discriminate | undefined;
  const identifiers = [
    judge,
    node['remainingProperties'],
    node['remainingItems'],
    ...(isObject(containing) ? [containing['judge']] : []),
    ...Object.values(named?.branches ?? {}),
    ...(named?.others?.branches ?? []),
  ];
  return [
    ...identifiers.flatMap((identifier) => (typeof identifier === 'string' ? [components[identifier]] : [])),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].flatMap((keyword) => listOf(node[keyword])),
    ...['properties', 'patternProperties', 'dependentSchemas'].flatMap((keyword) =>
      members(node[keyword]).map(([, schema]) => schema),
    ),
    ...['if', 'then', 'else', 'items', 'additionalProperties'].map((keyword) => node[keyword]),
  ];
}

const itemPlace = (shape: Shape, index: number): Place | undefined => shape.prefixItems[index] ?? shape.items;

/** The names of `required` and `dependentRequired`. */
function demandedNames({ required, dependentRequired }: Node): string[] {
  return [required, ...members(dependentRequired).map(([, names]) => names)].flatMap(listOf).map(String);
}
