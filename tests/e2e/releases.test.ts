import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { createDatabase } from '../../scripts/testing/shared-postgres';
import { keepFolder } from '../../scripts/testing/folder';
import { freePort } from '../../scripts/testing/postgres';
import { type RunningProcess, startProcess } from '../../scripts/testing/process';
import { startProgram } from '../../scripts/testing/program';
import { slow } from '../../scripts/testing/cases';
import { SOURCES } from '../../scripts/testing/sources';

// Releases of a service beside each other on one database, as docs/operations.md has it: expand, migrate, contract.

jest.setTimeout(240_000);

const folder = keepFolder();

const PROGRAM = join(__dirname, '../../scripts/testing/releases.ts');
const TOKEN = 'secret';
/** Milliseconds between two plants of a client. Without it thousands are sent while a process starts, and delay it. */
const PAUSE = 5;

interface Release extends RunningProcess {
  readonly url: string;
}

slow(() => {
  describe.each([
    ['SQLite', () => Promise.resolve(`sqlite:${mkdtempSync(join(folder, 'db-'))}/plants.db`)],
    ['PostgreSQL', createDatabase],
  ])('on %s', (_, locate) => {
    test('a column is renamed by releases that serve beside each other, are killed, and are put back', async () => {
      const DATABASE_URL = await locate();
      const run = (release: number, args: readonly string[] = [], env = {}) =>
        startProcess([...SOURCES, PROGRAM, String(release), ...args], {
          HOST: '127.0.0.1',
          PORT: '0',
          API_TOKENS: TOKEN,
          DATABASE_URL,
          ...env,
        });
      const serve = async (release: number): Promise<Release> => {
        const server = run(release);
        const [url] = await server.printed(/http:\/\/[\d.]+:\d+/);
        return { ...server, url };
      };
      const post = async ({ url }: Release, id: number) => {
        const { status } = await fetch(`${url}/plants`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ id, name: `plant ${id}` }),
        });
        return status;
      };
      const readiness = async ({ url }: Release) => (await fetch(`${url}/-/ready`)).status;

      /** Servers that get plants all the time, each of which must be acknowledged. */
      const serving = new Set<Release>();
      const statuses = new Map<number, number>();
      let id = 0;
      let isOver = false;
      const load = async (server: Release) => {
        while (serving.has(server) && !isOver) {
          const own = ++id;
          statuses.set(own, await post(server, own));
          await setTimeout(PAUSE);
        }
      };
      const loads = new Map<Release, Promise<void>>();
      const enter = (server: Release) => {
        serving.add(server);
        loads.set(server, load(server));
        return server;
      };
      const leave = async (server: Release, signal: NodeJS.Signals = 'SIGTERM') => {
        serving.delete(server);
        await loads.get(server);
        await server.stop(signal);
      };
      const moreThan = async (count: number) => {
        while (id < count) await setImmediate();
      };
      const refusalOf = async (release: number) => {
        const program = run(release);
        expect(await program.exit).toBe(1);
        return program.output();
      };

      const first = enter(await serve(1));
      await moreThan(100);
      const killed = run(2, ['migrate'], { HANG: '1' });
      await killed.printed(/hangs/);
      await killed.stop('SIGKILL');
      // The older release starts again beside what is half done, and when all is done.
      const again = enter(await serve(1));
      const second = enter(await serve(2));
      await moreThan(id + 50);
      await leave(second, 'SIGKILL');
      await leave(first);
      const back = enter(await serve(1));
      await moreThan(id + 50);
      expect(await Promise.all([again, back].map(readiness))).toEqual([200, 200]);
      await Promise.all([leave(again), leave(back)]);

      const both = enter(await serve(2));
      const idle = await serve(1);
      const third = enter(await serve(3));
      await moreThan(id + 50);
      expect(await Promise.all([idle, both, third].map(readiness))).toEqual([503, 200, 200]);
      expect(await refusalOf(1)).toMatch(
        /its schema has version 5, but this program knows only 1, and migration 5, fill the rest, needs one that knows 4: run the newer program/,
      );
      await leave(both);
      enter(await serve(2));
      await moreThan(id + 20);
      await Promise.all([...serving].filter((server) => server !== third).map((server) => leave(server)));

      const fourth = enter(await serve(4));
      await moreThan(id + 50);
      expect(await readiness(third)).toBe(200);
      expect(await refusalOf(2)).toMatch(/migration 6, no old column, needs one that knows 5/);
      isOver = true;
      await Promise.all(loads.values());
      expect([...statuses].filter(([, status]) => status !== 200)).toEqual([]);
      for (const own of statuses.keys()) expect([own, await post(fourth, own)]).toEqual([own, 200]);
      await Promise.all([idle, third, fourth].map(({ stop }) => stop()));
    });
  });
});

test('a server that waits for its database is live and not ready, says why, and ends at once or begins to serve', async () => {
  const DATABASE_URL = await createDatabase();
  const env = { DATABASE_URL, API_TOKENS: TOKEN };
  await (await startProgram(env)).stop();
  const operator = new Client(DATABASE_URL);
  await operator.connect();
  await operator.query('DELETE FROM plant_store_oldest');
  await operator.query('BEGIN; SELECT FROM plant_store_schema FOR UPDATE');
  const begin = async () => {
    const OPS_PORT = String(await freePort());
    const main = join(__dirname, '../../dist/main.js');
    const server = startProcess([main], { ...env, HOST: '127.0.0.1', PORT: '0', OPS_PORT });
    await server.printed(/another process is migrating it; trying again for up to 60 s/);
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${OPS_PORT}${path}`)).status;
    return { server, statusOf };
  };
  const [ended, waiting] = await Promise.all([begin(), begin()]);
  for (const { statusOf } of [ended, waiting])
    expect(await Promise.all(['/-/live', '/-/ready'].map(statusOf))).toEqual([200, 503]);
  expect(await ended.server.stop('SIGTERM')).toBe(0);
  expect(ended.server.output()).toContain('stopped before it started');
  await operator.query('COMMIT');
  await operator.end();
  await waiting.server.printed(/listening on/);
  expect(await waiting.statusOf('/-/ready')).toBe(200);
  expect(await waiting.server.stop()).toBe(0);
});
