import fc from 'fast-check';
import { OpenApiDocument } from '../../../src/contract/document/document';
import { parseJson } from '../../../src/contract/json/parse';
import { canonicalJson } from '../../../src/contract/json/stringify';
import { copyPlain, type Holder } from '../../../src/contract/json/values';
import { envelopeSchema, NO_PARAMETERS } from '../../../src/contract/schema/envelope';
import type { Direction } from '../../../src/contract/schema/one-way';
import { SchemaSet } from '../../../src/contract/schema/schema-set';
import { Shapes } from '../../../src/contract/schema/shapes';
import { createCompiler } from '../../../src/contract/schema/validator';
import { buildDocument } from '../../../../../scripts/testing/service';

const BODY = '/components/schemas/Body';

/** Disables generated functions: an inherited name anywhere in the document does that. */
const interpreted = { info: { title: 'constructor', version: '1' } };

function shapesOf(schemas: object, direction: Direction, more: object = {}) {
  const document = new OpenApiDocument(buildDocument({ components: { schemas }, ...more }));
  const set = new SchemaSet(document, direction);
  const envelope = envelopeSchema(NO_PARAMETERS, BODY, set, true);
  set.check();
  document.assertValid();
  const compiler = createCompiler(direction, set, false, {});
  const shapes = new Shapes(set, direction, compiler.conformance.of);
  return { shapes, check: compiler.compile(envelope) };
}

const NAMES = ['id', 'name', 'a b', '"', '\u2028', '0'];
const name = fc.constantFrom(...NAMES);

const leaf = fc.constantFrom<unknown>(
  true,
  {},
  { type: 'string' },
  { type: ['string', 'null'] },
  { type: 'integer', format: 'int64' },
  { type: ['integer', 'null'], format: 'int64' },
  { type: 'number' },
  { type: 'integer', default: 3 },
  { type: 'integer', format: 'int64', default: 9007199254740993n.toString().length },
  { anyOf: [{ type: 'string' }, { type: 'null' }] },
  { $ref: '#/components/schemas/Body' },
  { $ref: '#/components/schemas/Other' },
);
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 2, arbitrary: leaf },
    fc.record(
      { type: fc.constantFrom('array', ['array', 'null']), items: tie('schema') },
      { requiredKeys: ['type'] },
    ),
    {
      weight: 3,
      arbitrary: fc.record(
        {
          type: fc.constantFrom('object', ['object', 'null'], ['object', 'array', 'integer']),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 4 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          items: tie('schema'),
          format: fc.constantFrom('int64'),
        },
        { requiredKeys: ['type', 'properties'] },
      ),
    },
    fc.record(
      {
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
      },
      { requiredKeys: ['allOf'] },
    ),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ patternProperties: fc.record({ '^i': tie('schema') }) }),
    fc.record({ prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
  ),
}));
const schemas = fc.record({ Body: schema, Other: schema });

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>('a', null, true, 1, 1.5, 2 ** 53 - 1, 7n, 2n ** 53n + 1n, 2n ** 60n, undefined),
    fc.array(tie('value'), { maxLength: 3 }),
    {
      weight: 3,
      arbitrary: fc.dictionary(fc.oneof(name, fc.constantFrom('more', 'other')), tie('value'), {
        maxKeys: 5,
      }),
    },
  ),
}));

/** The JSON text of a value, with bigints in full; undefined if it has none. */
const textOf = (value: unknown): string | undefined =>
  value === undefined
    ? undefined
    : JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `<${item}>` : item)).replaceAll(
        /"<(\d+)>"/g,
        '$1',
      );

/** Whether a schema can be served. A schema that refers to itself in place cannot. */
function served<T>(create: () => T): T | undefined {
  try {
    return create();
  } catch {
    return undefined;
  }
}

type Example = [{ Body: unknown; Other: unknown }, unknown[]];

