import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  mkdtempSync,
} from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { PlantStore } from '../../src/plants/plant-store';
import { openPlantStore } from '../../src/storage/plants';
import { keepFolder } from '../../scripts/testing/folder';
import { buildPlant } from '../../scripts/testing/plants';

// The files of a killed server, after something has happened to them: they are served whole, or refused.

jest.setTimeout(600_000);

const ENDS = ['', '-wal', '-shm'];
const folder = keepFolder();
const newFile = () => join(mkdtempSync(join(folder, 'db-')), 'plants.db');
const open = (file: string) => openPlantStore(`sqlite:${file}`);

let lastId = 0n;
const createPlants = (store: PlantStore, count: number) =>
  Promise.all(
    Array.from({ length: count }, () => store.create(buildPlant({ id: ++lastId, name: 'x'.repeat(900) }))),
  );

/** The files as they stand: those of a server that is killed now. */
function copyOf(file: string, ends = ENDS): string {
  const copy = newFile();
  for (const end of ends) if (existsSync(file + end)) cpSync(file + end, copy + end);
  return copy;
}

/** All ids, in order, that a reader finds. */
function idsOf(file: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true, readBigInts: true });
  try {
    return db
      .prepare('SELECT id FROM plants ORDER BY id')
      .all()
      .map(({ id }) => id);
  } finally {
    db.close();
  }
}

/** A life of a database: files of killed servers, and files that somebody may take for its backup. */
async function live(commits: number) {
  const file = newFile();
  const backups: { name: string; backup: string; ids: unknown[] }[] = [];
  const keep = (name: string, backup: string) =>
    backups.push({ name: `${commits} commits, ${name}`, backup, ids: idsOf(file) });
  const byProgram = async (name: string) => {
    const db = new DatabaseSync(file);
    const [copied, vacuumed] = [newFile(), newFile()];
    await backup(db, copied);
    db.exec(`VACUUM INTO '${vacuumed}'`);
    db.close();
    keep(`.backup ${name}`, copied);
    keep(`VACUUM INTO ${name}`, vacuumed);
  };
  let store = await open(file);
  keep('copied when new', copyOf(file, ['']));
  for (let i = 0; i < commits; i++) await createPlants(store, 20);
  keep('copied before the first stop', copyOf(file, ['']));
  await byProgram('before the first stop');
  await store.close();
  keep('stopped', copyOf(file, ['']));
  store = await open(file);
  keep('copied after the start', copyOf(file, ['']));
  for (let i = 0; i < commits; i++) {
    await createPlants(store, 20);
    if (i === commits >> 1) {
      keep('copied in between', copyOf(file, ['']));
      await byProgram('in between');
    }
  }
  const killed = copyOf(file);
  const expected = idsOf(file);
  for (let i = 0; i < commits; i++) await createPlants(store, 20);
  keep('copied later', copyOf(file, ['']));
  await store.close();
  keep('stopped later', copyOf(file, ['']));
  return { killed, expected, backups };
}

type Life = Awaited<ReturnType<typeof live>>;
const lives = new Map<number, Life>();
const COMMITS = [0, 3, 120];
beforeAll(async () => {
  for (const commits of COMMITS) lives.set(commits, await live(commits));
});

/** Opens the files after an accident; says whether they were served. */
async function outcomeOf({ killed, expected }: Life, happen: (file: string) => void, accepted = [expected]) {
  const file = copyOf(killed);
  happen(file);
  let store: PlantStore;
  try {
    store = await open(file);
  } catch (error) {
    expect(String(error)).toMatch(/put it back|put back|restore a backup|move the log away|use another file/);
    return 'refused';
  }
  const created = await store.create(buildPlant({ id: -1n })).catch(String);
  if (created === 'created') expect(accepted).toContainEqual(idsOf(file).slice(1));
  else expect(created).toMatch(/StoreUnavailable.*(restore a backup|put it back)/);
  await store.close();
  return 'served';
}

const life = (commits: number) => {
  const found = lives.get(commits);
  if (!found) throw new Error('expected a life');
  return found;
};
const flip = (path: string, at: number) => {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0x41;
  writeFileSync(path, bytes);
};

