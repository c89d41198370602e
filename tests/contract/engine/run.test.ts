import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from './json';
import { described, headline, text } from './report';
import { page } from './page';
import { run } from './run';
import type { Server, Target } from './target';

interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Not by what stands before the service, but by itself. */
  own?: boolean;
}

/** `PUT /number` takes an integer from 0 to a million and answers 204; it documents a 409 that it never gives. */
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Numbers', version: '1.0.0' },
  paths: {
    '/number': {
      put: {
        operationId: 'putNumber',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'integer', minimum: 0, maximum: 1_000_000 } } },
        },
        responses: {
          204: { description: 'kept' },
          400: { description: 'wrong' },
          409: { description: 'taken' },
        },
      },
    },
  },
};

const LIMIT = 2000;

/** What a sound server says, in the fewest lines that pass every case. */
function sound(request: IncomingMessage, body: string): Reply {
  if (request.url !== '/number') return { status: 404 };
  if (request.method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
  const type = request.headers['content-type'] ?? '';
  if (body !== '' && !/^application\/json *(; *charset="?utf-8"?)?$/i.test(type)) return { status: 415 };
  if (request.headers['content-encoding'] !== undefined) return { status: 415 };
  if (Number(request.headers['content-length'] ?? body.length) > LIMIT || body.length > LIMIT)
    return { status: 413 };
  if (!/^\s*-?(0|[1-9]\d*)(\.0+)?\s*$/.test(body)) return { status: 400 };
  return { status: Number(body) >= 0 && Number(body) <= 1_000_000 ? 204 : 400 };
}

function serve(
  answer: (request: IncomingMessage, body: string) => Reply,
  reset = (): void => undefined,
): () => Promise<Server> {
  return async () => {
    let entered = 0;
    const server = createServer((request, response) => {
      let body = '';
      const finish = (): void => {
        const { status, headers = {}, body: said = '', own = status === 204 } = answer(request, body);
        if (own) entered += 1;
        response.writeHead(status, { ...headers, 'Content-Length': said.length }).end(said);
      };
      if (Number(request.headers['content-length'] ?? 0) > LIMIT) finish();
      else
        request
          .setEncoding('latin1')
          .on('data', (chunk) => (body += String(chunk)))
          .on('end', finish);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      entered: () => entered,
      reset,
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  };
}

const target = (answer: Parameters<typeof serve>[0], waivers: Target['waivers'] = []): Target => ({
  document: DOCUMENT,
  start: serve(answer),
  credentials: {},
  bodyLimit: LIMIT,
  refusals: {
    'unknown path': { status: 404 },
    'unknown method': { status: 405 },
    'no credentials': { status: 401 },
    'bad credentials': { status: 401 },
    'unsupported media type': { status: 415 },
    'too large': { status: 413 },
    malformed: { status: 400 },
    mismatch: { status: 400 },
  },
  situations: {},
  waivers,
});

const WAIVER = { obligation: /409/, reason: 'nothing is ever taken here' };

describe('a run', () => {
  test('is not passed while a documented status was never seen', async () => {
    const result = await run(target(sound));
    expect(result.failures.map(described)).toEqual([]);
    expect(
      result.obligations.filter(({ state }) => state === 'UNPROVEN').map(({ key, reason }) => [key, reason]),
    ).toEqual([
      [
        'putNumber | response | 409 | no body',
        'no request brought it about: give the target a scenario, a situation or a waiver',
      ],
    ]);
    expect(result.passed).toBe(false);
  });

  test('is passed once that is waived, and shows the reason', async () => {
    const result = await run(target(sound, [WAIVER]));
    expect(result.passed).toBe(true);
    expect(headline(result)).toMatch(
      /^PROVEN \d+\/\d+, WAIVED 1, UNPROVEN 0, BLOCKED 0, \d+ requests, \d+\.\d s$/,
    );
    expect(text(result)).toContain(WAIVER.reason);
  });

  test('proves nothing about a server that refuses everything', async () => {
    const result = await run(
      target(() => ({ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }), [WAIVER]),
    );
    expect(new Set(result.obligations.map(({ state }) => state))).toEqual(new Set(['BLOCKED']));
    expect(result.requests).toBe(1);
    expect(result.passed).toBe(false);
  });

  test('does not let a waiver cover what was seen to be broken', async () => {
    const result = await run(
      target(
        (request, body) => (body.trim() === '1000001' ? { status: 204 } : sound(request, body)),
        [{ obligation: /./, reason: 'everything' }],
      ),
    );
    expect(result.obligations.find(({ key }) => key.endsWith('maximum | violates'))?.state).toBe('UNPROVEN');
  });

  test('finds by chance what no bound points to, shrinks it, and says how to see it again', async () => {
    const broken = target((request, body) =>
      Number(body) > 4321 && Number(body) < 1_000_000 ? { status: 400 } : sound(request, body),
    );
    const [first, ...others] = (await run(broken)).failures;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      family: 'generated',
      curl: expect.stringContaining(`--data-binary '4322'`) as string,
    });
    expect(first && described(first)).toMatch(/found with seed -?\d+, path [\d:]+; the request is shrunk/);

    const [again] = (await run(broken)).failures;
    expect(again).toEqual(first);
  });
});

describe('a service that does not hold everything', () => {
  const operation = (operationId: string) => ({
    operationId,
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 }],
    responses: { 204: { description: 'so it is' }, 404: { description: 'no such number' } },
  });
  const document: JsonObject = {
    openapi: '3.1.0',
    info: { title: 'What is there', version: '1.0.0' },
    paths: { '/numbers/{id}': { get: operation('getNumber'), delete: operation('deleteNumber') } },
  };
  const all = { operations: ['getNumber', 'deleteNumber'], status: 404 };

  function holding(first: readonly number[], changed: Partial<Target> = {}): Target {
    let held = new Set(first);
    const there = ({ url = '', method = '' }: IncomingMessage): Reply => {
      const [, id] = /^\/numbers\/([^/]+)$/.exec(url) ?? [];
      if (id === undefined) return { status: 404 };
      if (!['GET', 'DELETE'].includes(method)) return { status: 405, headers: { Allow: 'GET, DELETE' } };
      if (!/^-?(0|[1-9]\d*)(\.0+)?$/.test(id)) return { status: 400 };
      const found = method === 'GET' ? held.has(Number(id)) : held.delete(Number(id));
      return { status: found ? 204 : 404, own: true };
    };
    const reset = (): void => {
      held = new Set(first);
    };
    return { ...target(there), document, start: serve(there, reset), ownRefusals: { gone: all }, ...changed };
  }
  const steps = (...list: [operation: string, expect: string][]) => [
    { title: 'a story', steps: list.map(([name, expect]) => ({ operation: name, expect })) },
  ];

  test('is asked for what the examples name, and may hold nothing else', async () => {
    const story = steps(['getNumber', 'success'], ['deleteNumber', 'success'], ['getNumber', 'gone']);
    const result = await run(holding([7], { scenarios: story }));
    expect(result.failures.map(described)).toEqual([]);
    expect(result.passed).toBe(true);
    expect(result.families.get('scenarios')).toBe(3);
  });

  test('is blocked if it does not hold what the examples name', async () => {
    const story = steps(['getNumber', 'success']);
    const { failures, obligations } = await run(holding([8], { scenarios: story }));
    expect(failures.map(({ family }) => family)).toEqual(['baseline', 'baseline']);
    expect(failures[0]?.problems).toEqual([
      expect.stringContaining('expected success, got 404'),
      'the service must hold what the examples of the document name: path id = 7',
    ]);
    expect(new Set(obligations.map(({ state }) => state))).toEqual(new Set(['BLOCKED']));
  });

  test('is told for what no example was given', async () => {
    const { paths, ...rest } = document;
    const silent = JSON.parse(JSON.stringify(paths).replaceAll(',"example":7', '')) as JsonObject;
    const { failures } = await run(holding([-1], { document: { ...rest, paths: silent } }));
    expect(failures[0]?.problems[1]).toBe(
      'the document gives no example of path id, so that a value was made up',
    );
  });

  test('must hold everything where the target does not say otherwise', async () => {
    const own = { gone: { ...all, operations: ['deleteNumber'] } };
    const { failures } = await run(holding([7], { ownRefusals: own }));
    expect(new Set(failures.map(({ operation: id }) => id))).toEqual(new Set(['getNumber']));
  });

  test('is seen to tell a story wrongly', async () => {
    const { failures } = await run(
      holding([7], { scenarios: steps(['deleteNumber', 'success'], ['getNumber', 'success']) }),
    );
    expect(failures.map(({ title, problems }) => [title, problems[0]])).toEqual([
      ['a story, step 2', expect.stringContaining('expected success, got 404')],
    ]);
    expect(failures[0]?.curl.match(/^curl .* -X \w+/gm)?.map((line) => line.split(' ').at(-1))).toEqual([
      'DELETE',
      'GET',
    ]);
  });

  test('tells of other things than the examples, and what is said of them', async () => {
    const [story] = steps(['getNumber', 'success'], ['getNumber', 'gone'], ['getNumber', 'success']);
    const others = [{ parameters: { id: 8 } }, { parameters: { id: 9 } }, { answer: { id: 7 } }];
    const told = {
      title: 'a story',
      steps: (story?.steps ?? []).map((step, i) => ({ ...step, ...others[i] })),
    };
    const { failures } = await run(holding([7, 8], { scenarios: [told] }));
    expect(failures.map(({ title, problems }) => [title, problems])).toEqual([
      ['a story, step 3', [expect.stringMatching(/^expected a body with \{"id":7\}, got 204/)]],
    ]);
    expect(failures[0]?.curl.match(/\/numbers\/\d/g)).toEqual(['/numbers/8', '/numbers/9', '/numbers/7']);
  });

  test.each([
    [
      'a parameter',
      [{ title: 'a story', steps: [{ operation: 'getNumber', expect: 'success', parameters: { it: 8 } }] }],
      /scenario "a story": expected one of id, got it/,
    ],
    [
      'a value',
      [{ title: 'a story', steps: [{ operation: 'getNumber', expect: 'success', parameters: { id: '' } }] }],
      /scenario "a story": expected a value that path id can carry, got ""/,
    ],
    [
      'an operation',
      steps(['putNumber', 'success']),
      /expected one of getNumber, deleteNumber, got putNumber/,
    ],
    ['an outcome', steps(['getNumber', 'lost']), /expected one of success, gone, got lost/],
  ])('has no story with %s that nobody knows', async (_, scenarios, message) => {
    await expect(run(holding([7], { scenarios }))).rejects.toThrow(message);
  });
});

test('the report is a page of its own, whatever the answers say', async () => {
  const reply = { status: 200, body: '<script src="https://example.org/x.js"></script>' };
  const result = await run(target((request, body) => (body === '' ? sound(request, body) : reply)));
  const html = page(result, headline(result), { columns: [], rows: [] }, []);
  expect(html).not.toMatch(/(?:src|href)="?https?:/);
  expect(html).toContain('&lt;script src=');
});
