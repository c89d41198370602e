import { isObject, type JsonObject, type OpenApiDocument } from '../document/document';
import { inPlace } from '../document/subschemas';
import { type Default, Defaults } from './defaults';
import { Discriminators } from '../document/discriminator';
import { Interner } from './identity';
import { type Direction, excludedBy, OneWay } from './one-way';
import { type ComponentSet, Rewriter, type Schema, STRICT, type View } from './rewrite';

/**
 * The maximum number of schemas, with all their subschemas, that replace the references of one component. The code of a
 * component, and the time to compile it, grow with them.
 */
const MAX_INLINED = 200;

/** The view in which properties that the direction excludes may be present or absent. */
const LENIENT: View = { lenient: true, owners: [] };

const keyOf = (pointer: string, { lenient, owners }: View): string =>
  `${lenient ? 'lenient ' : ''}${owners.join(' ')} ${pointer}`;

/** A schema to which others refer. */
interface Component {
  readonly identifier: string;
  readonly pointer: string;
  readonly view: View;
  /** Whether it describes a property or an item. */
  readonly child: boolean;
}

/**
 * Rewrites the schemas of a document into schemas that the validator can enforce. Each target of a reference, and each
 * branch that describes properties or items, becomes a component with an identifier, compiled once and judged
 * once for each value (component-keywords.ts has the keywords beside the standard ones).
 */
