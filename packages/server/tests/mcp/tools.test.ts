import { Validator } from '@cfworker/json-schema';
import { InvalidContract } from 'contract-first-server';
import { InvalidConfig, readEnvironment, readServerConfig } from 'contract-first-server/runtime';
import { documentOf, HANDLERS, PATHS, serving } from './museum';

const NO_CONTENT = { 204: { description: 'done' } };
const handler = () => Promise.resolve({ status: 204 });

/** Serves operations by path, method and id. */
async function offered(
  operations: readonly [path: string, method: string, operation: object][],
  mode: 'read' | 'all' = 'all',
) {
  const paths: Record<string, object> = {};
  operations.forEach(([path, method, operation], i) => {
    paths[path] = { ...paths[path], [method]: { operationId: `o${i}`, responses: NO_CONTENT, ...operation } };
  });
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => String(operationId)),
  );
  const handlers = Object.fromEntries(ids.map((id) => [id, handler]));
  return serving({ document: documentOf(paths), handlers, mode }, async ({ connect, leftOut }) => {
    const client = await connect();
    const { tools } = await client.listTools();
    return { tools, leftOut, names: tools.map(({ name }) => name) };
  });
}

test('MCP=read has the operations with safe methods, MCP=all those that are marked, too', async () => {
  const operations: [string, string, object][] = [
    'get',
    'head',
    'options',
    'put',
    'post',
    'delete',
    'patch',
  ].map((method) => ['/things', method, { operationId: method }]);
  operations.push(['/marked', 'post', { operationId: 'marked', 'x-mcp': true }]);
  operations.push(['/hidden', 'get', { operationId: 'hidden', 'x-mcp': false }]);
  expect((await offered(operations, 'read')).names.sort()).toEqual(['get', 'head', 'options']);
  expect((await offered(operations, 'all')).names.sort()).toEqual(['get', 'head', 'marked', 'options']);
});

test('names have at most 60 characters that every client accepts, and are distinct', async () => {
  const long = 'x'.repeat(70);
  const { names } = await offered([
    ['/a', 'get', { operationId: `${long}a` }],
    ['/b', 'get', { operationId: `${long}b` }],
    ['/c', 'get', { operationId: 'get /c.d' }],
    ['/d', 'get', { operationId: 'get /c/d' }],
    ['/e', 'get', { operationId: '日本' }],
    ['/f', 'get', { 'x-mcp': { name: 'get_c_d' } }],
  ]);
  expect(names).toEqual([
    'x'.repeat(60),
    `${'x'.repeat(58)}_2`,
    'get_c_d_2',
    'get_c_d_3',
    'operation',
    'get_c_d',
  ]);
});

test('two operations with one name by x-mcp stop the start, and so does another value', async () => {
  const named = (name: unknown) => ({ 'x-mcp': { name } });
  await expect(
    offered([
      ['/a', 'get', named('a')],
      ['/b', 'get', named('a')],
    ]),
  ).rejects.toThrow(InvalidContract);
  for (const value of [
    named(''),
    named('a b'),
    named('x'.repeat(61)),
    { 'x-mcp': 1 },
    { 'x-mcp': { titel: 'a' } },
    { 'x-mcp': { title: ' ' } },
  ])
    await expect(offered([['/a', 'get', value]])).rejects.toThrow(
      'expected true, false, or an object of name',
    );
});

test('words of the document are marked as such; annotations follow from the method', async () => {
  const { tools } = await offered([
    ['/a', 'get', { summary: 'All', description: 'Say "yes".', deprecated: true }],
    ['/a', 'put', { 'x-mcp': { title: 'Put it', description: 'Puts.' } }],
    ['/a', 'post', { 'x-mcp': true }],
  ]);
  expect(
    tools.map(({ title, description, annotations }) => ({ title, description, ...annotations })),
  ).toEqual([
    {
      title: 'All',
      description: 'GET /a of Museum. It is deprecated. Its document says: "Say \\"yes\\"."',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    },
    {
      title: 'Put it',
      description: 'PUT /a of Museum. Its document says: "Puts."',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    },
    {
      title: 'o2',
      description: 'POST /a of Museum.',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    },
  ]);
});

