import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { type JsonObject, run, urlTarget } from 'contract-first-prover';

// The header Idempotency-Key, at servers that keep to it and at others.

const refused = { description: 'Refused.', content: { 'application/json': { schema: { type: 'object' } } } };
const order = {
  type: 'object',
  required: ['item'],
  properties: { item: { type: 'string', minLength: 1, maxLength: 50 } },
};
const documentWith = (more: JsonObject, required: boolean): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: {
    '/orders': {
      post: {
        operationId: 'addOrder',
        parameters: [
          { name: 'Idempotency-Key', in: 'header', required, schema: { type: 'string', minLength: 8 } },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: order } } },
        responses: {
          201: { description: 'Stored.', content: { 'application/json': { schema: { type: 'object' } } } },
          400: refused,
          ...more,
        },
      },
    },
  },
});

type Fault = 'executes retries' | 'answers other requests' | 'none';

/** A server with a fault. What is no order is 400. */
async function serve(fault: Fault): Promise<Server> {
  const kept = new Map<string, { text: string; answer: string }>();
  let count = 0;
  const read = async (request: IncomingMessage) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  };
  const itemIn = (text: string): unknown => {
    try {
      return (JSON.parse(text) as { item?: unknown } | null)?.item;
    } catch {
      return undefined;
    }
  };
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      const key = request.headers['idempotency-key'];
      const isKeyed = typeof key === 'string' && key.length >= 8;
      const known = isKeyed ? kept.get(key) : undefined;
      const item = itemIn(text);
      const isValid = typeof item === 'string' && item !== '' && item.length <= 50;
      const answer = (status: number, body: string) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
      if (request.method !== 'POST' || request.url !== '/orders') answer(404, '{}');
      else if (!isValid || (key !== undefined && !isKeyed)) answer(400, '{}');
      else if (known && known.text !== text && fault !== 'answers other requests') answer(422, '{}');
      else if (known && fault !== 'executes retries') answer(201, known.answer);
      else {
        const body = JSON.stringify({ id: ++count });
        if (isKeyed) kept.set(key, { text, answer: body });
        answer(201, body);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const rule = 'addOrder | protocol | idempotency keys';

describe.each([false, true])('a key that is required: %j', (required) => {
  const document = documentWith({ 409: refused, 422: refused }, required);

  /** The state of the rule, and the failures about it, of two runs at one server. */
  async function prove(fault: Fault) {
    const server = await serve(fault);
    try {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const target = urlTarget({
        ...{ url: `http://127.0.0.1:${port}`, document, write: true, requestsPerSecond: 10_000 },
        profile: 'strict',
      });
      const results = [];
      for (let i = 0; i < 2; i++) {
        const { obligations, failures } = await run(target, { generated: 10, shrink: false });
        const state = obligations.find(({ key }) => key === rule)?.state;
        const own = failures
          .flatMap(({ problems }) => problems)
          .filter((one) => /Idempotency|idempotency|422/.test(one));
        results.push({
          state,
          own,
          409: obligations.find(({ key }) => key.startsWith('addOrder | response | 409'))?.state,
        });
      }
      return results;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('is proven by a retry and by another request, in each run', async () => {
    const proven = { state: 'PROVEN', own: [], 409: 'OUT OF REACH' };
    expect(await prove('none')).toEqual([proven, proven]);
  });

  test('is disproven where a retry is executed', async () => {
    const [first] = await prove('executes retries');
    expect(first?.state).toBe('UNPROVEN');
    expect(first?.own[0]).toContain('expected the answer to the first request, got 201');
  });

  test('is disproven where another request gets the answer of the first', async () => {
    const [first] = await prove('answers other requests');
    expect(first?.state).toBe('UNPROVEN');
    expect(first?.own[0]).toContain('expected 422, got 201');
  });
});

test('a header that is documented without 409 and 422 promises nothing', async () => {
  const server = await serve('executes retries');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { obligations } = await run(
    urlTarget({
      ...{ url: `http://127.0.0.1:${port}`, write: true, requestsPerSecond: 10_000 },
      document: documentWith({ 409: refused }, false),
    }),
    { generated: 5, shrink: false },
  );
  expect(obligations.some(({ key }) => key === rule)).toBe(false);
  server.closeAllConnections();
  server.close();
});
