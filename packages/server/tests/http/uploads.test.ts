import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Answer, type ServiceOptions, UnusableFolder } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService } from '../../../../scripts/testing/service';

const FILE = { type: 'string', format: 'binary' };
const LIMIT = 10_000_000;

const folderOf = () => mkdtempSync(join(tmpdir(), 'multipart-'));
const filesIn = (folder: string) => readdirSync(folder, { recursive: true }).map(String).filter((name) => /\/\d+$/.test(name)); // prettier-ignore

/** Resolves when a folder is empty. */
async function emptied(folder: string): Promise<void> {
  while (readdirSync(folder).length > 0) await setImmediate();
}

interface Given {
  readonly body: { readonly file: File };
}

/** A service whose only operation receives a file and a number. */
function serve(
  folder: string,
  postThing: (given: Given) => Promise<Answer> = () => Promise.resolve({ status: 204 }),
  { quota = LIMIT, ...options }: Partial<ServiceOptions<OperationalKind>> & { readonly quota?: number } = {},
) {
  const schema = { type: 'object', properties: { file: FILE, files: { type: 'array', items: FILE }, n: { type: 'integer' } } };
  const requestBody = { content: { 'multipart/form-data': { schema } } };
  const document = buildDocument({ operation: { requestBody, 'x-body-limit': LIMIT } });
  return buildService({ document, uploads: { folder, quota }, handlers: { postThing }, ...options });
} // prettier-ignore

