import type { JsonObject } from '../../src/json/tree';
import { parse } from '../../src/json/value';
import { deriveObligations } from '../../src/obligations';
import { instanceLocations, probes } from '../../src/schema/probes';
import { createOracle } from '../../src/schema/oracle';
import { correctServer, target } from '../support/simple-server';
import { fieldsOf } from '../../src/request/fields';
import { multipartOf } from '../../src/request/multipart';
import { serializeParameter } from '../../src/request/serialize';
import { slots, slotSamples, slotValidity } from '../../src/request/slots';
import { read } from '../support/document';

/** The only slot of an operation. */
function slotOf(item: object) {
  const { document, operation } = read(item, { components: { schemas: { Named: named } } }, '/{p}');
  const [slot] = slots(document, operation);
  if (!slot) throw new Error('expected a parameter or a body');
  return { document, operation, slot };
}

/** Part of the forms below. */
const named = {
  type: 'object',
  required: ['name'],
  properties: {
    id: { type: 'integer', format: 'int64', minimum: 1 },
    name: { type: 'string', minLength: 1, maxLength: 9 },
    inner: { $ref: '#/components/schemas/Named' },
  },
};

describe('parameters', () => {
  const array = '[3,4,5]';
  const object = '{"r":100,"g":200}';
  /** The rows of the table in https://spec.openapis.org/oas/v3.1.0#style-examples, for a parameter named p. */
  test.each<[string, string, boolean, string, string]>([
    ['path', 'simple', false, array, '3,4,5'],
    ['path', 'simple', false, object, 'r,100,g,200'],
    ['path', 'simple', true, object, 'r=100,g=200'],
    ['path', 'label', false, '5', '.5'],
    ['path', 'label', true, array, '.3.4.5'],
    ['path', 'label', true, object, '.r=100.g=200'],
    ['path', 'matrix', false, '5', ';p=5'],
    ['path', 'matrix', false, array, ';p=3,4,5'],
    ['path', 'matrix', true, array, ';p=3;p=4;p=5'],
    ['path', 'matrix', true, object, ';r=100;g=200'],
    ['query', 'form', true, array, 'p=3&p=4&p=5'],
    ['query', 'form', false, array, 'p=3,4,5'],
    ['query', 'form', false, object, 'p=r,100,g,200'],
    ['query', 'spaceDelimited', false, array, 'p=3%204%205'],
    ['query', 'pipeDelimited', false, array, 'p=3%7C4%7C5'],
    ['query', 'deepObject', true, object, 'p%5Br%5D=100&p%5Bg%5D=200'],
    ['header', 'simple', false, array, '3,4,5'],
    ['cookie', 'form', true, '5', 'p=5'],
    ['query', 'form', true, '""', 'p='],
    ['query', 'form', true, '["a",""]', 'p=a&p='],
    ['query', 'form', false, '["a",""]', 'p=a,'],
    ['query', 'form', false, '[""]', 'p='],
    ['query', 'form', true, '{"r":""}', 'r='],
    ['query', 'deepObject', true, '{"r":""}', 'p%5Br%5D='],
    ['header', 'simple', false, '""', ''],
    ['cookie', 'form', true, '""', 'p='],
  ])('in %s, style %s, explode %s: %s is %s', (place, style, explode, value, want) => {
    const parameter = { name: 'p', in: place, style, explode, schema: {}, required: true };
    const [found] = read({ get: { parameters: [parameter], responses: {} } }, {}, '/{p}').operation
      .parameters;
    expect(found && serializeParameter(found, parse(value))).toBe(want);
  });

  test('are decoded by the types of their schema', () => {
    const parameters = [{ name: 'p', in: 'query', schema: { type: 'array', items: { type: 'integer' } } }];
    const { slot } = slotOf({ get: { parameters, responses: {} } });
    expect(slot.decode(parse('["7"]'))).toEqual(parse('[7]'));
    expect(slot.decode(parse('["x"]'))).toEqual(['x']);
    expect(slot.decode(parse('[]'))).toBeUndefined();
  });
});

