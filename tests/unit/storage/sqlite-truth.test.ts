import Database from 'better-sqlite3';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlantStore } from '../../../src/plants/plant-store';
import { openPlantStore } from '../../../src/storage/plants';
import { buildPlant } from '../../support/plants';

let root: string;
let folder: string;
let file: string;
const opened: PlantStore[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plant-store-'));
  folder = join(root, 'data');
  file = join(folder, 'plants.db');
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  rmSync(root, { recursive: true });
});

async function open(path: string): Promise<PlantStore> {
  const store = await openPlantStore(`sqlite:${path}`);
  opened.push(store);
  return store;
}

function withDatabase(sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

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
  const copy = join(root, 'restart');
  mkdirSync(copy);
  for (const name of ['plants.db', 'plants.db-wal']) {
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name), { recursive: true });
  }
  try {
    await (await openPlantStore(`sqlite:${join(copy, 'plants.db')}`)).close();
    const db = new Database(join(copy, 'plants.db'));
    const ids = db.prepare('SELECT id FROM plants').pluck().safeIntegers().all();
    db.close();
    return ids;
  } catch {
    return [];
  }
}

/** Another database of this program, at rest. */
async function anotherDatabase(): Promise<string> {
  const other = join(root, 'other.db');
  const store = await openPlantStore(`sqlite:${other}`);
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => store.create(buildPlant({ id: BigInt(5000 + i) }))),
  );
  await store.close();
  return other;
}

const garbage = (bytes: number) => Buffer.alloc(bytes, 'garbage ');
const half = (path: string) => {
  truncateSync(path, Math.floor(statSync(path).size / 2));
};
const wal = () => `${file}-wal`;

