import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Fault,
  type FaultyRequest,
  type Library,
  LIBRARY,
  LIBRARY_CREDENTIALS,
  startLibrary,
} from './support/library';
import { describeFailure } from '../../scripts/prove/report/text';
import { serve } from './support/simple-server';
import { type Result, run, type RunOptions } from '../../scripts/prove/run';
import { type UrlOptions, urlTarget } from '../../scripts/prove/url-target';

const libraries: Library[] = [];
afterEach(async () => {
  for (const library of libraries.splice(0)) await library.close();
});

async function open(fault?: Fault, at?: string): Promise<Library> {
  const library = await startLibrary(fault, at);
  libraries.push(library);
  return library;
}

const contract = (
  { url }: Pick<Library, 'url'>,
  options: Partial<UrlOptions> = {},
  runOptions: RunOptions = {},
): Promise<Result> =>
  run(
    urlTarget({
      url,
      document: LIBRARY,
      credentials: LIBRARY_CREDENTIALS,
      requestsPerSecond: 10_000,
      ...options,
    }),
    { generated: 5, shrink: false, ...runOptions },
  );

const states = ({ obligations }: Result, operation?: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const one of obligations)
    if (operation === undefined || one.operation === operation)
      counts[one.state] = (counts[one.state] ?? 0) + 1;
  return counts;
};

describe('a correct server by its URL', () => {
  test('is proven, with the resources that the run creates and removes', async () => {
    const library = await open();
    const result = await contract(library, { write: true });

    expect(result.failures.map(describeFailure)).toEqual([]);
    const pending = result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED');
    expect(pending.map(({ key, reason }) => [key, reason])).toEqual([]);
    expect(result.passed).toBe(true);
    const beyond = result.obligations.filter(({ state }) => state === 'OUT OF REACH');
    expect(new Set(beyond.map(({ kind }) => kind))).toEqual(new Set(['received', 'response']));
    expect([library.authors.size, library.books.size, result.leftBehind]).toEqual([0, 0, []]);
  });

  test('receives only safe methods without write', async () => {
    const library = await open();
    const { passed, failures, obligations } = await contract(library);

    expect(failures.map(describeFailure)).toEqual([]);
    expect(passed).toBe(true);
    const methods = new Set(library.requests.map(({ method }) => method));
    expect([...methods].filter((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method))).toEqual([]);
    const reasons = obligations
      .filter(({ operation }) => operation === 'addBook')
      .map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(
      new Set(['its requests may change something: they are sent with WRITE=1']),
    );
  });

  test('is tested on what its lists contain', async () => {
    const library = await open();
    const book = { id: '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21', isbn: '1'.repeat(13), title: 'a' };
    library.books.set(book.id, { ...book, authorId: book.id });
    const result = await contract(library, {}, { only: ['listBooks', 'getBook'] });

    expect(states(result, 'getBook')['PROVEN']).toBeGreaterThan(5);
    expect(library.books.size).toBe(1);
  });

  test('is blocked without credentials, and told which', async () => {
    const library = await open();
    const result = await contract(library, { write: true, credentials: {} });

    expect(Object.keys(states(result))).toEqual(['BLOCKED']);
    expect(result.obligations[0]?.reason).toContain('{"key": {"valid": "...", "invalid": "..."}}');
    expect(result.passed).toBe(false);
    expect(library.requests).toEqual([]);
  });

  test('does not fail for a schema that the engine does not support', async () => {
    const library = await open();
    const document = JSON.parse(
      JSON.stringify(LIBRARY).replace('"Author":{', '"Author":{"$id":"https://example.org/author",'),
    ) as typeof LIBRARY;
    const result = await contract(library, { document, write: true });

    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(states(result)['BLOCKED']).toBeGreaterThan(0);
  });

  test('may listen on a Unix socket, below a prefix', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'contract-'));
    const library = await open(undefined, join(folder, 'library.sock'));
    const only = { only: ['listBooks'] };
    for (const url of [library.url, `${library.url}:/v1`, `http+unix://${join(folder, 'library.sock')}`])
      expect([url, (await contract({ url }, {}, only)).passed]).toEqual([url, true]);
    rmSync(folder, { recursive: true });
  });

  test('takes a URL with or without the base path of the document', async () => {
    const { url } = await open();
    for (const form of [`${url}/`, `${url}/v1`, `${url}/v1/`])
      expect([form, (await contract({ url: form }, {}, { only: ['listBooks'] })).passed]).toEqual([
        form,
        true,
      ]);
    expect((await contract({ url: `${url}/v2` }, {}, { only: ['listBooks'] })).passed).toBe(false);
  });
});

