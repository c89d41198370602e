import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useDatabases } from '../../../../scripts/testing/databases';
import { type RunningProcess, startProcess } from '../../../../scripts/testing/process';
import { STEPS } from '../support/faulty';
import { openOrders } from '../support/orders';

// idempotent.test.ts is the fast twin: it has a fault at each of these steps.

const ROUNDS = 100;
const ROOT = join(__dirname, '../../../..');
const SERVER = join(__dirname, '../support/orders-server.ts');
const COMPILED = join(ROOT, '.cache/orders-server');
const KILLS = STEPS.flatMap((step) => [`before ${step}`, `after ${step}`]);

/** Compiled once, and beside the packages as `make test-all` has built them: it starts 200 times, which tsx makes twice as slow. */
beforeAll(() => {
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const options = '--ignoreConfig --noCheck --module nodenext --target es2024'.split(' ');
  execFileSync(process.execPath, [compiler, ...options, '--rootDir', ROOT, '--outDir', COMPILED, SERVER]);
});

describe.each(useDatabases().filter(({ kind }) => /^(SQLite|PostgreSQL)$/.test(kind)))(
  '$kind',
  ({ locate }) => {
    const running: RunningProcess[] = [];
    afterEach(async () => {
      for (const { stop } of running.splice(0)) await stop('SIGKILL');
    });
    const start = async (url: string) => {
      const file = join(COMPILED, relative(ROOT, SERVER)).replace(/ts$/, 'js');
      const server = startProcess([file, url], {});
      running.push(server);
      const [, port] = await server.printed(/port (\d+)/);
      return { ...server, port };
    };
    const send = (port: string | undefined, i: number, kill?: string) =>
      fetch(`http://127.0.0.1:${port}/orders`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Idempotency-Key': `"${i}"`,
          Authorization: 'Bearer ann',
          ...(kill !== undefined && { 'X-Kill': kill }),
        },
        body: JSON.stringify({ item: `item ${i}` }),
      });
    /** A retry: while nobody knows that the server was killed, its request is in progress. */
    const retry = async (port: string | undefined, i: number): Promise<{ status: number; text: string }> => {
      for (;;) {
        const answer = await send(port, i);
        const text = await answer.text();
        if (answer.status !== 409) return { status: answer.status, text };
        await sleep(20);
      }
    };

    test(`in ${ROUNDS} rounds that kill a server between the write and its answer, nothing is done twice`, async () => {
      const url = await locate();
      const other = await start(url);
      let server = await start(url);
      for (let i = 0; i < ROUNDS; i++) {
        await expect(send(server.port, i, KILLS[i % KILLS.length])).rejects.toThrow();
        expect(await server.exit).toBeNull();
        const starting = start(url);
        const first = await retry(other.port, i);
        server = await starting;
        expect(first).toMatchObject({ status: 201, text: expect.stringContaining(`"item ${i}"`) as string });
        expect(await retry(server.port, i)).toEqual(first);
      }
      const store = await openOrders(url);
      expect(await store.items()).toEqual(Array.from({ length: ROUNDS }, (_, i) => `item ${i}`));
      await store.close();
    }, 900_000);
  },
);
