/**
 * Converts values by the schemas that describe each part of them: through references, `allOf` and the branches that a value
 * takes. In a request, after judging, it fills in defaults, leaves out properties that are not listed, and makes each int64
 * a bigint. In a response, before judging, it leaves out properties that are not listed or are `writeOnly`.
 */
import { isObject, joinPointer, members } from '../document/document';
import { parseJson } from '../json/parse';
import { exactNumber, type Holder } from '../json/values';
import {
  applicable,
  Applicables,
  demandedNames,
  type HoldsOf,
  inPlaceOf,
  itemsOf,
  listOf,
  type Node,
  patternsOf,
  propertiesOf,
  seeker,
} from './applicable';
import { compileConversion, compileProjection, type Project, type ShapeAt } from './generated';
import type { Direction } from './one-way';
import type { Convert, Described, Position, Shape } from './position';
import type { SchemaSet } from './schema-set';

/** Finds a value that is readOnly in a request, writeOnly in a response: its path, as steps after slashes. */
export type Find = (holder: Holder, key: string | number) => string | undefined;

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

const isInt64 = ({ exact }: Node): boolean => isObject(exact) && exact['int64'] === true;

export class Shapes {
  private readonly positions = new Map<string, Position>();
  private readonly shapes = new Map<string, Shape>();
  private readonly ids = new WeakMap<object, number>();
  private nodes = 0;
  /** Many responses have the same schema. */
  private readonly projections = new Map<unknown, Project | undefined>();
  /** The value that is being converted. */
  private run: object = {};
  /** Whether a conversion depends on a schema. */
  private readonly converts: (root: unknown) => boolean;
  private readonly mayMark: (root: unknown) => boolean;

  constructor(
    private readonly schemas: SchemaSet,
    private readonly direction: Direction,
    private readonly holdsOf: HoldsOf,
    /** Whether a request gets the defaults of what it lacks. */
    private readonly fillsDefaults = direction === 'request',
  ) {
    this.mayMark = seeker(schemas.components, ({ marked }) => marked === true);
    this.converts = seeker(
      schemas.components,
      (node) =>
        members(node['properties']).length > 0 ||
        node['marked'] === true ||
        (direction === 'request' && isInt64(node)) ||
        isObject(node['discriminate']),
    );
  }

  /** Compiles the conversion of a value of the schema at `pointer`; undefined if there is nothing to convert. */
  converter(pointer: string): Convert | undefined {
    return this.convertBy(this.schemas.converted(pointer));
  }

  /** Compiles the conversion of a value of a rewritten schema; undefined if there is nothing to convert. */
  convertBy(node: unknown): Convert | undefined {
    if (!this.converts(node)) return undefined;
    const position = this.position([node]);
    const isRequest = this.direction === 'request';
    const generated = isRequest && this.generates() && compileConversion(position, this.constantShape);
    if (generated) return generated;
    return (holder, key) => {
      // What judging a request has found still holds. A response changes before it is judged.
      this.run = isRequest ? holder : {};
      return this.convert(position, holder, key);
    };
  }

  /** Compiles the copy of a response of the schema at `pointer`; undefined if its shape depends on the value. */
  projection(pointer: string): Project | undefined {
    const node = this.schemas.converted(pointer);
    if (!this.generates() || !this.converts(node)) return undefined;
    if (!this.projections.has(node))
      this.projections.set(node, compileProjection(this.position([node]), this.constantShape));
    return this.projections.get(node);
  }

  /**
   * Compiles the search for values that the direction excludes, by the schema at `pointer`. A branch or `contains` may mark
   * them. Such a schema need not hold, so the validator does not reject them. Undefined if nothing is marked.
   */
  finder(pointer: string): Find | undefined {
    const node = this.schemas.marking(pointer);
    if (!this.mayMark(node)) return undefined;
    const position = this.position([node]);
    return (holder, key) => {
      this.run = {};
      const found = this.find(position, holder, key);
      return found === undefined ? undefined : `${key}${found}`;
    };
  }

  /** Whether functions can be generated: they read inherited properties too, and ignore `readOnly` and `writeOnly`. */
  private generates(): boolean {
    return !this.schemas.hasOneWay && !this.schemas.inheritedNames;
  }

  private readonly constantShape: ShapeAt = ({ nodes, shapes }) =>
    nodes.some(this.converts) ? shapes.constant() : 'leaf';

  private find({ nodes, shapes }: Position, holder: Holder, key: string | number): string | undefined {
    const value = holder[key];
    if (typeof value !== 'object' || value === null || !nodes.some(this.mayMark)) return undefined;
    const shape = shapes.of(value, holder, key, this.run);
    const children = value as Holder;
    for (const child of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const at = this.childPosition(shape, children, child);
      if (!at) continue;
      const found = this.isMarked(at, children, child) ? '' : this.find(at, children, child);
      if (found !== undefined) return `${joinPointer('', child)}${found}`;
    }
    return undefined;
  }

  /** The position of a property or item, by `contains` too. */
  private childPosition(shape: Shape, holder: Holder, key: string | number): Position | undefined {
    if (typeof key === 'string') return this.propertyPosition(shape, key);
    const position = shape.prefixItems[key] ?? shape.items;
    const taken = shape.contained.filter((name) => this.holdsOf(name)(holder[key], holder, key, this.run));
    if (taken.length === 0) return position;
    return this.position([...(position?.nodes ?? []), ...taken.map((name) => this.schemas.components[name])]);
  }

