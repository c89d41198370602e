import { codeOf, errorBodyOf, type Facts, valueOf } from '../../../scripts/new/error-body';
import { OpenApiDocument, type JsonObject } from '../../../src/contract';
import { buildDocument } from '../../support/service';

const FACTS: Facts = { kind: 'notFound', message: 'a sentence', status: 404, number: 40400 };
const text = { type: 'string' };
const integer = { type: 'integer' };
const object = (properties: JsonObject, ...required: string[]) => ({ type: 'object', properties, required });

const partOf = (schema: JsonObject) =>
  errorBodyOf(
    new OpenApiDocument(buildDocument({ components: { schemas: { E: schema } } })),
    '/components/schemas/E',
  );

it.each<[string, JsonObject, unknown]>([
  [
    'a number and a message',
    object({ error: integer, message: text }),
    { error: 40400, message: 'a sentence' },
  ],
  [
    'RFC 9457',
    object({ type: { ...text, format: 'uri' }, title: text, status: integer, detail: text, instance: text }),
    { type: 'about:blank', title: 'A title', status: 404, detail: 'a sentence' },
  ],
  [
    'a nested error',
    object({ error: object({ code: text, message: text }) }),
    { error: { code: 'notFound', message: 'a sentence' } },
  ],
  [
    'a list of errors',
    object({ errors: { type: 'array', items: object({ message: text }) } }),
    { errors: [{ message: 'a sentence' }] },
  ],
  [
    'a small code',
    object({ code: { ...integer, maximum: 599 }, message: text }),
    { code: 404, message: 'a sentence' },
  ],
  [
    'a required property that nothing is known of',
    object({ message: text, trace: text }, 'trace'),
    { message: 'a sentence', trace: 'text' },
  ],
  [
    'integers of 64 bits',
    object({ status: { ...integer, format: 'int64' }, detail: text }),
    { status: 404n, detail: 'a sentence' },
  ],
  [
    'the first branch',
    { oneOf: [object({ message: text }), object({ code: text })] },
    { message: 'a sentence' },
  ],
  ['a text', text, 'a sentence'],
])('fills %s', (_, schema, body) => {
  const part = partOf(schema);
  expect(part && valueOf(part, FACTS)).toEqual(body);
});

it('finds no body that cannot say what is wrong', () => {
  expect(partOf(object({ id: integer }))).toBeUndefined();
  expect(partOf({ type: 'boolean' })).toBeUndefined();
});

it('writes the body as code', () => {
  const part = partOf(object({ code: text, 'the-message': text, message: text }));
  expect(part && codeOf(part)).toBe('{ code: kind, message }');
});

it('writes a body of bytes as bytes', () => {
  const bytes = Uint8Array.of(0, 60, 255);
  expect(codeOf({ constant: bytes })).toBe(`Buffer.from("ADz/", 'base64')`.replaceAll('"', "'"));
});
