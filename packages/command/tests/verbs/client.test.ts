import { clientsOfAll, compileTexts } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { type AnyClient, loadClient } from '../support/generated-client';

// What a client does with answers that no server of ours gives, and with requests that no URL or header carries.

const json = (schema: object) => ({ 'application/json': { schema } });
const int64 = { type: 'integer', format: 'int64' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const Cat = object({ kind: { const: 'cat' }, id: int64 }, { required: ['kind'] });
const Dog = object({ kind: { const: 'dog' }, id: { type: 'integer' } }, { required: ['kind'] });
const Seal = object({ kind: { const: 2n ** 60n }, id: int64 }, { required: ['kind'] });
const tree = { $ref: '#/components/schemas/Tree' };
/** Each branch leads to both again. */
const Tree = { oneOf: ['left', 'right'].map((side) => object({ child: tree, [side]: int64 })) };
const name = (place: string, schema: object = { type: 'string' }, more: object = {}) => ({
  name: 'name',
  in: place,
  required: place === 'path',
  schema,
  ...more,
});
const list = { type: 'array', items: { type: 'string' } };
const operation = (operationId: string, parameters: object[] = [], more: object = {}) => ({
  operationId,
  parameters,
  responses: {
    200: {
      description: '',
      content: { ...json({ oneOf: [Cat, Dog, Seal] }), 'application/tree+json': { schema: tree } },
    },
    404: { description: '' },
  },
  ...more,
});
const events = {
  200: {
    description: '',
    content: { 'text/event-stream': { itemSchema: object({ data: { type: 'string' } }) } },
  },
};
const pair = object({ a: int64, b: { type: 'string' } });
const HEADERS = {
  Number: { schema: { type: 'integer' } },
  List: { schema: { type: 'array', items: int64 } },
  Pairs: { schema: pair },
  Exploded: { schema: pair, explode: true },
  Json: { content: json(pair) },
};
const DOCUMENT = {
  openapi: '3.2.0',
  info: { title: 'Calls', version: '1' },
  security: [{ user: [] }, { first: [], second: [] }, {}],
  paths: {
    '/things/{name}/parts': {
      get: operation('inPath', [name('path')]),
      post: operation('inQuery', [
        name('path'),
        { ...name('query', list, { style: 'pipeDelimited', explode: false }), name: 'list' },
      ]),
    },
    '/{name}--{to}': { get: operation('between', [name('path'), { ...name('path'), name: 'to' }]) },
    '/header': {
      get: operation('inHeader', [name('header')]),
      post: operation('inHeaderList', [name('header', list)]),
      put: operation('inCookie', [name('cookie', { type: 'string' }, { style: 'cookie' })]),
      head: operation('head'),
    },
    '/headers': {
      get: operation('headers', [], { responses: { 204: { description: '', headers: HEADERS } } }),
    },
    '/body': {
      put: operation('inBody', [], { requestBody: { content: json({}) } }),
      post: operation('inLines', [], {
        requestBody: { content: { 'application/jsonl': { itemSchema: {} } } },
      }),
      get: operation('events', [], { responses: events }),
      patch: operation('inRange', [], { requestBody: { content: { 'image/*': {} } } }),
    },
  },
  components: {
    schemas: { Tree },
    securitySchemes: {
      user: { type: 'http', scheme: 'basic' },
      first: { type: 'apiKey', in: 'header', name: 'X-First' },
      second: { type: 'apiKey', in: 'query', name: 'second' },
    },
  },
};

const folder = keepFolder();
/** Its names are those of functions of the client, or differ from them. */
const ENUMS = {
  ...DOCUMENT,
  paths: {},
  components: { schemas: { Status: { enum: ['open'] }, List: { enum: ['a'] }, Shape: { enum: [1] } } },
};
let create: ReturnType<typeof loadClient>;
let ofEnums = '';
beforeAll(() => {
  const [client, enums] = clientsOfAll([DOCUMENT, ENUMS]);
  create = loadClient(folder, client?.text ?? '');
  ofEnums = enums?.text ?? '';
}, 60_000);

test('a client exports the values of enums, and its own names stay as they are', () => {
  const exported = [...ofEnums.matchAll(/^export const (\w+) = /gm)].map(([, name]) => name);
  expect(exported).toEqual([
    ...['createClient', 'statusValues', 'isStatus', 'list2Values', 'isList2', 'shapeValues', 'isShape'],
  ]);
  const { diagnosticsOf } = compileTexts(__dirname, { 'client.ts': ofEnums });
  expect(diagnosticsOf('client.ts')).toEqual([]);
});

const answer = (body: unknown, { status = 200, headers = {} }: { status?: number; headers?: object } = {}) =>
  new Response(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
const cat = () => answer({ kind: 'cat', id: 1 });

/** A client whose requests are kept and answered by these functions, one after the other. */
function clientOf(
  answers: ((request: Request) => Response | Promise<Response>)[] = [],
  options: object = {},
) {
  const requests: Request[] = [];
  const client = create({
    baseUrl: 'https://example.org/proxy/',
    fetch: async (request) => {
      requests.push(request);
      return (answers[requests.length - 1] ?? answers.at(-1) ?? cat)(request);
    },
    ...options,
  });
  return { client, requests };
}

const call = (client: AnyClient, id: string, request: object = {}) =>
  (client[id] ?? (() => Promise.reject(new Error(id))))(request);

test.each([
  ['inPath', { path: { name: '..' } }, /leads to another path/],
  ['inPath', { path: { name: '.' } }, /leads to another path/],
  ['inPath', { path: { name: '' } }, /path\/name: a path parameter cannot be empty|path\/name/],
  ['inPath', { path: { name: '\ud800' } }, /half of a surrogate pair/],
  ['inPath', { path: { name: null } }, /expected a string, a number or a boolean, got null/],
  ['between', { path: { name: 'a--b', to: 'c' } }, /path\/name: "--" ends the value/],
  ['between', { path: { name: 'a-', to: 'c' } }, /path\/name: "--" ends the value/],
  ['inQuery', { path: { name: 'a' }, query: { list: ['a|b', 'c'] } }, /separates values/],
  ['inHeader', { header: { name: 'a\r\nX-Other: b' } }, /a header field cannot carry/],
  ['inHeader', { header: { name: ' a' } }, /a header field cannot carry/],
  ['inHeader', { header: { name: 'é' } }, /a header field cannot carry/],
  ['inHeaderList', { header: { name: ['a,b'] } }, /separates values/],
  ['inCookie', { cookie: { name: 'a; other=b' } }, /a cookie cannot carry/],
  ['inRange', { body: new Uint8Array(1) }, /expected a contentType: image\/\*/],
  ['inBody', { body: { a: NaN } }, /JSON has no NaN/],
  ['inBody', { body: 'x', timeout: 2 ** 31 }, /timeout: expected/],
  ['inBody', { headers: { 'X-A': 'a\nb' } }, /headers\/X-A/],
])('%s %j is refused before anything is sent', async (id, request, message) => {
  const { client, requests } = clientOf();
  await expect(call(client, id, request)).rejects.toMatchObject({
    name: 'UnwritableRequest',
    message: expect.stringMatching(message) as string,
  });
  expect(requests).toEqual([]);
});

test('a body that contains itself is refused', async () => {
  const body: Record<string, unknown> = {};
  body['body'] = body;
  await expect(call(clientOf().client, 'inBody', { body })).rejects.toThrow(/contains itself/);
});

test('names of paths, queries and headers are encoded, and each integer is written in digits', async () => {
  const { client, requests } = clientOf();
  await call(client, 'inQuery', { path: { name: 'a/../b?c#d é' }, query: { list: ['a', '&='] } });
  await call(client, 'inBody', { body: { id: 2n ** 63n, at: new Date(0), none: undefined } });
  expect(requests[0]?.url).toBe(
    'https://example.org/proxy/things/a%2F..%2Fb%3Fc%23d%20%C3%A9/parts?list=a%7C%26%3D',
  );
  expect(await requests[1]?.text()).toBe('{"id":9223372036854775808,"at":"1970-01-01T00:00:00.000Z"}');
});

test.each([
  ['{"kind":"cat","id":1}', 1n],
  ['{"kind":"cat","id":9223372036854775807}', 9223372036854775807n],
  ['{"kind":"cat","id":9007199254740993.0}', 9007199254740993n],
  ['{"kind":"cat","id":1e3}', 1000n],
  ['{"kind":"dog","id":1}', 1],
  ['{"kind":1152921504606846976,"id":1}', 1n],
  ['{"kind":"dog","id":9007199254740993}', 9007199254740992],
])('the branch that %s takes has the integer', async (text, id) => {
  const { client } = clientOf([() => answer(text)]);
  expect(await call(client, 'inPath', { path: { name: 'a' } })).toMatchObject({ status: 200, body: { id } });
});

test('what the document does not describe is undocumented, and its response is not read', async () => {
  const redirect = () =>
    new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example' } });
  const answers = [
    () => answer('{}', { status: 418 }),
    () => answer('a proxy', { headers: { 'Content-Type': 'text/html' } }),
    redirect,
  ];
  const { client, requests } = clientOf(answers);
  for (const status of [418, 200, 302]) {
    const { status: known, response } = await call(client, 'inPath', { path: { name: 'a' } });
    expect([known, response.status, response.bodyUsed]).toEqual(['undocumented', status, false]);
  }
  expect(requests.map(({ redirect: how }) => how)).toEqual(['manual', 'manual', 'manual']);
  expect(await call(clientOf([() => new Response(null)]).client, 'head')).toMatchObject({ body: undefined });
});

test.each([
  ['{"kind":"c', /expected JSON, got "\{\\"kind\\":\\"c"/],
  ['', /expected JSON, got ""/],
  [Uint8Array.of(0x22, 0xff, 0x22), /the response is not utf-8/],
])('the answer %j is malformed', async (text, message) => {
  const { client } = clientOf([() => answer(text)]);
  await expect(call(client, 'inPath', { path: { name: 'a' } })).rejects.toMatchObject({
    name: 'MalformedAnswer',
    message: expect.stringMatching(message) as string,
  });
});

test('a request is sent once, and without an answer its error says so', async () => {
  const { client, requests } = clientOf([() => Promise.reject(new TypeError('fetch failed'))]);
  await expect(call(client, 'inPath', { path: { name: 'a' } })).rejects.toMatchObject({ name: 'NoAnswer' });
  expect(requests).toHaveLength(1);
});

test('a call ends at its timeout, and when its signal is aborted', async () => {
  const never = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener('abort', () => {
        reject(request.signal.reason as Error);
      });
    });
  const { client } = clientOf([never]);
  const request = { path: { name: 'a' } };
  await expect(call(client, 'inPath', { ...request, timeout: 1 })).rejects.toThrow(
    'inPath: no response within 1 ms',
  );
  const reason = new Error('enough');
  await expect(call(client, 'inPath', { ...request, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

test('a call has the credentials of the first alternative that is complete', async () => {
  const user = { username: 'é', password: 'a:b' };
  const sent = [];
  for (const credentials of [
    { user, first: 'a' },
    { first: 'a', second: () => Promise.resolve('b') },
    { first: 'a', second: () => '', user: () => undefined },
    {},
  ]) {
    const { client, requests } = clientOf([], { credentials });
    await call(client, 'inPath', { path: { name: 'a' } });
    sent.push([
      requests[0]?.headers.get('authorization'),
      requests[0]?.headers.get('x-first'),
      requests[0]?.url.split('?')[1],
    ]);
  }
  const basic = `Basic ${Buffer.from('é:a:b').toString('base64')}`;
  expect(sent).toEqual([
    [basic, null, undefined],
    [null, 'a', 'second=b'],
    [null, null, undefined],
    [null, null, undefined],
  ]);
});

test.each([1, 2, 3, 1000])(
  'events are read from pieces of %i bytes, and who stops reading ends the answer',
  async (size) => {
    const bytes = new TextEncoder().encode(
      '\ufeff:a comment\r\nid: 1\r\ndata: é\r\ndata:\r\n\r\ndata\n\nevent: x\rdata:  y\r\rretry: 5\ndata: z\n\ndata: no end',
    );
    let ended = false;
    let at = 0;
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
        if (at >= bytes.length) controller.close();
      },
      cancel() {
        ended = true;
      },
    });
    const { client } = clientOf([
      () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }),
    ]);
    const { body: items } = await call(client, 'events');
    const seen: unknown[] = [];
    for await (const item of items as AsyncIterable<unknown>) {
      seen.push(item);
      if (seen.length === 4) break;
    }
    expect(seen).toEqual([
      { id: '1', data: 'é\n' },
      { data: '' },
      { event: 'x', data: ' y' },
      { retry: 5, data: 'z' },
    ]);
    expect(ended).toBe(size < 10);
  },
);

test('an event is bounded, however many lines it has', async () => {
  const line = `data: ${'x'.repeat(2 ** 20)}\n`;
  const { client } = clientOf([
    () => answer(line.repeat(17), { headers: { 'Content-Type': 'text/event-stream' } }),
  ]);
  const { body } = await call(client, 'events');
  const reading = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
  await expect(reading).rejects.toThrow('an item has more than 16777216 characters');
});

test('header fields of an answer have the types of the document', async () => {
  const headers = {
    Number: '1',
    List: '1, 2',
    Pairs: 'a,1,b,2',
    Exploded: 'a=1,b=2',
    Json: '{"a":1,"b":"2"}',
  };
  const { client } = clientOf([() => new Response(null, { status: 204, headers })]);
  const value = { a: 1n, b: '2' };
  expect(await call(client, 'headers')).toMatchObject({
    headers: { Number: 1, List: [1n, 2n], Pairs: value, Exploded: value, Json: value },
  });
});

test('branches that lead to each other are judged once at each place', async () => {
  // What fits no branch has been judged by all of them.
  const text = `${'{"child":'.repeat(12)}{"left":"a","right":"a"}${'}'.repeat(12)}`;
  const keys = jest.spyOn(Object, 'keys');
  const { client } = clientOf([() => answer(text, { headers: { 'Content-Type': 'application/tree+json' } })]);
  const { body } = await call(client, 'inPath', { path: { name: 'a' } });
  expect(keys.mock.calls.length).toBeLessThan(500);
  keys.mockRestore();
  expect(JSON.stringify(body)).toBe(text);
});

test('items are sent as they are made', async () => {
  const sent: string[] = [];
  const { client } = clientOf([
    async (request) => {
      sent.push(await request.text());
      return cat();
    },
  ]);
  await call(client, 'inLines', { body: [{ id: 2n ** 60n }, 'a\nb'] });
  expect(sent).toEqual(['{"id":1152921504606846976}\n"a\\nb"\n']);
});

test.each([
  'example.org',
  '',
  'file:///etc/passwd',
  'https://user:secret@example.org',
  'https://example.org/?a=b',
])('%j is no base URL', (baseUrl) => {
  expect(() => create({ baseUrl })).toThrow(/^baseUrl: expected/);
});
