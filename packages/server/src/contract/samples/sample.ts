/** Generates values that match a schema. The results are deterministic. */
import { isObject, joinPointer, type OpenApiDocument } from '../document/document';
import { compilePattern } from '../pattern/pattern';
import { Discriminators } from '../document/discriminator';
import type { Direction } from '../schema/one-way';
import { type SchemaView, viewSchemas } from '../schema/schema-view';
import { sampleNumber, sampleString, Unsampled } from './sample-values';

/** The number of different attempts. They choose different branches and omit different parts. */
export const ATTEMPTS = 24;
/** The maximum depth of references, for optional and for required parts. */
const DEPTH = { optional: 4, required: 12 };
/** The maximum number of items or properties of a sample. */
const MAX_COUNT = 1_000;
/** The maximum number of values within a sample, and within all attempts: those of nested lists multiply. */
const MAX_VALUES = 20_000;
const MAX_ATTEMPTED = 60_000;

/**
 * Candidates for a value of the schema at `pointer`; the caller validates them. The first candidate is complete and
 * uses the examples of the document, the last ones are minimal.
 */
export function* samples(document: OpenApiDocument, pointer: string, direction: Direction): Generator {
  const discriminators = new Discriminators(document);
  let attempted = 0;
  for (let attempt = 0; attempt < ATTEMPTS && attempted < MAX_ATTEMPTED; attempt++) {
    const sampler = new Sampler(document, direction, attempt, discriminators);
    try {
      yield sampler.sample([pointer], 0);
    } catch (error) {
      if (!(error instanceof Unsampled)) throw error;
    } finally {
      attempted += sampler.values;
    }
  }
}

