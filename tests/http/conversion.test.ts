import request from 'supertest';
import { buildDocument, buildService, json } from '../support/service';
import { receive } from './receive';
import { hidden, ok, respond } from './respond';

const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };

describe('a handler receives the properties that its type lists', () => {
  const listed = { type: 'object', properties: { a: text } };
  it.each([
    ['in addition to listed ones', listed, '{"a":"","x":1}', '{"a":""}'],
    ['in a nested object', { properties: { o: listed } }, '{"o":{"a":"","x":1}}', '{"o":{"a":""}}'],
    ['in items', { items: listed }, '[{"a":"","x":1}]', '[{"a":""}]'],
    ['behind a reference', { $ref: '#/components/schemas/Listed' }, '{"a":"","x":1}', '{"a":""}'],
    [
      'beside an allOf',
      { allOf: [listed, { properties: { b: int64 } }] },
      '{"a":"","b":1,"x":1}',
      '{"a":"","b":1}',
    ],
    [
      'of another branch',
      {
        properties: { a: text },
        anyOf: [{ properties: { b: int64 }, required: ['b'] }, { properties: { c: int64 } }],
      },
      '{"a":"","b":"","c":1}',
      '{"a":"","c":1}',
    ],
    [
      'below a pattern',
      { patternProperties: { '^p': listed } },
      '{"p":{"a":"","x":1},"y":1}',
      '{"p":{"a":""},"y":1}',
    ],
    [
      'and required ones',
      { ...listed, required: ['b'], dependentRequired: { a: ['c'] } },
      '{"a":"","b":1,"c":2,"x":1}',
      '{"a":"","b":1,"c":2}',
    ],
    [
      'but all if none is listed, although one is required',
      { required: ['a'] },
      '{"a":1,"x":1}',
      '{"a":1,"x":1}',
    ],
    ['but all if none is listed', { type: 'object' }, '{"x":1}', '{"x":1}'],
    ['and all if the list is empty', { type: 'object', properties: {} }, '{"x":1}', '{"x":1}'],
    [
      'and all if the schema has additionalProperties',
      { ...listed, additionalProperties: int64 },
      '{"a":"","x":1}',
      '{"a":"","x":1}',
    ],
    [
      'and all if a part of it has additionalProperties',
      { allOf: [listed, { additionalProperties: true }] },
      '{"a":"","x":1}',
      '{"a":"","x":1}',
    ],
    [
      'and all with unevaluatedProperties',
      { ...listed, unevaluatedProperties: {} },
      '{"a":"","x":1}',
      '{"a":"","x":1}',
    ],
  ])('%s', async (_, schema, sent, received) => {
    expect(await receive(schema, sent, { Listed: listed })).toBe(received);
  });
});

it('a client receives the required properties of an object, listed or not', async () => {
  const schema = { properties: { a: text }, required: ['b'] };
  expect(await respond(ok(schema), { status: 200, body: { a: '', b: 1, x: 1 } })).toMatchObject({
    text: '{"a":"","b":1}',
  });
});