/** One fault for each operation, and the case that finds it. */
const FAULTS: readonly [
  operation: string,
  isIn: (request: FaultyRequest) => boolean,
  fault: Fault,
  title: RegExp,
][] = [
  [
    'addAuthor',
    ({ method, path }) => method === 'POST' && path === '/v1/authors',
    // It adds an author without a required property.
    ({ body }, correct) =>
      body instanceof Object && !('name' in body)
        ? { status: 201, body: { name: 'x', id: '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21' } }
        : correct(),
    /violates required/,
  ],
  [
    'addBook',
    ({ method, path }) => method === 'POST' && path === '/v1/books',
    // It refuses the longest title.
    ({ body }, correct) =>
      body instanceof Object && String(Reflect.get(body, 'title')).length === 200
        ? { status: 400, body: { title: 'invalid book' } }
        : correct(),
    /title holds maxLength/,
  ],
  [
    'getBook',
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/books/'),
    // It leaves out a required property of the answer.
    (_, correct) => {
      const { status, body } = correct();
      if (status !== 200 || !(body instanceof Object)) return { status, body };
      return { status, body: { ...(body as object), isbn: undefined } };
    },
    /minimal valid request/,
  ],
  [
    'listBooks',
    ({ method, path }) => method === 'GET' && path === '/v1/books',
    // It accepts a limit above the maximum.
    ({ query }, correct) => (query.get('limit') === '51' ? { status: 200, body: [] } : correct()),
    /violates maximum/,
  ],
  [
    'getAuthor',
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/authors/'),
    // It answers without a key.
    ({ key, path }, correct) =>
      key === undefined ? { status: 200, body: { id: path.slice(12), name: 'x' } } : correct(),
    /no credentials/,
  ],
  [
    'changeBook',
    ({ method }) => method === 'PUT',
    // It fails for a number of pages that is a fraction.
    ({ body }, correct) =>
      body instanceof Object && Reflect.get(body, 'pages') === 7.5
        ? { status: 500, body: { title: 'oh' } }
        : correct(),
    /pages violates type/,
  ],
  [
    'removeBook',
    ({ method, path }) => method === 'DELETE' && path.startsWith('/v1/books/'),
    // Its success is not documented.
    (_, correct) => {
      const { status, body } = correct();
      return status === 204 ? { status: 202, body: {} } : { status, body };
    },
    /minimal valid request/,
  ],
  [
    'removeAuthor',
    ({ method, path }) => method === 'DELETE' && path.startsWith('/v1/authors/'),
    // Its 401 has no challenge.
    (_, correct) => {
      const reply = correct();
      return reply.status === 401 ? { ...reply, headers: {} } : reply;
    },
    /no credentials/,
  ],
];

test('each fault is found in the operation that has it, with its source', async () => {
  const library = await open((request, correct) => {
    const [, , fault] = FAULTS.find(([, isIn]) => isIn(request)) ?? [];
    return fault ? fault(request, correct) : correct();
  });
  const { failures, passed } = await contract(library, { write: true });

  expect(passed).toBe(false);
  const found = FAULTS.map(([operation, , , title]) => [
    operation,
    failures.some((failure) => failure.operation === operation && title.test(failure.title)),
  ]);
  expect(found).toEqual(FAULTS.map(([operation]) => [operation, true]));
  expect(
    failures.flatMap(({ problems }) => problems).filter((one) => !/ \(rule: [^()]+\)$/.test(one)),
  ).toEqual([]);
  expect(failures.find(({ operation }) => operation === 'removeAuthor')?.problems[0]).toContain(
    'expected a WWW-Authenticate header with the 401, got none (rule: RFC 9110 section 15.5.2)',
  );
});

