import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SqliteDatabase } from '../../packages/database/src/sqlite/engine';
import { formatTable } from 'contract-first-prover';
import { runProgram } from '../program';

/*
 * What SQLite costs by node:sqlite, as packages/database/src uses it, and by better-sqlite3: CPU time of this process and rows a second,
 * medians of rounds in which both take turns. docs/decisions.md has the figures. The argument is the folder in which `make sqlite`
 * installs better-sqlite3.
 */

const ROUNDS = 15;

interface Statement {
  run(values: readonly unknown[]): unknown;
}
interface Driver {
  exec(text: string): void;
  prepare(text: string): Statement;
  close(): void;
}

/** What of better-sqlite3 is measured. */
interface BetterDatabase {
  defaultSafeIntegers(): void;
  exec(text: string): void;
  prepare(text: string): {
    readonly reader: boolean;
    all(...values: readonly unknown[]): unknown;
    run(...values: readonly unknown[]): unknown;
  };
  close(): void;
}

function openBetter(from: string, file: string): Driver {
  const Better = createRequire(join(resolve(from), 'package.json'))('better-sqlite3') as new (
    file: string,
  ) => BetterDatabase;
  const db = new Better(file);
  db.defaultSafeIntegers();
  return {
    exec: (text) => {
      db.exec(text);
    },
    prepare(text) {
      const statement = db.prepare(text);
      return {
        run: (values) => (statement.reader ? statement.all(...values) : statement.run(...values)),
      };
    },
    close: () => {
      db.close();
    },
  };
}

interface Work {
  /** Rows of one call. */
  readonly rows: number;
  readonly calls: number;
  readonly prepare: (db: Driver) => () => void;
}

let id = 0n;
const creating = (rows: number) => (db: Driver) => {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const insert = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const commit = db.prepare('COMMIT');
  return () => {
    begin.run([]);
    for (let i = 0; i < rows; i++) insert.run([id++, 'Monstera', 'tropical']);
    commit.run([]);
  };
};

const WORK: Readonly<Record<string, Work>> = {
  'create 1 in a transaction': { rows: 1, calls: 300, prepare: creating(1) },
  'create 100 in a transaction': { rows: 100, calls: 50, prepare: creating(100) },
  'read 1 by its key': {
    rows: 1,
    calls: 5_000,
    prepare(db) {
      const select = db.prepare('SELECT id, name, tag FROM plants WHERE id = ?');
      return () => select.run([7n]);
    },
  },
  'read a list of 1,000': {
    rows: 1_000,
    calls: 50,
    prepare(db) {
      const select = db.prepare('SELECT id, name, tag FROM plants ORDER BY id LIMIT 1000');
      return () => select.run([]);
    },
  },
};

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** Microseconds of CPU for a row, and rows a second. */
function measure({ rows, calls }: Work, call: () => void) {
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  for (let i = 0; i < calls; i++) call();
  const { user, system } = process.cpuUsage(cpu);
  return {
    cpu: (user + system) / (calls * rows),
    rate: ((calls * rows) / (performance.now() - began)) * 1000,
  };
}

function main([from]: readonly string[]): Promise<void> {
  if (from === undefined) throw new Error('expected the folder in which better-sqlite3 is installed');
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  const drivers: Readonly<Record<string, Driver>> = {
    'node:sqlite': new SqliteDatabase(join(folder, 'node.db')),
    'better-sqlite3': openBetter(from, join(folder, 'better.db')),
  };
  for (const db of Object.values(drivers)) {
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    db.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT');
  }
  const lines = Object.entries(WORK).map(([title, work]) => {
    const calls = Object.entries(drivers).map(([name, db]) => [name, work.prepare(db)] as const);
    const samples = calls.map(([, call]) => {
      measure(work, call); // V8 compiles
      return [] as ReturnType<typeof measure>[];
    });
    for (let round = 0; round < ROUNDS; round++)
      calls.forEach(([, call], i) => samples[i]?.push(measure(work, call)));
    return [
      title,
      ...samples.map((list) => median(list.map(({ cpu }) => cpu)).toFixed(2)),
      ...samples.map((list) => median(list.map(({ rate }) => rate)).toFixed(0)),
    ];
  });
  const names = Object.keys(drivers);
  const head = ['', ...names.map((name) => `${name}, CPU us`), ...names.map((name) => `${name}, rows/s`)];
  console.log(formatTable([head, ...lines]));
  for (const db of Object.values(drivers)) db.close();
  rmSync(folder, { recursive: true });
  return Promise.resolve();
}

runProgram('sqlite', () => main(process.argv.slice(2)));
