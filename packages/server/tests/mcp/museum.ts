/** A museum as an API, whose operations are tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHttpServer, type JsonObject, type Outcome, strategiesFor } from 'contract-first-server';
import { createApp, type OperationalKind, type RuntimeOptions } from 'contract-first-server/runtime';
import { OpenApiDocument, PLAIN_ERRORS } from 'contract-first-server/tools';
import { openServer } from 'contract-first-prover/service';
import { json, RUNTIME, withRefusals } from '../../../../scripts/testing/service';

export const TOKEN = 'a-very-secret-token';
/** The largest int64, which no double is. */
export const LARGE = 9_223_372_036_854_775_807n;

/** A document of OpenAPI with these operations, by path and method. */
export const documentOf = (paths: object, more: object = {}): JsonObject =>
  withRefusals({
    openapi: '3.1.0',
    info: { title: 'Museum', version: '1.0.0' },
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: 'https://issuer.example/t', scopes: { write: '' } } },
        },
        key: { type: 'apiKey', in: 'query', name: 'key' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
      },
      schemas: {
        Painting: {
          allOf: [
            { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } },
            { $ref: '#/components/schemas/NewPainting' },
          ],
        },
        NewPainting: {
          type: 'object',
          required: ['title'],
          properties: {
            title: { type: 'string', minLength: 1 },
            year: { type: 'integer' },
            like: { $ref: '#/components/schemas/NewPainting' },
          },
        },
      },
    },
    ...more,
  });

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } };
const PAINTING = { $ref: '#/components/schemas/Painting' };
const answering = (content: object, more: object = {}) => ({
  responses: { 200: { description: 'ok', content, ...more } },
});
const event = {
  type: 'object',
  properties: { data: { type: 'string' }, event: { type: 'string' } },
  required: ['data'],
};

export const PATHS = {
  '/paintings': {
    get: {
      operationId: 'listPaintings',
      summary: 'All paintings',
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
        { name: 'after', in: 'query', schema: { type: 'integer', format: 'int64' } },
        { name: 'X-Tenant', in: 'header', schema: { type: 'string' } },
      ],
      ...answering(json({ type: 'array', items: PAINTING }), {
        headers: { 'X-Total': { schema: { type: 'integer' } } },
      }),
    },
    post: {
      operationId: 'addPainting',
      'x-mcp': { name: 'add', title: 'Add', description: 'Adds a painting' },
      security: [{ token: ['write'] }, { session: [] }],
      requestBody: { required: true, content: json({ $ref: '#/components/schemas/NewPainting' }) },
      responses: { 201: { description: 'added', content: json(PAINTING) } },
    },
  },
  '/paintings/{id}': {
    get: { operationId: 'getPainting', parameters: [ID], ...answering(json(PAINTING)) },
    delete: { operationId: 'deletePainting', parameters: [ID], responses: { 204: { description: 'gone' } } },
  },
  '/paintings/latest': { get: { operationId: 'latest', 'x-mcp': false, ...answering(json(PAINTING)) } },
  '/photos/{id}': {
    get: { operationId: 'getPhoto', parameters: [ID], ...answering({ 'image/png': {} }) },
    put: {
      operationId: 'putPhoto',
      'x-mcp': true,
      parameters: [ID],
      requestBody: { required: true, content: { 'image/png': {} } },
      responses: { 204: { description: 'ok' } },
    },
  },
  '/visits': {
    get: { operationId: 'visits', ...answering({ 'text/event-stream': { 'x-item-schema': event } }) },
  },
  '/log': {
    get: { operationId: 'log', ...answering({ 'application/jsonl': { 'x-item-schema': PAINTING } }) },
  },
  '/notes': { get: { operationId: 'notes', ...answering({ 'text/plain': { schema: { type: 'string' } } }) } },
  '/keyed': {
    get: { operationId: 'keyed', security: [{ key: [] }], responses: { 204: { description: 'ok' } } },
  },
};

const painting = (id: bigint) => ({ id, title: 'The Night Watch', year: 1642 });

