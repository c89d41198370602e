import { setTimeout as sleep } from 'node:timers/promises';
import { checksumOf } from './checksum';
import { type ColumnsOf, INT64, type Sql, TABLE, TEXT } from './column';
import { type Migration, type Step, stepsOf } from './migration';
import type { Dialect, Runner } from './sql';
import { StoreUnavailable } from './store';
import { createTable, insertInto, select, table } from './table';
import { guard, inTime, type Run, runOn } from './transaction';

/** What a store needs of its database. */
export interface Schema {
  /**
   * Lower case letters, digits and `_`. The table `NAME_migrations` holds what has run, `NAME_oldest` the oldest program that may
   * run after each, and in PostgreSQL `NAME_schema` the version.
   */
  readonly name: string;
  /** Four ASCII characters that mark its files (https://sqlite.org/pragma.html#pragma_application_id). */
  readonly mark: string;
  /**
   * Each brings the schema from the version of its index to the next. Append only: databases out there count on them, and one
   * that has run is refused if its checksum is another now.
   */
  readonly migrations: readonly Migration[];
  /** Fails where the store could not write, and changes nothing: an INSERT of no rows. */
  readonly probe: Sql<unknown>;
}

/**
 * Called for each migration: when it begins, when a call of its function is committed that is not the last, and when all of it
 * is committed.
 */
export type Migrating = (number: number, name: string, state: 'begun' | 'goes on' | 'done') => void;

/** A transaction beside which nobody else migrates. */
export interface LockedSchema extends Runner {
  /** How many migrations have run. */
  readonly version: number;
  /** Runs statements outside the transaction, whose lock is held meanwhile. Default: the transaction does. */
  readonly outside?: Runner;
}

/** Runs work in a transaction under a lock, and commits it with the version that it resolves to. */
export type WithLock = (work: (locked: LockedSchema) => Promise<number>) => Promise<void>;

/** A migration that has run. */
export interface Applied {
  readonly number: bigint;
  readonly name: string;
  readonly checksum: string;
  /** That of `Migration`. None if it ran in a program that knew no such thing. */
  readonly oldest?: bigint | null;
}

/** Milliseconds that one transaction of migrations may take: it may rewrite a table. */
export const MIGRATION_TIMEOUT = 600_000;
/** Calls of a function. One that never resolves to 0 would keep the program from its start for ever. */
const MAX_CALLS = 1_000_000;

/** Milliseconds after a call of a function: as many as it had the lock, within these bounds. Others write meanwhile. */
const [MIN_PAUSE, MAX_PAUSE] = [5, 1000];

/** @throws {StoreUnavailable} if a newer program has migrated the database, and does not let this one run on it */
export function checkVersion(found: number, { migrations }: Schema, applied: readonly Applied[]): void {
  const known = migrations.length;
  for (let number = known + 1; number <= found; number++) {
    const ran = applied.find((one) => Number(one.number) === number);
    const oldest = Number(ran?.oldest ?? number);
    if (oldest > known)
      throw new StoreUnavailable(
        `its schema has version ${found}, but this program knows only ${known}, and migration ${number}${ran ? `, ${ran.name},` : ''} needs one that knows ${oldest}: run the newer program`,
      );
  }
}

const tableOf = <const C extends ColumnsOf>({ name }: Schema, end: string, columns: C) =>
  table(`${name.replace(/\W|^(?=\d)/g, '_').slice(0, 51)}_${end}`, {
    number: INT64.primaryKey(),
    ...columns,
  });

/** The migrations that have run. */
const appliedOf = (schema: Schema) => tableOf(schema, 'migrations', { name: TEXT, checksum: TEXT });
/** The oldest program that may run after each. Its own table: an earlier version of this library has made the other one. */
const oldestOf = (schema: Schema) => tableOf(schema, 'oldest', { oldest: INT64 });

/** The tables in which `migrate` keeps what has run: of their names, and the statements that make them. */
export const recordsOf = (schema: Schema) =>
  [appliedOf(schema), oldestOf(schema)].map((of) => ({ name: of[TABLE].name, create: createTable(of) }));

/** Finds the migrations that have run, from the first one on. */
export function selectApplied(schema: Schema, hasOldest = true): Sql<Applied> {
  const [ran, by] = [appliedOf(schema), oldestOf(schema)];
  if (!hasOldest) return select(ran)`ORDER BY number`;
  const { number, name, checksum } = ran;
  return select({ number, name, checksum, oldest: by.oldest.nullable() })`
    FROM ${ran} LEFT JOIN ${by} ON ${by.number} = ${number} ORDER BY ${number}`;
}

