import request from 'supertest';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { hidden, ok, respond, thing } from './respond';

describe('a documented response is sent unchanged', () => {
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
    ['a property that is undefined is removed', thing, { name: 'a', size: undefined }, '{"name":"a"}'],
    ['the result of toJSON', thing, new Thing('bc'), '{"name":"b"}'],
    ['a date as text', { type: 'string', format: 'date-time' }, new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an array', { type: 'array', items: thing }, [{ name: 'a' }], '[{"name":"a"}]'],
    ['null', { type: 'null' }, null, 'null'],
    ['any value without a schema', true, { any: ['thing', 1.5, 10n] }, '{"any":["thing",1.5,10]}'],
  ])('%s', async (_, schema, body, text) => {
    expect(await respond(ok(schema), { status: 200, body })).toMatchObject({ status: 200, text });
  });

  // send.ts writes long texts otherwise than short ones, and ASCII otherwise than the rest.
  it.each(
    ['a', '\u00e4', '\u{1f335}'].flatMap((last) =>
      [131_069, 131_070, 131_071].map((length) => [length, last] as const),
    ),
  )('a text of %d characters that ends in %s', async (length, last) => {
    const body = 'a'.repeat(length - last.length) + last;
    const { text, headers } = await respond(ok({ type: 'string' }), { status: 200, body });
    expect(text === JSON.stringify(body)).toBe(true);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
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

it('a property that additionalProperties: false excludes is removed, too', async () => {
  const answer = { status: 200, body: { name: 'a', secret: 1 } };
  const closed = { ...thing, additionalProperties: false };
  expect(await respond(ok(closed), answer)).toMatchObject({ status: 200, text: '{"name":"a"}' });
});

it.each(['X-Always', 'x-always', 'X-ALWAYS'])(
  'a documented header replaces one of every response: %s',
  async (name) => {
    const responses = {
      204: { description: 'done', headers: { 'x-always': { schema: { type: 'string' } } } },
    };
    const { app } = buildService({
      document: buildDocument({ operation: { responses } }),
      handlers: { postThing: () => Promise.resolve({ status: 204, headers: { [name]: 'own' } }) },
      headers: { 'X-Always': 'usual' },
    });
    app.disable('x-powered-by'); // with it, Node itself prevents duplicate headers
    const { headers } = await request(app).post('/things');
    expect(headers).toMatchObject({ 'x-always': 'own' });
  },
);