export const HANDLERS = {
  listPaintings: ({ query }: { query?: { after?: bigint } }) =>
    Promise.resolve({ status: 200, headers: { 'X-Total': 1 }, body: [painting(query?.after ?? LARGE)] }),
  addPainting: ({ body }: { body: object }) => Promise.resolve({ status: 201, body: { id: 1n, ...body } }),
  getPainting: ({ path: { id } }: { path: { id: bigint } }) =>
    Promise.resolve(
      id === 0n
        ? { status: 404, body: { error: 1, message: 'no such painting' } }
        : { status: 200, body: painting(id) },
    ),
  deletePainting: () => Promise.resolve({ status: 204 }),
  latest: () => Promise.resolve({ status: 200, body: painting(1n) }),
  getPhoto: ({ path: { id } }: { path: { id: bigint } }) =>
    Promise.resolve({ status: 200, body: Buffer.alloc(Number(id), 7) }),
  putPhoto: () => Promise.resolve({ status: 204 }),
  visits: () => Promise.resolve({ status: 200, body: visits() }),
  log: () => Promise.resolve({ status: 200, body: log() }),
  notes: () => Promise.resolve({ status: 200, body: 'closed on Mondays' }),
  keyed: () => Promise.resolve({ status: 204 }),
};

/** Events of which two come at once, and the others never. */
async function* visits() {
  yield { event: 'visit', data: 'one\ntwo' };
  yield { data: '{"id":9223372036854775807}' };
  await new Promise(() => undefined);
}

async function* log() {
  yield await Promise.resolve(painting(LARGE));
}

type Setting = NonNullable<RuntimeOptions['mcp']>;
type Given = Partial<Setting> & {
  readonly document?: JsonObject;
  readonly handlers?: object;
  readonly options?: Partial<RuntimeOptions>;
};

/** Serves a document. `ask` sends a body to `/mcp`; `connect` is the official client, of the newest era or the one before it. */
export async function serving<T>(
  given: Given,
  use: (museum: Awaited<ReturnType<typeof open>>) => Promise<T>,
): Promise<T> {
  const museum = await open(given);
  try {
    return await use(museum);
  } finally {
    await Promise.all(museum.clients.map((client) => client.close()));
    await museum.close();
  }
}

async function open({ document = documentOf(PATHS), handlers = HANDLERS, options, ...mcp }: Given) {
  const outcomes: Outcome<OperationalKind>[] = [];
  const leftOut: string[] = [];
  const faults: unknown[] = [];
  const strategies = strategiesFor(new OpenApiDocument(document), (secret) =>
    secret === TOKEN ? { scopes: ['write'] } : secret === 'reader' && { scopes: [] },
  );
  const setting: Setting = {
    mode: 'all',
    url: undefined,
    host: '127.0.0.1',
    issuers: () => ['https://issuer.example'],
    onLeftOut: (sentences) => leftOut.push(...sentences),
    ...mcp,
  };
  const app = createApp(
    { handlers: handlers as Record<string, () => Promise<{ status: number }>>, errors: PLAIN_ERRORS },
    {
      ...RUNTIME,
      document,
      strategies,
      report: (outcome) => outcomes.push(outcome),
      reportFault: (error) => faults.push(error),
      mcp: setting,
      ...options,
    },
  );
  const limits = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };
  const { port, close } = await openServer(createHttpServer(app, PLAIN_ERRORS.render, limits));
  const url = `http://127.0.0.1:${port}`;
  const clients: Client[] = [];
  const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
  return {
    url,
    outcomes,
    leftOut,
    faults,
    clients,
    close,
    ask: (body: object | string, more: object = {}) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    connect: async (
      era: 'modern' | 'legacy' = 'modern',
      more: Record<string, string> = { Authorization: `Bearer ${TOKEN}` },
    ) => {
      const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
      const client = new Client({ name: 'a client', version: '1.0.0' }, { versionNegotiation: { mode } });
      clients.push(client);
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: more } }),
      );
      return client;
    },
  };
}

/** A call in the era before the newest, which needs no other message before it. */
export const call = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});