describe('minLength 1 is proven by an empty text, or is no obligation where no text is empty', () => {
  const word = { type: 'string', minLength: 1 };
  const list = { type: 'array', minItems: 1, maxItems: 3, items: word };
  const object = { type: 'object', required: ['r'], properties: { r: word } };
  const STYLES = {
    path: ['simple', 'label', 'matrix'],
    query: ['form'],
    header: ['simple'],
    cookie: ['form'],
  };
  const places = Object.entries(STYLES).flatMap(([place, styles]) =>
    styles.flatMap((style) => [true, false].map((explode) => [place, style, explode, word] as const)),
  );
  const inQueries = [true, false].flatMap((explode) =>
    [list, object].map((schema) => ['query', 'form', explode, schema] as const),
  );
  test.each<readonly [string, string, boolean, JsonObject]>([
    ...places,
    ...inQueries,
    ['query', 'deepObject', true, object],
    ['query', 'spaceDelimited', false, list],
    ['query', 'pipeDelimited', false, list],
  ])('in %s, style %s, explode %s: %j', (place, style, explode, schema) => {
    const parameter = { name: 'p', in: place, style, explode, required: true, schema };
    const { document, operation, slot } = slotOf({ get: { parameters: [parameter], responses: {} } });
    const oracle = createOracle(document.requests);
    const violations = slotSamples(document, oracle, slot, 'all', 20)
      .flatMap((value) => probes(instanceLocations(document.requests, oracle, slot.schema, value)))
      .filter(({ keyword, side }) => keyword === 'minLength' && side === 'violates');
    const isProvable = violations.some(({ value }) => slotValidity(oracle, slot, value) === 'invalid');
    const isObligation = deriveObligations(document, target(correctServer), operation).some(({ key }) =>
      key.endsWith('minLength | violates'),
    );
    expect([isProvable, isObligation]).toEqual([place !== 'path', place !== 'path']);
  });
});

describe('a form', () => {
  const pet = {
    type: 'object',
    required: ['name', 'category'],
    properties: {
      name: { type: 'string', maxLength: 9 },
      category: { $ref: '#/components/schemas/Named' },
      other: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Named' }] },
      photos: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
      tags: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/Named' } },
    },
  };
  const formSlot = (encoding: JsonObject = {}) => {
    const content = { 'application/x-www-form-urlencoded': { schema: pet, encoding } };
    return slotOf({ post: { requestBody: { content }, responses: {} } });
  };
  const sent = (text: string, encoding?: JsonObject) => {
    const { slot } = formSlot(encoding);
    const value = parse(text);
    const body = slot.fill({ parameters: new Map() }, value).body?.bytes.toString();
    return [slot.decode(value), decodeURIComponent(body ?? '')];
  };

  test.each([
    [
      '{"name":"a","category":{"id":9007199254740993,"name":"b"}}',
      'name=a&category={"id":9007199254740993,"name":"b"}',
    ],
    ['{"tags":[{"name":"a"},{"name":"b"}]}', 'tags={"name":"a"}&tags={"name":"b"}'],
    ['{"other":null}', 'other=null'],
    ['{"category":"a"}', 'category="a"'],
    ['{"photos":["a","b"]}', 'photos=a&photos=b'],
  ])('carries %s', (value, body) => {
    expect(sent(value)).toEqual([parse(value), body]);
  });

  test.each(['{"photos":[]}', '{"photos":[{}]}', '{"name":{}}'])('does not carry %s', (value) => {
    expect(sent(value)[0]).toBeUndefined();
  });

  test.each<[JsonObject, string, string]>([
    [{ style: 'deepObject' }, '{"category":{"name":"b"}}', 'category[name]=b'],
    [{ explode: false }, '{"photos":["a","b"]}', 'photos=a,b'],
    [{ style: 'pipeDelimited' }, '{"photos":["a","b"]}', 'photos=a|b'],
  ])('has the style of its encoding: %j', (encoding, value, body) => {
    const [name = ''] = Object.keys(JSON.parse(value) as object);
    expect(sent(value, { [name]: encoding })).toEqual([parse(value), body]);
  });

  test('tests each keyword of each schema in it', () => {
    const { document, operation, slot } = formSlot();
    const oracle = createOracle(document.requests);
    const proofs = (['required', 'all'] as const).flatMap((mode) =>
      slotSamples(document, oracle, slot, mode, 2).flatMap((value) => {
        const decoded = slot.decode(value) ?? value;
        const locations = instanceLocations(document.requests, oracle, slot.schema, decoded);
        const held = locations
          .flatMap(({ subschemas }) => subschemas)
          .flatMap(({ pointer, schema }) => Object.keys(schema).map((one) => `${pointer} ${one} | holds`));
        const violated = probes(locations)
          .filter(
            (probe) => probe.side === 'violates' && slotValidity(oracle, slot, probe.value) === 'invalid',
          )
          .map(({ subschema, keyword }) => `${subschema.pointer} ${keyword} | violates`);
        return [...held, ...violated];
      }),
    );
    const obligations = deriveObligations(document, target(correctServer), operation)
      .filter(({ kind }) => kind === 'constraint')
      .map(({ description }) => description.replace(/^.*? \| /, ''));
    expect(obligations.length).toBeGreaterThan(20);
    expect(obligations.filter((one) => !proofs.includes(one))).toEqual([]);
  });
});

