import { below, isObject, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { stringifyJson } from '../json/stringify';
import { type Direction, excludedBy, OneWay } from './one-way';
import type { Parameter } from '../operations/operations';
import { excerpt } from '../json/excerpt';
import { type Discriminate, listOf } from './applicable';
import { type Discriminator, Discriminators } from './discriminator';
import { BOUND_KEYWORDS, type ExactRule } from './exact';
import { Interner } from './identity';
import type { Equals } from './judgment';
import { inPlaceCycles } from './in-place';
import { checkPatterns } from './patterns';

/** A schema as the validator takes it. */
export type Schema = JsonObject | boolean;

/** Whose values are not the value itself, but what is in it. */
const CHILD = ['additionalProperties', 'items'];
const MAP_OF_SCHEMAS = ['properties', 'patternProperties', 'dependentSchemas'];
/** Judged by keywords of ours, which see through components. */
const REMAINING = {
  unevaluatedProperties: 'remainingProperties',
  unevaluatedItems: 'remainingItems',
} as const;
const ASSERTIONS = (
  'type enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format ' +
  'minItems maxItems minProperties maxProperties required dependentRequired'
).split(' ');
const APPLICATORS = (
  '$ref allOf anyOf oneOf not if then else dependentSchemas discriminator default ' +
  'properties patternProperties additionalProperties propertyNames unevaluatedProperties ' +
  'prefixItems items contains unevaluatedItems'
).split(' ');
/** More schemas than these are not put in the place of references to them. */
const MAX_INLINED = 50;
/** Of the values that an enum allows, what a message may quote. */
const MAX_QUOTED = 200;

/** Whether a schema describes an integer of `format: int64`, for which a double is not enough. */
export function isInt64(schema: JsonObject): boolean {
  const types = [schema['type']].flat();
  return schema['format'] === 'int64' && (types.includes('integer') || types.includes('number'));
}

/** How a schema is rewritten. */
interface View {
  /** What goes the other way only, or is left out of a response, does not speak against a branch. */
  readonly lenient: boolean;
  /** Schemas that apply to the same value and mark properties that go the other way only. */
  readonly owners: readonly string[];
}

/** A schema that others refer to. */
interface Component {
  readonly identifier: string;
  readonly pointer: string;
  readonly view: View;
  /** Whether it describes a property or an item. */
  readonly child: boolean;
}

/** A default of the document, to be judged by the schema that it stands in. */
export interface Default {
  readonly identifier: string;
  readonly text: string;
  /** Where it stands, if that is another schema, of which the one that judges consists. */
  readonly from?: string;
}

/**
 * Rewrites the schemas of a document into what the validator can enforce. What others refer to, and each branch that says
 * something about properties or items, becomes a component with an identifier of its own, compiled once and judged once
 * for each value (schema/judge.ts has the keywords that stand beside the standard ones).
 */
export class SchemaSet {
  /** By identifier. Complete once the last schema of the document has been rewritten. */
  readonly components: Record<string, JsonObject> = {};
  /** The values of enum and const that are compared by their number. */
  readonly constants = new Interner();
  /** By where their schemas stand. */
  readonly defaults = new Map<string, Default>();
  private readonly identifiers = new Map<string, string>();
  /** Components that are to be rewritten. */
  private readonly pending: Component[] = [];
  /** What references lead to. */
  private readonly references = new Set<string>();
  /** By schema, the part of it that has a default. */
  private readonly inherited = new Map<string, string | undefined>();
  /** References to references that are being followed. */
  private readonly following = new Set<string>();
  private readonly oneWay: OneWay;
  private readonly discriminators: Discriminators;
  /** The references that are being inlined, the outermost first. */
  private inlining = new Set<string>();
  /** How many more schemas may be inlined into the present one. */
  private room = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
  ) {
    this.oneWay = new OneWay(document, excludedBy(direction));
    this.discriminators = new Discriminators(document);
  }

  /** Whether any schema is marked as going the other way only. */
  get hasOneWay(): boolean {
    return this.oneWay.occurs;
  }

  /** The schema of the body at `pointer`, as it stands in an envelope. */
  body(pointer: string): Schema {
    if (this.oneWay.always(pointer)) {
      const message = `is ${this.oneWay.keyword} as a whole: no ${this.direction} can have this body`;
      this.document.addFinding(pointer, message);
    }
    this.room = MAX_INLINED;
    return this.child(pointer, false);
  }

  /** The schema of the parameter or header at `pointer`, as it stands in an envelope; it goes its way, whatever marks it. */
  at(pointer: string): Schema {
    this.room = MAX_INLINED;
    return this.rewrite(this.document.at(pointer), pointer, { lenient: false, owners: [] });
  }

  /** The schema at `pointer` to convert values by: on the way out, before what no response may have is left out. */
  converted(pointer: string): Schema {
    if (this.direction === 'request') return this.at(pointer);
    return { judge: this.identify(pointer, { lenient: true, owners: [] }) };
  }

  /**
   * The schema at `pointer` to find by what goes the other way only: whether that is there does not speak against a branch.
   * Undefined if nothing is marked.
   */
  marking(pointer: string): Schema | undefined {
    return this.hasOneWay ? { judge: this.identify(pointer, { lenient: true, owners: [] }) } : undefined;
  }

  /** Findings of what no validator could judge. */
  check(): void {
    for (const cycle of inPlaceCycles(this.document, this.references, this.discriminators)) {
      this.document.addFinding(cycle, 'refers to itself for the same value: no value could ever be judged');
    }
  }

  /** A component for the schema at `pointer`; `child` if it describes a property or an item. */
  private identify(pointer: string, view: View, child = false): string {
    const value = this.document.at(pointer);
    if (isObject(value) && Object.keys(value).length === 1 && '$ref' in value && !child) {
      const target = this.document.resolve(value['$ref']);
      if (target !== undefined && !this.following.has(target)) {
        this.references.add(target);
        this.following.add(target);
        const identifier = this.identify(target, view);
        this.following.delete(target);
        return identifier;
      }
    }
    const key = `${view.lenient ? 'lenient ' : ''}${child ? 'child ' : ''}${view.owners.join(' ')} ${pointer}`;
    const known = this.identifiers.get(key);
    if (known !== undefined) return known;
    const identifier = `schema:${this.identifiers.size}`;
    this.identifiers.set(key, identifier);
    this.components[identifier] = {}; // it has its place before those that it refers to
    this.pending.push({ identifier, pointer, view, child });
    if (this.pending.length === 1) this.rewritePending();
    return identifier;
  }

  /** Rewrites components until none refers to another. Not one within the other: a document is longer than the stack. */
  private rewritePending(): void {
    const { room, inlining } = this;
    for (const { identifier, pointer, view, child } of this.pending) {
      [this.room, this.inlining] = [MAX_INLINED, new Set()];
      const schema = child
        ? this.child(pointer, view.lenient)
        : this.rewrite(this.document.at(pointer), pointer, view);
      this.components[identifier] = schema === true ? {} : schema === false ? { not: {} } : schema;
    }
    this.pending.length = 0;
    [this.room, this.inlining] = [room, inlining];
  }

  /** A value in another one: what goes the other way only is no part of it. */
  private child(pointer: string, lenient: boolean): Schema {
    const message = `is ${this.direction === 'request' ? 'read' : 'write'}-only`;
    const always = this.oneWay.always(pointer);
    if (always && !(lenient && this.direction === 'request'))
      return { marked: true, ...(!lenient && { oneWay: message }) };
    const schema = this.rewrite(this.document.at(pointer), pointer, { lenient, owners: [] });
    if (always && schema !== false) return { ...(schema === true ? {} : schema), marked: true };
    if (typeof schema === 'boolean' || lenient || !this.oneWay.sometimes(pointer)) return schema;
    return { ...schema, oneWay: message };
  }

  /** Whether what is not listed does not speak against a branch either: it is left out. */
  private cuts({ lenient }: View): boolean {
    return lenient && this.direction === 'response';
  }

  /** A schema that may apply. If it says something about what is in the value, others will ask whether it does. */
  private branch(pointer: string, view: View): Schema {
    const value = this.document.at(pointer);
    const plain =
      !isObject(value) ||
      (!Object.keys(value).some((keyword) => APPLICATORS.includes(keyword)) &&
        !isInt64(value) &&
        value[this.oneWay.keyword] !== true);
    return plain ? this.rewrite(value, pointer, view) : { judge: this.identify(pointer, view) };
  }

  private rewrite(value: unknown, pointer: string, view: View): Schema {
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return true;
    checkPatterns(this.document, value, pointer);
    const discriminator = this.discriminators.at(pointer, value);
    const rewritten: Record<string, unknown> = {};
    const inPlace = this.inPlace(pointer, view);
    for (const [keyword, operand] of Object.entries(value)) {
      const here = below(pointer, keyword);
      if (ASSERTIONS.includes(keyword)) {
        rewritten[keyword] = typeof operand === 'bigint' ? Number(operand) : operand;
      } else if (CHILD.includes(keyword)) {
        if (!(this.cuts(view) && operand === false)) rewritten[keyword] = this.child(here, view.lenient);
      } else if (keyword === 'not') rewritten[keyword] = this.rewrite(operand, here, STRICT);
      else if (keyword === 'propertyNames') rewritten[keyword] = this.rewrite(operand, here, STRICT);
      else if (keyword === 'if') {
        rewritten[keyword] = { judge: this.identify(here, { lenient: view.lenient, owners: [] }) };
      } else if (keyword === 'then' || keyword === 'else') {
        rewritten[keyword] = this.rewrite(operand, here, inPlace);
      } else if (keyword === 'allOf') {
        const parts = listOf(operand).map((part, i) => this.rewrite(part, below(here, i), inPlace));
        rewritten['allOf'] = [...listOf(rewritten['allOf']), ...parts];
      } else if (keyword === 'prefixItems') {
        rewritten[keyword] = listOf(operand).map((_, i) => this.child(below(here, i), view.lenient));
      } else if (keyword === 'anyOf' || keyword === 'oneOf') {
        if (discriminator?.keyword !== keyword) this.addBranches(operand, pointer, keyword, view, rewritten);
      } else if (MAP_OF_SCHEMAS.includes(keyword)) {
        rewritten[keyword] = Object.fromEntries(
          members(operand).map(([name, part]) => [
            name,
            keyword === 'dependentSchemas'
              ? this.rewrite(part, below(here, name), inPlace)
              : this.child(below(here, name), view.lenient),
          ]),
        );
      } else if (keyword in REMAINING) {
        const name = REMAINING[keyword as keyof typeof REMAINING];
        if (operand !== false) rewritten[name] = this.identify(here, view, true);
        else if (!this.cuts(view) || keyword === 'unevaluatedItems') rewritten[name] = false;
      } else if (keyword === 'contains') {
        const judge = this.identify(here, { lenient: view.lenient, owners: [] });
        rewritten['containing'] = {
          judge,
          min: Number(value['minContains'] ?? 1),
          max: count(value['maxContains']),
        };
      } else if (keyword === 'default') this.addDefault(operand, pointer, rewritten);
    }
    if (!('default' in value) && ('allOf' in value || ('$ref' in value && Object.keys(value).length > 1)))
      this.addInherited(pointer);
    if (discriminator) rewritten['discriminate'] = this.discriminate(discriminator, value, pointer, view);
    if ('$ref' in value) this.refer(value['$ref'], pointer, inPlace, rewritten);
    if (value['uniqueItems'] === true) rewritten['unique'] = true;
    if (value[this.oneWay.keyword] === true) rewritten['marked'] = true;
    this.compareExactly(value, rewritten);
    this.relax(inPlace.owners, rewritten);
    if (Object.keys(rewritten).length > 0) rewritten['meter'] = true;
    return rewritten;
  }

  /** The view of what applies to the same value as the schema at `pointer`, except the branches of a keyword. */
  private inPlace(pointer: string, view: View, except?: string): View {
    const owners = this.oneWay.owners(pointer, except).filter((owner) => !view.owners.includes(owner));
    return owners.length === 0 ? view : { ...view, owners: [...view.owners, ...owners].sort() };
  }

  private addBranches(
    operand: unknown,
    pointer: string,
    keyword: string,
    view: View,
    rewritten: Record<string, unknown>,
  ): void {
    const here = below(pointer, keyword);
    const inPlace = this.inPlace(pointer, view, keyword);
    const pointers = listOf(operand).map((_, i) => below(here, i));
    const branches = pointers.map((branch) => this.branch(branch, inPlace));
    // Without a property that goes the other way, branches that only require it cannot be told apart.
    const relaxed = pointers.some((branch) => this.oneWay.relaxes(branch, inPlace.owners));
    if (keyword === 'anyOf' || !relaxed) rewritten[keyword] = branches;
    else rewritten['allOf'] = [...listOf(rewritten['allOf']), { anyOf: branches }];
  }

  private discriminate(
    { property, branches, keyword }: Discriminator,
    value: JsonObject,
    pointer: string,
    { lenient }: View,
  ): Discriminate {
    const view = { lenient, owners: [] };
    const named = [...branches].map(([name, target]): [string, string | null] => [
      name,
      target === pointer ? null : this.identify(target, view),
    ]);
    const all = keyword ? listOf(value[keyword]).map((_, i) => below(pointer, keyword, i)) : [];
    return {
      property,
      branches: Object.fromEntries(named),
      ...(keyword && {
        others: { keyword, branches: all.map((branch) => this.identify(branch, view)) },
      }),
    };
  }

  /** `required` and `dependentRequired` do not ask for what goes the other way. */
  private relax(owners: readonly string[], rewritten: Record<string, unknown>): void {
    if (owners.length === 0) return;
    const kept = (names: unknown) =>
      listOf(names).filter((name) => !this.oneWay.excludes(owners, String(name)));
    if ('required' in rewritten) rewritten['required'] = kept(rewritten['required']);
    const dependent = members(rewritten['dependentRequired']);
    if (dependent.length > 0) {
      rewritten['dependentRequired'] = Object.fromEntries(
        dependent.map(([name, names]) => [name, kept(names)]),
      );
    }
  }

  private addDefault(value: unknown, pointer: string, rewritten: Record<string, unknown>): void {
    const text = stringifyJson(value, 'default');
    rewritten['fill'] = text;
    if (this.defaults.has(pointer)) return; // or it would be rewritten for ever
    this.defaults.set(pointer, { text, identifier: '' });
    const identifier = this.identify(pointer, { lenient: false, owners: [] });
    this.defaults.set(pointer, { text, identifier });
  }

  /** The default of a part of a schema must conform to all of it: it is filled in for the whole. */
  private addInherited(pointer: string): void {
    const from = this.inheritedFrom(pointer);
    if (from === undefined || this.defaults.has(pointer)) return;
    const text = stringifyJson(this.document.at(below(from, 'default')), 'default');
    this.defaults.set(pointer, { text, identifier: '', from });
    const identifier = this.identify(pointer, { lenient: false, owners: [] });
    this.defaults.set(pointer, { text, identifier, from });
  }

  /** The first of the parts of a schema that has a default. */
  private inheritedFrom(pointer: string): string | undefined {
    if (this.inherited.has(pointer)) return this.inherited.get(pointer);
    this.inherited.set(pointer, undefined); // ends cycles, which are refused
    const value = this.document.at(pointer);
    let from = isObject(value) && 'default' in value ? pointer : undefined;
    for (const part of from === undefined ? this.document.partsOf(pointer) : [])
      from ??= this.inheritedFrom(part);
    this.inherited.set(pointer, from);
    return from;
  }

  /**
   * Puts what a `$ref` refers to in its place, which is the fastest to judge. Only what refers to itself, or is large,
   * stays a reference.
   */
  private refer(ref: unknown, pointer: string, view: View, rewritten: Record<string, unknown>): void {
    const target = this.document.resolve(ref);
    if (target === undefined) return;
    this.references.add(target);
    if (this.inlining.has(target) || --this.room < 0) {
      rewritten['judge'] = this.identify(target, view);
      return;
    }
    this.inlining.add(target);
    const schema = this.rewrite(this.document.at(target), target, view);
    this.inlining.delete(target);
    rewritten['allOf'] = [schema, ...listOf(rewritten['allOf'])];
  }

  /** Leaves to the validator's doubles and deep comparisons only what they judge exactly and in linear time. */
  private compareExactly(value: JsonObject, rewritten: Record<string, unknown>): void {
    const types = [value['type']].flat();
    const int64 = isInt64(value);
    const integer = int64 || (types.includes('integer') && !types.includes('number'));
    if (int64) {
      delete rewritten['format'];
      rewritten['type'] = types.map((name: unknown) => (name === 'number' ? 'integer' : name));
    }
    const bounds: Record<string, string> = {};
    for (const keyword of BOUND_KEYWORDS) {
      const text = textOfLargeInteger(value[keyword]);
      if (text === undefined) continue;
      bounds[keyword] = text;
      Reflect.deleteProperty(rewritten, keyword);
    }
    const { multipleOf } = value;
    if (integer || multipleOf !== undefined || Object.keys(bounds).length > 0) {
      const step = multipleOf !== undefined && {
        multipleOf: textOfLargeInteger(multipleOf) ?? String(Number(multipleOf)),
      };
      rewritten['exact'] = { integer, int64, bounds, ...step } satisfies ExactRule;
    }
    this.compareValues(value, rewritten);
  }

  /** Texts, booleans and null are left to the validator. */
  private compareValues(value: JsonObject, rewritten: Record<string, unknown>): void {
    const lists = [
      ...('const' in value ? [{ allowed: [value['const']], message: 'must be equal to constant' }] : []),
      ...(Array.isArray(value['enum'])
        ? [
            {
              allowed: value['enum'] as unknown[],
              message: `must be equal to one of the allowed values: ${quote(value['enum'])}`,
            },
          ]
        : []),
    ];
    const simple = (item: unknown) => item === null || typeof item === 'string' || typeof item === 'boolean';
    if (lists.every(({ allowed }) => allowed.length > 0 && allowed.every(simple))) return;
    delete rewritten['const'];
    delete rewritten['enum'];
    const equals = lists.map(({ allowed, message }) => ({ equals: this.equals(allowed, message) }));
    if (equals.length === 1) Object.assign(rewritten, equals[0]);
    else rewritten['allOf'] = [...listOf(rewritten['allOf']), ...equals];
  }

  private equals(allowed: readonly unknown[], message: string): Equals {
    const doubles = allowed.map((item) =>
      typeof item === 'bigint' && BigInt(Number(item)) === item ? Number(item) : item,
    );
    // A number of the request may be written with more digits than its double has.
    const numbers = doubles.flatMap((item, i) =>
      !isPlain(item) || typeof item === 'number' ? [this.constants.of(allowed, i)] : [],
    );
    return { primitives: doubles.filter(isPlain), numbers, message };
  }
}

