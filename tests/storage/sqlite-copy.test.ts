import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import {
  createTable,
  INT64,
  openDatabase,
  type Schema,
  sql,
  UnusableDatabase,
} from 'contract-first-database';
import { openPlantStore } from '../../src/storage/plants';
import { buildPlant } from '../../scripts/testing/plants';
import { closed, useSqlite } from '../../scripts/testing/sqlite-bench';
import { columnOf } from '../../scripts/testing/sqlite-file';

const bench = useSqlite();
const at = (name: string) => join(bench.root, name);

const plants = (file = bench.file) => closed((observer) => openPlantStore(`sqlite:${file}`, observer));

/** Adds plants of these ids. */
async function create(ids: readonly number[], file = bench.file): Promise<void> {
  const store = await openPlantStore(`sqlite:${file}`);
  await Promise.all(
    ids.map((id) => store.create(buildPlant({ id: BigInt(id), name: `plant ${id} `.repeat(20) }))),
  );
  await store.close();
}
const idsOf = (file = bench.file) => columnOf(file, 'SELECT id FROM plants ORDER BY id').map(Number);
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);

/** The names and bytes of all files in the folder of the database. */
const standing = () =>
  readdirSync(bench.folder).map((name) => [name, readFileSync(join(bench.folder, name)).toString('base64')]);

test('a backup has what was committed, in one file, and restored it is what the database has', async () => {
  await create(upTo(50));
  const files = await plants();
  await expect(files.backup(at('new/folder/backup.db'))).resolves.toEqual({
    tables: 3,
    rows: 52,
    version: 1,
    bytes: expect.any(Number) as number,
  });
  expect(readdirSync(at('new/folder'))).toEqual(['backup.db']);
  await create([100]);
  const { kept = '', ...copied } = await files.restore(at('new/folder/backup.db'));
  expect(copied).toMatchObject({ tables: 3, rows: 52 });
  expect(readdirSync(bench.folder).map((name) => join(bench.folder, name))).toEqual([bench.file, kept]);
  expect(idsOf()).toEqual(upTo(50));
  await files.restore(kept);
  await create([101]);
  expect(idsOf()).toEqual([...upTo(50), 100, 101]);
});

test('where there is no database yet, or an empty one, a restore makes it', async () => {
  await create([1]);
  await (await plants()).backup(at('backup.db'));
  for (const isEmpty of [false, true]) {
    if (isEmpty) {
      mkdirSync(at('b'));
      writeFileSync(at('b/plants.db'), '');
    }
    await (await plants(at('b/plants.db'))).restore(at('backup.db'));
    await create([2], at('b/plants.db'));
    expect(idsOf(at('b/plants.db'))).toEqual([1, 2]);
    rmSync(at('b'), { recursive: true });
  }
});

/** Databases as servers leave them, with what other programs do for a backup. */
const SOURCES: Record<string, (file: string) => unknown> = {
  'the file of a stopped server': (file) => {
    cpSync(bench.file, file);
  },
  'the files of a killed server': async (file) => {
    const store = await openPlantStore(`sqlite:${bench.file}`);
    await store.create(buildPlant({ id: 50n }));
    for (const end of ['', '-wal', '-shm']) cpSync(bench.file + end, file + end);
    await store.close();
    bench.byProgram((db) => {
      db.exec('DELETE FROM plants');
    });
  },
  'what .backup makes': async (file) => {
    const db = new DatabaseSync(bench.file);
    await backup(db, file);
    db.close();
  },
  'what VACUUM INTO makes': (file) => {
    bench.byProgram((db) => {
      db.exec(`VACUUM INTO '${file}'`);
    });
  },
};
test.each(Object.entries(SOURCES))('%s can be backed up, and is a backup', async (name, make) => {
  await create(upTo(50));
  await make(at('source.db'));
  const ids = name.includes('killed') ? upTo(51) : upTo(50);
  await (await plants(at('source.db'))).backup(at('backup.db'));
  expect(idsOf(at('backup.db'))).toEqual(ids);
  await (await plants()).restore(at('source.db'));
  expect(idsOf()).toEqual(ids);
});

/** Expects that a restore is refused with a sentence, and that it leaves every file as it was. */
async function expectRefusal(backup: string, message: RegExp | string): Promise<void> {
  const files = await plants();
  const before = standing();
  const refused = files.restore(backup);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toBeInstanceOf(UnusableDatabase);
  expect(standing()).toEqual(before);
}

test('a backup in which any bit has turned, or that ends anywhere before its end, is refused', async () => {
  await create(upTo(50));
  await (await plants()).backup(at('backup.db'));
  const whole = readFileSync(at('backup.db'));
  for (let place = 0; place < whole.length; place += 509) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << (place % 8)), place);
    writeFileSync(at('turned.db'), bytes);
    await expectRefusal(at('turned.db'), /turned.db: it is (damaged|not a SQLite database)/);
    writeFileSync(at('turned.db'), whole.subarray(0, place));
    await expectRefusal(at('turned.db'), /turned.db: it is (damaged|not a SQLite database)/);
  }
  for (let cut = 1; cut <= 80; cut++) {
    writeFileSync(at('turned.db'), whole.subarray(0, -cut));
    if (cut !== 73) await expectRefusal(at('turned.db'), 'it is truncated');
  }
});

