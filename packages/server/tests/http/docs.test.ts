import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { listening } from '../../../../scripts/testing/listening';
import { buildApp } from '../../../../scripts/testing/plant-service';
import { exchangeBytes } from '../../../../scripts/testing/wire';

const app = buildApp();
const PATHS = [
  'openapi.json',
  'openapi.yaml',
  'docs',
  'docs/main.mjs',
  'docs/page.css',
  'docs/oauth2-redirect.html',
  'docs/oauth2-redirect.js',
  'docs/swagger-ui.css',
  'docs/swagger-ui-bundle.js',
  'docs/favicon-32x32.png',
].map((name) => `/-/${name}`);

/** Sends a request without the decompression of a client. */
const raw = (path: string, headers: Record<string, string>, method = 'GET') =>
  listening(app, async (port) => {
    const fields = Object.entries({ Host: 'x', Connection: 'close', ...headers });
    const lines = fields.map((field) => `${field.join(': ')}\r\n`).join('');
    const bytes = await exchangeBytes(port, `${method} ${path} HTTP/1.1\r\n${lines}\r\n`);
    const end = bytes.indexOf('\r\n\r\n');
    const [line = '', ...received] = bytes.subarray(0, end).toString('latin1').split('\r\n');
    const pairs = Object.fromEntries(
      received.map((text) => [
        text.slice(0, text.indexOf(':')).toLowerCase(),
        text.slice(text.indexOf(':') + 2),
      ]),
    );
    return { status: Number(line.split(' ')[1]), headers: pairs, body: bytes.subarray(end + 4) };
  });

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes };

test.each(PATHS)('%s: each coding is a representation with a validator of its own', async (path) => {
  const plain = await raw(path, {});
  expect(plain.headers['content-encoding']).toBeUndefined();
  const etags = new Set<unknown>();
  for (const coding of ['br', 'gzip', 'none'] as const) {
    const accept = { 'Accept-Encoding': coding };
    const { status, headers, body } = await raw(path, accept);
    expect([status, headers['content-encoding'] ?? 'none']).toEqual([200, coding]);
    expect(DECODE[coding](body).equals(plain.body)).toBe(true);
    expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(body.length) });
    expect(headers['cache-control']).toMatch(/^(no-cache|public, max-age=\d+)$/);
    expect(headers['etag']).toMatch(/^"[\w-]+"$/);
    etags.add(headers['etag']);
    const { date, ...same } = headers;
    const head = await raw(path, accept, 'HEAD');
    expect(head).toMatchObject({ status, headers: same });
    expect(head.body.length).toBe(0);
    for (const condition of [headers['etag'], `W/${headers['etag']}`, `"a", ${headers['etag']}`, '*']) {
      const unchanged = await raw(path, { ...accept, 'If-None-Match': String(condition) });
      expect([unchanged.status, unchanged.body.length, unchanged.headers['etag']]).toEqual([
        304,
        0,
        headers['etag'],
      ]);
      expect(unchanged.headers).toMatchObject({
        vary: 'Accept-Encoding',
        'cache-control': headers['cache-control'],
      });
    }
    expect((await raw(path, { ...accept, 'If-None-Match': '"a"' })).status).toBe(200);
    expect(date).toBeDefined();
  }
  expect(etags.size).toBe(3);
});

test.each([
  ['', 'none'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1, br;q=2', 'gzip'],
  ['gzip ; q=0.2', 'gzip'],
  ['GZIP;Q=0.2', 'gzip'],
  ['gzip;q=0.5, br;q=0.9', 'br'],
  ['gzip;q=0.9, br;q=0.5', 'gzip'],
  ['gzip;q=0', 'none'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['*', 'br'],
  ['*;q=0, gzip', 'gzip'],
  ['identity', 'none'],
  ['identity;q=0.9, gzip;q=0.5', 'none'],
  ['identity;q=0, gzip', 'gzip'],
  ['deflate, zstd', 'none'],
  ['x-wonder;q=0.9', 'none'],
])('Accept-Encoding: %s is answered by %s', async (field, coding) => {
  const { headers } = await raw('/-/docs', { 'Accept-Encoding': field });
  expect(headers['content-encoding'] ?? 'none').toBe(coding);
});

test.each(['identity;q=0', '*;q=0', 'identity;q=0, deflate'])('Accept-Encoding: %s is 406', async (field) => {
  const { status, headers, body } = await raw('/-/docs', { 'Accept-Encoding': field });
  expect([status, headers['vary']]).toEqual([406, 'Accept-Encoding']);
  expect(JSON.parse(body.toString())).toMatchObject({
    error: 40600,
    message: `unsupported Accept-Encoding ${field}; expected br or gzip or identity`,
  });
});

test('responses that wait for their client hold no file', async () => {
  const descriptors = () => readdirSync('/dev/fd').length;
  await listening(app, async (port) => {
    for (const path of PATHS) await raw(path, {});
    const before = descriptors();
    const sockets = Array.from({ length: 3 }, () => connect(port, '127.0.0.1').pause());
    for (const socket of sockets) {
      await once(socket, 'connect');
      socket.write('GET /-/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
    }
    for (let i = 0; i < 20; i++) await fetch(`http://127.0.0.1:${port}/-/live`).then((live) => live.text());
    // Each connection has two ends in this process; fetch may have several.
    expect(descriptors() - before).toBeLessThanOrEqual(2 * sockets.length + 20);
    for (const socket of sockets) socket.destroy();
  });
});
