import { minimalInputs } from '../../src/request/compose';
import { createOracle } from '../../src/schema/oracle';
import { read } from '../support/document';

const minimal = (item: object) => {
  const { document, operation } = read(item);
  return minimalInputs(document, createOracle(document.requests), operation);
};
const body = (content: object) => ({ post: { requestBody: { required: true, content }, responses: {} } });

test.each([
  ['application/json', '{}'],
  ['application/problem+json', '{}'],
  ['application/jsonl', '{}\n'],
  ['application/x-www-form-urlencoded', 'any=bytes'],
  ['text/plain', 'any bytes'],
  ['image/png', 'any bytes'],
])('the minimal body of %s without a schema is well-formed: %s', (type, want) => {
  expect(minimal(body({ [type]: {} })).body?.bytes.toString()).toBe(want);
});

test.each([
  [
    'a form without null',
    body({
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          required: ['a'],
          properties: { a: { type: 'null' } },
        },
      },
    }),
    'body application/x-www-form-urlencoded',
  ],
  [
    'a header field in ASCII',
    {
      get: {
        parameters: [{ name: 'X-A', in: 'header', required: true, schema: { const: '\u0416' } }],
        responses: {},
      },
    },
    'header X-A',
  ],
])('%s cannot carry the only value, and the sentence says so', (_, item, slot) => {
  expect(() => minimal(item)).toThrow(
    `expected a valid value for ${slot} that its encoding can carry, found 20 that it cannot`,
  );
});

const FORM = 'application/x-www-form-urlencoded';

test.each([
  ['a form without fields', { [FORM]: { schema: { type: 'object', additionalProperties: false } } }],
  ['a form that is null', { [FORM]: { schema: { type: 'null' } } }],
  ['no value', { 'application/json': { schema: false } }],
])('an optional body of %s is left out', (_, content) => {
  expect(minimal({ delete: { requestBody: { content }, responses: {} } })).toEqual({ parameters: new Map() });
  expect(() => minimal(body(content))).toThrow('expected a valid value for body');
});

const text = { type: 'string' };
const price = {
  type: 'object',
  required: ['currency', 'tags', 'more'],
  properties: {
    currency: { ...text, example: 'usd' },
    tags: { type: 'array', minItems: 1, items: { ...text, examples: ['new', 'old'] } },
    more: {
      type: 'object',
      required: ['sku'],
      properties: { sku: { ...text, minLength: 9, example: 'short' } },
    },
  },
};

test('a minimal body has the examples of its properties, where they are valid', () => {
  const { body: sent } = minimal(body({ 'application/json': { schema: price } }));
  expect(JSON.parse(sent?.bytes.toString() ?? '')).toEqual({
    currency: 'usd',
    tags: ['new'],
    more: { sku: expect.stringMatching(/^.{9,}$/) as string },
  });
});

test('a minimal form without required fields has one, a text or number if it can', () => {
  const properties = { expand: { type: 'array', items: text }, metadata: { type: 'object' }, email: text };
  const { body: sent } = minimal(body({ [FORM]: { schema: { type: 'object', properties } } }));
  expect(sent?.bytes.toString()).toMatch(/^email=\w+$/);
});
