import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openStore } from '../../src/storage/open';
import { startPostgres, type Postgres } from '../support/postgres';

const PROCESSES = 10;
const PLANTS = 500;

jest.setTimeout(60_000);

let folder: string;
let postgres: Postgres;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  postgres = await startPostgres();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await postgres.remove();
});

function startRacer(url: string, name: string, ...order: string[]) {
  const script = join(__dirname, '../support/racer.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, url, name, String(PLANTS), ...order], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    go: () => child.stdin.write('\n'),
    line: async () => String((await lines.next()).value),
    ended: once(child, 'exit'),
  };
}

test.each([
  ['SQLite file', () => Promise.resolve(`sqlite:${folder}/plants.db`)],
  ['PostgreSQL', () => postgres.createDatabase()],
])(
  'of ten processes that make one new %s theirs and race for the same ids, exactly one wins each',
  async (_, locate) => {
    const url = await locate();
    // Half of them go backwards: locks taken in the order of arrival would end in a deadlock.
    const racers = Array.from({ length: PROCESSES }, (_, i) =>
      startRacer(url, `from ${i}`, ...(i % 2 === 0 ? [] : ['backwards'])),
    );
    const together = async (action: string) => {
      expect(await Promise.all(racers.map(({ line }) => line()))).toEqual(racers.map(() => action));
      for (const { go } of racers) go();
    };
    await together('here');
    await together('open');
    const outcomes = (await Promise.all(racers.map(({ line }) => line()))).map(
      (line) => JSON.parse(line) as string[],
    );
    await Promise.all(racers.map(({ ended }) => ended));

    const store = await openStore(url);
    for (let id = 0; id < PLANTS; id++) {
      const answers = outcomes.map((ofRacer) => ofRacer[id]);
      const winner = answers.indexOf('created');
      expect(answers).toEqual(answers.map((_, i) => (i === winner ? 'created' : 'conflict')));
      await expect(store.create({ id: BigInt(id), name: `from ${winner}` })).resolves.toBe('unchanged');
    }
    await store.close();
  },
);
