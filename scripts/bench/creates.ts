import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startChild } from '../program';
import { type Line, lineOf } from './lines';
import { DIST, startDatabase, type Subject } from './servers';

/** Creations under way at once. */
const CLIENTS = 1024;
const PLANTS = 10_000;
const ROUNDS = 15;

interface Sample {
  readonly cpu: number;
  readonly rate: number;
  /** Microseconds of PostgreSQL for one creation. */
  readonly databaseCpu: number;
  /** Bytes of its log for one creation. */
  readonly log: number;
}

interface Place extends Pick<Subject, 'database' | 'distance'> {
  readonly ids?: 'random';
}

const PLACES: Readonly<Record<string, Place>> = {
  SQLite: { database: 'sqlite' },
  PostgreSQL: { database: 'postgres' },
  'PostgreSQL, random ids': { database: 'postgres', ids: 'random' },
  'PostgreSQL at 20 ms': { database: 'postgres', distance: 20 },
};

const LINES = [
  ['cpu', 'CPU us', 1],
  ['databaseCpu', 'database CPU us', 1],
  ['log', 'bytes of the log', 0],
  ['rate', 'creations/s', 0],
] as const;

/** How many bytes a PostgreSQL has written to its log. */
async function logOf(url: string): Promise<number> {
  if (!url.startsWith('postgres:')) return 0;
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ at: string }>("SELECT pg_current_wal_lsn() - '0/0' AS at");
  await client.end();
  return Number(rows[0]?.at);
}

async function startStore(dist: string, place: Place) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const database = await startDatabase(place, folder);
  const child = startChild('the store', join(__dirname, './peers/creates.mjs'), [
    dist,
    database.url,
    String(CLIENTS),
    place.ids ?? '',
  ]);
  await child.next();
  return {
    async create(): Promise<Sample> {
      const [cpu, log] = [database.cpu(), await logOf(database.url)];
      const sample = await child.ask<Pick<Sample, 'cpu' | 'rate'>>(PLANTS);
      return {
        ...sample,
        databaseCpu: (database.cpu() - cpu) / PLANTS,
        log: ((await logOf(database.url)) - log) / PLANTS,
      };
    },
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
  for (const [name, place] of Object.entries(PLACES)) {
    const title = `${CLIENTS} creations at once, ${name}`;
    const stores = new Map<string, Awaited<ReturnType<typeof startStore>>>();
    const samples = new Map<string, Sample[]>();
    for (const [build, dist] of builds) {
      stores.set(build, await startStore(dist, place));
      samples.set(build, []);
    }
    for (let round = 0; round <= ROUNDS; round++) {
      progress(`${title}, ${round} of ${ROUNDS}`);
      for (const [build, store] of stores) {
        const sample = await store.create();
        if (round > 0) samples.get(build)?.push(sample); // V8 compiles in the first
      }
    }
    for (const store of stores.values()) await store.stop();
    for (const [what, unit, digits] of LINES) {
      const rounds = [...samples].map(([build, list]) => [build, list.map((one) => one[what])] as const);
      if (rounds.some(([, numbers]) => numbers.some((number) => number > 0)))
        lines.push(lineOf(`${title}, ${unit}`, digits, new Map(rounds), []));
    }
  }
  return lines;
}
