import { type JsonObject, OpenApiDocument } from '../../../src/contract/document/document';
import { compileForm } from '../../../src/contract/codecs/form';
import { exactNumber } from '../../../src/contract/json/values';
import { MalformedParameter } from '../../../src/contract/parameters/parameters';

const STRING = { type: 'string' };
const INT64 = { type: 'integer', format: 'int64' };
const RGB = { type: 'object', properties: { R: INT64 } };
const list = (items: JsonObject) => ({ type: 'array', items });
const ID = 9007199254740993n;

/** One document for all tests. Each sets its form: validation of a document takes 100 ms. */
const root: Record<string, unknown> = {
  openapi: '3.1.0',
  info: { title: 'Colors', version: '1' },
  paths: {},
};
let document = new OpenApiDocument(root);

function compile(properties: JsonObject, { encoding = {}, ...schema }: JsonObject = {}) {
  root['components'] = { 'x-form': { schema: { type: 'object', properties, ...schema }, encoding } };
  document = new OpenApiDocument(root);
  const read = compileForm(document, '/components/x-form/schema');
  return { read, findings: document.findings.map(({ message }) => message) };
}

function readForm(properties: JsonObject, text: string, more?: JsonObject) {
  const { read, findings } = compile(properties, more);
  expect(findings).toEqual([]);
  return read(text);
}

