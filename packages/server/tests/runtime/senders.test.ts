import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, UndocumentedRequest } from 'contract-first-server';
import { Variables } from '../../src/runtime/config';
import { attemptDelivery, isPublic, receiverOf } from '../../src/runtime/webhooks/delivery';
import {
  readSenders,
  type SendersConfig,
  signatureOf,
  signingKey,
} from '../../src/runtime/webhooks/sender-config';
import { backOff, openSenders, type SendersParts } from '../../src/runtime/webhooks/senders';
import { takeTurns } from '../../src/runtime/webhooks/turns';
import { keepFolder } from '../../../../scripts/testing/folder';
import { buildDocument, json } from '../../../../scripts/testing/service';

const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${Buffer.alloc(32, 7).toString('base64')}`];
const [OLD = '', NEW = ''] = SECRETS;
const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
const keptFolder = keepFolder();
const file = join(keptFolder, 'openapi.json');
writeFileSync(
  file,
  JSON.stringify(
    buildDocument({
      webhooks: {
        made: {
          post: {
            requestBody: { required: true, content: json(schema) },
            responses: { 204: { description: '' } },
          },
        },
      },
    }),
  ),
);
interface Webhooks {
  made: {
    post: {
      parameters: object;
      requestBody: { content: { 'application/json': { id: number } } };
      responses: object;
    };
  };
}

const read = (environment: NodeJS.ProcessEnv) => {
  const variables = new Variables(environment);
  return { config: readSenders(variables, 'WEBHOOK'), wrong: variables.wrong };
};

type Answer = (response: http.ServerResponse, nth: number) => void;
const open = new Set<() => Promise<unknown>>();
afterEach(async () => {
  for (const close of open) await close();
  open.clear();
});

/** A receiver, and senders that trust it. */
async function exchange(answer: Answer, more: Partial<SendersConfig> = {}) {
  const received: { headers: http.IncomingHttpHeaders; body: string; url: string | undefined }[] = [];
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(pieces).toString(), url: request.url });
      answer(response, received.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: { level: string; fields: unknown; message: string | undefined }[] = [];
  const line = (level: string) => (fields: unknown, message?: string) =>
    lines.push({ level, fields, message });
  const log = { warn: line('warn'), error: line('error') };
  const { config } = read({ WEBHOOK_SECRETS: SECRETS.join(','), WEBHOOK_TRUSTED_HOSTS: host });
  const senders = openSenders<Webhooks>({ ...config, retryDelay: 1, ...more }, { document: file, log });
  open.add(() => {
    server.closeAllConnections();
    return Promise.all([senders.close(), new Promise((done) => server.close(done))]);
  });
  const url = `http://${host}/in?token=abc`;
  return { received, lines, senders, url, send: (id = 1) => senders.send('made', { url, body: { id } }) };
}
const status =
  (code: number, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();
/** The answers of the first attempts, and 204 to those after them. */
const first =
  (...answers: readonly Answer[]): Answer =>
  (response, nth) => {
    (answers[nth - 1] ?? status(204))(response, nth);
  };
const never: Answer = () => undefined;
const endless: Answer = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = () => {
    if (!response.destroyed) response.write('1,'.repeat(10_000), more);
  };
  more();
};

