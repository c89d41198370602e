import { below, isObject, members, type OpenApiDocument } from './document';
import { exactNumber, type Holder } from './json';
import { type Direction, isInt64 } from './schemas';

/** Whether the value at `holder[key]` took the branch that the schema at `pointer` is. */
export type TookBranch = (pointer: string, holder: Holder, key: string | number) => boolean;

/** Changes the value at `holder[key]` to the form the other side expects; tells whether it changed anything. */
export type Convert = (holder: Holder, key: string | number) => boolean;

/** A place for values, by the schemas that the document puts there. */
interface Place {
  readonly schemas: readonly string[];
  /** What they say, once it is known; `varies` where that depends on the branches a value takes. */
  shape?: Shape | 'varies';
}

/** What all schemas that describe one value say together about the things below it. */
interface Shape {
  readonly int64: boolean;
  /** Some properties are listed, and nothing admits others. */
  readonly closed: boolean;
  /** Properties that are never part of a response. */
  readonly writeOnly: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Place>;
  readonly patterns: readonly (readonly [RegExp, string])[];
  readonly otherProperties: Place | undefined;
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

const add = <K>(map: Map<K, string[]>, key: K, pointer: string) =>
  map.set(key, [...(map.get(key) ?? []), pointer]);

/**
 * Knows which schemas describe which part of a value, through references, `allOf`, and the branches that the value
 * took. That is what it takes to turn the integers of `format: int64` into bigints after a request was judged, and to
 * leave out what a response does not list before it is judged.
 */
export class Shapes {
  private readonly places = new Map<string, Place>();
  private readonly shapes = new Map<string, Shape>();

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
    private readonly tookBranch: TookBranch,
  ) {}

  /** How to convert a value described by the schema at `pointer`; undefined if there is nothing to convert. */
  converter(pointer: string): Convert | undefined {
    if (this.direction === 'request' && !this.mentionsInt64(pointer, new Set())) return undefined;
    const place = this.place([pointer]);
    return (holder, key) => this.convert(place, holder, key);
  }

  private convert(place: Place | undefined, holder: Holder, key: string | number): boolean {
    if (!place) return false;
    const value = holder[key];
    if (typeof value !== 'number' && (typeof value !== 'object' || value === null)) return false;
    place.shape ??= this.fixedShape(place.schemas);
    const shape =
      place.shape === 'varies'
        ? this.shape(this.describing(place.schemas, holder, key).pointers)
        : place.shape;
    if (typeof value === 'number') {
      if (!shape.int64 || this.direction === 'response') return false;
      holder[key] = exactNumber(holder, key) ?? BigInt(value);
      return true;
    }
    return Array.isArray(value)
      ? this.convertItems(shape, value)
      : this.convertProperties(shape, value as Holder);
  }

  private convertItems(shape: Shape, items: unknown[]): boolean {
    let changed = false;
    for (const i of items.keys()) {
      const place = shape.prefixItems[i] ?? shape.items;
      if (this.convert(place, items as unknown[] & Holder, i)) changed = true;
    }
    return changed;
  }

  private convertProperties(shape: Shape, object: Holder): boolean {
    let changed = false;
    for (const name of Object.keys(object)) {
      const listed = shape.properties.get(name);
      if (this.direction === 'response' && ((shape.closed && !listed) || shape.writeOnly.has(name))) {
        Reflect.deleteProperty(object, name);
        changed = true;
        continue;
      }
      const matching = shape.patterns.filter(([pattern]) => pattern.test(name)).map(([, pointer]) => pointer);
      if (matching.length > 0) {
        const all = this.place([...(listed?.schemas ?? []), ...matching]);
        if (this.convert(all, object, name)) changed = true;
      } else if (this.convert(listed ?? shape.otherProperties, object, name)) changed = true;
    }
    return changed;
  }

  private place(schemas: readonly string[]): Place {
    const id = schemas.join('\n');
    return this.places.get(id) ?? remember(this.places, id, { schemas });
  }

  private fixedShape(schemas: readonly string[]): Shape | 'varies' {
    const { pointers, branches } = this.describing(schemas);
    return branches ? 'varies' : this.shape(pointers);
  }

