import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PlantStore } from '../../src/plants/plant-store';
import { openPlantStore } from '../../src/storage/plants';
import { buildPlant } from '../../scripts/testing/plants';
import { useSqlite } from '../../scripts/testing/sqlite-bench';
import { columnOf } from '../../scripts/testing/sqlite-file';

const bench = useSqlite();

/** Creates plants one after the other; returns the ids of those that are acknowledged. */
async function create(store: PlantStore, from: number, count: number): Promise<bigint[]> {
  const acknowledged: bigint[] = [];
  for (let id = BigInt(from); id < from + count; id++) {
    const outcome = await store.create(buildPlant({ id, name: 'x'.repeat(500) })).catch((error: unknown) => {
      // Of its own tables the program is to blame, of everything else the disk.
      expect(String(error)).toMatch(/^(StoreUnavailable: |StatementError: .*no (such )?(table|column))/);
    });
    if (outcome === 'created') acknowledged.push(id);
  }
  return acknowledged;
}

/** The ids that a server would find if this one were killed now; none where it would not start. */
async function foundByRestart(): Promise<unknown[]> {
  const copy = join(bench.root, 'restart');
  mkdirSync(copy);
  for (const name of ['plants.db', 'plants.db-wal']) {
    const from = join(bench.folder, name);
    if (existsSync(from)) cpSync(from, join(copy, name), { recursive: true });
  }
  const file = join(copy, 'plants.db');
  try {
    await (await openPlantStore(`sqlite:${file}`)).close();
    return columnOf(file, 'SELECT id FROM plants');
  } catch {
    return [];
  }
}

/** Another database of this program, at rest. */
async function anotherDatabase(): Promise<string> {
  const other = join(bench.root, 'other.db');
  const store = await openPlantStore(`sqlite:${other}`);
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => store.create(buildPlant({ id: BigInt(5000 + i) }))),
  );
  await store.close();
  return other;
}

type Mishap = () => void | Promise<void>;

const FILE = '';
const LOG = '-wal';
const ALL = [FILE, LOG, '-shm'];
const garbage = (bytes: number) => Buffer.alloc(bytes, 'garbage ');
const size = (end: string) => statSync(bench.file + end).size;
const inTurn =
  (...mishaps: readonly Mishap[]): Mishap =>
  async () => {
    for (const happen of mishaps) await happen();
  };
const remove =
  (...ends: readonly string[]): Mishap =>
  () => {
    for (const end of ends) rmSync(bench.file + end);
  };
/** Writes into the file that is there. */
const overwrite =
  (end: string, contentOf: () => string | Buffer): Mishap =>
  () => {
    writeFileSync(bench.file + end, contentOf());
  };
/** Puts another file in its place. */
const replace =
  (end: string, contentOf: () => string | Buffer): Mishap =>
  () => {
    writeFileSync(`${bench.file}.new`, contentOf());
    renameSync(`${bench.file}.new`, bench.file + end);
  };
const cut =
  (end: string, part: number): Mishap =>
  () => {
    truncateSync(bench.file + end, Math.floor(size(end) * part));
  };
const takePlace: Mishap = async () => {
  renameSync(await anotherDatabase(), bench.file);
};
const change =
  (sql: string): Mishap =>
  () => {
    bench.byProgram((db) => {
      db.exec(sql);
    });
  };
const moveFolder: Mishap = () => {
  renameSync(bench.folder, `${bench.folder}.old`);
};
const copyFolder: Mishap = () => {
  cpSync(`${bench.folder}.old`, bench.folder, { recursive: true });
};
const makeFolder: Mishap = () => {
  mkdirSync(bench.file);
};

/** Writes the log of another database, which is open, over that of this one. */
const anotherLog: Mishap = async () => {
  const other = await openPlantStore(`sqlite:${join(bench.root, 'open.db')}`);
  await other.create(buildPlant());
  writeFileSync(bench.file + LOG, readFileSync(join(bench.root, 'open.db-wal')));
  await other.close();
};

