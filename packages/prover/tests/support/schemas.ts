import * as fc from 'fast-check';
import type { Schemas } from '../../src/document/direction';
import type { JsonObject } from '../../src/json/tree';
import { NumberLiteral, type Value } from '../../src/json/value';
import { createOracle } from '../../src/schema/oracle';

const NAMES = ['a', 'b', 'c'];
const MEMBERS: (Value | undefined)[] = [
  ...[undefined, 'text', 'low', null, true, new NumberLiteral('1'), new NumberLiteral('7')],
  ...[[], new Map<string, Value>(), new Map<string, Value>([['a', 'low']])],
];

/** Objects with each combination of members. */
const WITNESSES: Value[] = NAMES.reduce<[string, Value][][]>(
  (sets, name) =>
    sets.flatMap((set) =>
      MEMBERS.map((member): [string, Value][] => (member === undefined ? set : [...set, [name, member]])),
    ),
  [[]],
).map((entries) => new Map(entries));

const leaf = fc.constantFrom<JsonObject>(
  { type: 'string' },
  { type: 'integer' },
  { enum: ['low', 'high'] },
  { const: 'low' },
  { type: ['string', 'null'] },
  { anyOf: [{ enum: ['low', 'high', 'auto'] }, { type: 'integer' }] },
  { oneOf: [{ type: 'string' }, { enum: ['low', 1] }] },
  { type: 'boolean' },
  {},
);

const object = fc
  .record({
    properties: fc.dictionary(fc.constantFrom(...NAMES), leaf, { minKeys: 1, maxKeys: 3 }),
    required: fc.subarray(NAMES),
    isOpen: fc.boolean(),
  })
  .map(({ properties, required, isOpen }): JsonObject => {
    const listed = required.filter((name) => Object.hasOwn(properties, name));
    return { type: 'object', properties, required: listed, ...(!isOpen && { additionalProperties: false }) };
  });

const union: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; union: JsonObject }>((tie) => ({
  schema: fc.oneof({ weight: 3, arbitrary: object }, { weight: 1, arbitrary: tie('union') }),
  union: fc
    .tuple(
      fc.constantFrom('oneOf', 'oneOf', 'anyOf', 'allOf'),
      fc.array(tie('schema'), { minLength: 2, maxLength: 3 }),
      fc.option(fc.dictionary(fc.constantFrom(...NAMES), leaf, { maxKeys: 1 }), { nil: undefined }),
    )
    .map(([keyword, branches, properties]) => ({ [keyword]: branches, ...(properties && { properties }) })),
})).union;

/** Schemas of overlapping and nested branches, each with a value that conforms. The same on every run. */
export const satisfiableSchemas = (count: number): { schema: JsonObject; witness: Value }[] =>
  fc.sample(union, { numRuns: count, seed: 7 }).flatMap((schema) => {
    const schemas: Schemas = { json: { schema }, direction: 'request' };
    const oracle = createOracle(schemas);
    const witness = WITNESSES.find((value) => oracle.valid('/schema', value));
    return witness === undefined ? [] : [{ schema, witness }];
  });