const NEIGHBORS: Schema = {
  name: 'neighbors',
  mark: 'Plnt',
  migrations: [['neighbors', createTable('neighbors', sql`id ${INT64} PRIMARY KEY`)]],
  probe: sql`INSERT INTO neighbors (id) SELECT 1 WHERE 1 = 0`,
};
const openNeighbors = async (file: string, schema = NEIGHBORS) => {
  await (await openDatabase(`sqlite:${file}`, schema)).close();
};

/** What is no backup of this program, and why. */
const OTHERS: [string, (file: string) => unknown, string][] = [
  [
    'a letter',
    (file) => {
      writeFileSync(file, 'Dear Sir, '.repeat(1000));
    },
    'it is not a SQLite database',
  ],
  [
    'an empty file',
    (file) => {
      writeFileSync(file, '');
    },
    'it is empty',
  ],
  [
    'a folder',
    (file) => {
      mkdirSync(file);
    },
    'there is no such file',
  ],
  ['nothing', () => undefined, 'there is no such file'],
  [
    'a link to the database',
    (file) => {
      linkSync(bench.file, file);
    },
    'the backup is the database itself',
  ],
  [
    'the digest of nothing',
    (file) => {
      writeFileSync(file, `\nsha256 ${createHash('sha256').digest('hex')}\n`);
    },
    'it is not a SQLite database',
  ],
  [
    'an empty database',
    (file) => {
      bench.byProgram((db) => {
        db.exec('VACUUM; CREATE TABLE t (id); DROP TABLE t');
      }, file);
    },
    'it belongs to another',
  ],
  [
    'a database of nobody',
    (file) => {
      bench.byProgram((db) => {
        db.exec('CREATE TABLE plants (id)');
      }, file);
    },
    'it belongs to another program',
  ],
  [
    'one of another mark',
    (file) => openNeighbors(file, { ...NEIGHBORS, mark: 'Nghb' }),
    'it belongs to another',
  ],
  ['one of another program with its mark', (file) => openNeighbors(file), 'it belongs to another program'],
  [
    'one of a newer schema',
    (file) => {
      bench.byProgram((db) => {
        db.exec('PRAGMA user_version = 2');
      }, file);
    },
    'run the newer program',
  ],
  [
    'one whose migration was another',
    (file) => {
      bench.byProgram((db) => {
        db.exec("UPDATE plant_store_migrations SET checksum = 'x'");
      }, file);
    },
    'migration 1, plants',
  ],
  [
    'one that has lost a table, but not its pages',
    (file) => {
      bench.byProgram((db) => {
        db.enableDefensive(false);
        db.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'plants'");
      }, file);
    },
    'it is damaged',
  ],
  [
    'one beside a log that is not its own',
    async (file) => {
      const store = await openPlantStore(`sqlite:${at('other.db')}`);
      await store.create(buildPlant());
      cpSync(at('other.db-wal'), `${file}-wal`);
      await store.close();
    },
    'belongs to another file',
  ],
];
const OWN = /newer|migration|log|pages/;
test.each(OTHERS)('%s is refused as a backup', async (name, make, message) => {
  await create([1]);
  if (OWN.test(name)) await create([2], at('other/backup.db'));
  else mkdirSync(at('other'));
  await make(at('other/backup.db'));
  await expectRefusal(at('other/backup.db'), message);
});

test.each(['', '-wal', '-shm', '-journal'])(
  'a backup overwrites nothing: no file with the end "%s"',
  async (end) => {
    await create([1]);
    writeFileSync(at(`backup.db${end}`), 'kept');
    await expect((await plants()).backup(at('backup.db'))).rejects.toThrow(
      `backup.db${end} already exists and is not overwritten: use another`,
    );
    expect([readFileSync(at(`backup.db${end}`), 'utf8'), readdirSync(bench.root)]).toEqual([
      'kept',
      [`backup.db${end}`, 'data'],
    ]);
  },
);

test('a pipe is no database, and nothing waits for it', async () => {
  await create([1]);
  await (await plants()).backup(at('backup.db'));
  execFileSync('mkfifo', [at('pipe')]);
  const files = await plants(at('pipe'));
  for (const using of [files.restore(at('backup.db')), files.backup(at('copy.db')), create([2], at('pipe'))])
    await expect(using).rejects.toThrow('it is not a regular file');
  expect(readdirSync(bench.root).sort()).toEqual(['backup.db', 'data', 'pipe']);
});