/** Whether a value is equal to others exactly if their JavaScript values are. */
const isPlain = (value: unknown): boolean =>
  typeof value !== 'bigint' && (typeof value !== 'object' || value === null);

const STRICT: View = { lenient: false, owners: [] };
const count = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value));

/** An integer that only a bigint can hold, or that its double does not tell from its neighbors. */
function textOfLargeInteger(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  // From 10^21 on a double is written with an exponent, and stands for no particular integer.
  const large = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return large && Math.abs(value) < 1e21 ? String(BigInt(value)) : undefined;
}

const quote = (values: readonly unknown[]): string =>
  excerpt(
    values.map((value) => (typeof value === 'string' ? value : stringifyJson(value))).join(', '),
    MAX_QUOTED,
  );

/** For each location that has parameters, the schema of an object with all of them. */
export function parameterSchemas(
  parameters: readonly Parameter[],
  schemas: SchemaSet,
): Record<string, JsonObject> {
  const locations: Record<string, JsonObject> = {};
  for (const location of new Set(parameters.map((parameter) => parameter.in))) {
    const here = parameters.filter((parameter) => parameter.in === location);
    locations[location] = {
      type: 'object',
      properties: Object.fromEntries(
        here.map(({ name, schema }) => [name, schema === undefined ? true : schemas.at(schema)]),
      ),
      required: here.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  return locations;
}

/**
 * The schema of what a request or response says besides its status: its parameters, by location, and its body, as far as
 * that is judged.
 */
export function envelopeSchema(
  parameters: Readonly<Record<string, JsonObject>>,
  body: string | undefined,
  schemas: SchemaSet,
  bodyRequired: boolean,
): JsonObject {
  return {
    type: 'object',
    properties: { ...parameters, ...(body !== undefined && { body: schemas.body(body) }) },
    required: [...Object.keys(parameters), ...(bodyRequired ? ['body'] : [])],
  };
}
