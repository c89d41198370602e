import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { type Answer, bearerStrategy, type ServiceOptions, strategyFor } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { parseReplies } from '../../../../scripts/testing/wire';

interface Context {
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly requestId: string;
}

const DOCUMENT = buildDocument({
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
  operation: {
    security: [{ bearerAuth: [] }],
    requestBody: { content: json({ type: 'string' }) },
    responses: { 200: { description: 'done', content: json({ type: 'string' }) } },
  },
});
const PATHS = DOCUMENT['paths'] as Record<string, Record<string, object>>;
const PUBLIC = {
  ...DOCUMENT,
  paths: {
    ...PATHS,
    '/public': { post: { ...PATHS['/things']?.['post'], operationId: 'postPublic', security: [] } },
  },
};

const head = (token: string, path = '/things') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
const post = (body: string, token = 'good', path?: string) =>
  `${head(token, path)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const [GOOD, HANG] = [post('"good"'), post('"hang"')];

/** Milliseconds after which a client that closes its side does not wait for the response. */
const LATE = 150;

/** A service whose handler and verifier hang on request, and a client for it. */
async function serving(
  options: Partial<ServiceOptions<OperationalKind>>,
  use: (service: {
    readonly open: (bytes: string) => Promise<Client>;
    readonly contexts: Context[];
    readonly faults: unknown[];
    readonly outcomes: { readonly status: number }[];
    readonly end: (() => void)[];
  }) => Promise<void>,
): Promise<void> {
  const contexts: Context[] = [];
  const faults: unknown[] = [];
  const end: (() => void)[] = [];
  const handler = (request: Context): Promise<Answer> => {
    contexts.push(request);
    const answer = { status: 200, body: request.body };
    if (request.body !== 'hang') return Promise.resolve(answer);
    return new Promise((resolve) => {
      end.push(() => {
        resolve(answer);
      });
    });
  };
  const verify = (token: string) => (token === 'good' ? { id: 1 } : new Promise<false>(() => undefined));
  const { app, outcomes } = buildService({
    document: DOCUMENT,
    handlers: { postThing: handler, ...(options.document === PUBLIC && { postPublic: handler }) },
    strategies: { bearerAuth: bearerStrategy(verify) },
    maxRequests: 2,
    bodyLimit: 1_000,
    reportFault: (error) => faults.push(error),
    ...options,
  });
  await listening(app, async (port) => {
    const open = async (bytes: string) => {
      const client = new Client(connect(port, '127.0.0.1'));
      await client.send(bytes);
      return client;
    };
    await use({ open, contexts, faults, outcomes, end });
  });
}

class Client {
  private readonly chunks: Buffer[] = [];
  constructor(readonly socket: Socket) {
    socket.on('error', () => undefined).on('data', (chunk) => this.chunks.push(chunk));
  }

  async send(bytes: string): Promise<void> {
    await new Promise((resolve) => this.socket.write(bytes, resolve));
    await pause(20); // the server has read the request
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** The statuses of the responses, after so many have arrived or the connection is closed. */
  async statuses(count = 1): Promise<number[]> {
    const read = () => parseReplies(Buffer.concat(this.chunks)).map(({ status }) => status);
    while (read().length < count && !this.socket.closed) {
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    return read();
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('a handler receives the id of its request and a signal', async () => {
  await serving({}, async ({ open, contexts }) => {
    expect(await (await open(GOOD)).statuses()).toEqual([200]);
    expect(contexts[0]).toMatchObject({ requestId: 'a-request', signal: { aborted: false } });
  });
});

test('the disconnect of a client frees the slot of a hanging handler and aborts its signal', async () => {
  await serving({}, async ({ open, contexts, outcomes, faults, end }) => {
    const clients = [await open(HANG), await open(HANG)];
    const signals = contexts.map(({ signal }) => signal);
    expect(await (await open(GOOD)).statuses()).toEqual([503]);
    await pause(LATE);
    for (const { socket } of clients) socket.destroy();
    while (!signals.every(({ aborted }) => aborted)) await pause(1);
    expect(await (await open(GOOD)).statuses()).toEqual([200]);
    expect(signals.map(({ aborted, reason }) => [aborted, String(reason)])).toEqual([
      [true, 'Error: the client has left'],
      [true, 'Error: the client has left'],
    ]);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(outcomes.map(({ status }) => status)).toEqual([503, 499, 499, 200]);
    for (const answer of end) answer();
    await pause(20);
    expect(faults.map(String)).toEqual([
      expect.stringMatching(/^Error: postThing ended after \d+ ms, when its request had been abandoned$/),
      expect.stringMatching(/^Error: postThing ended after \d+ ms, when its request had been abandoned$/),
    ]);
  });
});

test('so it does for pipelined requests, of which the second has not begun', async () => {
  await serving({ maxRequests: 1 }, async ({ open, contexts }) => {
    const client = await open(HANG + HANG);
    await pause(LATE);
    client.socket.destroy();
    while (contexts[0]?.signal.aborted !== true) await pause(1);
    expect(await (await open(GOOD + GOOD)).statuses(2)).toEqual([200, 200]);
    expect(contexts.map(({ body }) => body)).toEqual(['hang', 'good', 'good']);
  });
});

/** What the handler waits for is there, but nobody has noticed it yet. */
async function standStill(): Promise<void> {
  const read = readFile(__filename);
  for (const until = performance.now() + 1_100; performance.now() < until;);
  await read;
}

test.each([
  ['', () => pause(20)],
  [', even if the server stands still for longer than it waits for such a client', standStill],
])('a client that closes its side with its request gets the response%s', async (_, meanwhile) => {
  await serving({}, async ({ open, contexts, end }) => {
    const client = new Client(
      connect({ port: (await open(GOOD)).socket.remotePort ?? 0, allowHalfOpen: true }),
    );
    client.socket.end(HANG);
    while (contexts.length < 2) await pause(1);
    await pause(20); // the server has noticed it
    await meanwhile();
    for (const answer of end) answer();
    expect(await client.statuses()).toEqual([200]);
  });
});

test('a hanging handler ends with a response at the deadline and frees its slot', async () => {
  await serving({ deadline: 300 }, async ({ open, contexts, outcomes }) => {
    const clients = await Promise.all([open(HANG), open(HANG)]);
    expect(await (await open(GOOD)).statuses()).toEqual([503]);
    const [signal] = contexts.map((context) => context.signal);
    expect(await Promise.all(clients.map((client) => client.statuses()))).toEqual([[503], [503]]);
    expect([signal?.aborted, String(signal?.reason)]).toEqual([
      true,
      'Problem: the request was not answered within 300 ms',
    ]);
    expect(await (await open(GOOD)).statuses()).toEqual([200]);
    expect(outcomes.map(({ status }) => status)).toEqual([503, 503, 503, 200]);
  });
});

test.each([
  ['credentials', post('"a"', 'unknown')],
  ['a body', `${head('good')}Content-Length: 9\r\n\r\n"`],
])('the deadline applies to %s too', async (_, bytes) => {
  await serving({ deadline: 200 }, async ({ open, contexts }) => {
    expect(await (await open(bytes)).statuses()).toEqual([503]);
    expect(contexts).toEqual([]);
  });
});

