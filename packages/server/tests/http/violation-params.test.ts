import { type Answer, preferredLanguage, type Problem, type Violation } from 'contract-first-server';
import { stringifyJson } from 'contract-first-server/tools';
import { ERRORS, type KindOf } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

/** What the renderer gets of a request with this body, of this schema, or with this query. */
async function seen(
  schema: object,
  body: unknown,
  { query = '', language = 'de', parameters = [] as object[] } = {},
) {
  const got: { violations: readonly Violation[]; language: string | undefined }[] = [];
  const render = (problem: Problem<KindOf<never>>, _?: object, asked?: string): Answer => {
    if (problem.violations.length > 0) got.push({ violations: problem.violations, language: asked });
    return { status: ERRORS[problem.kind].status, body: {} };
  };
  const { app } = buildService({
    document: buildDocument({
      operation: {
        parameters,
        requestBody: { content: json(schema) },
        responses: { 200: { description: 'ok' } },
      },
    }),
    handlers: { postThing: () => Promise.resolve({ status: 200 }) },
    render,
  });
  await listening(app, async (port) => {
    const headers = { 'Content-Type': 'application/json', 'Accept-Language': language };
    const { status } = await fetch(`http://127.0.0.1:${port}/things${query}`, {
      method: 'POST',
      headers,
      body: stringifyJson(body),
    });
    expect(status).toBe(400);
  });
  return got.at(-1) ?? { violations: [], language: undefined };
}

const SECRET = 'hunter2';
const BIG = 9007199254740993n;
const text = { type: 'string' };

it.each<[keyword: string, schema: object, value: unknown, params: object]>([
  ['maxLength', { maxLength: 3 }, SECRET, { limit: 3 }],
  ['minLength', { minLength: 80 }, SECRET, { limit: 80 }],
  ['maxItems', { maxItems: 0 }, [SECRET], { limit: 0 }],
  ['minProperties', { minProperties: 2 }, { [SECRET]: SECRET }, { limit: 2 }],
  ['maximum', { maximum: 3 }, 4, { limit: 3 }],
  ['exclusiveMinimum', { type: 'integer', exclusiveMinimum: 3 }, 3, { limit: 3 }],
  ['maximum', { type: 'integer', format: 'int64', maximum: BIG }, BIG + 1n, { limit: BIG }],
  ['multipleOf', { multipleOf: 0.5 }, 0.7, { multipleOf: '0.5' }],
  ['multipleOf', { multipleOf: 5 }, 7, { multipleOf: 5 }],
  ['type', { type: ['integer', 'null'] }, SECRET, { type: ['integer', 'null'] }],
  ['type', { type: 'integer' }, 1.5, { type: 'integer' }],
  ['format', { format: 'date' }, SECRET, { format: 'date' }],
  ['format', { type: 'integer', format: 'int64' }, 2n ** 63n, { format: 'int64' }],
  ['pattern', { pattern: '^a' }, SECRET, { pattern: '^a' }],
  ['enum', { enum: ['a', 'b'] }, SECRET, { allowedValues: ['a', 'b'] }],
  ['enum', { enum: [1, { a: BIG }] }, SECRET, { allowedValues: [1, { a: String(BIG) }] }],
  ['const', { const: 'a' }, SECRET, { allowedValue: 'a' }],
  ['const', { const: [1] }, SECRET, { allowedValue: [1] }],
  ['required', { type: 'object', required: ['a'] }, { [SECRET]: SECRET }, { missingProperty: 'a' }],
  [
    'dependentRequired',
    { dependentRequired: { b: ['a'] } },
    { b: SECRET },
    { property: 'b', missingProperty: 'a' },
  ],
  [
    'contains',
    { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [SECRET],
    { minContains: 2, maxContains: 3 },
  ],
  ['uniqueItems', { uniqueItems: true }, [SECRET, SECRET], {}],
  ['additionalProperties', { type: 'object', additionalProperties: false }, { [SECRET]: 1 }, {}],
  ['propertyNames', { type: 'object', propertyNames: { maxLength: 3 } }, { [SECRET]: 1 }, {}],
  ['readOnly', { type: 'object', properties: { a: { ...text, readOnly: true } } }, { a: SECRET }, {}],
  [
    'maxLength',
    { type: 'object', properties: { a: { ...text, writeOnly: true, maxLength: 1 } } },
    { a: SECRET },
    { limit: 1 },
  ],
])('%s has what the document demands: %j', async (keyword, schema, value, params) => {
  const { violations } = await seen(schema, value);
  expect(violations.find((one) => one.keyword === keyword)?.params).toEqual(params);
  for (const one of violations) expect(stringifyJson(one.params)).not.toContain(SECRET);
});

it('a message has the values of an enum once', async () => {
  for (const values of [
    ['a', 'b'],
    [1, 2],
  ]) {
    const { violations } = await seen({ enum: values }, SECRET);
    expect(violations[0]?.message).toBe(`must be equal to one of the allowed values: ${values.join(', ')}`);
  }
});

it('parameters have what the document demands too', async () => {
  const parameters = [
    { name: 'limit', in: 'query', required: true, schema: { type: 'integer', maximum: 100 } },
  ];
  const over = await seen({}, 1, { query: '?limit=200', parameters });
  expect(over.violations).toEqual([
    { pointer: '/query/limit', keyword: 'maximum', params: { limit: 100 }, message: 'must be <= 100' },
  ]);
  const without = await seen({}, 1, { parameters });
  expect(without.violations[0]).toMatchObject({
    pointer: '/query',
    params: { missingProperty: 'limit' },
  });
});

it.each([
  [[], undefined],
  [[{ name: 'accept-language', in: 'header', schema: text }], 'de-CH, en;q=0.5'],
  [[{ name: 'Accept-Language', in: 'query', schema: text }], undefined],
])('the renderer gets the language where the document has that header: %j', async (parameters, expected) => {
  const { language } = await seen({ maxLength: 1 }, 'ab', { parameters, language: 'de-CH, en;q=0.5' });
  expect(language).toBe(expected);
});

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE-ch, en', 'de'],
  ['fr, de;q=0.2, en;q=0.5', 'en'],
  ['de;q=0, fr', 'en'],
  ['den', 'en'],
  ['*', 'en'],
  ['pt', 'en'],
  ['pt-BR-x', 'pt-BR'],
  ['de;q=x', 'en'],
])('of %j, the preferred language is %s', (field, expected) => {
  expect(preferredLanguage(field, ['en', 'de', 'pt-BR'])).toBe(expected);
});