/** What can happen to the files of a database while it is open, and what the store says of it. */
const MISHAPS: readonly [name: string, happen: Mishap, sentence: RegExp][] = [
  ['the file is deleted', remove(FILE), /has been deleted or moved: put it back/],
  ['all files are deleted', remove(...ALL), /deleted or moved/],
  [
    'the file is deleted and made anew, empty',
    inTurn(
      remove(FILE),
      overwrite(FILE, () => ''),
    ),
    /another file has replaced it/,
  ],
  ['the folder is moved', moveFolder, /deleted or moved/],
  ['the folder is replaced by a copy', inTurn(moveFolder, copyFolder), /another file has replaced it/],
  ['another database takes its place', takePlace, /another file has replaced it/],
  [
    'another database takes the place of all files',
    inTurn(remove(...ALL), takePlace),
    /another file has replaced it/,
  ],
  ['something else takes its place', replace(FILE, () => garbage(8192)), /another file has replaced it/],
  ['a folder takes its place', inTurn(remove(FILE), makeFolder), /another file has replaced it/],
  ['its write-ahead log is deleted', remove(LOG), /write-ahead log .* has been deleted or moved/],
  [
    'its write-ahead log is replaced',
    replace(LOG, () => readFileSync(bench.file + LOG)),
    /another file has replaced/,
  ],
  ['its write-ahead log is overwritten by that of another', anotherLog, /overwritten/],
  ['its write-ahead log is emptied', cut(LOG, 0), /overwritten|truncated|lost|damaged/],
  ['its write-ahead log is cut', cut(LOG, 0.5), /overwritten/],
  ['its write-ahead log is overwritten', overwrite(LOG, () => garbage(size(LOG))), /overwritten/],
  ['the file is emptied', cut(FILE, 0), /truncated/],
  ['the table is dropped', change('DROP TABLE plants'), /no such table: plants/],
  ['the table is renamed', change('ALTER TABLE plants RENAME TO flowers'), /no such table: plants/],
  [
    'a column is renamed',
    change('ALTER TABLE plants RENAME COLUMN name TO title'),
    /no column named name|no such column/,
  ],
  ['it is given to another program', change('PRAGMA application_id = 1'), /belongs to another program/],
  ['a newer program has changed its schema', change('PRAGMA user_version = 2'), /run the newer program/],
];

/** What nobody can notice at once, but must not cost what has been acknowledged. */
const ACCIDENTS: readonly [name: string, happen: Mishap][] = [
  ...[0.5, 1, 2].map((part): [string, Mishap] => [
    `the file is overwritten by something of ${part} times its size`,
    overwrite(FILE, () => garbage(Math.floor(size(FILE) * part))),
  ]),
  [
    'another database is copied over it',
    async () => {
      copyFileSync(await anotherDatabase(), bench.file);
    },
  ],
];

/** With what was acknowledged still in the log, or already in the file. */
const CHECKPOINTS = [
  ['in the log', ''],
  ['in the file', 'PRAGMA wal_checkpoint(PASSIVE)'],
  ['in the file, the log empty', 'PRAGMA wal_checkpoint(TRUNCATE)'],
] as const;

