/** Derives what a client needs of schemas to find the integers of 64 bits in an answer. */
import {
  essenceOf,
  isInt64,
  isJson,
  joinPointer,
  lastStep,
  linearPattern,
  type OpenApiDocument,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import type { Automaton, Shape } from './runtime/plan';

type Mutable = { -readonly [Key in keyof Shape]: Shape[Key] };

export class Shapes {
  readonly all: Shape[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly reaching = new Map<string, boolean>();

  constructor(private readonly document: OpenApiDocument) {}

  /** The number of the shape of the schema at a pointer; undefined if its values have neither int64 nor JSON within text. */
  of(pointer: string | undefined): number | undefined {
    if (pointer === undefined) return undefined;
    if (!this.reaching.has(pointer)) this.reach(pointer);
    return this.reaching.get(pointer) === true ? this.add(pointer) : undefined;
  }

  /** Finds which of the schemas below a pointer lead to such values. */
  private reach(start: string): void {
    const places = this.document.subschemas.all(start);
    const holders = new Map<string, string[]>();
    for (const { pointer } of places)
      for (const { pointer: part } of this.document.subschemas.of(pointer))
        holders.set(part, [...(holders.get(part) ?? []), pointer]);
    const found = places.flatMap(({ pointer, value }) =>
      isInt64(value) || isContent(value) ? [pointer] : [],
    );
    const reached = new Set(found);
    for (const pointer of reached) for (const holder of holders.get(pointer) ?? []) reached.add(holder);
    for (const { pointer } of places) this.reaching.set(pointer, reached.has(pointer));
  }

  private add(pointer: string): number {
    const known = this.numbers.get(pointer);
    if (known !== undefined) return known;
    const number = this.all.push({}) - 1;
    this.numbers.set(pointer, number);
    this.all[number] = this.shapeAt(pointer);
    return number;
  }

  private shapeAt(pointer: string): Shape {
    const { subschemas } = this.document;
    const value = (this.document.at(pointer) ?? {}) as JsonObject;
    const parts = subschemas.of(pointer);
    const under = (...keywords: string[]) =>
      parts.flatMap((part) => (keywords.includes(part.keyword) ? [part.pointer] : []));
    // Only a branch is judged by what leads to no such value.
    const reaching = (pointers: readonly string[]) =>
      pointers.filter((one) => this.reaching.get(one) === true);
    const numbersOf = (pointers: readonly string[]) => pointers.map((one) => this.add(one));
    const groups = [
      under('anyOf'),
      under('oneOf'),
      under('then', 'else'),
      ...under('dependentSchemas').map((one) => [one]),
    ];
    const properties = under('properties').filter((one) => this.isTelling(one));
    const patterns = reaching(under('patternProperties'));
    const [others] = reaching([...under('additionalProperties'), ...under('unevaluatedProperties')]);
    const [items] = reaching([...under('items'), ...under('unevaluatedItems')]);
    const first = under('prefixItems');
    const shape: Mutable = {};
    if (isInt64(value)) shape.int64 = true;
    if (isContent(value)) shape.content = this.add(joinPointer(pointer, 'contentSchema'));
    const types = [value['type']].flat().filter((type) => typeof type === 'string');
    if (types.length > 0) shape.types = types.map((type) => (type === 'integer' ? 'number' : type));
    const values = 'const' in value ? [value['const']] : value['enum'];
    if (Array.isArray(values) && values.every((one) => typeof one !== 'object'))
      // The plan is JSON: an integer beyond 2^53 is compared as text.
      shape.values = values.map((one: unknown) => (typeof one === 'bigint' ? String(one) : one));
    if (Array.isArray(value['required'])) shape.required = value['required'].map(String);
    const all = under('$ref', 'allOf');
    if (all.length > 0) shape.all = numbersOf(all);
    const any = groups.filter((group) => group.length > 0 && this.isTelling(...group));
    if (any.length > 0) shape.any = any.map(numbersOf);
    if (properties.length > 0)
      shape.properties = Object.fromEntries(properties.map((one) => [lastStep(one), this.add(one)]));
    if (patterns.length > 0) shape.patterns = patterns.map((one) => [portable(lastStep(one)), this.add(one)]);
    if (others !== undefined) shape.others = this.add(others);
    if (reaching(first).length > 0) shape.first = numbersOf(first);
    if (items !== undefined) shape.items = this.add(items);
    return shape;
  }

  /** Whether schemas lead to such values, or tell branches apart by the values that they list. */
  private isTelling(...pointers: readonly string[]): boolean {
    return pointers.some(
      (one) =>
        this.reaching.get(one) === true ||
        this.document.subschemas.certain(one).some(({ value }) => 'const' in value || 'enum' in value),
    );
  }
}

/** Whether a schema describes a text that is JSON. */
const isContent = ({ contentMediaType: type, contentEncoding }: JsonObject): boolean =>
  typeof type === 'string' && isJson(essenceOf(type)) && contentEncoding === undefined;

/** A pattern that the client can match in linear time without the server's engine. */
export function portable(source: string): string | Automaton {
  const pattern = linearPattern(source);
  if (typeof pattern === 'string') return pattern;
  const operations = ['read', 'split', 'assert', 'match'] as const;
  const nodes = pattern.nodes.map(
    ({ operation, next, operand }) => [operations[operation], next, operand] as const,
  );
  return { ...pattern, nodes };
}