describe.each(COMMITS)('a server killed after %i commits', (commits) => {
  test('untouched, or without the index of its log, is served', async () => {
    const { killed } = life(commits);
    expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0);
    expect(await outcomeOf(life(commits), () => undefined)).toBe('served');
    const outcome = await outcomeOf(life(commits), (file) => {
      rmSync(`${file}-shm`);
    });
    expect(outcome).toBe('served');
  });

  test('is served after another program has put the log into the file', async () => {
    const outcome = await outcomeOf(life(commits), (file) => {
      const db = new DatabaseSync(file);
      db.prepare('SELECT count(*) FROM plants').get();
      db.close();
      expect(existsSync(`${file}-wal`)).toBe(false);
    });
    expect(outcome).toBe('served');
  });

  test('is served after another program has changed the schema, and was killed too', async () => {
    const file = copyOf(life(commits).killed);
    const db = new DatabaseSync(file);
    db.exec('CREATE INDEX by_name ON plants (name); CREATE INDEX by_tag ON plants (tag)');
    const outcome = await outcomeOf({ ...life(commits), killed: copyOf(file) }, () => undefined);
    db.close();
    expect(outcome).toBe('served');
  });

  test('without its log, its file, or with one of them emptied, is refused', async () => {
    for (const end of ['', '-wal'])
      for (const happen of [rmSync, truncateSync])
        for (const others of [[], ['-shm']]) {
          const outcome = await outcomeOf(life(commits), (file) => {
            for (const other of others) rmSync(file + other);
            happen(file + end);
          });
          expect([end, happen.name, outcome]).toEqual([end, happen.name, 'refused']);
        }
  });

  test('with any backup of its own or of another over it, serves what it had, or refuses', async () => {
    const outcomes: string[] = [];
    for (const other of COMMITS)
      for (const { name, backup } of life(other).backups) {
        const outcome = await outcomeOf(life(commits), (file) => {
          copyFileSync(backup, file);
        });
        outcomes.push(`${name}: ${outcome}`);
      }
    expect(outcomes.filter((line) => line.endsWith('refused')).length).toBeGreaterThan(20);
  });

  test('any backup of its own or of another alone is served, or refused where it lacks a log', async () => {
    for (const { name, backup, ids } of life(commits).backups) {
      const outcome = await outcomeOf(
        life(commits),
        (file) => {
          for (const end of ['-wal', '-shm']) rmSync(file + end);
          copyFileSync(backup, file);
        },
        [ids],
      );
      // A copy of the file alone has all that there was only by chance.
      if (!name.includes(', copied')) expect([name, outcome]).toEqual([name, 'served']);
    }
  });

  test('with the log of another is refused', async () => {
    for (const other of COMMITS) {
      if (other === commits) continue;
      for (const ends of [['-wal'], ['-wal', '-shm']]) {
        const outcome = await outcomeOf(life(commits), (file) => {
          rmSync(`${file}-shm`);
          for (const end of ends) copyFileSync(life(other).killed + end, file + end);
        });
        expect(outcome).toBe('refused');
      }
    }
  });

  test('with its log cut anywhere is served whole, or refused', async () => {
    const { size } = statSync(`${life(commits).killed}-wal`);
    for (let at = 1; at < size; at += Math.max(512, Math.floor(size / 20)))
      await outcomeOf(life(commits), (file) => {
        truncateSync(`${file}-wal`, at);
      });
  });

  test('with a bit of its log, or of the structure of its file, turned is served whole, or refused', async () => {
    const { killed } = life(commits);
    const { size } = statSync(`${killed}-wal`);
    for (let at = 0; at < size; at += at < 100 ? 7 : Math.max(511, Math.floor(size / 20)))
      await outcomeOf(life(commits), (file) => {
        flip(`${file}-wal`, at);
      });
    // Without the index of the log, what follows shows that more was committed.
    if (commits > 0)
      for (let at = 32; at < size / 2; at += Math.floor(size / 20)) {
        const outcome = await outcomeOf(life(commits), (file) => {
          rmSync(`${file}-shm`);
          flip(`${file}-wal`, at);
        });
        expect([at, outcome]).toEqual([at, 'refused']);
      }
    const pages = statSync(killed).size / 4096;
    for (let page = 0; page < Math.min(pages, 10); page++)
      for (let at = 0; at < 12; at += 3)
        await outcomeOf(life(commits), (file) => {
          flip(file, page * 4096 + at);
        });
  });
});