test.each(['-wal', '-shm', '-journal', '.restoring'])(
  'no backup takes the name of a file that belongs to the database: %s',
  async (end) => {
    await create([1]);
    await expect((await plants()).backup(bench.file + end)).rejects.toThrow('use another');
  },
);

test('a database of another program is not replaced', async () => {
  await create([1], at('plants.db'));
  await (await plants(at('plants.db'))).backup(at('backup.db'));
  mkdirSync(bench.folder);
  await openNeighbors(bench.file, { ...NEIGHBORS, mark: 'Nghb' });
  await expectRefusal(at('backup.db'), /plants.db: it belongs to another program/);
});

test('a database that is named by a link is restored where it is', async () => {
  await create([1]);
  await (await plants()).backup(at('backup.db'));
  await create([2]);
  symlinkSync(bench.file, at('link.db'));
  await (await plants(at('link.db'))).restore(at('backup.db'));
  expect([idsOf(), lstatSync(at('link.db')).isSymbolicLink()]).toEqual([[1], true]);
});

test('a restored database is for the same users as the one that it replaces, and a backup too', async () => {
  await create([1]);
  chmodSync(bench.file, 0o640);
  await (await plants()).backup(at('backup.db'));
  expect(statSync(at('backup.db')).mode & 0o777).toBe(0o640);
  chmodSync(at('backup.db'), 0o444);
  await (await plants()).restore(at('backup.db'));
  expect(statSync(bench.file).mode & 0o777).toBe(0o640);
});

test('no backup is made of a database that is damaged, is not there or is in memory', async () => {
  await create(upTo(50));
  truncateSync(bench.file, 8192);
  await expect((await plants()).backup(at('backup.db'))).rejects.toThrow('it is damaged: restore a backup');
  await expect((await plants(at('none.db'))).backup(at('backup.db'))).rejects.toThrow('it does not exist');
  const memory = await closed((observer) => openPlantStore('memory:', observer));
  await expect(memory.backup(at('backup.db'))).rejects.toThrow('it is not persistent');
  expect(readdirSync(bench.root)).toEqual(['data']);
});

/** What may have happened to a database before somebody restores a backup, and what the server says then. */
const ACCIDENTS: Record<string, (killed: string) => void> = {
  'that was overwritten by garbage': (file) => {
    writeFileSync(file, 'garbage '.repeat(5000));
  },
  'that was emptied': (file) => {
    truncateSync(file, 0);
  },
  'that was cut': (file) => {
    truncateSync(file, 4096);
  },
  'that is gone': (file) => {
    rmSync(file);
  },
  'whose log was cut': (file) => {
    truncateSync(`${file}-wal`, 5000);
  },
  'over which the backup was copied': (file) => {
    cpSync(at('backup.db'), file);
  },
  'over which a backup was copied that is younger than its log': (file) => {
    cpSync(at('younger.db'), file);
  },
  'whose restore was killed': (file) => {
    writeFileSync(`${file}.restoring`, `${file}.replaced-once`);
    cpSync(`${file}-wal`, `${file}.replaced-once-wal`);
    rmSync(`${file}-wal`);
  },
};
test.each(Object.entries(ACCIDENTS))(
  'a backup replaces a database %s, whose log stays with it',
  async (_, happen) => {
    await create([1]);
    await (await plants()).backup(at('backup.db'));
    const store = await bench.open();
    await Promise.all(upTo(50).map((id) => store.create(buildPlant({ id: BigInt(id + 2) }))));
    await (await plants()).backup(at('younger.db'));
    await store.create(buildPlant({ id: 70n }));
    const killed = at('killed/plants.db');
    for (const end of ['', '-wal', '-shm']) cpSync(bench.file + end, killed + end);
    happen(killed);
    const log = existsSync(`${killed}-wal`) ? readFileSync(`${killed}-wal`) : undefined;
    await expect(openPlantStore(`sqlite:${killed}`)).rejects.toThrow(UnusableDatabase);
    const { kept = '' } = await (await plants(killed)).restore(at('backup.db'));
    if (log) expect(readFileSync(`${kept}-wal`).equals(log)).toBe(true);
    await create([60], killed);
    expect(idsOf(killed)).toEqual([1, 60]);
    expect(readdirSync(at('killed')).filter((name) => !name.includes('.replaced-'))).toEqual(['plants.db']);
  },
);

test('a server that waits for the lock of a database while another takes its place is refused', async () => {
  await create([1]);
  await create([2], at('other.db'));
  const other = new DatabaseSync(bench.file);
  other.exec('PRAGMA locking_mode = EXCLUSIVE');
  other.exec('BEGIN EXCLUSIVE');
  const starting = openPlantStore(`sqlite:${bench.file}`);
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
  renameSync(at('other.db'), bench.file);
  other.close();
  await expect(starting).rejects.toThrow('another file has replaced it');
  expect(idsOf()).toEqual([2]);
});