  private convert(position: Position | undefined, holder: Holder, key: string | number): boolean {
    const value = holder[key];
    if (!position || (typeof value !== 'number' && (typeof value !== 'object' || value === null)))
      return false;
    const shape = position.shapes.of(value, holder, key, this.run);
    if (typeof value === 'number') {
      if (!shape.int64 || this.direction === 'response') return false;
      holder[key] = exactNumber(holder, key) ?? BigInt(value);
      return true;
    }
    return Array.isArray(value)
      ? this.convertItems(shape, value as unknown[] & Holder)
      : this.convertProperties(shape, value as Holder);
  }

  private convertItems(shape: Shape, items: unknown[] & Holder): boolean {
    let changed = false;
    if (shape.prefixItems.length === 0 && !shape.items) return changed;
    for (let i = 0; i < items.length; i++)
      if (this.convert(shape.prefixItems[i] ?? shape.items, items, i)) changed = true;
    return changed;
  }

  private convertProperties(shape: Shape, object: Holder): boolean {
    let changed = false;
    if (this.direction === 'request') {
      for (const [name, fill] of shape.defaults)
        if (!Object.hasOwn(object, name)) parseJson(fill, object, name);
    }
    for (const name of Object.keys(object)) {
      const position = this.propertyPosition(shape, name);
      const unlisted = position === undefined && shape.closed;
      if (unlisted || (this.direction === 'response' && position && this.isMarked(position, object, name))) {
        Reflect.deleteProperty(object, name);
        changed = true;
      } else if (this.convert(position, object, name)) changed = true;
    }
    return changed;
  }

  private isMarked({ shapes }: Position, holder: Holder, key: string | number): boolean {
    return this.schemas.hasOneWay && shapes.of(holder[key], holder, key, this.run).marked;
  }

  /** The position of values that these schemas describe. */
  private position(nodes: readonly unknown[]): Position {
    const id = this.idOf(nodes);
    const known = this.positions.get(id);
    if (known) return known;
    const shapes = new Applicables(nodes, this.schemas.components, this.holdsOf, (applying) => {
      const shapeId = this.idOf(applying);
      return this.shapes.get(shapeId) ?? remember(this.shapes, shapeId, this.combine(applying));
    });
    return remember(this.positions, id, { nodes, shapes });
  }

  private positionOf(nodes: readonly unknown[]): Position | undefined {
    return nodes.length > 0 ? this.position(nodes) : undefined;
  }

  /** The position of the property of a name; undefined if no schema describes it. */
  private propertyPosition(shape: Shape, name: string): Position | undefined {
    const { properties, otherProperties, schemas } = shape;
    const known = properties.get(name) ?? otherProperties;
    if (known === undefined) return this.positionOf(this.describing('remainingProperties', schemas, name));
    return known === 'none' ? undefined : known;
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

  private combine(nodes: readonly Node[]): Shape {
    const { components } = this.schemas;
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
      const described = this.describing('remainingProperties', schemas, name);
      return [name, described.length > 0 ? described : [true]] as const;
    });
    const patterned = nodes.some((node) => patternsOf(node).length > 0);
    const others = this.positionOf(this.describing('remainingProperties', schemas, undefined));
    const prefixed = Math.max(0, ...nodes.map((node) => listOf(node['prefixItems']).length));
    const itemAt = (i: number) => this.describing('remainingItems', schemas, i);
    const opened = nodes.some(
      (node) =>
        (node['additionalProperties'] ?? false) !== false || typeof node['remainingProperties'] === 'string',
    );
    return {
      int64: nodes.some(isInt64),
      marked: nodes.some(({ marked }) => marked === true),
      closed: names.size > 0 && !opened && !patterned,
      properties: new Map(properties.map(([name, property]) => [name, this.position(property)])),
      otherProperties: patterned ? undefined : (others ?? 'none'),
      schemas,
      defaults: properties.flatMap(([name, property]) => {
        const fill = this.defaultOf(property);
        return fill === undefined ? [] : [[name, fill] as const];
      }),
      prefixItems: Array.from({ length: prefixed }, (_, i) => this.position(itemAt(i))),
      items: this.positionOf(itemAt(prefixed)),
      contained: nodes.flatMap(({ containing }) =>
        isObject(containing) ? [String(containing['component'])] : [],
      ),
    };
  }

  /** The default of a property, as JSON: of the schemas that always apply to it. */
  private defaultOf(property: readonly unknown[]): string | undefined {
    const nodes = applicable(property, this.schemas.components);
    if (!this.fillsDefaults || nodes.some(({ marked }) => marked === true)) return undefined;
    const fill = nodes.find((node) => 'fill' in node)?.['fill'];
    return typeof fill === 'string' ? fill : undefined;
  }

  /** The schemas that describe a property or item; without a name, a property that is neither listed nor matched. */
  private describing(
    keyword: 'remainingProperties' | 'remainingItems',
    described: readonly Described[],
    key: string | number | undefined,
  ): unknown[] {
    const partsOf = (node: Node) => (typeof key === 'number' ? itemsOf(node, key) : propertiesOf(node, key));
    return described.flatMap(({ node, within }) => {
      const own = partsOf(node);
      const remaining = node[keyword];
      if (own.length > 0 || typeof remaining !== 'string') return own;
      return within.some((other) => partsOf(other).length > 0) ? [] : [this.schemas.components[remaining]];
    });
  }
}