/** The places of a marked schema in an object. `marked` is a value under the mark, `free` one without a mark. */
function placements(keyword: string) {
  const mark = { type: 'string', [keyword]: true };
  const other = { type: 'integer' };
  const either = { p: { anyOf: [mark, other] } };
  const object = (schema: object) => ({ type: 'object', ...schema });
  const placed: [place: string, schema: object, marked: string, free: string, left: string][] = [
    ['properties', object({ properties: { p: mark, q: text } }), '{"p":"s","q":""}', '{"q":""}', '{"q":""}'],
    ['anyOf', object({ properties: either }), '{"p":"s"}', '{"p":1}', '{}'],
    ['oneOf', object({ properties: { p: { oneOf: [other, mark] } } }), '{"p":"s"}', '{"p":1}', '{}'],
    [
      'then',
      object({ properties: { p: { if: { type: 'string' }, then: mark } } }),
      '{"p":"s"}',
      '{"p":1}',
      '{}',
    ],
    [
      'else',
      object({ properties: { p: { if: { type: 'integer' }, else: mark } } }),
      '{"p":"s"}',
      '{"p":1}',
      '{}',
    ],
    ['if', object({ properties: { p: { if: mark } } }), '{"p":"s"}', '{"p":1}', '{}'],
    [
      'a reference in anyOf',
      object({ properties: { p: { anyOf: [{ $ref: '#/components/schemas/M' }, other] } } }),
      '{"p":"s"}',
      '{"p":1}',
      '{}',
    ],
    [
      'an allOf in anyOf',
      object({ properties: { p: { anyOf: [{ allOf: [mark] }, other] } } }),
      '{"p":"s"}',
      '{"p":1}',
      '{}',
    ],
    ['patternProperties', object({ patternProperties: { '^p': mark } }), '{"p":"s"}', '{"q":1}', '{}'],
    [
      'additionalProperties',
      object({ properties: { q: text }, additionalProperties: mark }),
      '{"p":"s"}',
      '{"q":""}',
      '{}',
    ],
    [
      'unevaluatedProperties',
      object({ properties: { q: text }, unevaluatedProperties: mark }),
      '{"p":"s"}',
      '{"q":""}',
      '{}',
    ],
    [
      'dependentSchemas',
      object({ properties: { q: text }, dependentSchemas: { q: { properties: { p: mark } } } }),
      '{"q":"","p":"s"}',
      '{"q":""}',
      '{"q":""}',
    ],
    [
      'a branch of the object',
      object({
        oneOf: [{ required: ['k'], properties: { k: text, p: mark } }, { properties: { k: false, q: text } }],
      }),
      '{"k":"","p":"s"}',
      '{"k":""}',
      '{"k":""}',
    ],
    [
      'a nested object',
      object({ properties: { o: object({ properties: either }) } }),
      '{"o":{"p":"s"}}',
      '{"o":{"p":1}}',
      '{"o":{}}',
    ],
    [
      'objects in items',
      object({ properties: { o: { type: 'array', items: object({ properties: either }) } } }),
      '{"o":[{"p":"s"}]}',
      '{"o":[{"p":1}]}',
      '{"o":[{}]}',
    ],
  ];
  return placed.flatMap(([place, schema, marked, free, left]) => {
    const required = requiredBy(marked, left);
    const way = { schema, marked, free, left, schemas: { M: mark, S: schema } };
    const reference = { $ref: '#/components/schemas/S', required };
    return [
      { place, ...way },
      // In the excluded direction no keyword requires the property.
      { place: `${place}, required`, ...way, schema: { allOf: [schema, { required }] } },
      { place: `${place}, required beside a reference`, ...way, schema: reference },
    ];
  });
}
function requiredBy(marked: string, left: string): string[] {
  const names = (body: string) => Object.keys(JSON.parse(body) as object);
  return names(marked).filter((name) => !names(left).includes(name));
}

it.each(placements('readOnly'))(
  'no request has a readOnly value in $place',
  async ({ schema, marked, free, left, schemas }) => {
    expect(await receive(schema, marked, schemas)).toContain('is read-only');
    expect(await receive(schema, free, schemas)).toBe(free);
    expect(await receive(schema, left, schemas)).toBe(left);
  },
);

it.each(placements('writeOnly'))(
  'no response has a writeOnly value in $place',
  async ({ schema, marked, free, left, schemas }) => {
    const send = (body: string) =>
      respond(ok(schema), { status: 200, body: JSON.parse(body) as unknown }, { schemas });
    expect(await send(marked)).toMatchObject({ status: 200, text: left });
    expect(await send(free)).toMatchObject({ status: 200, text: free });
    expect(await send(left)).toMatchObject({ status: 200, text: left });
  },
);

