import { join } from 'node:path';
import fc from 'fast-check';
import { typedValues, valuesText, wronglyAssigned } from '../support/assignable';
import { compileTexts, typesOf } from '../../../../scripts/testing/compile';
import { buildDocument } from '../../../../scripts/testing/service';

const NAMES = ['id', 'name', 'a b', 'x-y'];
const name = fc.constantFrom(...NAMES);
const ref = (to: string) => ({ $ref: `#/components/schemas/${to}` });
const SHARED = {
  Named: { type: 'object', properties: { name: { type: 'string' }, id: { type: 'integer' } } },
  Either: { oneOf: [{ type: 'string' }, ref('Named')] },
  List: { type: 'array', items: ref('List') },
  Any: {
    type: ['string', 'boolean', 'array', 'object', 'null'],
    items: ref('Any'),
    additionalProperties: ref('Any'),
  },
  Tree: {
    type: 'object',
    required: ['name'],
    properties: { name: {}, children: { type: 'array', items: ref('Tree') } },
  },
};
const leaf = fc.constantFrom<object>(
  { type: 'string' },
  { type: ['string', 'null'] },
  { type: 'boolean' },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: 'integer', format: 'int64' },
  { type: ['integer', 'string', 'null'], format: 'int64' },
  { type: 'integer', format: 'int64', enum: [1, 2] },
  { const: null },
  { const: { a: [1, 'b'] } },
  { enum: ['a', 1.5, null, true] },
  { type: ['string', 'null'], enum: ['a', 'b'] },
  { type: 'string', enum: ['a', 5] },
  { type: 'string', oneOf: [{ const: 'a' }, { const: 'b' }] },
  { type: 'object', enum: [{ a: 1 }, { b: 2 }] },
  ...Object.keys(SHARED).map(ref),
);
const { schema } = fc.letrec<{ schema: object }>((tie) => {
  const properties = fc.dictionary(name, fc.oneof(tie('schema'), fc.constant({})), {
    minKeys: 1,
    maxKeys: 3,
  });
  const required = fc.uniqueArray(name, { maxLength: 2 });
  const branches = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const others = fc.oneof(fc.boolean(), tie('schema'));
  const object = fc.record(
    {
      type: fc.constantFrom('object', ['object', 'null'], ['object', 'string']),
      properties,
      required,
      additionalProperties: others,
    },
    { requiredKeys: ['type', 'properties'] },
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 2, arbitrary: leaf },
      { weight: 2, arbitrary: object },
      fc.record(
        { type: fc.constant('object'), required, additionalProperties: others },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constantFrom('array', ['array', 'null']), items: others },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('array'),
          prefixItems: branches,
          items: others,
          minItems: fc.integer({ min: 0, max: 2 }),
        },
        { requiredKeys: ['type', 'prefixItems'] },
      ),
      fc.record(
        {
          type: fc.constant('object'),
          properties,
          patternProperties: fc.record({ '^x': tie('schema') }),
          additionalProperties: others,
        },
        { requiredKeys: ['type', 'patternProperties'] },
      ),
      fc.record({ allOf: branches, required, properties }, { requiredKeys: ['allOf'] }),
      fc.record(
        { anyOf: branches, type: fc.constantFrom('object', ['object', 'null']), required, properties },
        { requiredKeys: ['anyOf'] },
      ),
      fc.record({ oneOf: branches, required, properties }, { requiredKeys: ['oneOf'] }),
      fc.record({ anyOf: branches, oneOf: branches, allOf: branches }, { requiredKeys: ['anyOf'] }),
      fc.record(
        { $ref: fc.constantFrom(...Object.keys(SHARED).map((to) => ref(to).$ref)), required, properties },
        { requiredKeys: ['$ref'] },
      ),
      fc.record({ type: fc.constant('object'), $defs: fc.record({ a: tie('schema') }), properties }),
    ),
  };
});

it('a property that is optional in one schema, and required beside it, has a value', () => {
  const schemas = {
    ...SHARED,
    Beside: { allOf: [ref('Named')], required: ['name'] },
    Part: { allOf: [ref('Named'), { type: 'object', properties: { id: {} }, required: ['id', 'name'] }] },
    Reference: { ...ref('Named'), required: ['name'] },
  };
  const reading = `import type { components } from './openapi';
type Names = 'Beside' | 'Part' | 'Reference';
export const nameOf = ({ ...it }: components['schemas'][Names]): string => it.name;`;
  const files = { 'openapi.ts': typesOf(buildDocument({ components: { schemas } })), 'reading.ts': reading };
  const { diagnosticsOf } = compileTexts(__dirname, files);
  expect(diagnosticsOf('reading.ts').map(({ messageText }) => messageText)).toEqual([]);
});

it('a value that its schema admits is assignable, and one that it refuses for its type is not', () => {
  const own = fc.sample(schema, { seed: 30, numRuns: 200 }).map((one, i) => [`S${i}`, one] as const);
  const document = buildDocument({ components: { schemas: { ...SHARED, ...Object.fromEntries(own) } } });
  const places = [...Object.keys(SHARED), ...own.map(([key]) => key)].map((key) => ({
    pointer: `/components/schemas/${key}`,
    type: `components["schemas"][${JSON.stringify(key)}]`,
  }));
  const values = typedValues(document, places, 8);
  const files = { 'openapi.ts': typesOf(document), 'values.ts': valuesText(values, './openapi') };
  const { program, diagnosticsOf } = compileTexts(__dirname, files);
  expect(diagnosticsOf('openapi.ts').map(({ messageText }) => messageText)).toEqual([]);
  const file = program.getSourceFile(join(__dirname, 'values.ts'));
  expect(file && wronglyAssigned(program, file, values)).toEqual([]);
  expect(values.filter(({ isAdmitted }) => isAdmitted).length).toBeGreaterThan(400);
  expect(values.filter(({ isAdmitted }) => !isAdmitted).length).toBeGreaterThan(400);
});