describe('a signature', () => {
  test('is that of the reference library, for each secret', () => {
    const keys = SECRETS.map(signingKey);
    expect(signatureOf('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', keys, 1614265330999)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': expect.stringMatching(
        /^v1,g0hM9SsE\+OTPJTGt\/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,[\w+/]{43}=$/,
      ) as string,
    });
    const [key] = keys;
    const text = signatureOf(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": "ü☃"}',
      key ? [key] : [],
      1614265330000,
    );
    expect(text['webhook-signature']).toBe('v1,ID3rYU4X1G14GDrAK65s/ZbgDB3XB+9NmhScS2UOc0o=');
  });

  test('is of the bytes that arrive, with a new time in each attempt', async () => {
    const { received, send } = await exchange(first(status(500)));
    const now = jest.spyOn(Date, 'now').mockReturnValueOnce(1_000_000).mockReturnValue(3_000_000);
    const { id } = await send();
    now.mockRestore();
    expect(received).toHaveLength(2);
    for (const [i, { headers, body }] of received.entries()) {
      const expected = signatureOf(id, body, SECRETS.map(signingKey), [1_000_000, 3_000_000][i]);
      expect(headers).toMatchObject(expected);
    }
  });

  test('is made by the secrets of the receiver, if it has some; without any, nothing is sent', async () => {
    const { received, senders, url } = await exchange(status(204), { source: { ...read({}).config.source } });
    const message = senders.write('made', { url, body: { id: 1 } }, { id: 'mine' });
    expect(() => senders.deliver(message)).toThrow('made is not sent: there is no secret in WEBHOOK_SECRETS');
    expect(() => senders.deliver(message, { secrets: [] })).toThrow('there is no secret in WEBHOOK_SECRETS');
    expect(() => senders.deliver(message, { secrets: ['abc'] })).toThrow(/^expected secrets like [^:]*$/);
    expect(await senders.deliver(message, { secrets: [NEW] })).toMatchObject({ delivered: true, id: 'mine' });
    expect(received[0]?.headers['webhook-signature']).toMatch(/^v1,[^ ]{44}$/);
  });
});

test('the secrets are those of the file, after each change of it', async () => {
  const path = `${file}.secrets`;
  const write = (text: string) => {
    writeFileSync(path, text);
    for (let i = 0; i < 2; i++) jest.advanceTimersToNextTimer();
  };
  writeFileSync(path, `${OLD}\n`);
  jest.useFakeTimers({
    doNotFake: ['Date', 'setTimeout', 'clearTimeout', 'setImmediate', 'nextTick', 'performance'],
  });
  const { config } = read({ WEBHOOK_SECRETS_FILE: path });
  const { received, send, lines } = await exchange(status(204), { source: config.source });
  for (const text of ['short\n', `${NEW}\n`]) {
    write(text);
    await send();
  }
  jest.useRealTimers();
  expect(received).toHaveLength(2);
  for (const [i, { headers, body }] of received.entries()) {
    const { 'webhook-id': id, 'webhook-timestamp': time } = headers;
    const keys = [signingKey(SECRETS[i] ?? '')];
    expect(headers).toMatchObject(signatureOf(String(id), body, keys, Number(time) * 1000));
  }
  expect(lines.map(({ fields }) => fields)).toEqual([
    expect.stringMatching(/^WEBHOOK_SECRETS_FILE: expected/),
  ]);
});