/** Schemas that the arbitrary rarely generates, with values for them. */
const examples: Example[] = [
  [
    {
      Body: {
        type: 'object',
        properties: {
          id: { type: 'integer', default: 3 },
          name: { format: 'int64', type: 'integer', default: 5 },
        },
      },
      Other: true,
    },
    [{}, { id: 1 }, { name: 1n }],
  ],
  [
    {
      Body: { prefixItems: [{ type: 'integer', format: 'int64' }], items: { properties: { id: true } } },
      Other: true,
    },
    [[1n, { id: 1, more: 1 }], [{ more: 1 }]],
  ],
];

test('a generated function copies a response as the interpreter does', () => {
  let generated = 0;
  fc.assert(
    fc.property(schemas, fc.array(value, { minLength: 3, maxLength: 6 }), (each, values) => {
      const project = served(() => shapesOf(each, 'response').shapes)?.projection(BODY);
      if (!project) return;
      generated++;
      const convert = shapesOf(each, 'response', interpreted).shapes.converter(BODY);
      for (const one of values) {
        const [copied, cut]: Holder[] = [{}, {}];
        const way = project(one, copied ?? {}, 'body');
        const copyable = copyPlain(one, cut ?? {}, 'body') !== undefined;
        // The interpreter also copies the properties that it then removes.
        if (way === undefined) expect(copyable).toBe(false);
        if (way === undefined || !copyable) continue;
        convert?.(cut ?? {}, 'body');
        expect(copied).toEqual(cut);
        expect(canonicalJson(copied ?? {}, 'body')).toBe(canonicalJson(cut ?? {}, 'body'));
      }
    }),
    { numRuns: 400, seed: 16, examples },
  );
  expect(generated).toBeGreaterThan(50);
});

test('a generated function converts a request as the interpreter does', () => {
  let converted = 0;
  fc.assert(
    fc.property(schemas, fc.array(value, { minLength: 3, maxLength: 6 }), (each, values) => {
      const compiled = served(() => shapesOf(each, 'request'));
      if (!compiled) return;
      const { shapes, check } = compiled;
      const generated = shapes.converter(BODY);
      const convert = shapesOf(each, 'request', interpreted).shapes.converter(BODY);
      expect(generated === undefined).toBe(convert === undefined);
      for (const one of values) {
        const text = textOf(one);
        if (text === undefined) continue;
        const [left, right]: Holder[] = [{}, {}];
        for (const holder of [left, right]) parseJson(text, holder ?? {}, 'body');
        if (left === undefined || check(left).length > 0) continue;
        generated?.(left, 'body');
        convert?.(right ?? {}, 'body');
        expect(left).toEqual(right);
        if (textOf(left['body']) !== text) converted++;
      }
    }),
    { numRuns: 150, seed: 16, examples },
  );
  expect(converted).toBeGreaterThan(50);
});

test.each([100, 3000])('%i types that refer to each other are converted, too', (count) => {
  const types = Array.from({ length: count }, (_, i): [string, object] => [
    i === 0 ? 'Body' : `T${i}`,
    {
      type: 'object',
      properties: {
        id: { type: 'integer', format: 'int64' },
        next: { $ref: `#/components/schemas/${i + 1 < count ? `T${i + 1}` : 'Body'}` },
      },
    },
  ]);
  const schemas = Object.fromEntries(types);
  const response: Holder = {};
  const { shapes } = shapesOf(schemas, 'response');
  const project = shapes.projection(BODY) ?? copyPlain;
  project({ id: 1n, next: { id: 2n, more: 1 } }, response, 'body');
  shapes.converter(BODY)?.(response, 'body');
  expect(response).toEqual({ body: { id: 1, next: { id: 2 } } });
  const request: Holder = { body: { id: 1, next: { id: 2, more: 1 } } };
  shapesOf(schemas, 'request').shapes.converter(BODY)?.(request, 'body');
  expect(request).toEqual({ body: { id: 1n, next: { id: 2n } } });
});
