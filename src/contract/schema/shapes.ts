import { joinPointer, isObject, members } from '../document/document';
import { exactNumber, type Holder, parseJson } from '../json/parse';
import { type HoldsOf, type Node, partsOf } from './applicable';
import { compileConversion, compileProjection, type Project, type ShapeAt } from './generated';
import type { Direction } from './one-way';
import type { SchemaSet } from './schema-set';
import { type Convert, itemPosition, type Position, type Shape, ShapeTable } from './shape';

/** Returns the path, as steps after slashes, to a value in `holder[key]` that goes the other way only; undefined if none. */
export type Find = (holder: Holder, key: string | number) => string | undefined;

/**
 * Converts values by the schemas that describe each part of them. In a request, after judging, it fills in defaults, leaves
 * out properties that are not listed, and makes each int64 a bigint. In a response, before judging, it leaves out
 * properties that are not listed or are `writeOnly`.
 */
export class Shapes {
  private readonly table: ShapeTable;
  private readonly marking = new WeakMap<object, boolean>();
  private readonly converting = new WeakMap<object, boolean>();
  /** The value that is being converted. */
  private run: object = {};

  constructor(
    private readonly schemas: SchemaSet,
    private readonly direction: Direction,
    private readonly holdsOf: HoldsOf,
  ) {
    this.table = new ShapeTable(schemas.components, direction, holdsOf);
  }

  /** Compiles the conversion of a value of the schema at `pointer`; undefined if there is nothing to convert. */
  converter(pointer: string): Convert | undefined {
    return this.convertBy(this.schemas.converted(pointer));
  }

  /** Compiles the conversion of a value of a rewritten schema; undefined if there is nothing to convert. */
  convertBy(node: unknown): Convert | undefined {
    if (!this.converts(node)) return undefined;
    const position = this.table.position([node]);
    const generated =
      this.direction === 'request' && this.generates()
        ? compileConversion(position, this.shapeOf)
        : undefined;
    if (generated) return generated;
    return (holder, key) => {
      // What judging a request has found still holds. A response changes before it is judged.
      this.run = this.direction === 'request' ? holder : {};
      return this.convert(position, holder, key);
    };
  }

  /** Compiles the copy of a response of the schema at `pointer`; undefined if its shape depends on the value. */
  projection(pointer: string): Project | undefined {
    const node = this.schemas.converted(pointer);
    if (!this.generates() || !this.converts(node)) return undefined;
    if (!this.projections.has(node))
      this.projections.set(node, compileProjection(this.table.position([node]), this.shapeOf));
    return this.projections.get(node);
  }
  /** Many responses have the same schema. */
  private readonly projections = new Map<unknown, Project | undefined>();

  /** Whether functions can be generated: they read inherited properties too, and ignore `readOnly` and `writeOnly`. */
  private generates(): boolean {
    return !this.schemas.hasOneWay && !this.schemas.inheritedNames;
  }

  private readonly shapeOf: ShapeAt = (position) =>
    position.nodes.some((node) => this.converts(node)) ? position.shapes.constant() : 'leaf';

  /**
   * Compiles the search for values that go the other way only, by the schema at `pointer`. A branch or `contains` may mark
   * them. Such a schema need not hold, so the validator does not refuse them. Undefined if nothing is marked.
   */
  finder(pointer: string): Find | undefined {
    const node = this.schemas.marking(pointer);
    if (node === undefined || !this.mayMark(node)) return undefined;
    const position = this.table.position([node]);
    return (holder, key) => {
      this.run = {};
      const found = this.find(position, holder, key);
      return found === undefined ? undefined : `${key}${found}`;
    };
  }