describe('a message', () => {
  test('is kept as JSON and sent later, as it was judged', async () => {
    const { received, senders, url } = await exchange(status(200));
    const message = senders.write('made', { url, body: { id: 1 } });
    const kept = JSON.parse(JSON.stringify(message)) as typeof message;
    expect(await senders.deliver(kept)).toEqual({
      ...{ id: message.id, delivered: true, gone: false, attempts: 1, status: 200, reason: undefined },
    });
    expect(received).toMatchObject([
      { body: '{"id":1}', url: '/in?token=abc', headers: { 'content-length': '8' } },
    ]);
    await expect((async () => senders.deliver({ ...kept, name: 'gone' }))()).rejects.toThrow(
      UndocumentedRequest,
    );
  });

  test('has an id that a header can carry', async () => {
    const { senders, url } = await exchange(status(204));
    for (const id of ['', 'a b', 'a\n', 'ü', 'x'.repeat(257)])
      expect(() => senders.write('made', { url, body: { id: 1 } }, { id })).toThrow(
        'an id of 1 to 256 visible',
      );
  });

  test('that the document does not allow is thrown and logged, and does not leave', async () => {
    const { received, lines, senders, url } = await exchange(status(204));
    expect(() => senders.send('made', { url, body: { id: 'x' as never } })).toThrow(UndocumentedRequest);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: 'made is not sent: the request: body/id must be integer',
      }),
    ]);
    await senders.send('made', { url, body: { id: 1 } });
    expect(received).toHaveLength(1);
  });

  test.each<[string, Answer, string]>([
    ['500', status(500), 'the response was 500'],
    ['404', status(404), 'the response was 404'],
    ['a redirect, which is not followed', status(307, { Location: '/other' }), 'the response was 307'],
    ['no answer', (response) => response.socket?.destroy(), 'the connection was closed without a response'],
    [
      'what is not HTTP',
      (response) => response.socket?.end('hello'),
      'the request failed (HPE_INVALID_CONSTANT)',
    ],
    ['an answer that does not end', (response) => response.writeHead(200).write('a'), 'no response in time'],
    ['silence', never, 'no response in time'],
    [
      'another protocol',
      (response) =>
        response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      'the connection was closed without a response',
    ],
  ])('is sent again after %s, until it is delivered', async (_, answer, reason) => {
    const { received, lines, send } = await exchange(first(answer, answer), { timeout: 200 });
    expect(await send()).toMatchObject({ delivered: true, attempts: 3, status: 204 });
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(received.map(({ url }) => url)).toEqual(Array(3).fill('/in?token=abc'));
    expect(lines.map(({ fields }) => fields)).toMatchObject([{ reason }, { reason }]);
    expect(JSON.stringify(lines)).not.toContain('token=abc');
  });

  test('is given up after ten attempts, and that is logged', async () => {
    const { received, lines, send } = await exchange(status(503), { retryDelay: 0 });
    expect(await send()).toMatchObject({
      delivered: false,
      attempts: 10,
      reason: 'the response was 503',
      status: 503,
    });
    expect(received).toHaveLength(10);
    expect(lines.at(-1)).toMatchObject({ level: 'error', message: 'a webhook was not delivered' });
  });

  test.each([
    ['the time of all attempts is over', status(500), { retryTime: 0 }],
    ['Retry-After is beyond it', status(429, { 'Retry-After': '3601' }), {}],
    ['Retry-After has more digits than a time', status(429, { 'Retry-After': '9'.repeat(30) }), {}],
    [
      'the date of Retry-After is beyond it',
      status(503, { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
      {},
    ],
    ['the receiver is gone', status(410), {}],
  ])('is not sent again when %s', async (_, answer, more) => {
    const { received, send } = await exchange(answer, more);
    const { delivered, gone, status: last } = await send();
    expect([delivered, gone]).toEqual([false, last === 410]);
    expect(received).toHaveLength(1);
  });

  test('waits for Retry-After', async () => {
    const { send, lines } = await exchange(first(status(429, { 'Retry-After': '1' })));
    expect(await send()).toMatchObject({ delivered: true, attempts: 2 });
    expect(lines[0]).toMatchObject({ fields: { next: 1000 } });
  });

  test.each([
    ['any status of success', status(202)],
    ['a body that has no end', endless],
  ])('is delivered by %s', async (_, answer) => {
    const { received, lines, send } = await exchange(answer);
    expect(await send()).toMatchObject({ delivered: true, reason: undefined });
    expect([received.length, lines]).toEqual([1, []]);
  });
});