it.each([
  ['items', { type: 'array', items: { ...text, writeOnly: true } }],
  ['some items', { type: 'array', items: { anyOf: [{ ...text, writeOnly: true }, int64] } }],
  ['prefixItems', { type: 'array', prefixItems: [{ ...text, writeOnly: true }] }],
  [
    'the whole array, marked by a branch',
    { type: 'array', anyOf: [{ minItems: 1, writeOnly: true }, { maxItems: 0 }] },
  ],
])('a writeOnly value that cannot be removed is not sent: %s', async (_, schema) => {
  expect(await respond(ok(schema), { status: 200, body: ['s'] })).toMatchObject({
    ...hidden,
    log: expect.stringContaining('is write-only') as string,
  });
  expect(await respond(ok(schema), { status: 200, body: [] })).toMatchObject({ status: 200 });
});

describe('a default replaces an absent property', () => {
  const big = 9007199254740993n;
  const schemas = {
    D: { type: 'integer', default: 7 },
    Deep: { type: 'object', properties: { d: { ...text, default: 'x' } } },
  };
  it.each([
    ['of the property', { properties: { p: { ...text, default: 'x' } } }, '{}', '{"p":"x"}'],
    ['unless it is present', { properties: { p: { ...text, default: 'x' } } }, '{"p":"y"}', '{"p":"y"}'],
    ['behind a reference', { properties: { p: { $ref: '#/components/schemas/D' } } }, '{}', '{"p":7}'],
    [
      'beside a reference',
      { properties: { p: { $ref: '#/components/schemas/D', default: 8 } } },
      '{}',
      '{"p":8}',
    ],
    ['in an allOf', { properties: { p: { allOf: [{ $ref: '#/components/schemas/D' }] } } }, '{}', '{"p":7}'],
    [
      'in an allOf of the object',
      { allOf: [{ properties: { p: { ...text, default: 'x' } } }] },
      '{}',
      '{"p":"x"}',
    ],
    [
      'of an object, with nested defaults',
      { properties: { p: { $ref: '#/components/schemas/Deep', default: {} } } },
      '{}',
      '{"p":{"d":"x"}}',
    ],
    [
      'in a nested object',
      { properties: { p: { $ref: '#/components/schemas/Deep' } } },
      '{"p":{}}',
      '{"p":{"d":"x"}}',
    ],
    [
      'in an item',
      { items: { $ref: '#/components/schemas/Deep' } },
      '[{},{"d":"y"}]',
      '[{"d":"x"},{"d":"y"}]',
    ],
    [
      'in the selected branch',
      {
        type: 'object',
        oneOf: [
          { required: ['k'], properties: { k: text, p: { ...text, default: 'x' } } },
          { properties: { k: false, q: { ...text, default: 'y' } } },
        ],
      },
      '{"k":""}',
      '{"k":"","p":"x"}',
    ],
    [
      'in a branch of a condition',
      {
        properties: { k: text },
        if: { required: ['k'] },
        then: { properties: { p: { ...text, default: 'x' } } },
      },
      '{"k":""}',
      '{"k":"","p":"x"}',
    ],
    ['null', { properties: { p: { type: ['null', 'string'], default: null } } }, '{}', '{"p":null}'],
    ['a list', { properties: { p: { type: 'array', items: int64, default: [1, 2] } } }, '{}', '{"p":[1,2]}'],
    ['an int64', { properties: { p: { ...int64, default: big } } }, '{}', `{"p":${big}}`],
    [
      'named constructor',
      { properties: { constructor: { ...text, default: 'x' } } },
      '{}',
      '{"constructor":"x"}',
    ],
    [
      'except for a readOnly property',
      { properties: { p: { ...text, readOnly: true, default: 'x' } } },
      '{}',
      '{}',
    ],
  ])('%s', async (_, schema, sent, received) => {
    expect(await receive({ type: ['object', 'array'], ...schema }, sent, schemas)).toBe(received);
  });

  it('as a new copy for each request', async () => {
    const content = json({
      type: 'object',
      properties: { p: { type: 'array', items: int64, default: [1] } },
    });
    const lists: unknown[][] = [];
    const postThing = ({ body }: { body: { p: unknown[] } }) => {
      lists.push([...body.p]);
      body.p.push(2);
      return Promise.resolve({ status: 204 });
    };
    const { app } = buildService({
      document: buildDocument({ operation: { requestBody: { content } } }),
      handlers: { postThing: postThing },
    });
    await request(app).post('/things').send({});
    await request(app).post('/things').send({});
    expect(lists).toEqual([[1n], [1n]]);
  });

  it.each([
    ['query', 'form'],
    ['header', 'simple'],
    ['cookie', 'form'],
  ])('of a parameter in %s', async (location, style) => {
    const parameter = (name: string, schema: object) => ({ name, in: location, style, schema });
    const parameters = [
      parameter('n', { ...int64, default: big }),
      parameter('s', { $ref: '#/components/schemas/S' }),
      parameter('l', { type: 'array', items: text, default: ['a'] }),
      parameter('none', text),
    ];
    let received: unknown;
    const postThing = (given: object) => {
      received = Reflect.get(given, location);
      return Promise.resolve({ status: 204 });
    };
    const document = buildDocument({
      operation: { parameters },
      components: { schemas: { S: { allOf: [{ ...text, default: 'x' }] } } },
    });
    const { app } = buildService({ document, handlers: { postThing: postThing } });
    await request(app).post('/things').expect(204);
    expect(received).toEqual({ n: big, s: 'x', l: ['a'] });
  });

  it('of a form', async () => {
    const schema = { type: 'object', properties: { n: { ...int64, default: 3 }, s: text } };
    let received: unknown;
    const postThing = ({ body }: { body: unknown }) => {
      received = body;
      return Promise.resolve({ status: 204 });
    };
    const content = { 'application/x-www-form-urlencoded': { schema } };
    const { app } = buildService({
      document: buildDocument({ operation: { requestBody: { content } } }),
      handlers: { postThing: postThing },
    });
    await request(app).post('/things').type('form').send('s=a&x=1').expect(204);
    expect(received).toEqual({ n: 3n, s: 'a' });
  });
});

