import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openPlantStore } from '../../src/storage/plants';
import { keepFolder } from '../../scripts/testing/folder';
import { buildPlant } from '../../scripts/testing/plants';
import { fast, sampleOf } from '../../scripts/testing/cases';
import { startProcess } from '../../scripts/testing/process';
import { startProgram } from '../../scripts/testing/program';
import { closed } from '../../scripts/testing/sqlite-bench';
import { newLedger, sendPlants, TOKEN } from '../../scripts/crash/plants';
import { byProgram, columnOf } from '../../scripts/testing/sqlite-file';

// The commands `backup` and `restore` beside a server that is busy or was killed, and killed themselves.

const DIST = resolve(__dirname, '../../dist');
const folder = keepFolder();
const newFile = () => join(mkdtempSync(join(folder, 'db-')), 'plants.db');

/** Runs a command of the service to its end. */
async function run(file: string, ...args: readonly string[]) {
  const program = startProcess([join(DIST, 'main.js'), ...args], { DATABASE_URL: `sqlite:${file}` });
  return { status: await program.exit, output: program.output() };
}

fast(() => {
  test('a backup of a busy server has what it had acknowledged, and hinders nobody; a restore waits for its end', async () => {
    const file = newFile();
    const server = await startProgram({ DATABASE_URL: `sqlite:${file}`, API_TOKENS: TOKEN });
    // Enough that others commit while it is copied.
    const filled =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO plants SELECT -i, hex(zeroblob(50)), NULL FROM n';
    byProgram(file, (db) => {
      db.exec(filled);
    });
    const ledger = newLedger();
    const load = sendPlants(Number(new URL(server.url).port), ledger, 1);
    await load.acknowledged(500);
    const before = [...ledger.acknowledged];
    const backup = join(folder, 'busy.db');
    await expect(run(file, 'backup', backup)).resolves.toMatchObject({ status: 0 });
    const { length } = ledger.acknowledged;
    expect(length).toBeGreaterThan(before.length);
    await expect(run(file, 'restore', backup)).resolves.toEqual({
      status: 1,
      output: `SQLite file ${file}: a process has it open: stop every server and tool that uses it, then restore again\n`,
    });
    await load.acknowledged(100);
    await load.stop();
    expect(ledger.unexpected).toEqual([]);
    expect(await (await fetch(`${server.url}/-/metrics`)).text()).not.toContain('error="503');
    await server.stop('SIGKILL');

    await expect(run(file, 'restore', backup)).resolves.toMatchObject({ status: 0 });
    const again = await startProgram({ DATABASE_URL: `sqlite:${file}`, API_TOKENS: TOKEN });
    const stored = columnOf(file, 'SELECT id FROM plants');
    const ids = new Set(stored);
    expect(before.filter(({ id }) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBeLessThan(40_000 + new Set(ledger.acknowledged.map(({ id }) => id)).size);
    expect(await again.stop()).toBe(0);
  });
});

fast(() => {
  test('a database that was overwritten while a server uses it is not restored before its end', async () => {
    const file = newFile();
    const server = await startProgram({ DATABASE_URL: `sqlite:${file}` });
    const backup = join(folder, 'whole.db');
    await expect(run(file, 'backup', backup)).resolves.toEqual({
      status: 0,
      output: expect.not.stringContaining('undefined') as string,
    });
    writeFileSync(file, 'garbage '.repeat(5000));
    await expect(run(file, 'restore', backup)).resolves.toMatchObject({
      status: 1,
      output: expect.stringContaining('a process has it open') as string,
    });
    await server.stop('SIGKILL');
    const { status, output } = await run(file, 'restore', backup);
    expect(status).toBe(0);
    expect(readFileSync(output.trim().split(' ').at(-1) ?? '', 'utf8')).toContain('garbage'); // it names what it replaced
    expect(await found(file)).toEqual([]);
  });
});

/**
 * A program that makes or restores a backup, and copies the folder of the database before each call that changes files: a kill
 * would leave the same. The copy is made by another process, since to close a file would end the locks on it.
 */
const COPYING = `
  const [direction, file, backup, states] = process.argv.slice(1);
  const fs = require('node:fs');
  const { execFileSync } = require('node:child_process');
  const { dirname, join } = require('node:path');
  const { SqliteDatabase } = require(${JSON.stringify(require.resolve('../../packages/database/dist/sqlite/engine'))});
  const { openPlantStore } = require(${JSON.stringify(join(DIST, 'storage/plants'))});
  let calls = 0;
  const spy = (of, name) => {
    const original = of[name];
    of[name] = function (...args) {
      execFileSync('cp', ['-a', dirname(file), join(states, String(calls++))]);
      return original.apply(this, args);
    };
  };
  const opening = async (database) => {
    for (const name of ['openSync', 'fsyncSync', 'linkSync', 'renameSync', 'rmSync', 'writeFileSync', 'appendFileSync', 'mkdirSync'])
      spy(fs, name);
    for (const name of ['exec', 'value', 'backup', 'close']) spy(SqliteDatabase.prototype, name);
    await database[direction](backup);
    console.log('calls ' + calls);
    process.exit();
  };
  openPlantStore('sqlite:' + file, { waiting() {}, committed() {}, opening });`;

const OLD = [1, 2, 3];
const NEW = [4, 5];

async function create(file: string, ids: readonly number[], close = true) {
  const store = await openPlantStore(`sqlite:${file}`);
  for (const id of ids) await store.create(buildPlant({ id: BigInt(id) }));
  if (close) await store.close();
  return store;
}

/** What a start finds: its rows, or that it refuses the files. */
async function found(file: string): Promise<readonly number[] | 'refused'> {
  try {
    await create(file, []);
  } catch {
    return 'refused';
  }
  return columnOf(file, 'SELECT id FROM plants ORDER BY id').map(Number);
}

/** The files of a database before a restore, and what else than the new rows a start may find if it was killed. */
const BEFORE: Record<string, [make: (file: string, backup: string) => unknown, old: unknown]> = {
  'of a stopped server': [(file) => create(file, OLD), OLD],
  'of a killed server': [
    async (file) => {
      const living = newFile();
      const store = await create(living, OLD, false);
      for (const end of ['', '-wal', '-shm']) cpSync(living + end, file + end);
      await store.close();
    },
    OLD,
  ],
  'over which the backup was copied': [
    async (file, backup) => {
      const living = newFile();
      const store = await create(living, OLD, false);
      cpSync(backup, file);
      for (const end of ['-wal', '-shm']) cpSync(living + end, file + end);
      await store.close();
    },
    'refused',
  ],
  'that is not there': [() => undefined, []],
};

const plants = (file: string) => closed((observer) => openPlantStore(`sqlite:${file}`, observer));

/** Runs the program. Then brings about each state that a kill of it could have left, and in the end that of its end. */
async function forEachState(
  direction: string,
  file: string,
  backup: string,
  look: (ended: boolean) => Promise<unknown>,
): Promise<void> {
  const states = mkdtempSync(join(folder, 'states-'));
  const program = startProcess(['-e', COPYING, direction, file, backup, states], {});
  const [, calls] = await program.printed(/calls (\d+)/);
  expect(await program.exit).toBe(0);
  cpSync(dirname(file), join(states, String(calls)), { recursive: true });
  for (let n = 0; n <= Number(calls); n++) {
    rmSync(dirname(file), { recursive: true });
    renameSync(join(states, String(n)), dirname(file));
    await look(n === Number(calls));
  }
}

test.each(sampleOf(Object.entries(BEFORE), 'of a killed server', 'over which the backup was copied'))(
  'a restore that is killed leaves a database %s as it was, or the new one',
  async (_, [make, old]) => {
    const backup = newFile();
    await create(backup, NEW);
    const file = newFile();
    await make(file, backup);
    const seen = new Set<string>();
    await forEachState('restore', file, backup, async (ended) => {
      const copy = newFile();
      for (const end of ['', '-wal', '-shm', '-journal', '.restoring'])
        if (existsSync(file + end)) cpSync(file + end, copy + end);
      const rows = await found(copy);
      expect([ended ? NEW : old, NEW]).toContainEqual(rows);
      seen.add(String(rows));
      // The same command again comes to its end, whatever the first has left.
      await (await plants(file)).restore(backup);
      expect(await found(file)).toEqual(NEW);
    });
    expect(seen).toEqual(new Set([String(old), String(NEW)]));
  },
);

fast(() => {
  test('a backup that is killed leaves no file of its name, or a whole one', async () => {
    const file = newFile();
    await create(file, OLD);
    const bytes = readFileSync(file);
    const backup = join(dirname(file), 'backup.db');
    const seen = new Set<boolean>();
    await forEachState('backup', file, backup, async (ended) => {
      expect(readFileSync(file).equals(bytes)).toBe(true);
      seen.add(existsSync(backup));
      if (existsSync(backup)) {
        const other = newFile();
        await (await plants(other)).restore(backup);
        expect(await found(other)).toEqual(OLD);
      } else expect(ended).toBe(false);
    });
    expect(seen).toEqual(new Set([false, true]));
  });
});