describe('the queue', () => {
  test('refuses what is beyond its bytes, and takes more when some are delivered', async () => {
    const held: http.ServerResponse[] = [];
    const { send, received } = await exchange((response) => held.push(response), { queue: 2500 });
    const all = [send(1), send(2)];
    expect(() => send(3)).toThrow(
      new Problem('unavailable', 'made is not sent: too many others are waiting'),
    );
    while (held.length < 2) await new Promise(setImmediate);
    for (const response of held.splice(0)) response.writeHead(204).end();
    await Promise.all(all);
    const last = send(3);
    while (held.length < 1) await new Promise(setImmediate);
    held[0]?.writeHead(204).end();
    expect([await last, received.length]).toMatchObject([{ delivered: true }, 3]);
  });

  test('counts each part of a message', async () => {
    const { senders, url } = await exchange(status(204), { queue: 2500 });
    const message = senders.write('made', { url, body: { id: 1 } });
    const long = 'x'.repeat(2000);
    for (const part of [{ url: `${url}&${long}` }, { headers: { 'x-note': long } }, { body: long }])
      expect(() => senders.deliver({ ...message, ...part })).toThrow('too many others are waiting');
    expect(await senders.deliver(message)).toMatchObject({ delivered: true });
  });

  test('runs at most so many at once and of one host, in turn, and forgets who is done', async () => {
    const running: { host: string; end: () => void }[] = [];
    const began: string[] = [];
    const add = takeTurns(4, 2);
    const task = (host: string) => () =>
      new Promise<void>((end) => {
        began.push(host);
        running.push({ host, end });
      });
    for (const host of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) add(host, task(host));
    expect(began).toEqual(['a', 'a', 'b', 'b']);
    for (let least = 4; running.length > 0; least = running.length) {
      running.shift()?.end();
      await new Promise(setImmediate);
      expect(running.length).toBeLessThanOrEqual(4);
      for (const host of 'abc')
        expect(running.filter((one) => one.host === host).length).toBeLessThanOrEqual(2);
      expect(running.length).toBeGreaterThanOrEqual(Math.min(least - 1, running.length));
    }
    expect(began.join('')).toBe('aabbaca');
  });

  test('waits from half to the whole of a time that grows four times with each attempt', () => {
    expect([0, 1].map((chance) => backOff(5000, 1, chance))).toEqual([2500, 5000]);
    expect([1, 2, 3, 4].map((attempts) => backOff(5000, attempts, 1))).toEqual([
      5000, 20_000, 80_000, 320_000,
    ]);
  });
});

describe('at the end', () => {
  test('what is under way is delivered, and what waits for another attempt is reported', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((done) => (answer = done));
    let release: () => void = () => undefined;
    const { senders, send, lines } = await exchange(
      (response, nth) => {
        if (nth === 1) response.writeHead(500).end();
        else {
          release = () => response.writeHead(204).end();
          answer();
        }
      },
      { retryDelay: 3_000_000 },
    );
    const failing = send(1);
    while (lines.length === 0) await new Promise(setImmediate);
    const delivered = send(2);
    await asked;
    const closed = senders.close();
    expect(() => send(3)).toThrow('made is not sent: the server is stopping');
    expect(await failing).toMatchObject({ delivered: false, attempts: 1, reason: 'the server is stopping' });
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { reason: 'the server is stopping', webhook: 'made' },
    });
    release();
    expect(await delivered).toMatchObject({ delivered: true });
    await closed;
  });

  test('what does not end in time is ended', async () => {
    const { senders, send, received } = await exchange(never, { timeout: 600_000 });
    const all = [1, 2, 3, 4, 5, 6].map(send);
    while (received.length < 4) await new Promise(setImmediate);
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    const closed = senders.close();
    jest.advanceTimersByTime(5000);
    jest.useRealTimers();
    await closed;
    for (const delivery of await Promise.all(all))
      expect(delivery).toMatchObject({ delivered: false, reason: 'the server is stopping' });
  });
});

