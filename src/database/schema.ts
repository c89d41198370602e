import { checksumOf } from './checksum';
import { INT64, type Sql, TEXT } from './column';
import type { Dialect, Runner } from './sql';
import { StoreUnavailable } from './store';
import { createTable, insertInto, select, table } from './table';
import { guard, inTime, type Queries, type Run, runOn } from './transaction';

/**
 * What a migration does with rows. It is called again, each time in a transaction of its own, until it resolves to 0 or to
 * nothing: `({ execute }) => execute(...)` of a statement that changes at most a thousand rows, and finds none in the end. It
 * goes on where a process that was ended has left it.
 */
type Code = (queries: Queries) => Promise<number> | Promise<void>;

/** One step of a schema: a name for people, and its statements, or a function. */
export type Migration =
  readonly [name: string, ...statements: Sql<unknown>[]] | readonly [name: string, code: Code];

/** What a store needs of its database. */
export interface Schema {
  /**
   * Lower case letters, digits and `_`. The table `NAME_migrations` holds what has run, and in PostgreSQL `NAME_schema` the
   * version.
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

/** Called for each migration that has run, when it is committed. */
export type Migrated = (number: number, name: string) => void;

/** A transaction beside which nobody else migrates. */
export interface LockedSchema extends Runner {
  /** How many migrations have run. */
  readonly version: number;
}

/** Runs work in a transaction under a lock, and commits it with the version that it resolves to. */
export type WithLock = (work: (locked: LockedSchema) => Promise<number>) => Promise<void>;

/** A migration that has run. */
interface Applied {
  readonly number: bigint;
  readonly name: string;
  readonly checksum: string;
}

/** Milliseconds that one transaction of migrations may take: it may rewrite a table. */
export const MIGRATION_TIMEOUT = 600_000;
/** Calls of a function. One that never resolves to 0 would keep the program from its start for ever. */
const MAX_CALLS = 1_000_000;

/** @throws {StoreUnavailable} if a newer program has migrated the database */
export function checkVersion(found: number, { migrations }: Schema): void {
  if (found > migrations.length)
    throw new StoreUnavailable(
      `its schema has version ${found}, this program knows ${migrations.length}: run the newer program`,
    );
}

/** The table of the migrations that have run. */
const appliedOf = ({ name }: Schema) =>
  table(`${name.replace(/\W|^(?=\d)/g, '_').slice(0, 51)}_migrations`, {
    number: INT64.primaryKey(),
    name: TEXT,
    checksum: TEXT,
  });

export const appliedTable = (schema: Schema): Sql<unknown> => createTable(appliedOf(schema));

/** Reads the migrations that have run, from the first one on. */
export const readApplied = (run: Run, schema: Schema): Promise<readonly Applied[]> =>
  run(select(appliedOf(schema))`ORDER BY number`).then(({ rows }) => rows);

const appliedAs = (migration: Migration, index: number, dialect: Dialect): Applied => ({
  number: BigInt(index + 1),
  name: migration[0],
  checksum: checksumOf(migration, dialect),
});

const record = (run: Run, schema: Schema, applied: readonly Applied[]) =>
  run(insertInto(appliedOf(schema), applied)``);

/**
 * Compares what has run with what the program has.
 *
 * @returns what has run in a database that has no checksum of it, because version 2.0.0 has made it
 * @throws {Error} that names a migration that was changed, moved or removed
 */
export function compareApplied(
  version: number,
  applied: readonly Applied[],
  { migrations }: Schema,
  dialect: Dialect,
): Applied[] {
  const found = new Map(applied.map((one) => [one.number, one]));
  return migrations.slice(0, version).flatMap((migration, index) => {
    const own = appliedAs(migration, index, dialect);
    const ran = found.get(own.number);
    if (!ran) return [own];
    if (ran.checksum === own.checksum) return [];
    const what =
      ran.name === own.name
        ? 'it has been changed since it ran in this database'
        : `${ran.name} has run in this database in its place`;
    throw new Error(
      `migration ${own.number}, ${own.name}: ${what}: put back all that have run, and add others after them, or begin a new database where nobody needs this one`,
    );
  });
}

/**
 * Runs the migrations that a database lacks. Statements that follow each other share a transaction; a function has one for
 * each call. Several processes may do so at once.
 *
 * @throws {Error} that names the migration that failed, or that has run in another form
 */
export async function migrate(
  schema: Schema,
  dialect: Dialect,
  withLock: WithLock,
  report?: Migrated,
): Promise<void> {
  const { migrations } = schema;
  let [before, version] = [0, 0];
  // Once at least: that compares what has run, and proves a commit.
  for (let calls = 0; calls === 0 || version < migrations.length; calls++) {
    await withLock(async (locked) => {
      const run = runOn(locked, dialect);
      before = locked.version;
      checkVersion(before, schema);
      await record(run, schema, compareApplied(before, await readApplied(run, schema), schema, dialect));
      if (calls === MAX_CALLS)
        throw new Error(`migration ${before + 1} has not come to its end in ${MAX_CALLS} calls`);
      version = await advance(run, schema, dialect, before);
      return version;
    });
    for (; before < version; before++) report?.(before + 1, migrations[before]?.[0] ?? '');
  }
}

/** Runs as many migrations as share a transaction, and resolves to the version that they lead to. */
async function advance(run: Run, schema: Schema, dialect: Dialect, from: number): Promise<number> {
  let version = from;
  for (const migration of schema.migrations.slice(from)) {
    const isCode = typeof migration[1] === 'function';
    if (isCode && version > from) break;
    if (!(await perform(run, migration, version + 1))) break;
    await record(run, schema, [appliedAs(migration, version++, dialect)]);
    if (isCode) break;
  }
  return version;
}

/** Resolves to false if the function is to be called again. */
async function perform(run: Run, [name, ...steps]: Migration, number: number): Promise<boolean> {
  try {
    for (const step of steps) {
      if (typeof step === 'function') {
        const attempt = guard(run);
        const call = inTime<unknown>(step(attempt.queries), MIGRATION_TIMEOUT);
        const rest: unknown = await call.finally(attempt.abandon);
        attempt.end();
        if (rest !== undefined && !(Number.isSafeInteger(rest) && Number(rest) >= 0))
          throw new TypeError('expected the number of rows that a call has changed, or nothing');
        return rest === undefined || rest === 0;
      }
      await run(step);
    }
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`migration ${number}, ${name}: ${reason}`, { cause: error });
  }
}
