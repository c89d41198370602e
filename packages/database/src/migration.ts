/** What a migration says, in the one form in which it runs. */
import { Column, nameOf, type Sql, TABLE } from './column';
import type { Queries } from './transaction';

/**
 * What a migration does with rows. It is called again, each time in a transaction of its own, until it resolves to 0 or to
 * nothing: `({ execute }) => execute(...)` of a statement that changes at most a thousand rows, and finds none in the end. It
 * goes on where a process that was ended has left it.
 */
export type Code = (queries: Queries) => Promise<number> | Promise<void>;

/** What a migration says of the programs that may run after it. */
interface Described {
  /** For people. */
  readonly name: string;
  /**
   * The number of migrations that the oldest program knows which may still run on the schema after this one, from 1 to the
   * number of this one. Default: its own number, so that no older program may. It is no part of the checksum.
   */
  readonly oldest?: number;
}

/** Statements. None, where a release only reads or writes otherwise than the one before: so it has a number. */
interface Statements extends Described {
  readonly steps: readonly Sql<unknown>[];
  /**
   * False: PostgreSQL runs each statement outside a transaction, as `CREATE INDEX CONCURRENTLY` demands. It is run again if its
   * process has been killed, so it must be one that may be repeated. Engines without such statements run them in a transaction.
   */
  readonly transaction?: boolean | undefined;
}

interface Batches extends Described {
  readonly steps: Code;
}

/** One step of a schema: a name for people, and its statements, or a function. */
export type Migration =
  | readonly [name: string, ...statements: Sql<unknown>[]]
  | readonly [name: string, code: Code]
  | Statements
  | Batches;

/** A migration at its place. */
export interface Step {
  /** The first has the number 1. */
  readonly number: number;
  readonly name: string;
  readonly oldest: number;
  readonly parts: readonly (Sql<unknown> | Code)[];
  /** Whether it runs outside a transaction. */
  readonly isOutside: boolean;
  /** Whether it has the lock for itself: it is a function, or runs outside a transaction. */
  readonly isAlone: boolean;
}

/** @throws {Error} that names a migration whose `oldest` cannot be */
export const stepsOf = (migrations: readonly Migration[]): Step[] =>
  migrations.map((migration, index) => {
    const number = index + 1;
    const [name, ...parts] = 'steps' in migration ? [migration.name, ...[migration.steps].flat()] : migration;
    const { oldest = number } = 'steps' in migration ? migration : {};
    if (!Number.isInteger(oldest) || oldest < 1 || oldest > number)
      throw new Error(
        `migration ${number}, ${name}: expected oldest to be the number of a migration, from 1 to ${number}, got ${oldest}`,
      );
    const isOutside = 'transaction' in migration && migration.transaction === false;
    return { number, name, oldest, parts, isOutside, isAlone: isOutside || typeof parts[0] === 'function' };
  });

/** The columns that are `added()` to a table of the migrations, and that no `addColumn` adds. */
export function columnsNotAdded(migrations: readonly Migration[]): Column[] {
  const made = stepsOf(migrations).flatMap(({ parts }) =>
    parts.flatMap((part) => (typeof part === 'function' ? [] : (part.makes ?? []))),
  );
  const added = new Set(made.flatMap((one) => (one instanceof Column ? nameOf(one) : [])));
  return made.flatMap((one) =>
    one instanceof Column
      ? []
      : Object.values(one[TABLE].columns).filter(
          (column) => column.rules.added === true && !added.has(nameOf(column)),
        ),
  );
}