describe('each schema applies independently of the properties that others list', () => {
  const beside = (...parts: object[]) => ({ allOf: parts });
  it.each<[string, object, unknown, unknown]>([
    [
      'additionalProperties',
      beside({ properties: { a: true } }, { additionalProperties: int64 }),
      { a: 5 },
      { a: 5n },
    ],
    [
      'additionalProperties, for a name of a pattern',
      beside({ patternProperties: { a: true } }, { additionalProperties: int64 }),
      { a: 5 },
      { a: 5n },
    ],
    [
      'unevaluatedProperties, in the same schema',
      beside({ properties: { a: true } }, { unevaluatedProperties: int64 }),
      { a: 5 },
      { a: 5n },
    ],
    [
      'unevaluatedProperties, in the outer schema',
      { ...beside({ properties: { a: true } }), unevaluatedProperties: int64 },
      { a: 5, b: 5 },
      { a: 5, b: 5n },
    ],
    ['items', beside({ prefixItems: [true] }, { items: int64 }), [5], [5n]],
    [
      'items after fewer prefixItems',
      beside({ prefixItems: [true], items: int64 }, { prefixItems: [true, true] }),
      [5, 5],
      [5, 5n],
    ],
    [
      'unevaluatedItems, in the outer schema',
      { ...beside({ prefixItems: [true] }), unevaluatedItems: int64 },
      [5, 5],
      [5, 5n],
    ],
  ])('%s', async (_, schema, sent, expected) => {
    const received: unknown[] = [];
    const { app } = buildService({
      document: buildDocument({ operation: { requestBody: { required: true, content: json(schema) } } }),
      handlers: {
        postThing: ({ body }: { readonly body?: unknown }) => {
          received.push(body);
          return Promise.resolve({ status: 204 });
        },
      },
    });
    await request(app)
      .post('/things')
      .send(sent as object)
      .expect(204);
    expect(received).toEqual([expected]);
  });
});