describe('a receiver', () => {
  const PRIVATE = [
    '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.31.255.255 192.0.0.1 192.168.0.1',
    '198.18.0.1 203.0.113.9 224.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 64:ff9b::a00:1',
    '2002:a00:1:: 2001::1 fc00::1 fd12::1 fe80::1 fec0::1 ff02::1 2001:db8::1 100::1 ::7f00:1 none',
  ].flatMap((line) => line.split(' '));
  const PUBLIC = '1.1.1.1 8.8.8.8 172.32.0.1 172.15.255.255 100.128.0.1 192.169.0.1 2606:4700::1111'.split(
    ' ',
  );

  test('has an address of the Internet', () => {
    expect(PRIVATE.filter(isPublic)).toEqual([]);
    expect(PUBLIC.filter(isPublic)).toEqual(PUBLIC);
  });

  test.each([
    ['http://a.example/', 'the URL does not start with https:'],
    ['ftp://a.example/', 'the URL does not start with https:'],
    ['file:///etc/passwd', 'the URL does not start with https:'],
    ['/in', 'invalid URL'],
    [undefined as never, 'invalid URL'],
    ['https://user:pass@a.example/', 'the URL contains credentials'],
    ...'127.0.0.1 0x7f.1 2130706433 [::1] [::ffff:7f00:1] 0 10.0.0.1:8443 ①②⑦.0.0.1'
      .split(' ')
      .map((host): [string, string] => [`https://${host}/`, 'the host resolves to a private address']),
    ['http://hooks.internal:81/', 'the URL does not start with https:'],
  ])('is refused: %s', async (url, reason) => {
    expect(() => receiverOf(url, ['hooks.internal:80'])).toThrow(reason);
    const { send, senders, received } = await exchange(status(204));
    expect(await senders.send('made', { url, body: { id: 1 } })).toMatchObject({
      attempts: 1,
      delivered: false,
      reason,
    });
    await send();
    expect(received).toHaveLength(1);
  });

  test('that is trusted may have any address and no TLS, with a port or at any', () => {
    expect(receiverOf('http://127.0.0.1:81/', ['127.0.0.1'])).toMatchObject({ isTrusted: true });
    expect(receiverOf('http://LOCALHOST:81/', ['localhost:81'])).toMatchObject({ isTrusted: true });
    expect(receiverOf('https://a.example/', ['b.example'])).toMatchObject({ isTrusted: false });
  });

  test.each([
    [
      'one of its addresses is private',
      [['8.8.8.8'], ['10.0.0.1']].flat(),
      'the host resolves to a private address',
    ],
    ['it has none', [], 'the host has no address'],
  ])('is refused after the look-up, if %s', async (_, addresses, message) => {
    const request = { method: 'POST', url: 'https://a.example/', headers: {}, body: '' };
    const { signal } = new AbortController();
    const attempted = attemptDelivery(request, {}, [], signal, (host, options, done) => {
      expect([host, options.all]).toEqual(['a.example', true]);
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    });
    await expect(attempted).rejects.toThrow(message);
  });
});

test('senders that are opened again with one configuration share what is compiled, and no others do', () => {
  const document = join(keptFolder, 'changing.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(document, text);
  const compiledBy = ({ config }: ReturnType<typeof read>, more: Partial<SendersParts> = {}) => {
    const compile = jest.fn(config.compile);
    openSenders({ ...config, compile }, { document, ...more });
    return compile.mock.results[0]?.value as unknown;
  };
  const [one, another] = [read({}), read({})];
  const first = compiledBy(one);
  expect(compiledBy(one)).toBe(first);
  expect(compiledBy(another)).not.toBe(first);
  expect(compiledBy(one, { codecs: [] })).not.toBe(first);
  const again = compiledBy(one);
  writeFileSync(document, `${text} `);
  expect(compiledBy(one)).not.toBe(again);
});

test('the environment is read whole', () => {
  const secrets = SECRETS.join(',');
  const { config, wrong } = read({
    WEBHOOK_SECRETS: secrets,
    WEBHOOK_TRUSTED_HOSTS: 'a.example, [::1]:80,b:4000',
  });
  expect([wrong, config]).toMatchObject([
    [],
    { trusted: ['a.example', '[::1]:80', 'b:4000'], timeout: 15_000, concurrency: 16 },
  ]);
  const bad = {
    WEBHOOK_SECRETS: `${OLD},whsec_c2hvcnQ=`,
    WEBHOOK_TRUSTED_HOSTS: 'http://a.example',
    ...{ WEBHOOK_TIMEOUT: '0', WEBHOOK_RETRY_TIME: 'x', WEBHOOK_CONCURRENCY: '0', WEBHOOK_QUEUE: '-1' },
  };
  const { wrong: faults } = read(bad);
  expect(faults.map((line) => line.split(':')[0])).toEqual(Object.keys(bad));
  expect(faults.join()).not.toContain('c2hvcnQ');
});