const HEAD = 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n';
const part = (name: string, data: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${data}\r\n`;
const messageOf = (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;

const post = async (port: number, body: string) => {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const answer = await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers, body });
  const text = await answer.text();
  return { status: answer.status, text, retry: answer.headers.get('Retry-After') };
};

describe('files above 64 kB lie in the folder until the exchange ends', () => {
  const large = part('file', 'x'.repeat(65_537));
  const fine = () => Promise.resolve({ status: 204 });
  const fails = () => Promise.reject(new Error('failed'));

  test.each<[string, string, () => Promise<Answer>, number, number]>([
    ['with an answer', `${large}--b--`, fine, 204, 1],
    ['with a failure of the handler', `${large}--b--`, fails, 500, 1],
    ['with several files, small and large', `${large}${part('files', 'x').repeat(3)}--b--`, fine, 204, 1],
    ['with small files beyond the memory of a body', `${part('files', 'x'.repeat(60_000)).repeat(5)}--b--`, fine, 204, 4],
  ])('%s', async (_, body, handle, status, count) => {
    const folder = folderOf();
    let seen: string[] = [];
    let file: File | undefined;
    const { app } = serve(folder, ({ body: given }) => {
      seen = filesIn(folder);
      file = given.file;
      return handle();
    });
    expect((await listening(app, (port) => post(port, body))).status).toBe(status);
    expect(seen).toHaveLength(count);
    await emptied(folder);
    if (file) await expect(file.text()).rejects.toThrow('could not be read');
  }); // prettier-ignore

  test.each<[string, string]>([
    ['with a part that is refused', `${large}${part('n', 'x')}--b--`],
    ['with malformed framing', `${large}--b`],
    ['with an upload that is given twice', `${large}${large}--b--`],
  ])('%s', async (_, body) => {
    const folder = folderOf();
    expect((await listening(serve(folder).app, (port) => post(port, body))).status).toBe(400);
    await emptied(folder);
  });

  test('with a client that leaves in the middle', async () => {
    const folder = folderOf();
    await listening(serve(folder).app, async (port) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(messageOf(`${part('file', 'x'.repeat(200_000))}--b--`).slice(0, -50));
      while (filesIn(folder).length === 0) await setImmediate();
      socket.destroy();
      await once(socket, 'close');
      await emptied(folder);
    });
  });

  test('with a client that leaves while the handler runs', async () => {
    const folder = folderOf();
    const { promise: called, resolve: call } = Promise.withResolvers<File>();
    const { app } = serve(folder, ({ body }) => {
      call(body.file);
      return new Promise(() => undefined);
    });
    await listening(app, async (port) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(messageOf(`${large}--b--`)));
      const file = await called;
      expect((await file.text()).length).toBe(65_537);
      socket.destroy();
      await emptied(folder);
      await expect(file.text()).rejects.toThrow('could not be read');
    });
  });
});

test('a body that arrives byte by byte is one file', async () => {
  const folder = folderOf();
  const { app } = serve(folder, async ({ body }) => ({ status: (await body.file.text()) === 'a\r\n--c' ? 204 : 500 }));
  const body = `${part('file', 'a\r\n--c')}--b--`;
  await listening(app, async (port) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    for (const byte of messageOf(body)) {
      socket.write(byte);
      await setImmediate();
    }
    expect(String(await once(socket, 'data'))).toContain('204');
    socket.destroy();
  });
}); // prettier-ignore

test('the quota bounds all uploads together, and is free again after each', async () => {
  const folder = folderOf();
  const { promise: waiting, resolve: go } = Promise.withResolvers<undefined>();
  const { promise: called, resolve: call } = Promise.withResolvers<undefined>();
  const { app } = serve(folder, async () => { call(undefined); await waiting; return { status: 204 }; }, { quota: 150_000 }); // prettier-ignore
  const body = `${part('file', 'x'.repeat(100_000))}--b--`;
  await listening(app, async (port) => {
    const first = post(port, body);
    await called;
    const second = await post(port, body);
    expect([second.status, second.retry]).toEqual([503, '10']);
    expect(second.text).toContain('the uploads in progress use all the space');
    go(undefined);
    expect((await first).status).toBe(204);
    await emptied(folder);
    expect((await post(port, body)).status).toBe(204);
    expect((await post(port, `${part('file', 'x'.repeat(200_000))}--b--`)).status).toBe(503);
  });
  await emptied(folder);
});

test('files on the disk take no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const used = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  let within = NaN;
  const handle = () => { within = used(); return Promise.resolve({ status: 204 }); }; // prettier-ignore
  const { app } = serve(folderOf(), handle, { bodyLimit: 20_000, maxRequests: 10 });
  const before = used();
  const body = `${part('files', 'x'.repeat(75_000)).repeat(100)}--b--`;
  expect((await listening(app, (port) => post(port, body))).status).toBe(204);
  expect(within - before).toBeLessThan(body.length + 2_000_000); // that of the client
});

test('a text that needs more memory than all bodies have is refused, and ends no other upload', async () => {
  const { app } = serve(folderOf(), undefined, { bodyLimit: 20_000, maxRequests: 10 });
  await listening(app, async (port) => {
    const other = connect(port, '127.0.0.1');
    const message = messageOf(`${part('file', 'x')}--b--`);
    other.write(message.slice(0, -1));
    await setImmediate();
    const { status, text } = await post(port, `${part('n', '1'.repeat(300_000))}--b--`);
    expect([status, text]).toEqual([413, expect.stringContaining('more than 200000 bytes of memory')]);
    other.write(message.slice(-1));
    expect(String(await once(other, 'data'))).toContain('204');
    other.destroy();
  });
});

test('services of one process share the folder', async () => {
  const folder = folderOf();
  const sizes: number[] = [];
  const measure = async ({ body }: Given) => {
    sizes.push((await body.file.text()).length);
    return { status: 204 };
  };
  const send = (port: number, size: number) => post(port, `${part('file', 'x'.repeat(size))}--b--`);
  await listening(serve(folder, measure).app, (first) =>
    listening(serve(folder, measure).app, async (second) => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => send(i % 2 ? first : second, 70_000 + i)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    }),
  );
  expect(sizes.sort()).toEqual(sizes.map((_, i) => 70_000 + i));
  await emptied(folder);
});

test('a slow disk holds its client, and a client that leaves meanwhile leaves nothing', async () => {
  const folder = folderOf();
  const handle = await open(__filename);
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
  const { promise: failing, reject: fail } = Promise.withResolvers<never>();
  const write = jest.spyOn(prototype, 'write').mockImplementation(() => {
    begin(undefined);
    return failing;
  });
  await listening(serve(folder).app, async (port) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(messageOf(`${part('file', 'x'.repeat(9_000_000))}--b--`));
    await begun;
    for (let turn = 0; turn < 1_000; turn++) await setImmediate();
    expect(write).toHaveBeenCalledTimes(1);
    expect(filesIn(folder)).toHaveLength(1);
    socket.destroy();
    fail(new Error('the write ends'));
    await emptied(folder);
  });
  write.mockRestore();
});

test.each([
  ['ENOSPC', 503],
  ['EDQUOT', 503],
  ['EIO', 500],
])('a write that fails with %s is answered %i', async (code, status) => {
  const folder = folderOf();
  const handle = await open(__filename);
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const failure = Object.assign(new Error(code), { code });
  const write = jest.spyOn(prototype, 'write').mockRejectedValue(failure);
  const { app, outcomes } = serve(folder);
  const answer = await listening(app, (port) => post(port, `${part('file', 'x'.repeat(100_000))}--b--`));
  write.mockRestore();
  expect(answer.status).toBe(status);
  expect(answer.text).not.toContain(code);
  expect(outcomes[0]?.problem?.cause).toBe(failure);
  await emptied(folder);
});

test('a start removes what a process left that has ended, and nothing else', () => {
  const folder = folderOf();
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  const id = crypto.randomUUID();
  const name = (host: string, pid: number) => `uploads@${host}@${pid}@${id}`;
  const leftovers = [name(hostname(), ended), name(hostname(), process.pid), name('other', 1)];
  const running = `uploads@${hostname()}@${process.pid}@${crypto.randomUUID()}`; // of a thread
  const kept = [
    running,
    name(hostname(), process.ppid),
    name('another', 1),
    'uploads',
    `uploads@x@1@${id}.txt`,
  ];
  for (const one of [...leftovers, ...kept]) {
    mkdirSync(join(folder, one));
    writeFileSync(join(folder, one, '1'), 'x');
  }
  for (const old of leftovers) utimesSync(join(folder, old), 0, 0);
  const loop = `uploads@loop@1@${id}`;
  symlinkSync(loop, join(folder, loop));
  serve(folder);
  expect(readdirSync(folder).sort()).toEqual([...kept, loop].sort());
});

test('the folder is made at start, and a start fails if it cannot be used', () => {
  const folder = join(folderOf(), 'a', 'b');
  serve(folder);
  expect(existsSync(folder)).toBe(true);
  writeFileSync(join(folder, 'file'), '');
  expect(() => serve(join(folder, 'file'))).toThrow(UnusableFolder);
});
