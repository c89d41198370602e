import request from 'supertest';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { ask, receive, send } from './receive';
import { hidden, ok, respond } from './respond';

const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };

describe('a handler and a client receive the properties that a schema lists', () => {
  const listed = { type: 'object', properties: { a: text } };
  const schemas = {
    Listed: listed,
    Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
  };
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
    [
      'in a schema that refers to itself',
      { $ref: '#/components/schemas/Node' },
      '{"next":{"next":{"x":1},"y":1}}',
      '{"next":{"next":{}}}',
    ],
    [
      'of the branch that a condition selects',
      {
        properties: { a: text },
        if: { required: ['a'] },
        then: { properties: { b: text } },
        else: { properties: { c: text } },
      },
      '{"a":"","b":"","c":""}',
      '{"a":"","b":""}',
    ],
    [
      'of dependentSchemas',
      { ...listed, dependentSchemas: { a: { properties: { b: text } }, x: { properties: { y: text } } } },
      '{"a":"","b":"","y":""}',
      '{"a":"","b":""}',
    ],
    [
      'in the first items of an array, and in its others',
      { prefixItems: [listed], items: { properties: { o: listed } } },
      '[{"a":"","x":1},{"o":{"x":1},"x":1}]',
      '[{"a":""},{"o":{}}]',
    ],
    [
      'but names of a pattern, too',
      { ...listed, patternProperties: { '^x': true } },
      '{"a":"","x1":1,"y":1}',
      '{"a":"","x1":1,"y":1}',
    ],
  ])('%s', async (_, schema, sent, received) => {
    expect(await receive(schema, sent, schemas)).toBe(received);
    const answer = { status: 200, body: JSON.parse(sent) as unknown };
    expect(await respond(ok(schema), answer, { schemas })).toMatchObject({ status: 200, text: received });
  });
});

