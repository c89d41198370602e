import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../program';
import { type Line, lineOf } from './lines';
import { DIST, startDatabase, type Subject } from './servers';

/** Creations under way at once. */
const CLIENTS = 1024;
const PLANTS = 20_000;
const ROUNDS = 15;

interface Sample {
  readonly cpu: number;
  readonly rate: number;
}

async function startStore(dist: string, subject: Pick<Subject, 'database' | 'distance'>) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const database = await startDatabase(subject, folder);
  const child = startChild('the store', join(__dirname, 'peers/creates.mjs'), [
    dist,
    database.url,
    String(CLIENTS),
  ]);
  await child.next();
  return {
    create: () => child.ask<Sample>(PLANTS),
    async stop() {
      await child.kill();
      await database.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * What the store does without HTTP, near its database and far from it.
 *
 * @param before another build, which is loaded in turn
 */
export async function measureCreates(progress: (line: string) => void, before?: string): Promise<Line[]> {
  const lines: Line[] = [];
  const builds = new Map([['ours', DIST], ...(before === undefined ? [] : [['before', before] as const])]);
  for (const [place, subject] of Object.entries({
    SQLite: { database: 'sqlite' },
    PostgreSQL: { database: 'postgres' },
    'PostgreSQL at 20 ms': { database: 'postgres', distance: 20 },
  } as const)) {
    const title = `${CLIENTS} creations at once, ${place}`;
    const stores = new Map<string, Awaited<ReturnType<typeof startStore>>>();
    const samples = new Map<string, Sample[]>();
    for (const [name, dist] of builds) {
      stores.set(name, await startStore(dist, subject));
      samples.set(name, []);
    }
    for (let round = 0; round <= ROUNDS; round++) {
      progress(`${title}, ${round} of ${ROUNDS}`);
      for (const [name, store] of stores) {
        const sample = await store.create();
        if (round > 0) samples.get(name)?.push(sample); // V8 compiles in the first
      }
    }
    for (const store of stores.values()) await store.stop();
    const line = (what: 'cpu' | 'rate', unit: string, digits: number) =>
      lineOf(
        `${title}, ${unit}`,
        digits,
        new Map([...samples].map(([name, list]) => [name, list.map((sample) => sample[what])])),
        [],
      );
    lines.push(line('cpu', 'CPU us', 1), line('rate', 'creations/s', 0));
  }
  return lines;
}
