import request from 'supertest';
import { createHandlers } from '../../src/handlers';
import { openMemoryStore } from '../../src/storage/memory';
import { EXAMPLE } from '../support/client';
import { AUTHORIZED, buildApp, listening, TOKEN } from '../support/service';
import { exchange } from '../support/wire';

/** Compiled once for all requests. Each plant is created in a store of its own, so that no request depends on another. */
const APP = buildApp({
  handlers: createHandlers({ ...openMemoryStore(), create: (plant) => openMemoryStore().create(plant) }),
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
    ['the smallest', '{"id":1,"name":"Monstera"}', '{"name":"Monstera"}'],
    ['with a tag', '{"id":1,"name":"Monstera","tag":"tropical"}', '{"name":"Monstera","tag":"tropical"}'],
    ['with the largest id', '{"id":9223372036854775807,"name":""}', '{"name":""}'],
    ['with the smallest id', '{"id":-9223372036854775808,"name":""}', '{"name":""}'],
    ['with an id that a double cannot represent', '{"id":9007199254740993,"name":""}', '{"name":""}'],
    ['with an id of 1.0', '{"id":1.0,"name":""}', '{"name":""}'],
    ['with an id of 1e2', '{"id":1e2,"name":""}', '{"name":""}'],
    ['with U+0000 in its name', '{"id":1,"name":"a\\u0000b"}', '{"name":"a\\u0000b"}'],
    ['with an emoji in its name', '{"id":1,"name":"\\ud83c\\udf35"}', '{"name":"🌵"}'],
    ['with white space around', ' \r\n\t{"id":1,"name":""} ', '{"name":""}'],
    ['with unlisted properties', '{"id":1,"name":"","color":"green"}', '{"name":""}'],
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

describe('creating twice', () => {
  it('the same plant is a safe retry', async () => {
    const app = buildApp();
    await post('{"id":1,"name":"Monstera","tag":"tropical"}', {}, app);
    const again = await post('{"tag":"tropical","name":"Monstera","id":1}', {}, app);
    expect([again.status, again.body]).toEqual([200, { name: 'Monstera', tag: 'tropical' }]);
  });

  it.each([
    ['another name', '{"id":1,"name":"Ficus","tag":"tropical"}'],
    ['another tag', '{"id":1,"name":"Monstera","tag":"wet"}'],
    ['no tag', '{"id":1,"name":"Monstera"}'],
  ])('the same id with %s is refused', async (_, body) => {
    const app = buildApp();
    await post('{"id":1,"name":"Monstera","tag":"tropical"}', {}, app);
    const other = await post(body, {}, app);
    expect([other.status, other.body]).toEqual([400, error(40002, 'body/id 1 already names another plant')]);
  });
});

describe('a body that does not match the document is 400 / 40001, with the place and the rule', () => {
  it.each([
    ['', 'body is required'],
    ['null', 'body must be object'],
    ['[]', 'body must be object'],
    ['{"id":1}', "body must have required property 'name'"],
    ['{"name":""}', "body must have required property 'id'"],
    ['{"id":"1","name":""}', 'body/id must be integer'],
    ['{"id":1.5,"name":""}', 'body/id must be integer'],
    ['{"id":1.00000000000000000001,"name":""}', 'body/id must be integer'],
    ['{"id":9007199254740992.5,"name":""}', 'body/id must be integer'],
    ['{"id":9223372036854775808,"name":""}', 'body/id must match format "int64"'],
    ['{"id":-9223372036854775809,"name":""}', 'body/id must match format "int64"'],
    ['{"id":1e300,"name":""}', 'body/id must match format "int64"'],
    ['{"id":null,"name":""}', 'body/id must be integer'],
    ['{"id":1,"name":5}', 'body/name must be string'],
    ['{"id":1,"name":null}', 'body/name must be string'],
    ['{"id":1,"name":"","tag":null}', 'body/tag must be string'],
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

describe('a body that is not well-formed is 400 / 40000', () => {
  it.each([
    ['white space only', ' \n'],
    ['an incomplete text', '{"id":1,"name":"'],
    ['text after the value', '{"id":1,"name":""}x'],
    ['a trailing comma', '{"id":1,"name":"",}'],
    ['single quotes', "{'id':1}"],
    ['a number with a leading zero', '{"id":01,"name":""}'],
    ['NaN', '{"id":NaN,"name":""}'],
    ['a number beyond the doubles', '{"id":1e400,"name":""}'],
    ['a control character in a string', '{"id":1,"name":"\u0001"}'],
    ['an unknown escape', '{"id":1,"name":"\\x"}'],
    ['half of a surrogate pair', '{"id":1,"name":"\\ud800"}'],
    ['halves in the wrong order', '{"id":1,"name":"\\udf35\\ud83c"}'],
    ['a duplicate name', '{"id":1,"name":"","id":2}'],
    ['a duplicate name, once escaped', '{"id":1,"name":"","\\u0069d":2}'],
    ['the name __proto__', '{"id":1,"name":"","__proto__":{"tag":"x"}}'],
    ['nesting 65 deep', `{"id":1,"name":"","x":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['nesting 40,000 deep', '['.repeat(40_000)],
    ['a byte order mark', '\ufeff{"id":1,"name":""}'],
    ['bytes that are not UTF-8', Buffer.from('{"id":1,"name":"\xff"}', 'latin1')],
    [
      'a surrogate encoded as UTF-8',
      Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    [
      'an overlong encoding',
      Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from('{"id":1,"name":""}', 'utf16le')],
  ])('%s', async (_, body) => {
    const response = await post(body);
    expect([response.status, response.body]).toEqual([400, error(40000)]);
  });

  it('nesting of depth 64 is well-formed', async () => {
    const response = await post(`{"id":1,"name":"","x":${'['.repeat(63)}${']'.repeat(63)}}`);
    expect(response.status).toBe(200);
  });
});

describe('an undocumented media type, charset or encoding is 415 / 41500', () => {
  it.each([
    ['text/plain'],
    ['application/jsonp'],
    ['application/json+x'],
    ['application/*'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=latin1'],
    ['application/json; charset=utf-7'],
    ['application/json; charset=utf-8; charset=utf-7'],
    ['application/json, application/json'],
    ['application/json x'],
    ['json'],
  ])('%s', async (type) => {
    const response = await post('{"id":1,"name":""}', { 'Content-Type': type });
    expect([response.status, response.body]).toEqual([415, error(41500)]);
  });

  it('a body without a Content-Type', async () => {
    const [reply] = await listening(APP, (port) =>
      exchange(
        port,
        `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 2\r\n\r\n{}`,
      ),
    );
    expect([reply?.status, reply?.body]).toEqual([415, expect.stringContaining('"error":41500')]);
  });

  it.each(['gzip', 'deflate', 'br', 'identity, gzip', 'x'])('a body encoded with %s', async (encoding) => {
    const response = await post('{"id":1,"name":""}', { 'Content-Encoding': encoding });
    expect([response.status, response.headers['accept-encoding']]).toEqual([415, 'identity']);
  });
});

describe('credentials come from the Authorization header only, exactly once', () => {
  const unauthorized = (challenge: string, number: number) => [401, challenge, error(number)];
  // The challenges of other schemes follow.
  const got = (r: request.Response): unknown => [
    r.status,
    /^Bearer \w+="[^"]*"(?:, \w+="[^"]*")*/.exec(r.headers['www-authenticate'] ?? '')?.[0],
    r.body,
  ];

  it.each([['Bearer'], ['bearer'], ['BEARER'], ['bEaReR']])(
    'the scheme %s is accepted in any case',
    async (scheme) => {
      expect((await post('{"id":1,"name":""}', { Authorization: `${scheme} ${TOKEN}` })).status).toBe(200);
    },
  );

  it.each([
    ['no header', ''],
    ['another scheme', 'Basic YTpi'],
    ['another scheme', 'Basic xbearerx'],
    ['the token alone', TOKEN],
  ])('%s is 40100 with a challenge without an error', async (_, field) => {
    const response = await request(APP)
      .post('/plants')
      .set(field === '' ? {} : { Authorization: field })
      .send({ id: 1, name: '', access_token: TOKEN });
    expect(got(response)).toEqual(unauthorized('Bearer realm="api"', 40100));
  });

  it.each([
    ['another token', 'Bearer nope'],
    ['text after the token', `Bearer ${TOKEN} x`],
    ['no token after the scheme', 'Bearer'],
    ['a token in quotes', `Bearer "${TOKEN}"`],
    ['a prefix of the token', `Bearer ${TOKEN.slice(0, -1)}`],
  ])('%s is 40101 with the error invalid_token', async (_, field) => {
    expect(got(await post('{"id":1,"name":""}', { Authorization: field }))).toEqual(
      unauthorized('Bearer realm="api", error="invalid_token"', 40101),
    );
  });

  it('two headers are refused, even if both are valid', async () => {
    const head = `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    const [reply] = await listening(APP, (port) => exchange(port, `${head}Content-Length: 0\r\n\r\n`));
    expect([reply?.status, reply?.body]).toEqual([400, expect.stringContaining('"error":40001')]);
    expect(reply?.headers['www-authenticate']).toBe('Bearer realm="api", error="invalid_request"');
  });

  it('a token in the query is ignored', async () => {
    const response = await request(APP).post(`/plants?access_token=${TOKEN}`).send({ id: 1, name: '' });
    expect(response.body).toEqual(error(40100));
  });
});

describe('the order of refusal is path, method, token, media type, size, well-formedness, schema', () => {
  const wrong = { type: 'text/plain', body: '{'.repeat(200_000), query: '?x' };
  it.each([
    ['path', 'POST', '/plant', {}, 404],
    ['method', 'PUT', '/plants', {}, 405],
    ['token', 'POST', '/plants', {}, 401],
    ['media type', 'POST', '/plants', AUTHORIZED, 415],
    ['size', 'POST', '/plants', { ...AUTHORIZED, 'Content-Type': 'application/json' }, 413],
  ])('%s', async (_, method, path, headers, status) => {
    const fields = Object.entries({ 'Content-Type': wrong.type, ...headers }).map(
      ([k, v]) => `${k}: ${v}\r\n`,
    );
    const head = `${method} ${path}${wrong.query} HTTP/1.1\r\nHost: x\r\n${fields.join('')}Content-Length: ${wrong.body.length}\r\n\r\n`;
    const [reply] = await listening(APP, (port) => exchange(port, head + wrong.body));
    expect(reply?.status).toBe(status);
  });

  it.each(['', '?x', '?x=%ff'])('well-formedness, with the query %p', async (query) => {
    const response = await request(APP)
      .post(`/plants${query}`)
      .set({ ...AUTHORIZED, 'Content-Type': 'application/json' })
      .send('{"id":"');
    expect(response.body).toEqual(error(40000));
  });
});

describe('paths are exactly those of the document', () => {
  it.each([
    '/',
    '/plants/',
    '/Plants',
    '//plants',
    '/plants//',
    '/pl%61nts',
    '/./plants',
    '/plants/1',
    '/plants%2f',
    '/plants;x',
  ])('%s is 404', async (path) => {
    const [reply] = await listening(APP, (port) =>
      exchange(port, `POST ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    expect([reply?.status, reply?.body]).toEqual([404, expect.stringContaining('"error":40400')]);
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

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'M-SEARCH'])(
    '%s is 405 with Allow',
    async (method) => {
      const [reply] = await listening(APP, (port) =>
        exchange(port, `${method} /plants HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 2),
      );
      expect([reply?.status, reply?.headers['allow']]).toEqual([405, 'POST']);
      if (method !== 'HEAD') expect(reply?.body).toContain('"error":40500');
    },
  );

  it('an undocumented query parameter is refused', async () => {
    const response = await request(APP).post('/plants?x=1').set(AUTHORIZED).send({ id: 1, name: '' });
    expect([response.status, response.body]).toEqual([400, error(40001)]);
  });
});