describe('the fields of a body', () => {
  const text = { type: 'string' };
  const objects = { type: 'array', items: { type: 'object' } };
  const asJson = { encoding: { a: { contentType: 'application/json' } } };
  test.each<[title: string, schema: JsonObject, encoding: JsonObject, value: string, fields: string[]]>([
    ['a text', text, {}, '"x"', ['x']],
    ['an object', { type: 'object' }, {}, '{"x":1}', ['{"x":1}']],
    ['each item of a list', { type: 'array', items: text }, {}, '["x","y"]', ['x', 'y']],
    ['each object of a list', objects, {}, '[{"x":1},{"y":2}]', ['{"x":1}', '{"y":2}']],
    ['each item of a list in JSON', objects, asJson, '[{"x":1},{"y":2}]', ['{"x":1}', '{"y":2}']],
    ['each item of a list that is not admitted', text, {}, '["x","y"]', ['x', 'y']],
    ['a list that is not admitted, in JSON', text, asJson, '["x","y"]', ['["x","y"]']],
  ])('have %s', (_, schema, encoding, value, fields) => {
    const json = { body: { schema: { type: 'object', properties: { a: schema } }, ...encoding } };
    const { encode } = fieldsOf({ json, direction: 'request' }, '/body/schema', true);
    expect(encode(parse(`{"a":${value}}`))?.map((field) => field.text)).toEqual(fields);
  });

  test('have a file name in a multipart body, where they are bytes', () => {
    const properties = {
      'a"b': { type: 'string' },
      file: { type: 'string', format: 'binary' },
      list: objects,
    };
    const json = { body: { schema: { type: 'object', properties } } };
    const multipart = multipartOf({ json, direction: 'request' }, '/body/schema', 'multipart/form-data');
    const parts = multipart?.encode(parse('{"a\\"b":"x","file":"y","list":[{"z":1}]}')) ?? [];
    expect(parts.map(({ headers, body }) => [...headers.flat(), body.toString()])).toEqual([
      ['Content-Disposition', 'form-data; name="a%22b"', 'x'],
      [
        ...['Content-Disposition', 'form-data; name="file"; filename="file.bin"'],
        ...['Content-Type', 'application/octet-stream', 'y'],
      ],
      ['Content-Disposition', 'form-data; name="list"', 'Content-Type', 'application/json', '{"z":1}'],
    ]);
  });
});
