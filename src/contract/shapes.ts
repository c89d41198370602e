import { isObject, members } from './document';
import { exactNumber, type Holder, parseJson } from './json';
import { applicable, Applicables, type HoldsOf, listOf, type Node, patternsOf } from './schema/applicable';
import type { Pattern } from './schema/pattern';
import type { Direction, SchemaSet } from './schemas';

/** Changes the value at `holder[key]` to the form the other side expects; returns whether it changed anything. */
export type Convert = (holder: Holder, key: string | number) => boolean;

/** A place for values, by the schemas that describe what stands there. */
interface Place {
  readonly nodes: readonly unknown[];
  readonly shapes: Applicables<Shape>;
}

/** What all schemas that describe one value say together about the things below it. */
interface Shape {
  readonly int64: boolean;
  /** The value goes the other way only. */
  readonly marked: boolean;
  /** Some properties are listed, and nothing admits others. */
  readonly closed: boolean;
  readonly properties: ReadonlyMap<string, Place>;
  readonly patterns: readonly (readonly [Pattern, unknown])[];
  readonly otherProperties: Place | undefined;
  readonly defaults: readonly (readonly [name: string, fill: string])[];
  readonly prefixItems: readonly Place[];
  readonly items: Place | undefined;
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

const add = <K>(map: Map<K, unknown[]>, key: K, node: unknown) => {
  const nodes = map.get(key);
  if (nodes) nodes.push(node);
  else map.set(key, [node]);
};

/**
 * Knows which schemas describe which part of a value, through references, `allOf`, and the branches that the value
 * took. With that it converts what was judged: on the way in, it fills in defaults, leaves out what is not listed, and
 * makes each int64 a bigint; on the way out, before judging, it leaves out what is not listed or is `writeOnly`.
 */
export class Shapes {
  private readonly places = new Map<string, Place>();
  private readonly shapes = new Map<string, Shape>();
  private readonly ids = new WeakMap<object, number>();
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
      if (this.convert(shape.prefixItems[i] ?? shape.items, items as unknown[] & Holder, i)) changed = true;
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
    if (shape.patterns.length === 0) return listed ?? shape.otherProperties;
    const matching = shape.patterns.filter(([pattern]) => pattern.test(name)).map(([, node]) => node);
    if (matching.length === 0) return listed ?? shape.otherProperties;
    return this.place([...(listed?.nodes ?? []), ...matching]);
  }

  private isMarked(place: Place, holder: Holder, key: string): boolean {
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
    const properties = new Map<string, unknown[]>();
    const prefixItems = new Map<number, unknown[]>();
    const others: unknown[] = [];
    const items: unknown[] = [];
    const { components } = this.schemas;
    for (const node of nodes) {
      for (const [name, property] of members(node['properties'])) add(properties, name, property);
      if ((node['additionalProperties'] ?? false) !== false) others.push(node['additionalProperties']);
      if (typeof node['remainingProperties'] === 'string')
        others.push(components[node['remainingProperties']]);
      for (const [i, item] of listOf(node['prefixItems']).entries()) add(prefixItems, i, item);
      if ('items' in node) items.push(node['items']);
      if (typeof node['remainingItems'] === 'string') items.push(components[node['remainingItems']]);
    }
    // A name that is demanded is listed, though nothing is said of its value.
    for (const name of properties.size > 0 ? nodes.flatMap(demandedNames) : []) {
      if (!properties.has(name)) properties.set(name, [true]);
    }
    const patterns = nodes.flatMap(patternsOf);
    const lists = [...prefixItems.values()].map((item) => this.place(item));
    return {
      int64: nodes.some(({ exact }) => isObject(exact) && exact['int64'] === true),
      marked: nodes.some(({ marked }) => marked === true),
      closed: properties.size > 0 && others.length === 0 && patterns.length === 0,
      properties: new Map([...properties].map(([name, property]) => [name, this.place(property)])),
      patterns,
      otherProperties: others.length > 0 ? this.place(others) : undefined,
      defaults: [...properties].flatMap(([name, property]) => {
        const fill = this.defaultOf(property);
        return fill === undefined ? [] : [[name, fill] as const];
      }),
      prefixItems: lists,
      items: items.length > 0 ? this.place(items) : undefined,
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
  private converts(schema: unknown): boolean {
    const { components } = this.schemas;
    const schemas = new Set([schema]);
    for (const node of schemas) {
      if (!isObject(node)) continue;
      const { exact, judge } = node;
      if (members(node['properties']).length > 0 || node['marked'] === true) return true;
      if (this.direction === 'request' && isObject(exact) && exact['int64'] === true) return true;
      if (isObject(node['discriminate'])) return true;
      for (const identifier of [judge, node['remainingProperties'], node['remainingItems']]) {
        if (typeof identifier === 'string') schemas.add(components[identifier]);
      }
      for (const keyword of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
        for (const part of listOf(node[keyword])) schemas.add(part);
      }
      for (const keyword of ['patternProperties', 'dependentSchemas']) {
        for (const [, part] of members(node[keyword])) schemas.add(part);
      }
      for (const keyword of ['if', 'then', 'else', 'items', 'additionalProperties'])
        schemas.add(node[keyword]);
    }
    return false;
  }
}

/** The names of `required` and `dependentRequired`. */
function demandedNames({ required, dependentRequired }: Node): string[] {
  return [required, ...members(dependentRequired).map(([, names]) => names)].flatMap(listOf).map(String);
}