/** What can happen to the files of a database while it is open, and what the store says of it. */
const MISHAPS: readonly [name: string, happen: () => unknown, sentence: RegExp][] = [
  [
    'the file is deleted',
    () => {
      rmSync(file);
    },
    /has been deleted or moved: put it back/,
  ],
  [
    'all files are deleted',
    () => {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end);
    },
    /deleted or moved/,
  ],
  [
    'the file is deleted and made anew, empty',
    () => {
      rmSync(file);
      writeFileSync(file, '');
    },
    /another file has taken its place/,
  ],
  [
    'the file is moved',
    () => {
      renameSync(file, `${file}.old`);
    },
    /deleted or moved/,
  ],
  [
    'the folder is removed',
    () => {
      rmSync(folder, { recursive: true });
    },
    /deleted or moved/,
  ],
  [
    'the folder is moved',
    () => {
      renameSync(folder, `${folder}.old`);
    },
    /deleted or moved/,
  ],
  [
    'the folder is replaced by a copy',
    () => {
      cpSync(folder, `${folder}.new`, { recursive: true });
      rmSync(folder, { recursive: true });
      renameSync(`${folder}.new`, folder);
    },
    /another file has taken its place/,
  ],
  [
    'another database takes its place',
    async () => {
      renameSync(await anotherDatabase(), file);
    },
    /another file has taken its place/,
  ],
  [
    'another database takes the place of all files',
    async () => {
      const other = await anotherDatabase();
      for (const end of ['', '-wal', '-shm']) rmSync(file + end);
      renameSync(other, file);
    },
    /another file has taken its place/,
  ],
  [
    'something else takes its place',
    () => {
      writeFileSync(`${file}.new`, garbage(8192));
      renameSync(`${file}.new`, file);
    },
    /another file has taken its place/,
  ],
  [
    'a folder takes its place',
    () => {
      rmSync(file);
      mkdirSync(file);
    },
    /another file has taken its place/,
  ],
  [
    'its write-ahead log is deleted',
    () => {
      rmSync(wal());
    },
    /write-ahead log .* has been deleted or moved/,
  ],
  [
    'its write-ahead log is replaced',
    () => {
      writeFileSync(`${file}.new`, readFileSync(wal()));
      renameSync(`${file}.new`, wal());
    },
    /another file has taken the place of/,
  ],
  [
    'its write-ahead log is emptied',
    () => {
      truncateSync(wal(), 0);
    },
    /overwritten|truncated|lost|damaged/,
  ],
  [
    'its write-ahead log is cut',
    () => {
      half(wal());
    },
    /overwritten/,
  ],
  [
    'its write-ahead log is overwritten',
    () => {
      writeFileSync(wal(), garbage(statSync(wal()).size));
    },
    /overwritten/,
  ],
  [
    'the file is emptied',
    () => {
      truncateSync(file, 0);
    },
    /truncated/,
  ],
  [
    'the table is dropped',
    () => {
      withDatabase('DROP TABLE plants');
    },
    /no such table: plants/,
  ],
  [
    'the table is renamed',
    () => {
      withDatabase('ALTER TABLE plants RENAME TO flowers');
    },
    /no such table: plants/,
  ],
  [
    'a column is renamed',
    () => {
      withDatabase('ALTER TABLE plants RENAME COLUMN name TO title');
    },
    /no column named name|no such column/,
  ],
  [
    'it is given to another program',
    () => {
      withDatabase('PRAGMA application_id = 1');
    },
    /belongs to another program/,
  ],
  [
    'a newer program has changed its schema',
    () => {
      withDatabase('PRAGMA user_version = 2');
    },
    /run the newer program/,
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
      const store = await open(file);
      const plants = Array.from({ length: 100 }, (_unused, i) =>
        buildPlant({ id: BigInt(i), name: 'x'.repeat(500) }),
      );
      await Promise.all(plants.map((plant) => store.create(plant)));
      if (checkpoint !== '') withDatabase(checkpoint);
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

    test.each([
      ['shorter', (size: number) => Math.floor(size / 2)],
      ['of the same size', (size: number) => size],
      ['longer', (size: number) => size * 2],
    ])('when the file is overwritten by something %s', async (_name, sizeOf) => {
      const store = await prepare();
      writeFileSync(file, garbage(sizeOf(statSync(file).size)));
      const acknowledged = await create(store, 1000, 5);
      const found = await foundByRestart();
      expect(acknowledged.filter((id) => !found.includes(id))).toEqual([]);
    });

    test('when another database is copied over it', async () => {
      const store = await prepare();
      copyFileSync(await anotherDatabase(), file);
      const acknowledged = await create(store, 1000, 5);
      const found = await foundByRestart();
      expect(acknowledged.filter((id) => !found.includes(id))).toEqual([]);
    });

    test('when it is put back, the store works again by itself', async () => {
      const store = await prepare();
      renameSync(folder, `${folder}.old`);
      await expect(store.ready()).rejects.toThrow('put it back');
      renameSync(`${folder}.old`, folder);
      await expect(store.ready()).resolves.toBeUndefined();
      expect(await create(store, 1000, 5)).toHaveLength(5);
    });

    test('when it may not be written any more, and again when it may', async () => {
      const store = await prepare();
      chmodSync(file, 0o444);
      const isRoot = process.getuid?.() === 0; // who may write whatever it likes, and so must be somebody else for a moment
      if (isRoot) for (const path of [root, folder]) chmodSync(path, 0o777);
      try {
        if (isRoot) process.seteuid?.(65_534);
        await expect(store.ready()).rejects.toThrow('it cannot be written');
        expect(await create(store, 1000, 5)).toEqual([]);
      } finally {
        if (isRoot) process.seteuid?.(0);
      }
      chmodSync(file, 0o644);
      await expect(store.ready()).resolves.toBeUndefined();
    });
  },
);

test.each([
  ['a checkpoint', 'PRAGMA wal_checkpoint(TRUNCATE)'],
  ['a vacuum', 'VACUUM'],
  ['a vacuum and a checkpoint', 'VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'],
  ['a new index', 'CREATE INDEX by_name ON plants (name)'],
])('%s of another process does no harm', async (_, sql) => {
  const store = await open(file);
  const ids = Array.from({ length: 1000 }, (_unused, i) => BigInt((i * 7919) % 100_003));
  await Promise.all(ids.map((id) => store.create(buildPlant({ id, name: 'x'.repeat(700) }))));
  withDatabase(sql);
  await expect(store.ready()).resolves.toBeUndefined();
  expect(await create(store, 200_000, 5)).toHaveLength(5);
  await expect(store.ready()).resolves.toBeUndefined();
});
