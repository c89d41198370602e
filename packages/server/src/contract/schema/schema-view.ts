import { isObject, joinPointer, members, type OpenApiDocument } from '../document/document';
import { certain } from '../document/subschemas';
import { canonicalJson } from '../json/stringify';
import type { Direction } from './one-way';

/** The JSON types, with numbers split in two: `number` is an integer or a fraction. */
const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'];

export interface Bound {
  readonly keyword: string;
  /** A bigint if a double cannot represent it. */
  readonly value: number | bigint;
  readonly exclusive: boolean;
}

/** Bounds by keyword without `min` and `max`. */
type Bounds = Map<string, Bound>;

/**
 * The constraints that a list of schemas puts together on one value, through `$ref` and `allOf`. The caller chooses a
 * branch of each `anyOf` and `oneOf`. All strings in arrays are JSON pointers of schemas.
 */
export interface SchemaView {
  readonly types: Set<string>;
  /** The values of `enum` and `const`, by canonical JSON. */
  values: Map<string, unknown> | undefined;
  /** The values of `examples`, `example` and `default`. */
  readonly examples: unknown[];
  readonly least: Bounds;
  readonly most: Bounds;
  readonly patterns: Set<string>;
  readonly formats: Set<string>;
  readonly multiples: Set<number | bigint>;
  unique: boolean;
  readonly required: Set<string>;
  readonly properties: Map<string, string[]>;
  /** Properties that are absent: `readOnly` ones in a request, `writeOnly` ones in a response. */
  readonly withheld: Set<string>;
  /** Whether unlisted properties are rejected. */
  closed: boolean;
  readonly otherProperties: string[];
  readonly prefixItems: string[][];
  readonly items: string[];
  /** The branches of each `anyOf` and `oneOf`. */
  readonly unions: string[][];
  /** The pointers of schemas with a `discriminator`. */
  readonly discriminators: string[];
  /** The pointers of all other constraints, by keyword. */
  readonly further: Map<string, string[]>;
}

const FURTHER =
  /^(not|if|then|else|contains|dependentRequired|dependentSchemas|propertyNames|patternProperties|unevaluatedItems)$/;
const BOUND = /^(exclusiveM|m)(in|ax)(imum|Length|Items|Properties|Contains)$/;

export function viewSchemas(
  document: OpenApiDocument,
  pointers: readonly string[],
  direction: Direction,
): SchemaView {
  const view: SchemaView = {
    types: new Set(TYPES),
    values: undefined,
    examples: [],
    least: new Map(),
    most: new Map(),
    patterns: new Set(),
    formats: new Set(),
    multiples: new Set(),
    unique: false,
    required: new Set(),
    properties: new Map(),
    withheld: new Set(),
    closed: false,
    otherProperties: [],
    prefixItems: [],
    items: [],
    unions: [],
    discriminators: [],
    further: new Map(),
  };
  const { before: schemas } = document.subschemas.traverse(pointers, certain);
  for (const { pointer, value } of schemas) {
    if (document.at(pointer) === false) view.types.clear();
    for (const [keyword, operand] of Object.entries(value)) {
      const here = joinPointer(pointer, keyword);
      const bound = BOUND.exec(keyword);
      if (keyword === 'anyOf' || keyword === 'oneOf')
        view.unions.push(document.subschemas.under(pointer, keyword));
      else if (bound && (typeof operand === 'number' || typeof operand === 'bigint'))
        tighten(view, bound, operand);
      else if (keyword === 'discriminator') view.discriminators.push(pointer);
      else if (FURTHER.test(keyword)) view.further.set(keyword, [...(view.further.get(keyword) ?? []), here]);
      else if (keyword === 'unevaluatedProperties' && 'additionalProperties' in value)
        continue; // evaluates all
      else if (keyword === 'properties') addProperties(document, view, operand, here, direction);
      else read(view, keyword, operand, here);
    }
  }
  for (const name of view.withheld) view.required.delete(name);
  if (view.values) {
    view.values = new Map([...view.values].filter(([, value]) => view.types.has(typeOfValue(value))));
    const listedTypes = new Set([...view.values.values()].map(typeOfValue));
    for (const type of view.types) if (!listedTypes.has(type)) view.types.delete(type);
  }
  return view;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value;
}

const listed = (operand: unknown, pointer: string) =>
  [operand].flat().map((_: unknown, i: number) => joinPointer(pointer, i));

function read(view: SchemaView, keyword: string, operand: unknown, here: string): void {
  switch (keyword) {
    case 'type': {
      const named = [operand]
        .flat()
        .flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : [name]));
      for (const type of view.types) if (!named.includes(type)) view.types.delete(type);
      break;
    }
    case 'const':
    case 'enum': {
      const values = keyword === 'const' ? [operand] : [operand].flat();
      const keyed = new Map(values.map((value: unknown, i) => [canonicalJson(values, i), value]));
      view.values = new Map([...keyed].filter(([key]) => view.values?.has(key) ?? true));
      break;
    }
    case 'examples':
    case 'example':
    case 'default':
      view.examples.push(...(keyword === 'examples' ? [operand].flat() : [operand]));
      break;
    case 'pattern':
      view.patterns.add(String(operand));
      break;
    case 'format':
      view.formats.add(String(operand));
      break;
    case 'multipleOf':
      view.multiples.add(typeof operand === 'bigint' ? operand : Number(operand));
      break;
    case 'uniqueItems':
      view.unique ||= operand === true;
      break;
    case 'required':
      for (const name of [operand].flat()) view.required.add(String(name));
      break;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      if (operand === false) view.closed = true;
      else if (isObject(operand)) view.otherProperties.push(here);
      break;
    case 'items':
      view.items.push(here);
      break;
    case 'prefixItems':
      for (const [i, item] of listed(operand, here).entries())
        view.prefixItems[i] = [...(view.prefixItems[i] ?? []), item];
  }
}

function addProperties(
  document: OpenApiDocument,
  view: SchemaView,
  operand: unknown,
  here: string,
  direction: Direction,
): void {
  for (const [name] of members(operand)) {
    const pointer = joinPointer(here, name);
    view.properties.set(name, [...(view.properties.get(name) ?? []), pointer]);
    const withheld = direction === 'request' ? 'readOnly' : 'writeOnly';
    if (document.subschemas.certain(pointer).some(({ value }) => value[withheld] === true))
      view.withheld.add(name);
  }
}

/** Keeps the tighter of two bounds. */
function tighten(
  view: SchemaView,
  [keyword, start, end, of = '']: RegExpExecArray,
  value: number | bigint,
): void {
  if (value === 0 && /^min(Length|Items|Properties)$/.test(keyword)) return; // the default
  const bounds = end === 'in' ? view.least : view.most;
  const bound = { keyword, value, exclusive: start !== 'm' };
  const known = bounds.get(of);
  if (known === undefined || isTighter(bound, known, end === 'in')) bounds.set(of, bound);
}

/** Whether a bound admits less than another one. `lower`: both are lower bounds, otherwise upper ones. */
export function isTighter(bound: Bound, other: Bound, lower: boolean): boolean {
  if (bound.value === other.value) return bound.exclusive && !other.exclusive;
  return bound.value > other.value === lower;
}
