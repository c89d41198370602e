/** Values that fit a schema, made up from it: the same ones every time. */
import fc from 'fast-check';
import {
  below,
  compilePattern,
  type Direction,
  Discriminators,
  isObject,
  type OpenApiDocument,
} from '../../src/contract';
import { type Bound, type SchemaView, viewSchemas } from '../breaking/schema-view';

/** How many attempts differ from each other: by the branches they take, and by how much they leave out. */
export const ATTEMPTS = 24;
/** References deeper than this are left out where they may be, and given up where they may not. */
const DEPTH = { optional: 4, required: 12 };
/** Items or properties beyond this number are not made up. */
const MAX_COUNT = 1_000;

/** No value of this schema can be made up. */
class Unsampled extends Error {}

/**
 * Candidates for the schema at `pointer`; whether one fits is for the validator. The first are as full as can be and
 * made of the examples in the document, the later ones as small as can be.
 */
export function* samples(document: OpenApiDocument, pointer: string, direction: Direction): Generator {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      yield new Sampler(document, direction, attempt).sample([pointer], 0);
    } catch (error) {
      if (!(error instanceof Unsampled)) throw error;
    }
  }
}

class Sampler {
  private readonly examples: boolean;
  private readonly full: boolean;
  private readonly discriminators: Discriminators;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
    private readonly attempt: number,
  ) {
    this.examples = attempt === 0;
    this.full = attempt < ATTEMPTS / 2;
    this.discriminators = new Discriminators(document);
  }

  /** @param nth tells samples of the same schema apart, where they must differ */
  sample(pointers: readonly string[], depth: number, nth = 0): unknown {
    if (depth > DEPTH.required) throw new Unsampled('the schema has no end');
    const view = this.resolve(pointers);
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

  /** What the schemas say together with a branch of each `anyOf` and `oneOf`; another one in each attempt. */
  private resolve(pointers: readonly string[]): SchemaView & { readonly names: ReadonlyMap<string, string> } {
    let all = [...pointers];
    let view = viewSchemas(this.document, all, this.direction);
    let turn = this.attempt;
    const names = new Map<string, string>();
    const taken = new Set<string>();
    const take = (branch: string | undefined) => {
      if (branch !== undefined) all = [...all, branch];
      view = viewSchemas(this.document, all, this.direction);
    };
    for (let i = 0; i < view.discriminators.length; i++) {
      const pointer = view.discriminators[i] ?? '';
      const schema = this.document.at(pointer);
      const discriminator = isObject(schema) ? this.discriminators.at(pointer, schema) : undefined;
      if (!discriminator) continue;
      if (i > 20) throw new Unsampled('the alternatives have no end');
      const branches = [...discriminator.branches].filter(([, target]) => target !== pointer);
      const [name, target] = branches[turn % branches.length] ?? [];
      turn = Math.floor(turn / Math.max(branches.length, 1));
      if (name !== undefined) names.set(discriminator.property, name);
      if (discriminator.keyword) taken.add(below(pointer, discriminator.keyword));
      take(target);
    }
    for (let i = 0; i < view.unions.length; i++) {
      if (i > 20) throw new Unsampled('the alternatives have no end');
      const branches = view.unions[i] ?? [];
      if (taken.has(branches[0]?.replace(/\/\d+$/, '') ?? '')) continue;
      const branch = branches[turn % branches.length];
      turn = Math.floor(turn / branches.length);
      take(branch);
    }
    return { ...view, names };
  }

  private object(view: ReturnType<Sampler['resolve']>, depth: number): object {
    const object: Record<string, unknown> = {};
    const least = Number(view.least.get('Properties')?.value ?? 0);
    const most = Number(view.most.get('Properties')?.value ?? Infinity);
    const optional = this.full && depth < DEPTH.optional ? [...view.properties.keys()] : [];
    for (const name of new Set([...view.required, ...optional])) {
      if (view.withheld.has(name)) continue;
      if (!view.required.has(name) && Object.keys(object).length >= most) continue;
      const pointers = view.properties.get(name) ?? this.pattern(view, name) ?? view.otherProperties;
      try {
        object[name] = view.names.get(name) ?? this.sample(pointers, depth + 1);
      } catch (error) {
        if (!(error instanceof Unsampled) || view.required.has(name)) throw error;
      }
    }
    const listed = [...view.properties.keys()].filter((name) => !view.withheld.has(name));
    for (let i = 0; Object.keys(object).length < Math.min(least, MAX_COUNT); i++) {
      if (i === MAX_COUNT) throw new Unsampled('there are too few names');
      const name = listed.find((known) => !(known in object)) ?? this.name(view, i);
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

  /** A name for a property that is not listed. */
  private name(view: SchemaView, i: number): string {
    const [names] = view.further.get('propertyNames') ?? [];
    return names === undefined ? `property${i + 1}` : String(this.sample([names], 0, i));
  }

  /** The schemas that patternProperties have for a name. */
  private pattern(view: SchemaView, name: string): string[] | undefined {
    const found = (view.further.get('patternProperties') ?? []).flatMap((pointer) =>
      Object.keys(this.document.at(pointer) as object)
        .filter((pattern) => compilePattern(pattern).test(name))
        .map((pattern) => below(pointer, pattern)),
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

/** The JSON type to make up: of those admitted, the one that the other keywords speak of. */
function typeOf(view: SchemaView): string {
  const [least, most] = [view.least, view.most];
  const spoken = [
    ...(view.properties.size + view.required.size + view.otherProperties.length > 0 ? ['object'] : []),
    ...(view.items.length + view.prefixItems.length > 0 ? ['array'] : []),
    ...(least.has('imum') || most.has('imum') || view.multiples.size > 0 ? ['fraction', 'integer'] : []),
    ...['string', 'fraction', 'integer', 'object', 'array', 'boolean', 'null'],
  ];
  const type = spoken.find((candidate) => view.types.has(candidate));
  if (type === undefined) throw new Unsampled('no type is admitted');
  return type === 'fraction' && [...view.formats].some((format) => /^u?int/.test(format)) ? 'integer' : type;
}

const edge = (bound: Bound | undefined, inwards: number) =>
  bound && Number(bound.value) + (bound.exclusive ? inwards : 0);

function sampleNumber(view: SchemaView, integer: boolean, nth: number): number | bigint {
  const { least, most, multiples } = view;
  const [lower, upper] = [least.get('imum'), most.get('imum')];
  if ([lower?.value, upper?.value, ...multiples].some((value) => typeof value === 'bigint')) {
    return sampleLarge(lower, upper, [...multiples], nth);
  }
  const width = Number(upper?.value ?? Infinity) - Number(lower?.value ?? 0);
  const step = [...multiples].map(Number).reduce((a, b) => a * b, 1);
  const inwards = integer || width >= 2 ? 1 : width / 2;
  const lowest = edge(lower, inwards);
  const highest = edge(upper, -inwards);
  const start = lowest ?? Math.min(1, highest ?? 1);
  const first = multiples.size > 0 || integer ? Math.ceil(start / step) * step : start;
  return first + nth * (multiples.size > 0 || integer ? step : Math.min(1, width / 1_000));
}

/** An integer where doubles are not enough: the lowest that the bounds admit, or else the highest. */
function sampleLarge(
  lower: Bound | undefined,
  upper: Bound | undefined,
  multiples: readonly (number | bigint)[],
  nth: number,
): number | bigint {
  const whole = (value: number | bigint) => BigInt(typeof value === 'bigint' ? value : Math.ceil(value));
  const step = multiples.filter((value) => typeof value === 'bigint' || Number.isInteger(value)).map(whole);
  const width = step.reduce((a, b) => a * b, 1n);
  const lowest = lower && whole(lower.value) + (lower.exclusive ? 1n : 0n);
  const highest = upper && whole(upper.value) - (upper.exclusive ? 1n : 0n);
  const beyond = (value: bigint) => ((value % width) + width) % width;
  const downwards = lowest === undefined && highest !== undefined && highest < 1n;
  const start = lowest ?? 1n;
  const first = downwards ? highest - beyond(highest) : start + beyond(-start);
  const value = first + (downwards ? -1n : 1n) * BigInt(nth) * width;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const FORMATS: Readonly<Record<string, (nth: number) => string>> = {
  date: (nth) => `2024-01-${String((nth % 28) + 1).padStart(2, '0')}`,
  time: (nth) => `12:00:${String(nth % 60).padStart(2, '0')}Z`,
  'date-time': (nth) => `2024-01-01T12:${String(nth % 60).padStart(2, '0')}:00Z`,
  duration: (nth) => `PT${nth + 1}H`,
  email: (nth) => `person${nth + 1}@example.com`,
  hostname: (nth) => `host${nth + 1}.example.com`,
  ipv4: (nth) => `192.0.2.${(nth % 254) + 1}`,
  ipv6: (nth) => `2001:db8::${nth + 1}`,
  uri: (nth) => `https://example.com/${nth + 1}`,
  url: (nth) => `https://example.com/${nth + 1}`,
  'uri-reference': (nth) => `/${nth + 1}`,
  'uri-template': (nth) => `/{a}/${nth + 1}`,
  uuid: (nth) => `00000000-0000-4000-8000-${String(nth + 1).padStart(12, '0')}`,
  'json-pointer': (nth) => `/${nth + 1}`,
  'relative-json-pointer': (nth) => `${nth + 1}`,
  regex: (nth) => `a{${nth + 1}}`,
  byte: (nth) => Buffer.from(`bytes ${nth + 1}`).toString('base64'),
};

function sampleString({ least, most, patterns, formats }: SchemaView, nth: number): string {
  const [shortest, longest] = [
    Number(least.get('Length')?.value ?? 0),
    Number(most.get('Length')?.value ?? Infinity),
  ];
  const fits = (text: string) => {
    const { length } = Array.from(text);
    return length >= shortest && length <= longest;
  };
  const [pattern] = patterns;
  if (pattern !== undefined) {
    // Those of a short length come first, and the seed makes them the same every time.
    const all = [...patterns].map(compilePattern);
    const suits = (text: string) => fits(text) && text.isWellFormed() && all.every((one) => one.test(text));
    const found = new Set(stringsLike(pattern, shortest).filter(suits));
    // What a person can read is better than what a machine likes.
    const readable = [...found].sort((a, b) => Number(/[^ -~]/.test(a)) - Number(/[^ -~]/.test(b)));
    const text = readable[nth % Math.max(readable.length, 1)];
    if (text === undefined) throw new Unsampled(`nothing is found that matches ${pattern}`);
    return text;
  }
  const formatted = [...formats].map((format) => FORMATS[format]?.(nth)).find((text) => text !== undefined);
  if (formatted !== undefined) return formatted;
  const plain = nth === 0 ? 'text' : `text ${nth + 1}`;
  if (longest === 0) return '';
  return plain.padEnd(Math.min(shortest, 100_000), '.').slice(-Math.min(longest, 100_000));
}

/** What was made up before: it takes milliseconds. */
const matching = new Map<string, readonly string[]>();

/** Strings that match a pattern, if it is of a kind that fast-check can follow. */
function stringsLike(pattern: string, length: number): readonly string[] {
  const size = length > 10 ? 'medium' : 'small';
  const known = matching.get(`${size} ${pattern}`);
  if (known) return known;
  try {
    const arbitrary = fc.stringMatching(new RegExp(pattern, 'u'), { size });
    const found = fc.sample(arbitrary, { seed: 1, numRuns: 200 });
    matching.set(`${size} ${pattern}`, found);
    return found;
  } catch (error) {
    throw new Unsampled(`nothing can be made up for ${pattern}`, { cause: error });
  }
}