test('an operation alone is tested on resources that others create', async () => {
  const library = await open();
  const result = await contract(library, { write: true }, { only: ['removeBook'] });

  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(result.passed).toBe(true);
  expect(states(result)['PROVEN']).toBeGreaterThan(5);
  expect(library.authors.size + library.books.size).toBe(0);
});

describe('resources that the run did not create', () => {
  const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } };
  const done = { responses: { 204: { description: 'done' }, 404: { description: 'unknown' } } };
  const document = (methods: readonly string[]) => ({
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes': {
        get: {
          responses: {
            200: {
              description: 'all',
              content: { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } },
            },
          },
        },
      },
      '/notes/{name}': {
        parameters: [name],
        ...Object.fromEntries(
          methods.map((method) => [
            method,
            method === 'put' ? { responses: { ...done.responses, 201: { description: 'new' } } } : done,
          ]),
        ),
      },
    },
  });

  async function testNotes(methods: readonly string[]) {
    const notes = new Set(['theirs']);
    const start = serve(({ method = '', url = '' }) => {
      const [, key] = /^\/notes\/([^/?]+)$/.exec(url) ?? [];
      const isList = url === '/notes';
      if (key === undefined && !isList) return { status: 404 };
      const allowed = isList ? ['get'] : methods;
      const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
      if (!allowed.includes(asked))
        return { status: 405, headers: { Allow: allowed.join(', ').toUpperCase() } };
      if (isList || key === undefined)
        return {
          status: 200,
          body: JSON.stringify([...notes]),
          headers: { 'Content-Type': 'application/json' },
        };
      const isKnown = notes.has(key);
      if (asked === 'put') {
        notes.add(key);
        return { status: isKnown ? 204 : 201 };
      }
      return { status: (asked === 'delete' ? notes.delete(key) : isKnown) ? 204 : 404 };
    });
    const server = await start();
    const result = await contract(
      { url: `http://127.0.0.1:${server.port}` },
      { document: document(methods), credentials: {}, write: true },
    );
    await server.close();
    return { result, notes: [...notes] };
  }

  test('are read, and not removed', async () => {
    const { result, notes } = await testNotes(['get', 'delete']);
    expect(notes).toEqual(['theirs']);
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(states(result, 'GET /notes/{name}')['PROVEN']).toBeGreaterThan(2);
    expect(Object.keys(states(result, 'DELETE /notes/{name}'))).toEqual(['BLOCKED']);
    expect(result.obligations.find(({ state }) => state === 'BLOCKED')?.reason).toContain(
      'it would change a resource that the run did not create',
    );
  });

  test('are neither read nor removed if the run can create some by PUT', async () => {
    const { result, notes } = await testNotes(['get', 'put', 'delete']);
    expect(notes).toEqual(['theirs']);
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(states(result)['BLOCKED']).toBeUndefined();
    expect(result.passed).toBe(true);
  });
});

