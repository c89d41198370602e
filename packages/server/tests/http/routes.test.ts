import request from 'supertest';
import { compileContract } from 'contract-first-server/tools';
import { InvalidContract, type JsonObject } from 'contract-first-server';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

const DONE = { responses: { 204: { description: 'done' } } };
const inPath = (...names: string[]) =>
  names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

function findings(paths: JsonObject): string[] {
  try {
    compileContract(buildDocument({ paths }), undefined);
  } catch (error) {
    if (error instanceof InvalidContract) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('ambiguous paths are refused', () => {
  it.each<[string, JsonObject, string]>([
    [
      'other names of template expressions',
      {
        '/{a}': { get: { operationId: 'one', parameters: inPath('a'), ...DONE } },
        '/{b}': { get: { operationId: 'two', parameters: inPath('b'), ...DONE } },
      },
      '#/paths/~1{b}: /{b} matches the same requests as /{a}: use one of the two',
    ],
    [
      'another spelling',
      {
        '/\u00e9': { get: { operationId: 'one', ...DONE } },
        '/%C3%A9': { get: { operationId: 'two', ...DONE } },
      },
      '#/paths/~1%C3%A9: /%C3%A9 matches the same requests as /\u00e9: use one of the two',
    ],
    [
      'a query',
      { '/a?b=c': { get: { operationId: 'one', ...DONE } } },
      '#/paths/~1a?b=c: a path cannot contain "?" or "#": describe a query by parameters',
    ],
    [
      'a fragment',
      { '/a#b': { get: { operationId: 'one', ...DONE } } },
      '#/paths/~1a#b: a path cannot contain "?" or "#": describe a query by parameters',
    ],
    [
      'one name twice',
      { '/{a}/{a}': { get: { operationId: 'one', parameters: inPath('a'), ...DONE } } },
      '#/paths/~1{a}~1{a}: has the template expression {a} twice',
    ],
  ])('%s', (_, paths, finding) => {
    expect(findings(paths)).toContainEqual(expect.stringContaining(finding));
  });
});

describe('one path under two names', () => {
  const METHODS = ['get', 'put', 'post', 'delete', 'options', 'patch', 'trace'];
  const PAIRS = METHODS.flatMap((one) =>
    METHODS.filter((two) => two !== one).map((two) => [one, two] as const),
  );

  it.each(PAIRS)('serves the methods of both: %s and %s', async (one, two) => {
    const operation = (name: string) => ({ operationId: name, parameters: inPath(name), ...DONE });
    const document = buildDocument({
      paths: { '/é/{a}': { [one]: operation('a') }, '/%C3%A9/{b}': { [two]: operation('b') } },
    });
    const answer =
      (name: string) =>
      ({ path }: { path: object }) => {
        expect(path).toEqual({ [name]: 'x' });
        return Promise.resolve({ status: 204 });
      };
    const { app } = buildService({ document, handlers: { a: answer('a'), b: answer('b') } });
    for (const method of [one, two] as ('get' | 'put')[]) await request(app)[method]('/%C3%A9/x').expect(204);
    expect(compileContract(document).remarks).toEqual([
      {
        pointer: '/paths/~1%C3%A9~1{b}',
        message: '/%C3%A9/{b} is the same path as /é/{a}: the methods of both are served under it',
        keyword: 'Paths path',
      },
    ]);
  });
});

describe('HEAD', () => {
  const text = { responses: { 200: { description: '', content: json({ type: 'string' }) } } };
  const { app, outcomes } = buildService({
    document: buildDocument({
      paths: {
        '/got': { get: { operationId: 'get', ...text }, post: { operationId: 'post', ...DONE } },
        '/own': { get: { operationId: 'getOwn', ...text }, head: { operationId: 'headOwn', ...DONE } },
      },
    }),
    handlers: {
      get: () => Promise.resolve({ status: 200, body: 'a' }),
      getOwn: () => Promise.resolve({ status: 200, body: 'a' }),
      post: () => Promise.resolve({ status: 204 }),
      headOwn: () => Promise.resolve({ status: 204 }),
    },
  });
  const ask = (method: string, path: string) =>
    listening(app, (port) =>
      exchange(port, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 2),
    );

  it('has the response of GET without the body', async () => {
    const [got, head] = [await request(app).get('/got'), await request(app).head('/got')];
    const headers = ({ headers: { date, ...others } }: request.Response): unknown => [typeof date, others];
    expect([head.status, headers(head)]).toEqual([200, headers(got)]);
    expect(head.headers['content-length']).toBe('3');
    expect(head.text).toBeUndefined();
    expect(outcomes.at(-1)).toMatchObject({ method: 'HEAD', operationId: 'get', status: 200 });
  });

  it('is the documented operation, if there is one', async () => {
    await request(app).head('/own').expect(204);
  });

  it('is an allowed method if GET is one', async () => {
    const [reply] = await ask('PUT', '/got');
    expect([reply?.status, reply?.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
    const [own] = await ask('POST', '/own');
    expect(own?.headers['allow']).toBe('GET, HEAD');
  });
});

test('a path without operations is not one of a template that matches it', async () => {
  const { app } = buildService({
    document: buildDocument({
      paths: { '/{a}': { get: { operationId: 'get', parameters: inPath('a'), ...DONE } }, '/none': {} },
    }),
    handlers: { get: () => Promise.resolve({ status: 204 }) },
  });
  await request(app).get('/some').expect(204);
  await request(app).get('/none').expect(404);
});

describe('methods of OpenAPI 3.2', () => {
  const of32 = (item: object) => buildDocument({ openapi: '3.2.0', paths: { '/things': item } });
  const answers = (operationId: string) => ({
    operationId,
    responses: { 200: { content: json({ type: 'string' }) } },
  });

  it('are routed, refuse a wrong body, and are in Allow', async () => {
    const requestBody = { required: true, content: json({ type: 'integer' }) };
    const { app } = buildService({
      document: of32({
        query: { ...answers('find'), requestBody },
        additionalOperations: { COPY: answers('copy'), 'M-SEARCH': answers('search') },
      }),
      handlers: Object.fromEntries(
        ['find', 'copy', 'search'].map((body) => [body, () => Promise.resolve({ status: 200, body })]),
      ),
    });
    await listening(app, async (port) => {
      const send = async (method: string, body?: string) => {
        const init = body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } };
        const response = await fetch(`http://127.0.0.1:${port}/things`, { method, ...init });
        return [response.status, response.headers.get('Allow') ?? (await response.json())];
      };
      expect(await send('QUERY', '1')).toEqual([200, 'find']);
      expect(await send('QUERY', '"x"')).toEqual([400, expect.anything()]);
      expect(await send('COPY')).toEqual([200, 'copy']);
      expect(await send('M-SEARCH')).toEqual([200, 'search']);
      expect(await send('LOCK')).toEqual([405, 'QUERY, COPY, M-SEARCH']);
      expect(await send('POST')).toEqual([405, 'QUERY, COPY, M-SEARCH']);
    });
  });

  it.each([
    ['FROBNICATE', 'is for the method FROBNICATE, which the HTTP parser of Node does not know'],
    ['copy', 'which the HTTP parser of Node does not know: methods are case-sensitive; did you mean COPY?'],
    ['CONNECT', 'is for CONNECT, which opens a tunnel'],
    ['GET', 'is not an additional method: it has its own field, or is not a token'],
    ['A B', 'is not an additional method'],
  ])('%s is a finding', (method, sentence) => {
    expect(() =>
      compileContract(of32({ additionalOperations: { [method]: answers('one') } }), undefined),
    ).toThrow(sentence);
  });
});