class Sampler {
  private readonly examples: boolean;
  private readonly full: boolean;
  /** Of the sample so far. */
  values = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
    private readonly attempt: number,
    private readonly discriminators: Discriminators,
  ) {
    this.examples = attempt === 0;
    this.full = attempt < ATTEMPTS / 2;
  }

  /** @param nth selects one of several different samples of a schema */
  sample(pointers: readonly string[], depth: number, nth = 0): unknown {
    if (depth > DEPTH.required) throw new Unsampled('the schema is recursive without an end');
    if (++this.values > MAX_VALUES) throw new Unsampled(`it has more than ${MAX_VALUES} values`);
    const view = this.resolve(pointers, depth);
    const [example] = this.examples ? view.examples : [];
    if (example !== undefined && nth === 0) return example;
    if (view.values) {
      const values = [...view.values.values()];
      if (values.length === 0) throw new Unsampled('no value is admitted');
      return values[nth % values.length];
    }
    const type = typeOf(view);
    switch (type) {
      case 'object':
        return this.object(view, depth);
      case 'array':
        return this.array(view, depth);
      case 'string':
        return sampleString(view, nth);
      case 'integer':
      case 'fraction':
        return sampleNumber(view, type === 'integer', nth);
      case 'boolean':
        return nth % 2 === 0;
      default:
        return null;
    }
  }

  /**
   * The constraints of the schemas, with one branch of each `anyOf` and `oneOf`. Each attempt chooses other branches, and at
   * another depth others again, so that each branch of a member meets each branch of its object.
   */
  private resolve(
    pointers: readonly string[],
    depth: number,
  ): SchemaView & { readonly names: ReadonlyMap<string, string> } {
    let all = [...pointers];
    let view = viewSchemas(this.document, all, this.direction);
    let turn = depth === 0 ? this.attempt : this.attempt + (this.attempt >> depth);
    const names = new Map<string, string>();
    const taken = new Set<string>();
    const take = (branch: string | undefined) => {
      if (branch !== undefined) all = [...all, branch];
      view = viewSchemas(this.document, all, this.direction);
    };
    const choose = <T>(branches: readonly T[]): T | undefined => {
      const chosen = branches[turn % branches.length];
      turn = Math.floor(turn / Math.max(branches.length, 1));
      return chosen;
    };
    const discriminate = (pointer: string) => {
      const schema = this.document.at(pointer);
      const discriminator = isObject(schema) ? this.discriminators.at(pointer, schema) : undefined;
      if (!discriminator) return;
      const { branches, keyword, property } = discriminator;
      const others = [...branches].filter(([, target]) => target !== pointer);
      // A branch that is taken has its own names only.
      const applied = new Set([pointer, ...all.map((one) => this.document.follow(one).pointer)]);
      const own = (others.length > 0 ? others : [...branches]).filter(([, target]) => applied.has(target));
      const [name, target] = choose(own.length > 0 ? own : others) ?? [];
      if (name !== undefined) names.set(property, name);
      if (keyword) taken.add(joinPointer(pointer, keyword));
      if (own.length === 0) take(target);
    };
    // A branch can have discriminators, and what a discriminator chooses can have branches.
    for (let [i, known] = [0, 0]; known < view.discriminators.length || i < view.unions.length;) {
      if (i + known > 40) throw new Unsampled('the branches are recursive without an end');
      const next = view.discriminators[known];
      if (next !== undefined) {
        known++;
        discriminate(next);
        continue;
      }
      const branches = view.unions[i++] ?? [];
      if (!taken.has(branches[0]?.replace(/\/\d+$/, '') ?? '')) take(choose(branches));
    }
    return { ...view, names };
  }

  private object(view: ReturnType<Sampler['resolve']>, depth: number): object {
    const object: Record<string, unknown> = {};
    const least = Number(view.least.get('Properties')?.value ?? 0);
    const most = Number(view.most.get('Properties')?.value ?? Infinity);
    const optional = this.full && depth < DEPTH.optional ? [...view.properties.keys()] : [];
    for (const name of new Set([...view.names.keys(), ...view.required, ...optional])) {
      if (view.withheld.has(name)) continue;
      if (name === '__proto__') {
        if (view.required.has(name)) throw new Unsampled('the property name "__proto__" is not accepted');
        continue;
      }
      if (!view.required.has(name) && !view.names.has(name) && Object.keys(object).length >= most) continue;
      const pointers = view.properties.get(name) ?? this.pattern(view, name) ?? view.otherProperties;
      try {
        object[name] = view.names.get(name) ?? this.sample(pointers, depth + 1);
      } catch (error) {
        if (!(error instanceof Unsampled) || view.required.has(name)) throw error;
      }
    }
    const listed = [...view.properties.keys()].filter(
      (name) => name !== '__proto__' && !view.withheld.has(name) && !Object.hasOwn(object, name),
    );
    for (let [i, count] = [0, Object.keys(object).length]; count < Math.min(least, MAX_COUNT); i++) {
      if (i === MAX_COUNT) throw new Unsampled('there are too few names');
      const name = listed[i] ?? this.name(view, i);
      if (!Object.hasOwn(object, name)) count++;
      object[name] = this.sample(view.properties.get(name) ?? view.otherProperties, depth + 1);
    }
    if (
      Object.keys(object).length === 0 &&
      this.full &&
      view.otherProperties.length > 0 &&
      depth < DEPTH.optional
    )
      object[this.name(view, 0)] = this.sample(view.otherProperties, depth + 1);
    return object;
  }

  /** A name for an unlisted property. */
  private name(view: SchemaView, i: number): string {
    const [names] = view.further.get('propertyNames') ?? [];
    return names === undefined ? `property${i + 1}` : String(this.sample([names], 0, i));
  }

  /** The schemas of patternProperties that apply to a name. */
  private pattern(view: SchemaView, name: string): string[] | undefined {
    const found = (view.further.get('patternProperties') ?? []).flatMap((pointer) =>
      Object.keys(this.document.at(pointer) as object)
        .filter((pattern) => compilePattern(pattern).test(name))
        .map((pattern) => joinPointer(pointer, pattern)),
    );
    return found.length > 0 ? found : undefined;
  }

  private array(view: SchemaView, depth: number): unknown[] {
    const contains = view.further.get('contains') ?? [];
    const least = Math.max(
      Number(view.least.get('Items')?.value ?? 0),
      view.prefixItems.length,
      contains.length,
    );
    const wanted = this.full && depth < DEPTH.optional ? Math.max(least, 1) : least;
    const count = Math.min(wanted, Number(view.most.get('Items')?.value ?? Infinity), MAX_COUNT);
    const items: unknown[] = [];
    for (let i = 0; i < count; i++) {
      const pointers = view.prefixItems[i] ?? [...view.items, ...contains.slice(i, i + 1)];
      try {
        items.push(this.sample(pointers, depth + 1, view.unique ? i : 0));
      } catch (error) {
        if (!(error instanceof Unsampled) || i < least) throw error;
      }
    }
    return items;
  }
}

/** The JSON type of the sample: the first admitted type that other keywords constrain. */
function typeOf(view: SchemaView): string {
  const [least, most] = [view.least, view.most];
  const preferred = [
    ...(view.properties.size + view.required.size + view.otherProperties.length > 0 ? ['object'] : []),
    ...(view.items.length + view.prefixItems.length > 0 ? ['array'] : []),
    ...(least.has('imum') || most.has('imum') || view.multiples.size > 0 ? ['fraction', 'integer'] : []),
    ...['string', 'fraction', 'integer', 'object', 'array', 'boolean', 'null'],
  ];
  const type = preferred.find((candidate) => view.types.has(candidate));
  if (type === undefined) throw new Unsampled('no type is admitted');
  return type === 'fraction' && [...view.formats].some((format) => /^u?int/.test(format)) ? 'integer' : type;
}
