import request from 'supertest';
import { createHandlers } from '../../src/handlers';
import { openMemoryStore } from '../../src/storage/memory';
import { EXAMPLE } from '../../scripts/testing/client';
import { listening } from '../../scripts/testing/listening';
import { AUTHORIZED, buildApp, inMemory } from '../../scripts/testing/plant-service';
import { exchange } from '../../scripts/testing/wire';

/** Compiled once for all requests. Each plant is created in a store of its own, so that no request depends on another. */
const APP = buildApp({
  handlers: createHandlers(
    inMemory({ ...openMemoryStore(), create: (plant) => openMemoryStore().create(plant) }),
  ),
});

/** The example request with this body. The headers replace those of a valid request. */
const post = (body: string | Buffer, headers: Record<string, string> = {}, app = APP) =>
  request(app)
    .post(EXAMPLE.path)
    .set({ ...EXAMPLE.headers, ...AUTHORIZED, 'Content-Type': 'application/json', ...headers })
    .serialize((text: unknown) => text as string)
    .send(body);

const error = (number: number, message: unknown = expect.any(String)) => ({ error: number, message });

describe('a conforming request is answered 200', () => {
  it.each([
    ['with a tag', '{"id":1,"name":"Monstera","tag":"tropical"}', '{"name":"Monstera","tag":"tropical"}'],
    ['with the largest id', '{"id":9223372036854775807,"name":""}', '{"name":""}'],
    ['with an id that a double cannot represent', '{"id":9007199254740993,"name":""}', '{"name":""}'],
    ['with an id of 1.0', '{"id":1.0,"name":""}', '{"name":""}'],
    ['with an id of 1e2', '{"id":1e2,"name":""}', '{"name":""}'],
    ['with U+0000 in its name', '{"id":1,"name":"a\\u0000b"}', '{"name":"a\\u0000b"}'],
    ['with an emoji in its name', '{"id":1,"name":"\\ud83c\\udf35"}', '{"name":"🌵"}'],
    ['with white space around', ' \r\n\t{"id":1,"name":""} ', '{"name":""}'],
    ['with unlisted properties', '{"id":1,"name":"","color":"green"}', '{"name":""}'],
    ['nested 64 deep', `{"id":1,"name":"","x":${'['.repeat(63)}${']'.repeat(63)}}`, '{"name":""}'],
  ])('%s', async (_, body, answer) => {
    const response = await post(body);
    expect([response.status, response.text]).toEqual([200, answer]);
    expect(response.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['application/json;charset=utf-8'],
    ['Application/JSON; Charset="UTF-8"'],
    ['application/json ; x=1'],
    ['application/json;'],
  ])('of the media type %s', async (type) => {
    expect((await post('{"id":1,"name":""}', { 'Content-Type': type })).status).toBe(200);
  });

  it('distinguishes every int64 from its neighbors', async () => {
    const app = buildApp();
    expect((await post('{"id":9007199254740993,"name":"one"}', {}, app)).status).toBe(200);
    expect((await post('{"id":9007199254740992,"name":"other"}', {}, app)).status).toBe(200);
    expect((await post('{"id":9007199254740993,"name":"other"}', {}, app)).body).toEqual(error(40002));
  });
});

describe('a body that does not match the document is 400 / 40001, with the place and the rule', () => {
  it.each([
    ['', 'body is required'],
    ['{"id":1.00000000000000000001,"name":""}', 'body/id must be integer'],
    ['{"id":9007199254740992.5,"name":""}', 'body/id must be integer'],
    ['{"id":9223372036854775808,"name":""}', 'body/id must match format "int64"'],
    ['{"id":1e300,"name":""}', 'body/id must match format "int64"'],
    [
      '{"id":"1","name":5,"tag":[]}',
      'body/name must be string; body/tag must be string; body/id must be integer',
    ],
  ])('%s', async (body, message) => {
    const response = await post(body);
    expect([response.status, response.body]).toEqual([400, error(40001, message)]);
  });

  it('never repeats client data', async () => {
    const response = await post('{"id":"hunter2","name":5}');
    expect(response.text).not.toContain('hunter2');
  });
});

it.each(['gzip', 'identity, gzip', 'x'])(
  'a body encoded with %s is 415, and says what is accepted',
  async (encoding) => {
    const response = await post('{"id":1,"name":""}', { 'Content-Encoding': encoding });
    expect([response.status, response.headers['accept-encoding']]).toEqual([415, 'identity']);
  },
);

it.each(['', '?x', '?x=%ff'])('a malformed body comes before the query %p', async (query) => {
  const response = await request(APP)
    .post(`/plants${query}`)
    .set({ ...AUTHORIZED, 'Content-Type': 'application/json' })
    .send('{"id":"');
  expect(response.body).toEqual(error(40000));
});

it.each(['http://example.com/plants', 'HTTP://x/plants'])(
  'the absolute-form %s counts as its path, with every check',
  async (target) => {
    const [reply] = await listening(APP, (port) =>
      exchange(port, `POST ${target} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    expect(reply?.status).toBe(401);
  },
);