describe('the bounds of a run', () => {
  test('limit the requests, and the rest is unproven', async () => {
    const library = await open();
    const result = await contract(library, { write: true, maxRequests: 40 });

    expect(result.requests).toBeLessThanOrEqual(40);
    expect(result.stopped).toContain('40 requests');
    expect(result.passed).toBe(false);
    expect(library.authors.size + library.books.size).toBe(0);
    expect(result.obligations.some(({ reason }) => reason?.includes('ended early') === true)).toBe(true);
  });

  test('limit the requests per second', async () => {
    const library = await open();
    const { requests, seconds } = await contract(
      library,
      { requestsPerSecond: 100, maxRequests: 30 },
      { only: ['listBooks'] },
    );
    expect(requests / seconds).toBeLessThanOrEqual(110);
  });

  test('let a signal end it, with a report, and what it created is removed or listed', async () => {
    const library = await open();
    const interrupt = new AbortController();
    const result = await contract(
      library,
      { write: true },
      {
        signal: interrupt.signal,
        onRequest: ({ requests }) => {
          if (requests === 100) interrupt.abort();
        },
      },
    );
    expect(result.stopped).toBe('it was interrupted');
    expect(states(result)['PROVEN']).toBeGreaterThan(0);
    expect(result.leftBehind.length > 0).toBe(library.authors.size + library.books.size > 0);
  });

  test('are kept by repeating a request that the server limits', async () => {
    let count = 0;
    const library = await open((_, correct) =>
      ++count % 10 === 0
        ? { status: 429, body: { title: 'later' }, headers: { 'Retry-After': '0' } }
        : correct(),
    );
    const { failures, passed } = await contract(library, {}, { only: ['listBooks'] });
    expect(failures.map(describeFailure)).toEqual([]);
    expect(passed).toBe(true);
  });
});

describe('a run that cannot start', () => {
  test('names the server that does not answer', async () => {
    const { url, close } = await startLibrary();
    await close();
    await expect(contract({ url })).rejects.toThrow(`expected a server at ${url}, got none: `);
  });

  test.each<[Partial<UrlOptions>, RegExp]>([
    [{ document: { openapi: '3.0.0' } }, /expected an OpenAPI document, version 3.1, got "3.0.0"/],
    [{ document: { openapi: '3.1.0' } }, /expected a document with operations, got none/],
    [{ url: 'ftp://example.org' }, /expected a URL such as .*, got ftp:/],
    [{ url: 'http://user:password@example.org' }, /expected a URL such as/],
    [{ credentials: [] }, /expected an object such as \{"key": \{"valid"/],
    [{ credentials: { token: { valid: 'a', invalid: 'b' } } }, /no security scheme token: it has key/],
    [{ credentials: { key: { valid: 'a' } } }, /credentials of key: expected \{"valid": "...", "invalid"/],
    [{ credentials: { key: { valid: 'a', invalid: 'a' } } }, /expected `invalid` to differ/],
    [{ credentials: { key: { valid: 'a', invalid: 'b', scope: [] } } }, /expected no member scope/],
  ])('refuses %j', (options, message) => {
    expect(() => urlTarget({ url: 'http://127.0.0.1:1', document: LIBRARY, ...options })).toThrow(message);
  });
});

describe('write', () => {
  /** A service of things whose names the document does not show. */
  const open = async (changed: string[]) => {
    const server = await serve(({ method = '', url = '' }) => {
      if (!/^\/things\/[^/]+$/.test(url)) return { status: 404 };
      if (method !== 'PATCH' && method !== 'DELETE')
        return { status: 405, headers: { Allow: 'PATCH, DELETE' } };
      changed.push(method);
      return { status: 204 };
    })();
    return { url: `http://${server.host}:${server.port}`, close: () => server.close() };
  };
  const parameters = [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }];
  const operation = { parameters, responses: { 204: { description: 'done' } } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things/{name}': {
        patch: { ...operation, operationId: 'change' },
        delete: { ...operation, operationId: 'remove' },
      },
    },
  };

  test.each<[UrlOptions['write'], string[]]>([
    [false, []],
    [true, []],
    ['all', ['PATCH', 'DELETE']],
  ])('%s changes %j', async (write, methods) => {
    const changed: string[] = [];
    const { url, close } = await open(changed);
    const target = urlTarget({ url, document, write: write ?? false, requestsPerSecond: 10_000 });
    const { failures } = await run(target, { generated: 2, shrink: false });
    await close();
    expect([...new Set(changed)]).toEqual(methods);
    expect(failures.map(describeFailure)).toEqual([]);
  });
});
