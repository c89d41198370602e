import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { OBJECTS } from 'contract-first-server/tools';
import { REFUSED } from '../../http/json-schema-test-suite/differences';
import { readSuite } from '../../http/json-schema-test-suite/suite';
import { cases, everyOf } from '../../../../../scripts/testing/cases';
import { judged } from '../../support/judged';

const names = ['a', 'b', '', 'constructor', '$ref'];
const scalars = [null, true, 0, 1, 2.5, '', 'a', 'ab'];

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...scalars),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const component = fc.constantFrom('Body', 'A', 'B').map((name) => ({ $ref: `#/components/schemas/${name}` }));

/** Schemas of every applicator. Below properties and items they may refer to the components. */
const schema = fc.letrec<Record<'schema' | 'below', unknown>>((tie) => {
  const some = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom(...names), tie('below'), { maxKeys: 2, noNullPrototype: true });
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.constantFrom('object', 'array', 'string', ['object', 'array'], ['number', 'null', 'array']),
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) }),
    const: value,
    required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
    minProperties: fc.constantFrom(1, 2),
    uniqueItems: fc.boolean(),
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: tie('schema'),
    if: tie('schema'),
    then: tie('schema'),
    else: tie('schema'),
    dependentSchemas: fc.dictionary(fc.constantFrom(...names), tie('schema'), {
      maxKeys: 1,
      noNullPrototype: true,
    }),
    dependentRequired: fc.dictionary(
      fc.constantFrom(...names),
      fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
      { maxKeys: 1, noNullPrototype: true },
    ),
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'o', '.'), tie('below'), {
      maxKeys: 1,
      noNullPrototype: true,
    }),
    additionalProperties: tie('below'),
    propertyNames: fc.constantFrom({ maxLength: 1 }, { enum: ['a', 'constructor'] }),
    prefixItems: fc.array(tie('below'), { minLength: 1, maxLength: 2 }),
    items: tie('below'),
    contains: tie('below'),
    minContains: fc.constantFrom(0, 1, 2),
    maxContains: fc.constantFrom(1, 2),
  };
  // Few keywords in one schema: with many, hardly any value conforms.
  const keyword = fc.oneof(
    ...Object.entries(keywords).map(([name, operand]) => operand.map((given) => [name, given] as const)),
  );
  const few = fc.array(keyword, { minLength: 1, maxLength: 4 }).map((chosen) => Object.fromEntries(chosen));
  return {
    schema: fc.oneof({ depthSize: 'small' }, fc.boolean(), { arbitrary: few, weight: 6 }),
    below: fc.oneof({ depthSize: 'small' }, component, tie('schema')),
  };
});

/** Only at the top level: below, the `unevaluated*` of the oracle also see the results of sibling schemas. */
const body = fc
  .tuple(
    schema.schema,
    fc.record({ unevaluatedProperties: schema.below, unevaluatedItems: schema.below }, { requiredKeys: [] }),
  )
  .map(([described, unevaluated]) =>
    typeof described === 'object' ? { ...described, ...unevaluated } : described,
  );

const schemas = fc.record({ Body: body, A: schema.schema, B: schema.schema }, { noNullPrototype: true });

test('judges any value by any schema as an independent validator does', () => {
  let conforming = 0;
  fc.assert(
    fc.property(schemas, fc.array(value, { minLength: 4, maxLength: 8 }), (components, values) => {
      const root = { $ref: '#/components/schemas/Body', components: { schemas: components } };
      const oracle = new Validator(root, '2020-12', true);
      const [request, response] = [judged(components), judged(components, 'response')];
      for (const item of values) {
        const text = JSON.stringify(item);
        const { valid } = oracle.validate(item);
        if (valid) conforming++;
        const verdicts = [request, response].flatMap((judge) => [judge.first(text), judge.all(text)]);
        expect(verdicts.map((violations) => violations.length === 0)).toEqual([valid, valid, valid, valid]);
      }
    }),
    { numRuns: cases(40, 100), seed: 2020, endOnFailure: true },
  );
  expect(conforming).toBeGreaterThan(50); // otherwise the test proves little
});

test('a violation names a keyword of the standard, for every schema of the JSON Schema Test Suite', () => {
  const keywords = OBJECTS.get('Schema')?.keywords ?? new Map<string, unknown>();
  const named = new Set<string>();
  for (const group of everyOf(readSuite(), 3)) {
    if (REFUSED.some(({ applies }) => applies(group))) continue;
    const { first, all } = judged({ Body: group.schemaAt('/components/schemas/Body') });
    for (const { text, valid } of group.tests)
      if (!valid && !text.includes('__proto__'))
        for (const { keyword } of [...first(text), ...all(text)]) named.add(keyword);
  }
  expect([...named].filter((keyword) => !keywords.has(keyword))).toEqual([]);
  expect(named.size).toBeGreaterThan(25);
});

test('bounds the search for all violations of each value', () => {
  const { first, all } = judged({ Body: { type: 'array', items: { type: 'string' } } });
  expect(all('[1,2,3]')).toHaveLength(3);
  const large = `[${'1,'.repeat(50_000)}1]`;
  expect([first(large).length, all(large).length]).toEqual([1, 0]);
  expect(all('[1,2,3]')).toHaveLength(3);
});