describe('a form', () => {
  test.each<[JsonObject, string, JsonObject]>([
    [{ a: STRING }, '', {}],
    [{ a: STRING }, 'a=1', { a: '1' }],
    [{ a: STRING }, 'a=x+y%2B%C3%A9\u00e9', { a: 'x y+\u00e9\u00e9' }],
    [{ a: STRING }, 'a', { a: '' }],
    [{ a: INT64, b: { type: 'boolean' } }, '&a=1&&b=true&', { a: 1, b: true }],
    [{ a: list(INT64) }, 'a=1&a=2', { a: [1, 2] }],
    [{ a: list(STRING) }, 'a=x,y', { a: ['x,y'] }],
    [{ a: RGB }, 'a=%7B%22R%22:1%7D', { a: { R: 1 } }],
    [{ a: list(RGB) }, 'a=%7B%22R%22:1%7D&a={}', { a: [{ R: 1 }, {}] }],
    [{ a: STRING }, 'b=2&constructor=3', { b: '2', constructor: '3' }],
    [{ first: STRING, a: { anyOf: [{ type: 'integer' }] } }, 'a=1&first=2', { a: 1, first: '2' }],
  ])('with %j: %s', (properties, text, want) => {
    expect(readForm(properties, text)).toEqual(want);
  });

  test.each<[JsonObject, JsonObject, string, JsonObject]>([
    [list(STRING), { explode: false }, 'a=x,y', { a: ['x', 'y'] }],
    [list(STRING), { style: 'pipeDelimited' }, 'a=x|y', { a: ['x', 'y'] }],
    [RGB, { style: 'deepObject' }, 'a[R]=1', { a: { R: 1 } }],
    [RGB, { style: 'form' }, 'R=1', { a: { R: 1 } }],
    [STRING, { contentType: 'text/plain' }, 'a=x', { a: 'x' }],
    [STRING, { contentType: 'image/png, image/jpeg' }, 'a=x', { a: 'x' }],
    [RGB, { contentType: 'application/json; charset=utf-8' }, 'a={}', { a: {} }],
  ])('with %j encoded as %j: %s', (a, encoding, text, want) => {
    expect(readForm({ a }, text, { encoding: { a: encoding } })).toEqual(want);
  });

  test('properties that are not listed have the type of additionalProperties', () => {
    expect(readForm({}, 'a=1&b=2&b=3', { additionalProperties: list(INT64) })).toEqual({ a: [1], b: [2, 3] });
  });

  test('a form without a schema has strings', () => {
    expect(compileForm(document, undefined)('a=1')).toEqual({ a: '1' });
  });

  test('int64 is exact, in items and in JSON too', () => {
    const { id, ids, rgb } = readForm(
      { id: INT64, ids: list(INT64), rgb: RGB },
      `id=${ID}&ids=1&ids=${ID}&rgb={"R":${ID}}`,
    );
    expect(typeof id).toBe('number');
    expect(exactNumber(ids as object, 1)).toBe(ID);
    expect(exactNumber(rgb as object, 'R')).toBe(ID);
  });

  test.each([
    [STRING, 'a=1&a=2', 'body/a is given more than once'],
    [STRING, 'b=1&b=2', 'body/b is given more than once'],
    [STRING, 'a=%ff', 'body/a is not percent-encoded UTF-8'],
    [STRING, '%ff=1', 'body is not percent-encoded UTF-8'],
    [STRING, '__proto__=1', 'body has the name "__proto__", which is not accepted'],
    [INT64, 'a=1e999', 'body/a: the number 1e999 is too large'],
    [RGB, 'a=1&a=2', 'body/a is given more than once'],
    [RGB, 'a={"__proto__":1}', 'body/a: the property name "__proto__" is not accepted'],
    [RGB, 'a={', 'body/a: expected a property name'],
    [RGB, `${'x'.repeat(1000)}=%ff`, `body/${'x'.repeat(100)} is not`],
  ])('with %j refuses %.30s', (a, text, message) => {
    const { read } = compile({ a });
    expect(() => read(text)).toThrow(MalformedParameter);
    expect(() => read(text)).toThrow(message);
  });

  test.each<[JsonObject, JsonObject, string]>([
    [{ a: STRING }, { type: 'array' }, 'a form is an object'],
    [{ a: { type: ['object', 'array'] } }, {}, 'objects and lists, which brackets cannot distinguish'],
    [
      { a: { oneOf: [STRING, RGB] } },
      { encoding: { a: { style: 'form' } } },
      'its text does not determine which of the types string, object it has',
    ],
    [
      { a: list(list(STRING)) },
      { encoding: { a: { contentType: 'text/plain' } } },
      'no style defines how an array or object is written inside another value',
    ],
    [{ a: RGB }, { encoding: { a: { contentType: 'application/xml' } } }, 'expected application/json'],
    [
      { a: { type: 'object' } },
      { encoding: { a: { style: 'form' } } },
      'its properties cannot be distinguished',
    ],
    [{ a: RGB, R: STRING }, { encoding: { a: { style: 'form' } } }, 'it shares the name R with another'],
    [{}, { patternProperties: { x: INT64 } }, 'patternProperties are served in JSON only'],
  ])('of %j with %j is a finding', (properties, more, message) => {
    expect(compile(properties, more).findings.join('\n')).toContain(message);
  });

  test('has no parts with headers, which is a remark', () => {
    compile({ a: STRING }, { encoding: { a: { headers: { 'X-A': {} } } } });
    expect(document.remarks.map(({ pointer }) => pointer)).toEqual(['/components/x-form/encoding/a/headers']);
  });

  test.each<[JsonObject, JsonObject, string, unknown]>([
    [{ oneOf: [STRING, list(STRING)] }, {}, 'a=x', 'x'],
    [{ oneOf: [STRING, list(STRING)] }, {}, 'a=x&a=y', ['x', 'y']],
    [{ oneOf: [STRING, list(STRING)] }, { style: 'form', explode: false }, 'a=x,y', ['x', 'y']],
    [{ oneOf: [STRING, list(STRING)] }, { contentType: 'application/json' }, 'a="x"', 'x'],
    [{ oneOf: [STRING, list(RGB)] }, {}, 'a=x', 'x'],
    [{ oneOf: [STRING, list(RGB)] }, {}, 'a={"R":1}&a={}', [{ R: 1 }, {}]],
  ])('one value or a list: %j with %j', (a, encoding, text, expected) => {
    expect(compile({ a }, { encoding: { a: encoding } }).read(text)).toEqual({ a: expected });
  });

  test('many pairs, equal or different, take linear time', () => {
    const { read } = compile({ a: list(STRING) });
    const different = Array.from({ length: 100_000 }, (_, i) => `b${i}=1`);
    expect(Object.keys(read(`${'a=1&'.repeat(100_000)}${different.join('&')}`))).toHaveLength(100_001);
  });
});