test('hanging verifications block no other request; beyond MAX_REQUESTS the oldest is refused', async () => {
  await serving({}, async ({ open }) => {
    const strangers: Client[] = [];
    for (let i = 0; i < 5; i++) strangers.push(await open(post('"a"', 'unknown')));
    expect(await (await open(GOOD.repeat(10))).statuses(10)).toEqual(Array(10).fill(200));
    const given = await Promise.all(strangers.slice(0, 3).map((client) => client.statuses()));
    expect(given).toEqual([[503], [503], [503]]);
  });
});

describe('credentials that were accepted before', () => {
  /** A path and a header field. */
  type Sent = readonly [string, string];
  const FORMS = {
    bearer: [
      { type: 'http', scheme: 'bearer' },
      (key: string): Sent => ['/things', `Authorization: Bearer ${key}`],
    ],
    basic: [
      { type: 'http', scheme: 'basic' },
      (key: string): Sent => [
        '/things',
        `Authorization: Basic ${Buffer.from(`u:${key}`).toString('base64')}`,
      ],
    ],
    header: [
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      (key: string): Sent => ['/things', `X-Key: ${key}`],
    ],
    query: [
      { type: 'apiKey', in: 'query', name: 'key' },
      (key: string): Sent => [`/things?key=${key}`, 'X-No: key'],
    ],
    cookie: [
      { type: 'apiKey', in: 'cookie', name: 'key' },
      (key: string): Sent => ['/things', `Cookie: key=${key}`],
    ],
  } as const;

  /** A verifier that decides what waits when the test says so. */
  function undecided(accepts: (secret: string) => boolean) {
    const waiting: (() => void)[] = [];
    const verify = (secret: string) =>
      new Promise<object | false>((resolve) => {
        waiting.push(() => {
          resolve(accepts(secret) ? {} : false);
        });
      });
    const decide = () => {
      for (const decision of waiting.splice(0)) decision();
    };
    return { verify, decide };
  }

  /** A service whose verifier decides only when the test says so. */
  async function deciding(
    form: keyof typeof FORMS,
    use: (service: {
      readonly send: (key: string) => Promise<Client>;
      /** Decides the verifications that wait. */
      readonly decide: () => void;
      /** Nothing is accepted any more. */
      readonly revoke: () => void;
    }) => Promise<void>,
  ): Promise<void> {
    const [scheme, withKey] = FORMS[form];
    let isRevoked = false;
    const { verify, decide } = undecided((key) => !isRevoked && key.endsWith('known'));
    const securitySchemes = { bearerAuth: scheme };
    const strategies = {
      bearerAuth: strategyFor(scheme.type === 'apiKey' ? 'apiKey' : scheme.scheme, verify),
    };
    const document = { ...DOCUMENT, components: { securitySchemes } };
    await serving({ document, strategies }, ({ open }) =>
      use({
        send: (key) => {
          const [path, field] = withKey(key);
          return open(post('"a"', 'x', path).replace('Authorization: Bearer x', () => field));
        },
        decide,
        revoke: () => {
          isRevoked = true;
        },
      }),
    );
  }

  test.each(Object.keys(FORMS) as (keyof typeof FORMS)[])(
    'are not given up for others while they are verified: %s',
    async (form) => {
      await deciding(form, async ({ send, decide }) => {
        const first = await send('known');
        decide();
        expect(await first.statuses()).toEqual([200]);

        const again = await send('known');
        const strangers: Client[] = [];
        for (let i = 0; i < 5; i++) strangers.push(await send(`stranger${i}`));
        const refused = await Promise.all(strangers.slice(0, 3).map((client) => client.statuses()));
        expect(refused).toEqual([[503], [503], [503]]);
        decide();
        expect(await again.statuses()).toEqual([200]);
        expect(await strangers[4]?.statuses()).toEqual([401]);
      });
    },
  );

  test('have a bound of their own', async () => {
    await deciding('bearer', async ({ send, decide }) => {
      const first = await send('known');
      decide();
      await first.statuses();
      const again: Client[] = [];
      for (let i = 0; i < 5; i++) again.push(await send('known'));
      expect(await again[0]?.statuses()).toEqual([503]);
      expect(again[0]?.text).toContain('too many credentials are waiting'); // it did not wait for its deadline
      decide();
      expect(await again[1]?.statuses()).toEqual([200]);
    });
  });

  test('give way to others in their own bound by how many requests have them', async () => {
    await deciding('bearer', async ({ send, decide }) => {
      for (const key of ['ann-known', 'bob-known']) {
        const first = await send(key);
        decide();
        await first.statuses();
      }
      const bob = await send('bob-known');
      const others: Client[] = [];
      for (let i = 0; i < 5; i++) others.push(await send('ann-known'));
      expect(await others[0]?.statuses()).toEqual([503]);
      decide();
      expect(await bob.statuses()).toEqual([200]);
    });
  });

  test('are forgotten when they are rejected', async () => {
    await deciding('bearer', async ({ send, decide, revoke }) => {
      const first = await send('known');
      decide();
      expect(await first.statuses()).toEqual([200]);
      revoke();
      const again = await send('known');
      for (let i = 0; i < 3; i++) await send(`stranger${i}`);
      decide();
      expect(await again.statuses()).toEqual([401]);
      const last = await send('known');
      for (let i = 0; i < 3; i++) await send(`stranger${i}`);
      expect(await last.statuses()).toEqual([503]);
      expect(last.text).toContain('too many credentials are waiting');
      decide();
    });
  });

  test('are those of a whole alternative: a key that all clients have proves nothing', async () => {
    const { verify, decide } = undecided((token) => token === 'good');
    const schemes = {
      app: { type: 'apiKey', in: 'header', name: 'X-App' },
      user: { type: 'http', scheme: 'bearer' },
    };
    const document = buildDocument({
      components: { securitySchemes: schemes },
      operation: {
        security: [{ app: [], user: [] }],
        requestBody: { content: json({ type: 'string' }) },
        responses: { 200: { description: 'done', content: json({ type: 'string' }) } },
      },
    });
    const strategies = {
      app: strategyFor('apiKey', (key) => key === 'app' && {}),
      user: strategyFor('bearer', verify),
    };
    const request = (token: string) => post('"a"', token).replace('Host: x', 'Host: x\r\nX-App: app');
    await serving({ document, strategies }, async ({ open }) => {
      const first = await open(request('good'));
      decide();
      expect(await first.statuses()).toEqual([200]);
      const again = await open(request('good'));
      const strangers: Client[] = [];
      for (let i = 0; i < 5; i++) strangers.push(await open(request(`stranger${i}`)));
      expect(await strangers[0]?.statuses()).toEqual([503]);
      decide();
      expect(await again.statuses()).toEqual([200]);
    });
  });

  test('are not those that were rejected', async () => {
    await deciding('bearer', async ({ send, decide }) => {
      const first = await send('stranger');
      decide();
      expect(await first.statuses()).toEqual([401]);
      const again = await send('stranger');
      for (let i = 0; i < 2; i++) await send(`stranger${i}`);
      expect(await again.statuses()).toEqual([503]);
      decide();
    });
  });
});