/** The places of a marked schema in an object. `marked` is a value under the mark, `free` one without a mark. */
function placements(keyword: string) {
  const mark = { type: 'string', [keyword]: true };
  const other = { type: 'integer' };
  const either = { anyOf: [mark, other] };
  const object = (schema: object) => ({ type: 'object', ...schema });
  const p = (schema: object) => object({ properties: { p: schema } });
  const list = { type: 'array', items: p(either) };
  const [isText, isInteger] = [
    { if: { type: 'string' }, then: mark },
    { if: other, else: mark },
  ];
  const branches = [
    { required: ['k'], properties: { k: text, p: mark } },
    { properties: { k: false, q: text } },
  ];
  const dependent = { q: { properties: { p: mark } } };
  const unlisted = (keyword: string) => object({ properties: { q: text }, [keyword]: mark });
  type Values = [marked: string, free: string, left: string];
  const marked = (of: object): [object, ...Values] => [
    object({ properties: { p: of, q: text } }),
    ...(['{"p":"s","q":""}', '{"q":""}', '{"q":""}'] as Values),
  ];
  const placed: [place: string, schema: object, ...values: Values | []][] = [
    ['properties', ...marked(mark)],
    ['a property beside a reference', ...marked({ $ref: '#/components/schemas/T', [keyword]: true })],
    ['the target of a reference', ...marked({ $ref: '#/components/schemas/M' })],
    ['an allOf of a property', ...marked({ allOf: [text, { [keyword]: true }] })],
    ['anyOf', p(either)],
    ['oneOf', p({ oneOf: [other, mark] })],
    ['then', p(isText)],
    ['else', p(isInteger)],
    ['if', p({ if: mark })],
    ['a reference in anyOf', p({ anyOf: [{ $ref: '#/components/schemas/M' }, other] })],
    ['an allOf in anyOf', p({ anyOf: [{ allOf: [mark] }, other] })],
    ['patternProperties', object({ patternProperties: { '^p': mark } }), '{"p":"s"}', '{"q":1}', '{}'],
    ['additionalProperties', unlisted('additionalProperties'), '{"p":"s"}', '{"q":""}', '{}'],
    ['unevaluatedProperties', unlisted('unevaluatedProperties'), '{"p":"s"}', '{"q":""}', '{}'],
    [
      'dependentSchemas',
      object({ properties: { q: text }, dependentSchemas: dependent }),
      ...(['{"q":"","p":"s"}', '{"q":""}', '{"q":""}'] as Values),
    ],
    ['a branch of the object', object({ oneOf: branches }), '{"k":"","p":"s"}', '{"k":""}', '{"k":""}'],
    [
      'a nested object',
      object({ properties: { o: p(either) } }),
      '{"o":{"p":"s"}}',
      '{"o":{"p":1}}',
      '{"o":{}}',
    ],
    [
      'objects in items',
      object({ properties: { o: list } }),
      '{"o":[{"p":"s"}]}',
      '{"o":[{"p":1}]}',
      '{"o":[{}]}',
    ],
  ];
  return placed.flatMap(([place, schema, marked = '{"p":"s"}', free = '{"p":1}', left = '{}']) => {
    const required = requiredBy(marked, left);
    const way = { schema, marked, free, left, schemas: { M: mark, S: schema, T: text } };
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
  const [D, Deep] = [{ $ref: '#/components/schemas/D' }, { $ref: '#/components/schemas/Deep' }];
  const x = { ...text, default: 'x' };
  const branches = [
    { required: ['k'], properties: { k: text, p: x } },
    { properties: { k: false, q: { ...text, default: 'y' } } },
  ];
  const condition = { properties: { k: text }, if: { required: ['k'] }, then: { properties: { p: x } } };
  it.each<[place: string, schema: object, received: string, sent?: string]>([
    ['of the property', { properties: { p: x } }, '{"p":"x"}'],
    ['unless it is present', { properties: { p: x } }, '{"p":"y"}', '{"p":"y"}'],
    ['behind a reference', { properties: { p: D } }, '{"p":7}'],
    ['beside a reference', { properties: { p: { ...D, default: 8 } } }, '{"p":8}'],
    ['in an allOf', { properties: { p: { allOf: [D] } } }, '{"p":7}'],
    ['in an allOf of the object', { allOf: [{ properties: { p: x } }] }, '{"p":"x"}'],
    [
      'of an object, with nested defaults',
      { properties: { p: { ...Deep, default: {} } } },
      '{"p":{"d":"x"}}',
    ],
    ['in a nested object', { properties: { p: Deep } }, '{"p":{"d":"x"}}', '{"p":{}}'],
    ['in an item', { items: Deep }, '[{"d":"x"},{"d":"y"}]', '[{},{"d":"y"}]'],
    ['in the selected branch', { type: 'object', oneOf: branches }, '{"k":"","p":"x"}', '{"k":""}'],
    ['in a branch of a condition', condition, '{"k":"","p":"x"}', '{"k":""}'],
    ['null', { properties: { p: { type: ['null', 'string'], default: null } } }, '{"p":null}'],
    ['a list', { properties: { p: { type: 'array', items: int64, default: [1, 2] } } }, '{"p":[1,2]}'],
    ['an int64', { properties: { p: { ...int64, default: big } } }, `{"p":${big}}`],
    ['named constructor', { properties: { constructor: x } }, '{"constructor":"x"}'],
    ['except for a readOnly property', { properties: { p: { ...x, readOnly: true } } }, '{}'],
  ])('%s', async (_, schema, received, sent = '{}') => {
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
    const schemas = { S: { allOf: [{ ...text, default: 'x' }] } };
    const { given } = await ask({ parameters }, undefined, { schemas });
    expect(given?.[location]).toEqual({ n: big, s: 'x', l: ['a'] });
  });

  it('of a form', async () => {
    const schema = { type: 'object', properties: { n: { ...int64, default: 3 }, s: text } };
    const content = { 'application/x-www-form-urlencoded': { schema } };
    const { given } = await ask({ requestBody: { content } }, (client) =>
      client.type('form').send('s=a&x=1'),
    );
    expect(given?.['body']).toEqual({ n: 3n, s: 'a' });
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
    expect((await send(schema, sent)).given).toMatchObject({ body: expected });
  });
});
