import request from 'supertest';
import type { JsonObject } from '../../src/contract/document';
import type { Answer } from '../../src/contract/problem';
import { buildDocument, buildService, json } from '../support/service';

const thing = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, size: { type: 'integer', format: 'int64' } },
};

/** What a client gets, and what the log is told, when the handler of an operation returns something. */
async function respond(responses: object, answer: unknown, components: object = {}) {
  const document = buildDocument({ operation: { responses }, components });
  const handlers = { postThing: () => Promise.resolve(answer as Answer) };
  const { app, outcomes } = buildService({ document, handlers });
  const { status, text, headers } = await request(app).post('/things');
  const cause = outcomes[0]?.problem?.cause;
  return {
    status,
    text,
    headers: headers as Record<string, string>,
    log: cause instanceof Error ? cause.message : cause,
  };
}

const ok = (schema: unknown, more: object = {}) => ({
  200: { description: 'ok', content: json(schema), ...more },
});
const hidden = { status: 500, text: '{"error":50000,"message":"the server failed to answer this request"}' };

describe('what the document allows is sent as it is', () => {
  class Thing {
    constructor(private readonly secret: string) {}
    toJSON() {
      return { name: this.secret.slice(0, 1) };
    }
  }
  it.each([
    ['an object', thing, { name: 'a' }, '{"name":"a"}'],
    [
      'an int64 beyond the doubles',
      thing,
      { name: 'a', size: 2n ** 63n - 1n },
      '{"name":"a","size":9223372036854775807}',
    ],
    ['a property that is undefined is left out', thing, { name: 'a', size: undefined }, '{"name":"a"}'],
    ['what toJSON makes of it', thing, new Thing('bc'), '{"name":"b"}'],
    ['a date as text', { type: 'string', format: 'date-time' }, new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an array', { type: 'array', items: thing }, [{ name: 'a' }], '[{"name":"a"}]'],
    ['null', { type: 'null' }, null, 'null'],
    ['anything where there is no schema', true, { any: ['thing', 1.5, 10n] }, '{"any":["thing",1.5,10]}'],
  ])('%s', async (_, schema, body, text) => {
    expect(await respond(ok(schema), { status: 200, body })).toMatchObject({ status: 200, text });
  });

  it.each([
    ['the status itself', { 201: { description: '' } }, 201],
    ['its range', { '2XX': { description: '' } }, 207],
    ['default', { default: { description: '', content: json(true) } }, 418],
  ])('a status documented as %s', async (name, responses, status) => {
    const body = name === 'default' ? {} : undefined;
    expect(await respond(responses, { status, body })).toMatchObject({ status, text: body ? '{}' : '' });
  });

  it('text and bytes', async () => {
    const text = {
      200: { description: '', content: { 'text/plain': { schema: { type: 'string', maxLength: 3 } } } },
    };
    const { headers, ...sent } = await respond(text, { status: 200, body: 'ä' });
    expect([sent.text, headers['content-type'], headers['content-length']]).toEqual([
      'ä',
      'text/plain; charset=utf-8',
      '2',
    ]);
    expect(await respond(text, { status: 200, body: 'long' })).toMatchObject(hidden);
    const bytes = { 200: { description: '', content: { 'image/png': {} } } };
    expect((await respond(bytes, { status: 200, body: Buffer.from('png') })).headers['content-type']).toBe(
      'image/png',
    );
    expect(await respond(bytes, { status: 200, body: 'png' })).toMatchObject(hidden);
  });

  it('one media type of several, by name', async () => {
    const content = { ...json(thing), 'application/problem+json': { schema: { type: 'object' } } };
    const responses = { 200: { description: '', content } };
    const problem = await respond(responses, {
      status: 200,
      contentType: 'application/problem+json',
      body: {},
    });
    expect([problem.status, problem.headers['content-type']]).toEqual([200, 'application/problem+json']);
    expect(
      await respond(responses, { status: 200, contentType: 'application/json', body: {} }),
    ).toMatchObject(hidden);
    expect(await respond(responses, { status: 200, contentType: 'text/plain', body: '' })).toMatchObject(
      hidden,
    );
  });
});

describe('properties that the document does not list never leave', () => {
  const inner = { type: 'object', properties: { inner: thing } };
  const named = {
    components: {
      schemas: {
        Thing: thing,
        Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
      },
    },
  };
  const either = {
    oneOf: [
      { required: ['a'], properties: { a: { type: 'string' } } },
      { required: ['b'], properties: { b: { type: 'string' } } },
    ],
  };
  it.each([
    ['beside those listed', thing, { name: 'a', secret: 1 }, '{"name":"a"}'],
    ['in an object within', inner, { inner: { name: 'a', secret: 1 } }, '{"inner":{"name":"a"}}'],
    [
      'in the items of an array',
      { type: 'array', items: thing },
      [{ name: 'a', secret: 1 }],
      '[{"name":"a"}]',
    ],
    ['behind a $ref', { $ref: '#/components/schemas/Thing' }, { name: 'a', secret: 1 }, '{"name":"a"}'],
    [
      'in a schema that refers to itself',
      { $ref: '#/components/schemas/Node' },
      { next: { next: { x: 1 }, y: 1 } },
      '{"next":{"next":{}}}',
    ],
    [
      'beside an allOf',
      { allOf: [thing, { properties: { tag: { type: 'string' } } }] },
      { name: 'a', tag: 'b', secret: 1 },
      '{"name":"a","tag":"b"}',
    ],
    ['of another branch', either, { a: '', secret: 1 }, '{"a":""}'],
    [
      'that additionalProperties: false excludes',
      { ...thing, additionalProperties: false },
      { name: 'a', secret: 1 },
      '{"name":"a"}',
    ],
    [
      'that are writeOnly',
      { properties: { a: { type: 'string' }, b: { type: 'string', writeOnly: true } } },
      { a: '', b: '' },
      '{"a":""}',
    ],
    ['but others do where the schema lists none', { type: 'object' }, { any: 1 }, '{"any":1}'],
    [
      'or opens itself',
      { ...thing, additionalProperties: { type: 'integer' } },
      { name: 'a', any: 1 },
      '{"name":"a","any":1}',
    ],
    [
      'or has patterns',
      { ...thing, patternProperties: { '^x': true } },
      { name: 'a', x1: 1, y: 1 },
      '{"name":"a","x1":1,"y":1}',
    ],
  ])('%s', async (_, schema, body, text) => {
    expect(await respond(ok(schema), { status: 200, body }, named.components)).toMatchObject({
      status: 200,
      text,
    });
  });
});

describe('what the document does not allow never reaches the client, and the log says what was wrong', () => {
  const cyclic: Record<string, unknown> = { name: 'a' };
  cyclic['self'] = cyclic;
  const header = (required: boolean) => ({
    headers: { 'X-Count': { required, schema: { type: 'integer' } } },
  });
  it.each([
    ['an undocumented status', ok(thing), { status: 404, body: {} }, 'the status 404 is not documented'],
    [
      'a missing property',
      ok(thing),
      { status: 200, body: {} },
      "the 200 response: body must have required property 'name'",
    ],
    [
      'a wrong type',
      ok(thing),
      { status: 200, body: { name: 1 } },
      'the 200 response: body/name must be string',
    ],
    [
      'a wrong type in a 503',
      { 503: ok({ properties: { message: { type: 'string' } } })[200] },
      { status: 503, body: { message: 1 } },
      'the 503 response: body/message must be string',
    ],
    [
      'an int64 out of range',
      ok(thing),
      { status: 200, body: { name: '', size: 2n ** 63n } },
      'the 200 response: body/size must match format "int64"',
    ],
    [
      'an int64 as text',
      ok(thing),
      { status: 200, body: { name: '', size: '1' } },
      'the 200 response: body/size must be integer',
    ],
    [
      'no body where there must be one',
      ok(thing),
      { status: 200 },
      'body is of the type undefined, which JSON does not have',
    ],
    [
      'a body where there is none',
      { 204: { description: '' } },
      { status: 204, body: {} },
      'a body is not documented',
    ],
    ['NaN', ok(true), { status: 200, body: { a: [NaN] } }, 'body/a/0 is NaN, not a JSON number'],
    [
      'a function',
      ok(true),
      { status: 200, body: { a: () => 1 } },
      'body/a is of the type function, which JSON does not have',
    ],
    ['a Map', ok(true), { status: 200, body: new Map() }, 'body is a Map, which JSON does not have'],
    [
      'half of a surrogate pair',
      ok(true),
      { status: 200, body: '\ud800' },
      'body has half of a surrogate pair',
    ],
    [
      'something without an end',
      ok(true),
      { status: 200, body: cyclic },
      expect.stringContaining('nested more than 64 deep'),
    ],
    [
      'a toJSON that lies',
      ok(thing),
      { status: 200, body: { name: 'a', toJSON: () => ({}) } },
      "the 200 response: body must have required property 'name'",
    ],
    [
      'a missing header',
      ok(thing, header(true)),
      { status: 200, body: { name: '' } },
      "the 200 response: header must have required property 'X-Count'",
    ],
    [
      'a header of the wrong type',
      ok(thing, header(false)),
      { status: 200, body: { name: '' }, headers: { 'X-Count': 'x' } },
      'the 200 response: header/X-Count must be integer',
    ],
    [
      'an undocumented header',
      ok(thing),
      { status: 200, body: { name: '' }, headers: { 'X-Secret': 'x' } },
      'the header X-Secret is not documented',
    ],
    ['nothing at all', ok(thing), undefined, expect.any(String)],
    ['a number', ok(thing), 7, expect.any(String)],
  ])('%s', async (_, responses, answer, log) => {
    const { headers, ...sent } = await respond(responses, answer);
    expect(sent).toEqual({ ...hidden, log: log as unknown });
    expect(headers['x-secret']).toBeUndefined();
  });

  it('a getter that throws', async () => {
    const body = {
      get name() {
        throw new Error('secret');
      },
    };
    expect(await respond(ok(thing), { status: 200, body })).toMatchObject({ ...hidden, log: 'secret' });
  });
});

it.each(['X-Always', 'x-always', 'X-ALWAYS'])(
  'a documented header replaces one of every answer: %s',
  async (name) => {
    const responses = {
      204: { description: 'done', headers: { 'x-always': { schema: { type: 'string' } } } },
    };
    const { app } = buildService({
      document: buildDocument({ operation: { responses } }),
      handlers: { postThing: () => Promise.resolve({ status: 204, headers: { [name]: 'own' } }) },
      headers: { 'X-Always': 'usual' },
    });
    app.disable('x-powered-by'); // where it is set, Node itself sees to it that no header is sent twice
    const { headers } = await request(app).post('/things');
    expect(headers).toMatchObject({ 'x-always': 'own' });
  },
);

describe('errors thrown anywhere end in the error body', () => {
  it.each([
    ['an Error', new Error('password=secret')],
    ['an error that claims a status', Object.assign(new Error('secret'), { status: 404, expose: true })],
    ['a string', 'secret'],
    ['undefined', undefined],
  ])('%s thrown by a handler is 50000; its text is logged, never sent', async (_, thrown: unknown) => {
    const document = buildDocument();
    const fail = jest.fn().mockRejectedValue(thrown);
    const { app, outcomes } = buildService({ document, handlers: { postThing: fail } });
    const response = await request(app).post('/things');
    expect([response.status, response.text]).toEqual([hidden.status, hidden.text]);
    expect(outcomes[0]?.problem?.cause).toBe(thrown);
  });

  it('a handler that throws before it returns a promise', async () => {
    const document: JsonObject = buildDocument();
    const { app } = buildService({
      document,
      handlers: {
        postThing: () => {
          throw new Error('secret');
        },
      },
    });
    expect((await request(app).post('/things')).text).toBe(hidden.text);
  });

  it('a refusal that is not as the operation documents it', async () => {
    const short = { properties: { message: { type: 'string', maxLength: 20 } } };
    const document = buildDocument({ operation: { responses: { 400: ok(short)[200] } } });
    const handlers = { postThing: () => Promise.reject(new Error('not asked')) };
    const { app, outcomes } = buildService({ document, handlers });
    expect((await request(app).post('/things?color=green')).text).toBe(hidden.text);
    expect(outcomes[0]?.problem?.cause).toEqual(
      new Error('the 400 response: body/message must NOT have more than 20 characters'),
    );
  });
});
