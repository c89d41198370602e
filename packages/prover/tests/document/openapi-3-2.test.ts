import type { JsonObject } from '../../src/json/tree';
import { parse } from '../../src/json/value';
import { readDocument } from '../../src/document/reader';
import { composeRequest } from '../../src/request/compose';
import { slots } from '../../src/request/slots';
import { createOracle } from '../../src/schema/oracle';
import { documentOf, inJson, read } from '../support/document';

const responses = { 200: { description: 'found' } };
const version = { openapi: '3.2.0' };

test('the methods of OpenAPI 3.2 are read, and in 3.1 are none', () => {
  const item = { query: { responses }, additionalOperations: { 'M-SEARCH': { responses } } };
  const methods = (others: object): string[] =>
    readDocument(documentOf(item, others)).operations.map(({ method, pointer }) => `${method} ${pointer}`);
  expect(methods(version)).toEqual([
    'QUERY /paths/~1things/query',
    'M-SEARCH /paths/~1things/additionalOperations/M-SEARCH',
  ]);
  expect(methods({})).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  ['a form', { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } }, '/things?a=b%20c'],
  ['JSON', { 'application/json': { schema: { type: 'object' } } }, '/things?%7B%22a%22%3A%22b%20c%22%7D'],
])('the whole query string is %s', (_, content, target) => {
  const parameters = [{ name: 'all', in: 'querystring', content }];
  const { document, operation } = read({ get: { parameters, responses } }, version);
  const [slot] = slots(document, operation);
  const inputs = slot?.fill({ parameters: new Map() }, parse('{"a":"b c"}'));
  expect(inputs && composeRequest(operation, inputs).target).toBe(target);
});

test('media types are referred to, and have schemas of items, streams and limits', () => {
  const body = { content: { 'application/jsonl': { $ref: '#/components/mediaTypes/Lines' } } };
  const Lines = { itemSchema: { type: 'integer' }, examples: { one: { dataValue: [1] } } };
  const stream = { content: { 'image/png': { 'x-stream': true } } };
  const item = { post: { requestBody: body, responses }, put: { requestBody: stream, 'x-body-limit': 9 } };
  const { operations } = readDocument(
    documentOf(item, { ...version, components: { mediaTypes: { Lines } } }),
  );
  expect(operations.map(({ bodyLimit, body: read }) => [bodyLimit, read?.content[0]])).toMatchObject([
    [9, { isStream: true }],
    [undefined, { items: '/components/mediaTypes/Lines/itemSchema', examples: [[1]] }],
  ]);
});

test('references through $self lead into the document', () => {
  const schema = { $ref: 'https://example.org/api.yaml#/components/schemas/Number' };
  const { document, operation } = read(
    { post: { requestBody: { content: inJson(schema) }, responses } },
    {
      ...version,
      $self: 'https://example.org/api.yaml',
      components: { schemas: { Number: { type: 'integer' } } },
    },
  );
  const oracle = createOracle(document.requests);
  const pointer = operation.body?.content[0]?.schema ?? '';
  expect(['1', '"a"'].map((text) => oracle.valid(pointer, parse(text)))).toEqual([true, false]);
});

test.each(['oneOf', 'allOf'])('defaultMapping takes what no other branch of %s has a name for', (way) => {
  const discriminator = { propertyName: 'kind', defaultMapping: 'Other' };
  const part = way === 'allOf' ? { allOf: [{ $ref: '#/components/schemas/Pet' }] } : {};
  const branches = ['Cat', 'Other'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schemas = {
    Pet: { type: 'object', discriminator, ...(way === 'oneOf' && { oneOf: branches }) },
    Cat: { ...part, type: 'object', required: ['lives'] },
    Other: { ...part, type: 'object', required: ['text'] },
  };
  const { document, operation } = read(
    { post: { requestBody: { content: inJson({ $ref: '#/components/schemas/Pet' }) }, responses } },
    { ...version, components: { schemas } },
  );
  const oracle = createOracle(document.requests);
  const pointer = operation.body?.content[0]?.schema ?? '';
  const valid = (text: string): boolean => oracle.valid(pointer, parse(text));
  const values = ['{"kind":"Cat","lives":9}', '{"kind":"Cat","text":"a"}', '{"text":"a"}'];
  const unknown = ['{"kind":"Cow","text":"a"}', '{"kind":"Cow","lives":9}', '{"kind":"Other","text":"a"}'];
  expect([...values, ...unknown].map(valid)).toEqual([true, false, true, true, false, true]);
});