  /** The schemas that describe a value in place: those given, and through them others. */
  private describing(schemas: readonly string[], holder?: Holder, key: string | number = '') {
    const found = new Set<string>();
    let branches = false;
    const took = (pointer: string) => {
      branches = true;
      return holder !== undefined && this.tookBranch(pointer, holder, key);
    };
    const visit = (pointer: string): void => {
      const schema = this.document.at(pointer);
      if (found.has(pointer) || !isObject(schema)) return;
      found.add(pointer);
      const target = '$ref' in schema ? this.document.resolve(schema['$ref']) : undefined;
      if (target !== undefined) visit(target);
      for (const i of [schema['allOf'] ?? []].flat().keys()) visit(below(pointer, 'allOf', i));
      for (const keyword of ['anyOf', 'oneOf']) {
        for (const i of [schema[keyword] ?? []].flat().keys()) {
          const branch = below(pointer, keyword, i);
          if (took(branch)) visit(branch);
        }
      }
      if ('if' in schema) {
        const condition = below(pointer, 'if');
        const holds = took(condition);
        if (holds) visit(condition);
        visit(below(pointer, holds ? 'then' : 'else'));
      }
      for (const [name] of members(schema['dependentSchemas'])) {
        branches = true;
        const value = holder?.[key];
        if (isObject(value) && Object.hasOwn(value, name)) visit(below(pointer, 'dependentSchemas', name));
      }
    };
    for (const pointer of schemas) visit(pointer);
    return { pointers: [...found], branches };
  }

  private shape(pointers: readonly string[]): Shape {
    const id = pointers.join('\n');
    const known = this.shapes.get(id);
    if (known) return known;
    const properties = new Map<string, string[]>();
    const prefixItems = new Map<number, string[]>();
    const writeOnly = new Set<string>();
    const patterns: [RegExp, string][] = [];
    const others: string[] = [];
    const items: string[] = [];
    let [int64, listed, open] = [false, false, false];
    for (const pointer of pointers) {
      const schema = this.document.at(pointer);
      if (!isObject(schema)) continue;
      if (isInt64(schema)) int64 = true;
      if ('properties' in schema) listed = true;
      for (const [name] of members(schema['properties'])) {
        const here = below(pointer, 'properties', name);
        add(properties, name, here);
        if (this.document.isMarked(here, 'writeOnly')) writeOnly.add(name);
      }
      for (const [pattern] of members(schema['patternProperties'])) {
        patterns.push([new RegExp(pattern, 'u'), below(pointer, 'patternProperties', pattern)]);
      }
      for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
        if ((schema[keyword] ?? false) === false) continue;
        open = true;
        others.push(below(pointer, keyword));
      }
      for (const i of [schema['prefixItems'] ?? []].flat().keys())
        add(prefixItems, i, below(pointer, 'prefixItems', i));
      for (const keyword of ['items', 'unevaluatedItems'])
        if (keyword in schema) items.push(below(pointer, keyword));
    }
    return remember(this.shapes, id, {
      int64,
      closed: listed && !open && patterns.length === 0,
      writeOnly,
      properties: new Map([...properties].map(([name, schemas]) => [name, this.place(schemas)])),
      patterns,
      otherProperties: others.length > 0 ? this.place(others) : undefined,
      prefixItems: [...prefixItems.values()].map((schemas) => this.place(schemas)),
      items: items.length > 0 ? this.place(items) : undefined,
    });
  }

  /** Whether an int64 can stand anywhere in a value described by the schema at `pointer`. */
  private mentionsInt64(pointer: string, seen: Set<string>): boolean {
    const schema = this.document.at(pointer);
    if (seen.has(pointer) || typeof schema !== 'object' || schema === null) return false;
    seen.add(pointer);
    if (isObject(schema) && isInt64(schema)) return true;
    const target = isObject(schema) && '$ref' in schema ? this.document.resolve(schema['$ref']) : undefined;
    if (target !== undefined && this.mentionsInt64(target, seen)) return true;
    return Object.keys(schema).some((step) => this.mentionsInt64(below(pointer, step), seen));
  }
}
