import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { curlCommand } from '../../src/wire/curl';
import { encodeRequest, type RawRequest } from '../../src/wire/message';
import { redact, secretsOf } from '../../src/wire/secrets';

const post: RawRequest = {
  method: 'POST',
  target: '/a?b=c',
  headers: [['X', 'y']],
  body: Buffer.from('hello'),
};

describe('a request on the wire', () => {
  const text = (request: RawRequest): string => encodeRequest(request).toString('latin1');

  test('has its length and its body', () => {
    expect(text(post)).toBe(
      'POST /a?b=c HTTP/1.1\r\nHost: localhost\r\nX: y\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
    );
  });

  test('is sent in chunks, or announces a body that it withholds', () => {
    expect(text({ ...post, sending: 'chunked' })).toMatch(
      /\r\n\r\n2\r\nhe\r\n2\r\nll\r\n1\r\no\r\n0\r\n\r\n$/,
    );
    expect(text({ ...post, sending: 'withheld' })).toMatch(/Content-Length: 5\r\nConnection: close\r\n\r\n$/);
  });
});

describe('the curl line', () => {
  /** The input of curl when bash runs the line. */
  const input = (request: RawRequest): Buffer =>
    execFileSync('bash', ['-c', `curl() { cat; }; ${curlCommand(request)}`]);

  /** The arguments of curl when bash runs the line, as bytes. */
  const args = (line: string, cwd?: string): string[] =>
    execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], { ...(cwd && { cwd }) })
      .toString('latin1')
      .split('\0')
      .slice(0, -1);

  test('contains a printable body, and the default address of a service', () => {
    const line = curlCommand({ ...post, body: Buffer.from(`it's`) });
    expect(line).toBe(
      `curl -i --path-as-is -X POST -H 'X: y' -H 'Content-Type:' --data-raw 'it'\\''s' "\${BASE:-http://127.0.0.1:3000}"'/a?b=c'`,
    );
    expect(args(line).at(-1)).toBe('http://127.0.0.1:3000/a?b=c');
    expect(args(`BASE=http://h; ${line}`).at(-1)).toBe('http://h/a?b=c');
  });

  test.each([
    ['control characters and broken UTF-8', Buffer.from([0, 10, 13, 0xc3, 0x28, 0xff])],
    ['a long run at the end', Buffer.concat([Buffer.from('{}\n'), Buffer.alloc(70_000, ' ')])],
  ])('sends the exact bytes of a body with %s', (_, body) => {
    expect(input({ ...post, body })).toEqual(body);
  });

  test.each(['@/etc/hostname', '$(id) `id` "$HOME" \\ !!', "'", '&;|<>*?~#', ''])(
    'carries the body %j as one argument that is no file name',
    (body) => {
      const words = args(curlCommand({ ...post, body: Buffer.from(body) }));
      expect(words[words.indexOf('--data-raw') + 1]).toBe(body);
    },
  );

  test('carries headers with quotes, control characters and bytes beyond ASCII', () => {
    const headers: [string, string][] = [
      ['X-A', `it's $HOME \\`],
      ['X-B', 'caf\u00e9\t\u0080'],
      ['X-C', ''],
    ];
    expect(args(curlCommand({ ...post, headers })).filter((word) => word.startsWith('X-'))).toEqual([
      `X-A: it's $HOME \\`,
      'X-B: caf\u00e9\t\u0080',
      'X-C;',
    ]);
  });

  test.each(['/a[1]{2}', '*', '/a b#c', '/caf\u00e9', '//other.example/a'])(
    'sends the target %j unchanged',
    async (target) => {
      const seen: string[] = [];
      const server = createServer((socket) =>
        socket.on('data', (chunk) => {
          seen.push(chunk.toString('latin1').split('\r\n')[0] ?? '');
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        }),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      try {
        const request: RawRequest = { method: 'GET', target, headers: [] };
        const line = curlCommand(request, { url });
        await promisify(execFile)('bash', ['-c', line]);
        expect(seen).toEqual([`GET ${target} HTTP/1.1`]);
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    },
  );

  test('reads the credentials of the user from their file: as they are, in base64, and percent-encoded', () => {
    const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
    try {
      const credentials = {
        "it's": { valid: "p@ss'w$ord" },
        basic: { valid: 'ann:secret', other: ['tok-2'] },
      };
      writeFileSync(join(folder, 'c.json'), JSON.stringify(credentials));
      const secrets = secretsOf(credentials, 'c.json');
      const headers: [string, string][] = [
        ['Authorization', `Basic ${Buffer.from('ann:secret').toString('base64')}`],
        ['X-Key', "before p@ss'w$ord after"],
        ['X-Two', 'tok-2tok-2'],
      ];
      const target = `/a?key=${encodeURIComponent("p@ss'w$ord")}`;
      const line = curlCommand({ method: 'GET', headers, target }, { url: 'https://h', secrets });
      for (const { value } of secrets) expect(line).not.toContain(value);
      expect(args(line, folder).filter((word) => /^X-|^Auth|^http/.test(word))).toEqual([
        'Authorization: Basic YW5uOnNlY3JldA==',
        "X-Key: before p@ss'w$ord after",
        'X-Two: tok-2tok-2',
        `https://h${target}`,
      ]);
      expect(redact('with ann:secret and tok-2', secrets)).toBe('with <basic.valid> and <basic.other.0>');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