test('the schema of arguments is an object of their places, without references and unions at its root', () =>
  serving({}, async ({ connect }) => {
    const { tools } = await (await connect()).listTools();
    const schemas = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    const int64 = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$' };
    expect(schemas['listPaintings']).toEqual({
      type: 'object',
      properties: {
        query: {
          type: 'object',
          properties: { limit: { type: 'integer', maximum: 100 }, after: int64 },
          additionalProperties: false,
        },
        header: {
          type: 'object',
          properties: { 'X-Tenant': { type: 'string' } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    });
    expect(schemas['getPainting']).toMatchObject({
      properties: { path: { properties: { id: int64 }, required: ['id'] } },
      required: ['path'],
    });
    const texts = { title: { type: 'string', minLength: 1 }, year: { type: 'integer' } };
    const required = ['title'];
    // A schema contains itself once.
    expect(schemas['add']).toMatchObject({
      properties: {
        body: {
          type: 'object',
          required,
          properties: { ...texts, like: { type: 'object', required, properties: { ...texts, like: {} } } },
        },
      },
      required: ['body'],
    });
    expect(JSON.stringify(tools)).not.toContain('$ref');
  }));

test('a value that may be an int64 is a number or a text in each of its schemas', async () => {
  const both = {
    allOf: [
      { type: 'integer', format: 'int64' },
      { type: 'integer', enum: [1, 2] },
    ],
  };
  const either = { oneOf: [{ type: 'integer', format: 'int64' }, { type: 'boolean' }, { type: 'null' }] };
  const schema = { type: 'object', properties: { both, either }, required: ['both', 'either'] };
  const content = { 'application/json': { schema } };
  const document = documentOf({
    '/a': { get: { operationId: 'a', responses: { 200: { description: '', content } } } },
  });
  for (const body of [
    { both: 1n, either: 2n ** 60n },
    { both: 2, either: true },
    { both: 1, either: null },
  ])
    await serving(
      { document, handlers: { a: () => Promise.resolve({ status: 200, body }) } },
      async ({ connect }) => {
        const client = await connect();
        const { tools } = await client.listTools();
        const { structuredContent } = await client.callTool({ name: 'a' });
        const expected = {
          both: String(body.both),
          either: typeof body.either === 'bigint' ? String(body.either) : body.either,
        };
        expect(structuredContent).toEqual(expected);
        expect(
          new Validator(tools[0]?.outputSchema as object, '2020-12').validate(structuredContent).valid,
        ).toBe(true);
      },
    );
});

test('a call without a body has none, whatever its method', () => {
  const document = documentOf({ '/a': { post: { operationId: 'a', 'x-mcp': true, responses: NO_CONTENT } } });
  return serving({ document, handlers: { a: handler } }, async ({ connect }) => {
    const result = await (await connect()).callTool({ name: 'a' });
    expect(result).toMatchObject({ structuredContent: {}, content: [{ type: 'text', text: '{}' }] });
  });
});

test('text that no codec reads is a text', () => {
  const content = { 'application/xml': { schema: { type: 'string', format: 'binary' } } };
  const responses = { 200: { description: '', content } };
  const document = documentOf({
    '/a': { get: { operationId: 'a', responses } },
    '/b': { get: { operationId: 'b', responses } },
  });
  const answering = (body: Buffer) => () => Promise.resolve({ status: 200, body });
  const handlers = { a: answering(Buffer.from('<ä/>')), b: answering(Buffer.from([0xff])) };
  return serving({ document, handlers }, async ({ connect }) => {
    const client = await connect();
    expect(await client.callTool({ name: 'a' })).toMatchObject({ structuredContent: { body: '<ä/>' } });
    expect(await client.callTool({ name: 'b' })).toMatchObject({
      isError: true,
      content: [{ text: 'The server answered 200, but the body is not UTF-8.' }],
    });
  });
});

test('beyond 40 tools, three stand for all', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `/n${i}`,
      { get: { operationId: `get${i}`, summary: `Number ${i}`, responses: { 204: { description: '' } } } },
    ]),
  );
  const handlers = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`get${i}`, handler]));
  await serving(
    {
      document: documentOf({ ...PATHS, ...paths }),
      mode: 'read',
      handlers: { ...handlers, ...HANDLERS },
    },
    async ({ connect, outcomes }) => {
      const client = await connect();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        'list_operations',
        'describe_operation',
        'call_operation',
      ]);
      const { structuredContent: all } = await client.callTool({ name: 'list_operations' });
      expect(all).toMatchObject({ more: 16 });
      expect((all as { operations: unknown }).operations).toHaveLength(50);
      const { structuredContent: some } = await client.callTool({
        name: 'list_operations',
        arguments: { query: 'number 42' },
      });
      expect(some).toMatchObject({ operations: [{ name: 'get42', title: 'Number 42' }], more: 0 });
      const { structuredContent: described } = await client.callTool({
        name: 'describe_operation',
        arguments: { name: 'getPainting' },
      });
      expect(described).toMatchObject({
        name: 'getPainting',
        inputSchema: { required: ['path'] },
        outputSchema: { type: 'object' },
      });
      const inner = { name: 'getPainting', arguments: { path: { id: '9007199254740993' } } };
      const called = await client.callTool({ name: 'call_operation', arguments: inner });
      expect(called.structuredContent).toMatchObject({ id: '9007199254740993' });
      expect(outcomes.at(-1)).toMatchObject({ operationId: 'getPainting', status: 200 });
      const other = await client.callTool({ name: 'call_operation', arguments: { name: 'other' } });
      expect(other).toMatchObject({
        isError: true,
        content: [{ text: 'name must be one of those that list_operations returns' }],
      });
    },
  );
});

test.each([
  [{}, undefined],
  [{ MCP: 'read' }, { mode: 'read', url: undefined }],
  [
    { MCP: 'all', MCP_URL: 'https://a.example/mcp', NODE_ENV: 'production' },
    { mode: 'all', url: 'https://a.example/mcp' },
  ],
])('%j is the setting %j', (environment, mcp) => {
  expect(readEnvironment(environment, readServerConfig).mcp).toEqual(mcp);
});

test.each<readonly [Record<string, string>, string]>([
  [{ MCP: 'write' }, 'MCP: expected read or all, got "write"'],
  [{ MCP_URL: 'https://a.example/mcp' }, 'MCP_URL is set, but MCP is not: set it to read or all'],
  [
    { MCP: 'read', NODE_ENV: 'production' },
    'MCP_URL is missing: MCP needs the public URL of /mcp, because NODE_ENV is production',
  ],
  ...[
    'a.example',
    'ftp://a.example',
    'https://u@a.example',
    'https://a.example?b',
    'https://a.example#b',
  ].map(
    (url) =>
      [
        { MCP: 'read', MCP_URL: url },
        `MCP_URL: expected the public URL of /mcp, like https://api.example.com/mcp, got "${url}"`,
      ] as const,
  ),
])('%j is wrong: %s', (environment, message) => {
  expect(() => readEnvironment(environment, readServerConfig)).toThrow(new InvalidConfig(message));
});