test('slow bodies block no other request', async () => {
  await serving({}, async ({ open }) => {
    const slow: Client[] = [];
    for (let i = 0; i < 5; i++) slow.push(await open(`${head('good')}Content-Length: 3\r\n\r\n"`));
    expect(await (await open(GOOD)).statuses()).toEqual([200]);
    for (const client of slow) {
      await client.send('a"');
      expect(await client.statuses()).toEqual([200]);
    }
  });
});

test('the bodies in memory are limited to MAX_REQUESTS of the largest; beyond it the oldest is refused', async () => {
  await serving({}, async ({ open }) => {
    const part = `${head('good')}Content-Length: 1000\r\n\r\n"${'a'.repeat(899)}`;
    const [first, second, third] = [await open(part), await open(part), await open(part)];
    expect(await first.statuses()).toEqual([503]);
    const rest = `${'a'.repeat(99)}"`;
    await second.send(rest);
    await third.send(rest);
    expect([await second.statuses(), await third.statuses()]).toEqual([[200], [200]]);
  });
});

test('without a free slot the server requests no body', async () => {
  await serving({}, async ({ open }) => {
    await open(HANG);
    await open(HANG);
    const client = await open(`${head('good')}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
    expect(await client.statuses()).toEqual([503]);
  });
});

test('anonymous requests block no authenticated one', async () => {
  await serving({ document: PUBLIC }, async ({ open }) => {
    const hang = post('"hang"', '', '/public').replace('Authorization: Bearer \r\n', '');
    await open(hang);
    await open(hang);
    expect(await (await open(hang)).statuses()).toEqual([503]);
    expect(await (await open(GOOD)).statuses()).toEqual([200]);
  });
});