export class SchemaSet implements ComponentSet {
  /** By identifier. Complete once the last schema of the document has been rewritten. */
  readonly components: Record<string, JsonObject> = {};
  /** The values of enum and const that are compared by their number. */
  readonly constants = new Interner();
  /** Whether the document has names that every object inherits. */
  readonly inheritedNames: boolean;
  /** By the JSON pointer of the schema. */
  readonly defaults: ReadonlyMap<string, Default>;
  private readonly identifiers = new Map<string, string>();
  /** The pointer of each component, by its identifier. */
  readonly pointers = new Map<string, string>();
  /** The components that are not rewritten yet. */
  private readonly pending: Component[] = [];
  /** The targets of references. */
  private readonly references = new Set<string>();
  /** The references to references that are being followed. */
  private readonly following = new Set<string>();
  private readonly oneWay: OneWay;
  private readonly discriminators: Discriminators;
  private readonly rewriter: Rewriter;
  /** The number of schemas that each schema consists of and refers to, by its pointer; infinite if it is recursive. */
  private readonly sizes = new Map<string, number>();
  /** The schemas that were inlined. */
  private readonly inlined = new Map<string, Schema>();
  /** Whether a reference is being inlined. */
  private inlining = false;
  /** The number of schemas that may still be inlined into the current one. */
  private inlineBudget = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
  ) {
    this.inheritedNames = document.inheritedNames;
    const { constants } = this;
    const oneWay = (this.oneWay = new OneWay(document, excludedBy(direction)));
    const discriminators = (this.discriminators = new Discriminators(document));
    const defaults = new Defaults(document, (pointer) => this.identify(pointer, STRICT));
    this.defaults = defaults.byPointer;
    this.rewriter = new Rewriter({ document, direction, oneWay, discriminators, constants, defaults }, this);
  }

  /** Whether any schema is marked as excluded from the direction. */
  get hasOneWay(): boolean {
    return this.oneWay.occurs;
  }

  /** The schema of the body at `pointer` in an envelope. */
  body(pointer: string): Schema {
    if (this.oneWay.always(pointer)) {
      const message = `is ${this.oneWay.keyword} as a whole: no ${this.direction} can have this body`;
      this.document.addFinding(pointer, message);
    }
    this.inlineBudget = MAX_INLINED;
    return this.rewriter.child(pointer, false);
  }

  /** The schema of the parameter or header at `pointer` in an envelope. `readOnly` and `writeOnly` do not exclude it. */
  at(pointer: string): Schema {
    this.inlineBudget = MAX_INLINED;
    return this.rewriter.rewrite(pointer, STRICT);
  }

  /** The schema at `pointer` for conversion. A response is converted before it is judged. */
  converted(pointer: string): Schema {
    if (this.direction === 'request') return this.at(pointer);
    const component = this.identify(pointer, LENIENT);
    const known = this.lenient.get(component) ?? { component };
    this.lenient.set(component, known);
    return known;
  }
  /** The same component gives the same object, by which its shape is known. */
  private readonly lenient = new Map<string, Schema>();

  /**
   * The schema at `pointer` for finding properties that the direction excludes: its branches ignore them.
   * Undefined if nothing is marked.
   */
  marking(pointer: string): Schema | undefined {
    return this.hasOneWay ? { component: this.identify(pointer, LENIENT) } : undefined;
  }

  /**
   * Adds a finding for each reference that leads back to itself without a step into a property or an item. Judging by it
   * would not end (JSON Schema 2020-12, core, section 9.4.1). A discriminator may lead back: its property names another
   * schema.
   */
  check(): void {
    const { document, discriminators } = this;
    const chosen = new Map<string, string | undefined>();
    const { cycles } = document.subschemas.traverse(this.references, (subschema, from) => {
      if (subschema.relation !== 'negated' && !inPlace(subschema, from)) return false;
      const schema = document.at(from);
      if (!chosen.has(from) && isObject(schema)) chosen.set(from, discriminators.at(from, schema)?.keyword);
      return chosen.get(from) !== subschema.keyword;
    });
    for (const cycle of cycles)
      document.addFinding(cycle, 'refers to itself for the same value: no value could ever be validated');
  }

  identify(pointer: string, view: View, child = false): string {
    const value = this.document.at(pointer);
    if (isObject(value) && Object.keys(value).length === 1 && !child) {
      const target = this.document.subschemas.target(pointer);
      if (target !== undefined && !this.following.has(target)) {
        this.references.add(target);
        this.following.add(target);
        const identifier = this.identify(target, view);
        this.following.delete(target);
        return identifier;
      }
    }
    const key = `${child ? 'child ' : ''}${keyOf(pointer, view)}`;
    const known = this.identifiers.get(key);
    if (known !== undefined) return known;
    const identifier = `schema:${this.identifiers.size}`;
    this.identifiers.set(key, identifier);
    this.pointers.set(identifier, pointer);
    this.components[identifier] = {}; // before the components that it refers to
    this.pending.push({ identifier, pointer, view, child });
    if (this.pending.length === 1) this.rewritePending();
    return identifier;
  }

  /** Inlines the target of a reference, with all its references, unless it is recursive or too large. */
  inline(target: string, view: View, rewrite: () => Schema): Schema | undefined {
    this.references.add(target);
    const outermost = !this.inlining;
    if (outermost) {
      const size = this.sizeOf(target);
      if (size > this.inlineBudget) return undefined;
      this.inlineBudget -= size;
    }
    // Many schemas refer to the same one.
    const key = keyOf(target, view);
    const known = this.inlined.get(key);
    if (known !== undefined) return known;
    this.inlining = true;
    const schema = rewrite();
    this.inlining = !outermost;
    this.inlined.set(key, schema);
    return schema;
  }

  private sizeOf(pointer: string): number {
    const size = this.document.subschemas.fold(
      pointer,
      () => true,
      this.sizes,
      (_, parts) => parts.reduce((sum, part) => sum + (this.sizes.get(part.pointer) ?? Infinity), 1),
    );
    return size ?? Infinity;
  }

  /** Rewrites pending components, in a loop: recursion over a document may exhaust the stack. */
  private rewritePending(): void {
    const { inlineBudget, inlining } = this;
    for (const { identifier, pointer, view, child } of this.pending) {
      [this.inlineBudget, this.inlining] = [MAX_INLINED, false];
      const schema = child
        ? this.rewriter.child(pointer, view.lenient)
        : this.rewriter.rewrite(pointer, view);
      this.components[identifier] = schema === true ? {} : schema === false ? { not: {} } : schema;
    }
    this.pending.length = 0;
    [this.inlineBudget, this.inlining] = [inlineBudget, inlining];
  }
}
