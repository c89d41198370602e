import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createDatabase } from '../../../../scripts/testing/shared-postgres';
import { keepFolder } from '../../../../scripts/testing/folder';
import { generateClient } from '../support/generated-client';
import { installBeside, layOut } from '../../../../scripts/testing/package';
import { commandsOf, followCommands } from '../../../../scripts/testing/page';
import { startProcess } from '../../../../scripts/testing/process';

// A service of files and events: the commands of docs/photos.md, as they stand; then several processes of it.

jest.setTimeout(600_000);

const [LAY_OUT = '', WRITE = '', RUN, WATCH = '', UPLOAD = '', DOWNLOAD = '', PROVE = ''] =
  commandsOf('photos.md');

const folder = keepFolder();
const service = join(folder, 'photos');
beforeAll(async () => {
  installBeside(folder);
  const said = layOut(service, 'packages/command/tests/e2e/photos/photos.yaml');
  expect(said).toMatch(/and 3 handler stubs[^]*UNPROVEN 0, BLOCKED 0/);
  const written = await followCommands(service, WRITE);
  expect(written).toMatch(/ 15 files changed, 2\d\d insertions\(\+\), [34]\d deletions/);
  execFileSync(join(service, 'node_modules/.bin/tsc'), ['-p', 'src'], { cwd: service });
});

/** A process of the service, and its address. */
async function serve(env: Readonly<Record<string, string>> = {}) {
  const server = startProcess(
    [join(service, 'dist/main.js')],
    { PORT: '0', API_TOKENS: 'secret', ...env },
    service,
  );
  const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return { ...server, address };
}

/** Resolves with what a process has printed when it matches. */
const printed = ({ stdout }: ChildProcess, pattern: RegExp) =>
  new Promise<string>((resolve) => {
    let output = '';
    stdout?.on('data', (text) => {
      output += String(text);
      if (pattern.test(output)) resolve(output);
    });
  });

test('the commands of the page work as they stand, and end in a service that is proven on both databases', async () => {
  expect(LAY_OUT).toContain(
    'contract-first new packages/command/tests/e2e/photos/photos.yaml --dir ../photos\ncd ../photos\n',
  );
  expect(commandsOf('photos.md')).toHaveLength(7);
  expect(RUN).toBe('npm run build && API_TOKENS=secret npm start\n');
  const server = await serve();
  const at = (block: string) =>
    block.replaceAll('http://127.0.0.1:3000', server.address).replaceAll('/tmp/', `${folder}/`);
  const watching = spawn('bash', ['-c', `exec ${at(WATCH)}`]);
  await printed(watching, /200 OK[^]*\r\n\r\n/);
  const events = printed(watching, /event: deleted\n[^]*\n\n/);
  const uploaded = await followCommands(service, at(UPLOAD));
  const resumed = await followCommands(service, at(DOWNLOAD));
  expect(uploaded).toMatch(
    /^\{"id":1,"title":"The sea","tags":\["water","blue"\],"type":"image\/jpeg","size":5000000/,
  );
  expect(uploaded).toMatch(
    /"code":40001,"message":"[^"]*photo[^"]*"\}\{"photos":\[\{"id":1,[^[]*\[[^[]*\]\}$/,
  );
  expect(resumed).toBe('206: 4000000 bytes\n304: 0 bytes\n');
  expect(await events).toMatch(
    /event: uploaded\nid: 1\ndata: \{"id":1,"title":"The sea"[^]*event: deleted\nid: 2\ndata: \{"id":1\}/,
  );
  watching.kill();
  expect(await server.stop()).toBe(0);

  const url = await createDatabase('photos_test');
  // On PostgreSQL a test that writes takes ten times as long. The run in memory before it sends all generated requests.
  const few = PROVE.replace(/postgres:\/\/\S+(.*)/, `${url}$1 --runs 3`);
  const proven = await followCommands(service, few);
  expect(proven.match(/^PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/gm)).toHaveLength(2);
});

test('who watches one process by a generated client learns in order what happens at another', async () => {
  const createClient = generateClient(service);
  const env = { DATABASE_URL: await createDatabase(), PHOTOS_FOLDER: join(folder, 'shared') };
  const servers = [await serve(env), await serve(env)];
  const clients = servers.map(({ address }) =>
    createClient({ baseUrl: address, credentials: { Token: 'secret' } }),
  );
  const call = (id: string, request?: object, at = 0) => clients[at]?.[id]?.(request);
  const events = (await call('watchPhotos'))?.body as AsyncIterable<Readonly<Record<string, unknown>>>;
  const uploads = Array.from({ length: 30 }, async (_, i) => {
    const photo = new Blob([`photo ${i}`], { type: 'image/png' });
    const uploaded = await call('uploadPhoto', { body: { photo, tags: ['a', 'b'] } }, i % 2);
    return uploaded?.status === 201 ? (uploaded.body as { readonly id: bigint }).id : uploaded?.body;
  });
  const ids = new Set(await Promise.all(uploads));
  expect([ids.size, [...ids].filter((id) => typeof id !== 'bigint')]).toEqual([30, []]);
  const told: unknown[] = [];
  for await (const { id, event, data } of events) {
    told.push([id, event, ids.has((data as { readonly id: bigint }).id)]);
    if (told.length === 30) break;
  }
  expect(told).toEqual(Array.from({ length: 30 }, (_, i) => [String(i + 1), 'uploaded', true]));

  const [id] = ids;
  const path = { id };
  const whole = await call('downloadPhoto', { path });
  const part = await call('downloadPhoto', { path, headers: { Range: 'bytes=0-4' } }, 1);
  const known = await call('downloadPhoto', {
    path,
    headers: { 'If-None-Match': String(whole?.headers['ETag']) },
  });
  expect([whole?.status, part?.status, known?.status]).toEqual([200, 206, 304]);
  expect([whole, part].map((one) => one?.contentType)).toEqual(['image/png', 'image/png']);
  expect(await new Response(part?.body as ReadableStream).text()).toBe('photo');
  const text = new Blob(['no photo'], { type: 'text/plain' });
  expect(await call('uploadPhoto', { body: { photo: text } })).toMatchObject({
    status: 400,
    body: { code: 40001 },
  });
  expect(await call('deletePhoto', { path })).toMatchObject({ status: 204, body: undefined });
  expect(await call('getPhoto', { path })).toMatchObject({ status: 404, contentType: 'application/json' });
  await (whole?.body as ReadableStream).cancel();
  expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0]);
});