  private find(position: Position, holder: Holder, key: string | number): string | undefined {
    const value = holder[key];
    if (typeof value !== 'object' || value === null) return undefined;
    position.mayMark ??= position.nodes.some((node) => this.mayMark(node));
    if (!position.mayMark) return undefined;
    const shape = this.shapeAt(position, holder, key);
    const children = value as Holder;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const child of keys) {
      const at = this.childPosition(shape, children, child);
      if (!at) continue;
      const found = this.isMarked(at, children, child) ? '' : this.find(at, children, child);
      if (found !== undefined) return `${joinPointer('', child)}${found}`;
    }
    return undefined;
  }

  /** The position of a property or item, by `contains` too. */
  private childPosition(shape: Shape, holder: Holder, key: string | number): Position | undefined {
    if (typeof key === 'string') return this.table.propertyPosition(shape, key);
    const { components } = this.schemas;
    const position = itemPosition(shape, key);
    const taken = shape.contained.filter((identifier) =>
      this.holdsOf(identifier)(holder[key], holder, key, this.run),
    );
    if (taken.length === 0) return position;
    return this.table.position([
      ...(position?.nodes ?? []),
      ...taken.map((identifier) => components[identifier]),
    ]);
  }

  private convert(position: Position | undefined, holder: Holder, key: string | number): boolean {
    const value = holder[key];
    if (!position || (typeof value !== 'number' && (typeof value !== 'object' || value === null)))
      return false;
    const shape = this.shapeAt(position, holder, key);
    if (typeof value === 'number') {
      if (!shape.int64 || this.direction === 'response') return false;
      holder[key] = exactNumber(holder, key) ?? BigInt(value);
      return true;
    }
    return Array.isArray(value)
      ? this.convertItems(shape, value)
      : this.convertProperties(shape, value as Holder);
  }

  private shapeAt(position: Position, holder: Holder, key: string | number): Shape {
    return position.shapes.of(holder[key], holder, key, this.run);
  }

  private convertItems(shape: Shape, items: unknown[]): boolean {
    let changed = false;
    if (shape.prefixItems.length === 0 && !shape.items) return changed;
    for (let i = 0; i < items.length; i++) {
      if (this.convert(itemPosition(shape, i), items as unknown[] & Holder, i)) changed = true;
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
      const position = this.table.propertyPosition(shape, name);
      const unlisted = position === undefined && shape.closed;
      if (unlisted || (this.direction === 'response' && position && this.isMarked(position, object, name))) {
        Reflect.deleteProperty(object, name);
        changed = true;
      } else if (this.convert(position, object, name)) changed = true;
    }
    return changed;
  }

  private isMarked(position: Position, holder: Holder, key: string | number): boolean {
    return this.schemas.hasOneWay && this.shapeAt(position, holder, key).marked;
  }

  /** Whether a conversion depends on a rewritten schema, or on one below it. */
  private converts(root: unknown): boolean {
    if (!isObject(root)) return false;
    const known =
      this.converting.get(root) ??
      this.someNode(root, (node) => {
        const { exact, discriminate } = node;
        if (members(node['properties']).length > 0 || node['marked'] === true) return true;
        if (this.direction === 'request' && isObject(exact) && exact['int64'] === true) return true;
        return isObject(discriminate);
      });
    this.converting.set(root, known);
    return known;
  }

  /** Whether a rewritten schema, or one below it, marks values. */
  private mayMark(root: unknown): boolean {
    if (!isObject(root)) return false;
    const known = this.marking.get(root) ?? this.someNode(root, ({ marked }) => marked === true);
    this.marking.set(root, known);
    return known;
  }

  /** Whether a rewritten schema, or one below it, matches. Recursion over a document may exhaust the stack. */
  private someNode(root: unknown, isSought: (node: Node) => boolean): boolean {
    const { components } = this.schemas;
    const schemas = new Set([root]);
    for (const node of schemas) {
      if (!isObject(node)) continue;
      if (isSought(node)) return true;
      for (const schema of partsOf(node, components, ['certain', 'possible', 'child'])) schemas.add(schema);
    }
    return false;
  }
}
