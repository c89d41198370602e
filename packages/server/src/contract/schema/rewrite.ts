import { joinPointer, isObject, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { lastStep } from '../document/json-pointer';
import { APPLICATORS } from '../document/subschemas';
import { bytesOf } from './bytes';
import { type Discriminate, listOf } from './applicable';
import { UnsupportedPattern } from '../pattern/automaton';
import { compilePattern } from '../pattern/pattern';
import type { Defaults } from './defaults';
import type { Discriminator, Discriminators } from '../document/discriminator';
import { compareExactly, isInt64 } from './exact-comparison';
import type { Interner } from './identity';
import type { Direction, OneWay } from './one-way';

/** A rewritten schema, for the validator. */
export type Schema = JsonObject | boolean;

type Rewritten = Record<string, unknown>;

/** The options of a rewrite. */
export interface View {
  /** Branches ignore properties that the direction excludes, and properties that a response leaves out. */
  readonly lenient: boolean;
  /** Schemas that apply to the same value and mark properties that the direction excludes. */
  readonly owners: readonly string[];
}

/** The view that judges as the document does. */
export const STRICT: View = { lenient: false, owners: [] };

/** The document to rewrite, with data about its schemas. */
export interface Source {
  readonly document: OpenApiDocument;
  readonly direction: Direction;
  readonly oneWay: OneWay;
  readonly discriminators: Discriminators;
  readonly constants: Interner;
  readonly defaults: Defaults;
}

/** The schemas that others refer to. */
export interface ComponentSet {
  /** A component for the schema at `pointer`; `child` if it describes a property or an item. */
  identify(pointer: string, view: View, child?: boolean): string;
  /** The rewritten schema that replaces a reference; undefined if the reference stays. */
  inline(target: string, view: View, rewrite: () => Schema): Schema | undefined;
}

/** Keywords of component-keywords.ts judge `unevaluated*`, through components too. */
const REMAINING: ReadonlyMap<string, string> = new Map([
  ['unevaluatedProperties', 'remainingProperties'],
  ['unevaluatedItems', 'remainingItems'],
]);
const ASSERTIONS = (
  'type enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format ' +
  'minItems maxItems minProperties maxProperties required dependentRequired'
).split(' ');

/** Rewrites a schema of the document for the validator, with the keywords that component-keywords.ts adds to the standard ones. */
export class Rewriter {
  constructor(
    private readonly source: Source,
    private readonly components: ComponentSet,
  ) {}

  rewrite(pointer: string, view: View): Schema {
    const { document, constants, defaults, discriminators, oneWay } = this.source;
    const value = document.at(pointer);
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return true;
    checkPatterns(document, value, pointer);
    const discriminator = discriminators.at(pointer, value);
    const inPlace = this.inPlace(pointer, view);
    const rewritten: Rewritten = {};
    for (const [keyword, operand] of Object.entries(value)) {
      if (ASSERTIONS.includes(keyword))
        rewritten[keyword] = typeof operand === 'bigint' ? Number(operand) : operand;
      else if (keyword !== discriminator?.keyword)
        this.addApplicator(keyword, value, pointer, view, inPlace, rewritten);
    }
    const bytes = this.source.direction === 'request' ? bytesOf(value) : undefined;
    if (bytes) {
      delete rewritten['type'];
      rewritten['bytes'] = bytes;
    }
    const composed = 'allOf' in value || ('$ref' in value && Object.keys(value).length > 1);
    const fill = composed || 'default' in value ? defaults.add(pointer) : undefined;
    if ('default' in value) rewritten['fill'] = fill;
    if (discriminator) rewritten['discriminate'] = this.discriminate(discriminator, pointer, view);
    this.refer(pointer, inPlace, rewritten);
    if (value['uniqueItems'] === true) rewritten['unique'] = true;
    if (value[oneWay.keyword] === true) rewritten['marked'] = true;
    compareExactly(value, rewritten, constants);
    this.relax(inPlace.owners, rewritten);
    if (Object.keys(rewritten).length > 0) rewritten['meter'] = true;
    return rewritten;
  }

  /** Rewrites the schema of a property or item. One that the direction excludes is rejected or left out. */
  child(pointer: string, lenient: boolean): Schema {
    const { direction, oneWay } = this.source;
    const message = `is ${direction === 'request' ? 'read' : 'write'}-only`;
    const always = oneWay.always(pointer);
    if (always && !(lenient && direction === 'request'))
      return { marked: true, ...(!lenient && { oneWay: message }) };
    const schema = this.rewrite(pointer, { lenient, owners: [] });
    if (always && schema !== false) return { ...(schema === true ? {} : schema), marked: true };
    if (typeof schema === 'boolean' || lenient || !oneWay.sometimes(pointer)) return schema;
    return { ...schema, oneWay: message };
  }

  /** Adds a keyword that holds subschemas. */
  private addApplicator(
    keyword: string,
    value: JsonObject,
    pointer: string,
    view: View,
    inPlace: View,
    rewritten: Rewritten,
  ): void {
    const here = joinPointer(pointer, keyword);
    const { lenient } = view;
    const remaining = REMAINING.get(keyword);
    // A response leaves out properties that are not listed, so they do not decide whether a branch holds.
    const cuts = lenient && this.source.direction === 'response';
    if (remaining !== undefined) {
      if (value[keyword] !== false) rewritten[remaining] = this.components.identify(here, view, true);
      else if (!cuts || keyword === 'unevaluatedItems') rewritten[remaining] = false;
    } else if (keyword === 'contains') {
      rewritten['containing'] = {
        component: this.components.identify(here, { lenient, owners: [] }),
        min: Number(value['minContains'] ?? 1),
        max: value['maxContains'] === undefined ? undefined : Number(value['maxContains']),
      };
    } else if (keyword === 'if') {
      rewritten[keyword] = { component: this.components.identify(here, { lenient, owners: [] }) };
    } else if (keyword === 'not' || keyword === 'propertyNames') {
      rewritten[keyword] = this.rewrite(here, STRICT);
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      this.addBranches(pointer, keyword, view, rewritten);
    } else {
      const { relation, as } = APPLICATORS.get(keyword) ?? {};
      if (relation === 'apart' || (cuts && relation === 'child' && value[keyword] === false)) return;
      const part = (at: string) =>
        relation === 'child' ? this.child(at, lenient) : this.rewrite(at, inPlace);
      const parts = this.source.document.subschemas.under(pointer, keyword);
      if (as === 'one') rewritten[keyword] = part(here);
      else if (as === 'list') rewritten[keyword] = [...listOf(rewritten[keyword]), ...parts.map(part)];
      else if (as === 'map')
        rewritten[keyword] = Object.fromEntries(parts.map((at) => [lastStep(at), part(at)]));
    }
  }

  /** The view of the schemas that apply with the one at `pointer`, except the branches of a keyword. */
  private inPlace(pointer: string, view: View, except?: string): View {
    const marking = this.source.oneWay.owners(pointer, except);
    const owners = marking.filter((owner) => !view.owners.includes(owner));
    return owners.length === 0 ? view : { ...view, owners: [...view.owners, ...owners].sort() };
  }

  /** Rewrites a branch. It becomes a component if other keywords depend on whether it applies. */
  private branch(pointer: string, view: View): Schema {
    const { document, oneWay } = this.source;
    const value = document.at(pointer);
    const plain =
      !isObject(value) ||
      (!Object.keys(value).some((keyword) => DESCRIBING.has(keyword)) &&
        !isInt64(value) &&
        value[oneWay.keyword] !== true);
    return plain ? this.rewrite(pointer, view) : { component: this.components.identify(pointer, view) };
  }

  private addBranches(pointer: string, keyword: string, view: View, rewritten: Rewritten): void {
    const { document, oneWay } = this.source;
    const inPlace = this.inPlace(pointer, view, keyword);
    const pointers = document.subschemas.under(pointer, keyword);
    const branches = pointers.map((branch) => this.branch(branch, inPlace));
    // Branches that differ only in requiring an excluded property all hold.
    const relaxed = pointers.some((branch) => oneWay.relaxes(branch, inPlace.owners));
    if (keyword === 'anyOf' || !relaxed) rewritten[keyword] = branches;
    else rewritten['allOf'] = [...listOf(rewritten['allOf']), { anyOf: branches }];
  }

  private discriminate(
    { property, branches, otherwise, keyword }: Discriminator,
    pointer: string,
    { lenient }: View,
  ): Discriminate {
    const identify = (target: string) => this.components.identify(target, { lenient, owners: [] });
    const refer = (target: string) => (target === pointer ? null : { component: identify(target) });
    const named = [...branches].map(([name, target]) => [name, refer(target)]);
    const all = keyword ? this.source.document.subschemas.under(pointer, keyword) : [];
    return {
      property,
      branches: Object.fromEntries(named) as Discriminate['branches'],
      ...(otherwise !== undefined && { otherwise: refer(otherwise) }),
      ...(keyword && { others: { keyword, branches: all.map(identify) } }),
    };
  }

  /** Removes properties that the direction excludes from `required` and `dependentRequired`. */
  private relax(owners: readonly string[], rewritten: Rewritten): void {
    if (owners.length === 0) return;
    const kept = (names: unknown) =>
      listOf(names).filter((name) => !this.source.oneWay.excludes(owners, String(name)));
    if ('required' in rewritten) rewritten['required'] = kept(rewritten['required']);
    const dependent = members(rewritten['dependentRequired']);
    if (dependent.length > 0) {
      rewritten['dependentRequired'] = Object.fromEntries(
        dependent.map(([name, names]) => [name, kept(names)]),
      );
    }
  }

  /** Replaces a `$ref` by its target, which is the fastest to judge, or by a reference to a component. */
  private refer(pointer: string, view: View, rewritten: Rewritten): void {
    const target = this.source.document.subschemas.target(pointer);
    if (target === undefined) return;
    const schema = this.components.inline(target, view, () => this.rewrite(target, view));
    if (schema === undefined) rewritten['component'] = this.components.identify(target, view);
    else rewritten['allOf'] = [schema, ...listOf(rewritten['allOf'])];
  }
}

/** The keywords that make a branch a component. */
const DESCRIBING: ReadonlySet<string> = new Set([...APPLICATORS.keys(), 'discriminator', 'default']);

/** Finds the patterns of the schema at `pointer` that cannot be matched. */
function checkPatterns(document: OpenApiDocument, schema: JsonObject, pointer: string): void {
  const names = members(schema['patternProperties']).map(([name]) => [name, 'patternProperties', name]);
  for (const [source = '', ...steps] of [...names, [schema['pattern'], 'pattern']]) {
    if (typeof source !== 'string') continue;
    try {
      compilePattern(source);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const reason = error instanceof UnsupportedPattern ? error.message : `is not valid: ${error.message}`;
      document.addFinding(joinPointer(pointer, ...steps.map(String)), reason);
    }
  }
}