/** Records steps as applied, and the oldest programs in the words of this one. */
async function record(run: Run, schema: Schema, dialect: Dialect, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return;
  const own = steps.map((step) => ({
    number: BigInt(step.number),
    name: step.name,
    checksum: checksumOf(step, dialect),
  }));
  const oldest = steps.map((step) => ({ number: BigInt(step.number), oldest: BigInt(step.oldest) }));
  await run(insertInto(appliedOf(schema), own)`ON CONFLICT (number) DO NOTHING`);
  await run(
    insertInto(oldestOf(schema), oldest)`ON CONFLICT (number) DO UPDATE SET oldest = excluded.oldest`,
  );
}

/**
 * Compares what has run with what the program has.
 *
 * @returns what is to be recorded: that version 2.0.0 has applied, which kept no checksums, or of which this program, which
 *   knows all that has run, names another oldest program than was recorded
 * @throws {Error} that names a migration that was changed, moved or removed
 */
export function compareApplied(
  version: number,
  applied: readonly Applied[],
  { migrations }: Schema,
  dialect: Dialect,
): Step[] {
  const found = new Map(applied.map((one) => [Number(one.number), one]));
  const steps = stepsOf(migrations);
  return steps.slice(0, version).filter((step) => {
    const { number, name, oldest } = step;
    const ran = found.get(number);
    if (!ran) return true;
    if (ran.checksum === checksumOf(step, dialect))
      return version <= steps.length && Number(ran.oldest ?? 0) !== oldest;
    const what =
      ran.name === name
        ? 'it has been changed since it ran in this database'
        : `${ran.name} has run in this database instead of it`;
    throw new Error(
      `migration ${number}, ${name}: ${what}: restore all migrations that have run and add new ones after them, or start a new database if nobody needs this one`,
    );
  });
}

/**
 * Runs the migrations that a database lacks. Statements that follow each other share a transaction; a function has one for
 * each call, and what runs outside a transaction one that holds the lock. Several processes may do so at once.
 *
 * @throws {Error} that names the migration that failed, or that has run in another form
 */
export async function migrate(
  schema: Schema,
  dialect: Dialect,
  withLock: WithLock,
  report: Migrating,
): Promise<void> {
  const steps = stepsOf(schema.migrations);
  let [before, version] = [0, 0];
  // Once at least: that compares what has run, and proves a commit.
  for (let calls = 0; calls === 0 || version < steps.length; calls++) {
    let began = 0;
    await withLock(async (locked) => {
      began = performance.now();
      const run = runOn(locked, dialect);
      before = locked.version;
      const applied = (await run(selectApplied(schema))).rows;
      checkVersion(before, schema, applied);
      await record(run, schema, dialect, compareApplied(before, applied, schema, dialect));
      if (calls === MAX_CALLS)
        throw new Error(`migration ${before + 1} did not finish in ${MAX_CALLS} calls`);
      version = before;
      for (const step of steps.slice(before)) {
        if (step.isAlone && version > before) break;
        report(step.number, step.name, 'begun');
        const runStep = step.isOutside ? runOn(locked.outside ?? locked, dialect) : run;
        if (!(await perform(runStep, step))) break;
        await record(run, schema, dialect, [step]);
        version++;
        if (step.isAlone) break;
      }
      return version;
    });
    for (const { number, name } of steps.slice(before, version)) report(number, name, 'done');
    const next = steps[version];
    if (version > before || !next) continue;
    report(next.number, next.name, 'goes on');
    await sleep(Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, performance.now() - began)));
  }
}

/** Resolves to false if the function is to be called again. */
async function perform(run: Run, { number, name, parts }: Step): Promise<boolean> {
  try {
    for (const part of parts) {
      if (typeof part === 'function') {
        const attempt = guard(run);
        const call = inTime<unknown>(part(attempt.queries), MIGRATION_TIMEOUT);
        const rest: unknown = await call.finally(attempt.abandon);
        attempt.end();
        if (rest !== undefined && !(Number.isSafeInteger(rest) && Number(rest) >= 0))
          throw new TypeError('expected the number of rows that a call has changed, or nothing');
        return rest === undefined || rest === 0;
      }
      await run(part);
    }
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`migration ${number}, ${name}: ${reason}`, { cause: error });
  }
}
