import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, type Library, LIBRARY, LIBRARY_CREDENTIALS, startLibrary } from './support/library';
import { type Reply, type Route, routed, serve } from './support/simple-server';
import { documentOfPaths } from './support/document';
import { type Result, run, type RunOptions } from '../src/run';
import { type UrlOptions, urlTarget } from '../src/url-target';
import type { JsonObject } from '../src/json/tree';
import { describeFailure } from '../src/report/terminal';

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
      new Set(['its requests may change something: they are sent with --write']),
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

  test('does not fail for a schema that the prover does not support', async () => {
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
const FAULTS: Readonly<Record<string, readonly [method: string, path: RegExp, fault: Fault, title: RegExp]>> =
  {
    // It adds an author without a required property.
    addAuthor: [
      'POST',
      /authors$/,
      ({ body }, correct) =>
        body instanceof Object && !('name' in body)
          ? { status: 201, body: { name: 'x', id: '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21' } }
          : correct(),
      /violates required/,
    ],
    // It refuses the longest title.
    addBook: [
      'POST',
      /books$/,
      ({ body }, correct) =>
        body instanceof Object && String(Reflect.get(body, 'title')).length === 200
          ? { status: 400, body: { title: 'invalid book' } }
          : correct(),
      /title holds maxLength/,
    ],
    // It leaves out a required property of the answer.
    getBook: [
      'GET',
      /books\/./,
      (_, correct) => {
        const { status, body } = correct();
        if (status !== 200 || !(body instanceof Object)) return { status, body };
        return { status, body: { ...(body as object), isbn: undefined } };
      },
      /minimal valid request/,
    ],
    // It accepts a limit above the maximum.
    listBooks: [
      'GET',
      /books$/,
      ({ query }, correct) => (query.get('limit') === '51' ? { status: 200, body: [] } : correct()),
      /violates maximum/,
    ],
    // It answers without a key.
    getAuthor: [
      'GET',
      /authors\/./,
      ({ key, path }, correct) =>
        key === undefined ? { status: 200, body: { id: path.slice(12), name: 'x' } } : correct(),
      /no credentials/,
    ],
    // It fails for a number of pages that is a fraction.
    changeBook: [
      'PUT',
      /./,
      ({ body }, correct) =>
        body instanceof Object && Reflect.get(body, 'pages') === 7.5
          ? { status: 500, body: { title: 'oh' } }
          : correct(),
      /pages violates type/,
    ],
    // Its success is not documented.
    removeBook: [
      'DELETE',
      /books\/./,
      (_, correct) => {
        const { status, body } = correct();
        return status === 204 ? { status: 202, body: {} } : { status, body };
      },
      /minimal valid request/,
    ],
    // Its 401 has no challenge.
    removeAuthor: [
      'DELETE',
      /authors\/./,
      (_, correct) => {
        const reply = correct();
        return reply.status === 401 ? { ...reply, headers: {} } : reply;
      },
      /no credentials/,
    ],
  };

test('each fault is found in the operation that has it, with its source', async () => {
  const library = await open((request, correct) => {
    const [, , fault] =
      Object.values(FAULTS).find(([method, path]) => method === request.method && path.test(request.path)) ??
      [];
    return fault ? fault(request, correct) : correct();
  });
  const { failures, passed } = await contract(library, { write: true });

  expect(passed).toBe(false);
  const missed = Object.entries(FAULTS).filter(([operation, [, , , title]]) =>
    failures.every((failure) => failure.operation !== operation || !title.test(failure.title)),
  );
  expect(missed).toEqual([]);
  expect(
    failures.flatMap(({ problems }) => problems).filter((one) => !/ \(rule: [^()]+\)$/.test(one)),
  ).toEqual([]);
  expect(failures.find(({ operation }) => operation === 'removeAuthor')?.problems[0]).toContain(
    'expected a WWW-Authenticate header with the 401, got none (rule: RFC 9110 section 15.5.2)',
  );
});

test('fails an operation whose minimal request breaks it, and asks no more of it', async () => {
  const library = await open(({ path }, correct) => (path === '/v1/books' ? { status: 500 } : correct()));
  const result = await contract(library, {}, { only: ['listBooks'] });
  expect(result.failures.map(({ family, operation }) => [family, operation])).toEqual([
    ['baseline', 'listBooks'],
  ]);
  expect(states(result, 'listBooks')).toEqual({ BLOCKED: expect.any(Number) as number });
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
  const parameters = [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }];
  const done = { 204: { description: 'done' }, 404: { description: 'unknown' } };
  const content = { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } };
  const list = { get: { responses: { 200: { description: 'all', content } } } };

  async function testNotes(methods: readonly string[]) {
    const notes = new Set(['theirs']);
    const put = { responses: { ...done, 201: { description: 'new' } } };
    const item = methods.map((method): [string, JsonObject] => [
      method,
      method === 'put' ? put : { responses: done },
    ]);
    const statusOf: Readonly<Record<string, (key: string) => number>> = {
      get: (key) => (notes.has(key) ? 204 : 404),
      put: (key) => (notes.size === notes.add(key).size ? 204 : 201),
      delete: (key) => (notes.delete(key) ? 204 : 404),
    };
    const answers = methods.map((method): [string, Route] => [
      `${method.toUpperCase()} /notes/{name}`,
      ({ name = '' }) => ({ status: statusOf[method]?.(name) ?? 404 }),
    ]);
    const headers = { 'Content-Type': 'application/json' };
    const answer = routed({
      'GET /notes': () => ({ status: 200, body: JSON.stringify([...notes]), headers }),
      ...Object.fromEntries(answers),
    });
    const server = await serve(answer)();
    const result = await contract(
      { url: `http://127.0.0.1:${server.port}` },
      {
        document: documentOfPaths({
          '/notes': list,
          '/notes/{name}': { parameters, ...Object.fromEntries(item) },
        }),
        credentials: {},
        write: true,
      },
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
    [{ document: { openapi: '3.0.0' } }, /expected an OpenAPI document, version 3.1 or 3.2, got "3.0.0"/],
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

test.each<[UrlOptions['write'], string[]]>([
  [false, []],
  [true, []],
  ['all', ['PATCH', 'DELETE']],
])('write %s changes, of things whose names the document does not show, %j', async (write, methods) => {
  const parameters = [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }];
  const operation = { parameters, responses: { 204: { description: 'done' } } };
  const document = documentOfPaths({
    '/things/{name}': {
      patch: { ...operation, operationId: 'change' },
      delete: { ...operation, operationId: 'remove' },
    },
  });
  const changed = new Set<string>();
  const change = (_: object, __: string, { method = '' }: IncomingMessage): Reply => {
    changed.add(method);
    return { status: 204 };
  };
  const server = await serve(routed({ 'PATCH /things/{name}': change, 'DELETE /things/{name}': change }))();
  const url = `http://127.0.0.1:${server.port}`;
  const { failures } = await contract(
    { url },
    { document, credentials: {}, write, requestsPerSecond: 10_000 },
  );
  await server.close();
  expect([...changed]).toEqual(methods);
  expect(failures.map(describeFailure)).toEqual([]);
});