describe.each(CHECKPOINTS)(
  'plants %s: nothing is acknowledged that a restart does not find',
  (_, checkpoint) => {
    async function prepare(): Promise<PlantStore> {
      const store = await bench.open();
      const plants = Array.from({ length: 100 }, (_unused, i) =>
        buildPlant({ id: BigInt(i), name: 'x'.repeat(500) }),
      );
      await Promise.all(plants.map((plant) => store.create(plant)));
      await change(checkpoint)();
      await store.ready();
      return store;
    }

    test.each(MISHAPS)('when %s', async (_name, happen, sentence) => {
      const store = await prepare();
      await happen();
      const acknowledged = await create(store, 1000, 5);
      const ready = await store.ready().catch((error: unknown) => error);
      const found = await foundByRestart();
      expect(acknowledged.filter((id) => !found.includes(id))).toEqual([]);
      if (ready !== undefined || found.length < 105) {
        expect(acknowledged).toEqual([]);
        expect(ready).toEqual(
          expect.objectContaining({ message: expect.stringMatching(sentence) as string }),
        );
      }
    });

    test.each(ACCIDENTS)('when %s', async (_name, happen) => {
      const store = await prepare();
      await happen();
      const acknowledged = await create(store, 1000, 5);
      const found = await foundByRestart();
      expect(acknowledged.filter((id) => !found.includes(id))).toEqual([]);
    });

    test('when it is put back, the store works again by itself', async () => {
      const store = await prepare();
      await moveFolder();
      await expect(store.ready()).rejects.toThrow('put it back');
      renameSync(`${bench.folder}.old`, bench.folder);
      await expect(store.ready()).resolves.toBeUndefined();
      expect(await create(store, 1000, 5)).toHaveLength(5);
    });

    test('when it may not be written any more, and again when it may', async () => {
      const store = await prepare();
      chmodSync(bench.file, 0o444);
      const isRoot = process.getuid?.() === 0; // who may write whatever it likes, and so must be somebody else for a moment
      if (isRoot) {
        for (const path of [bench.root, bench.folder]) chmodSync(path, 0o777);
        for (const end of ['-wal', '-shm']) chmodSync(bench.file + end, 0o444);
      }
      try {
        if (isRoot) process.seteuid?.(65_534);
        await expect(store.ready()).rejects.toThrow('it is not writable');
        expect(await create(store, 1000, 5)).toEqual([]);
      } finally {
        if (isRoot) process.seteuid?.(0);
      }
      chmodSync(bench.file, 0o644);
      await expect(store.ready()).resolves.toBeUndefined();
    });
  },
);

test.each([
  ['a checkpoint', 'PRAGMA wal_checkpoint(TRUNCATE)'],
  ['a vacuum', 'VACUUM'],
  ['a vacuum and a checkpoint', 'VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'],
  ['a new index', 'CREATE INDEX by_name ON plants (name)'],
  [
    'a table without row ids',
    'CREATE TABLE tags (tag TEXT PRIMARY KEY) WITHOUT ROWID; PRAGMA wal_checkpoint(TRUNCATE)',
  ],
])('%s of another process does no harm', async (_, sql) => {
  const store = await bench.open();
  const ids = Array.from({ length: 1000 }, (_unused, i) => BigInt((i * 7919) % 100_003));
  await Promise.all(ids.map((id) => store.create(buildPlant({ id, name: 'x'.repeat(700) }))));
  await change(sql)();
  await expect(store.ready()).resolves.toBeUndefined();
  expect(await create(store, 200_000, 5)).toHaveLength(5);
  await expect(store.ready()).resolves.toBeUndefined();
});

test('of several servers on one file none minds that the log is emptied, and begun anew by another', async () => {
  const [first, second] = [await bench.open(), await bench.open()];
  expect(await create(first, 0, 20)).toHaveLength(20);
  await change('PRAGMA wal_checkpoint(TRUNCATE)')();
  expect(await create(second, 100, 1)).toHaveLength(1);
  expect(await create(first, 200, 5)).toHaveLength(5);
  await expect(first.ready()).resolves.toBeUndefined();
  expect(await foundByRestart()).toHaveLength(26);
});

test('of two stores of one process the one that is closed first leaves the other its locks', async () => {
  const [first, second] = [await openPlantStore(`sqlite:${bench.file}`), await bench.open()];
  expect(await create(second, 0, 5)).toHaveLength(5);
  await first.close();
  // A program that finds no lock takes itself for the only one: at its end it removes the log.
  const program = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]); db.exec('DELETE FROM plants WHERE id = 0'); db.close()`;
  expect(spawnSync(process.execPath, ['-e', program, bench.file]).status).toBe(0);
  expect(await create(second, 100, 5)).toHaveLength(5);
});
