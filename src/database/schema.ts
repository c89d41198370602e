import type { Sql } from './column';
import { StoreUnavailable } from './store';

/** One step of a schema: a name for people, and its statements. */
export type Migration = readonly [name: string, ...statements: Sql<unknown>[]];

/** What a store needs of its database. */
export interface Schema {
  /** Lower case letters, digits and `_`. In PostgreSQL the table `NAME_schema` holds the version. */
  readonly name: string;
  /** Four ASCII characters that mark its files (https://sqlite.org/pragma.html#pragma_application_id). */
  readonly mark: string;
  /** Each brings the schema from the version of its index to the next. Append only: databases out there count on them. */
  readonly migrations: readonly Migration[];
  /** Fails where the store could not write, and changes nothing: an INSERT of no rows. */
  readonly probe: Sql<unknown>;
}

/** @throws {StoreUnavailable} if a newer program has migrated the database */
export function checkVersion(found: number, { migrations }: Schema): void {
  if (found > migrations.length)
    throw new StoreUnavailable(
      `its schema has version ${found}, this program knows ${migrations.length}: run the newer program`,
    );
}

/**
 * Runs the migrations that a database of version `from` lacks.
 *
 * @throws {Error} that names the migration that failed
 */
export async function migrateFrom(
  from: number,
  { migrations }: Schema,
  execute: (statement: Sql<unknown>) => unknown,
): Promise<void> {
  for (const [index, [name, ...statements]] of migrations.entries()) {
    if (index < from) continue;
    try {
      for (const statement of statements) await execute(statement);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`migration ${index + 1}, ${name}: ${reason}`, { cause: error });
    }
  }
}
