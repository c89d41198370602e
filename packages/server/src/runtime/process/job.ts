import { constants } from 'node:os';
import {
  type ClosedDatabase,
  type Store,
  type StoreObserver,
  UnusableDatabase,
} from 'contract-first-database';
import { InvalidConfig } from '../config';
import { CLOSE_TIMEOUT, SIGNALS } from './shutdown';

/** The parts of a service that a program of it needs that serves nobody. */
export interface JobParts<Config extends object, Dependencies extends Store> {
  /** @throws {InvalidConfig} */
  readonly readConfig: (environment?: NodeJS.ProcessEnv) => Config;
  /** Opens what the service shares, and brings its database up to date: that of src/dependencies.ts. */
  readonly open: (config: Config, observer: StoreObserver) => Promise<Dependencies>;
}

/**
 * Applies the migrations that the database lacks, prints each, and ends the process: with status 0, with 1 if that cannot be
 * done, with 2 if the configuration is wrong. Several may run at once: one of them migrates, and the others wait for it.
 */
export const migrate = <Config extends object>(parts: JobParts<Config, Store>): Promise<never> =>
  run(parts, (_, applied) => {
    console.log(applied === 0 ? 'nothing to do: the schema is up to date' : `migrations applied: ${applied}`);
  });

/**
 * Makes a backup of the database, or puts one in its place, and ends the process as `migrate` does. The database is not opened:
 * nothing is migrated.
 *
 * @param file the backup
 */
export const copy = <Config extends object>(
  { readConfig, open }: JobParts<Config, Store>,
  direction: 'backup' | 'restore',
  file: string,
): Promise<never> =>
  end(readConfig, [], async (config) => {
    const database = await closedDatabase(open, config);
    if (!database) throw new UnusableDatabase(`${direction}: the service has no database`);
    const { tables, rows, version, bytes, kept } = await database[direction](file);
    console.log(
      direction === 'backup'
        ? `backed up ${database.subject} to ${file}`
        : `restored ${database.subject} from ${file}`,
    );
    console.log(`rows ${rows}, tables ${tables}, schema version ${version}, bytes ${bytes}`);
    if (kept !== undefined) console.log(`the previous database is kept as ${kept}`);
  });

/** The first database that a service opens. Its opening waits until the process ends. Undefined if the service opens none. */
function closedDatabase<Config extends object>(
  open: JobParts<Config, Store>['open'],
  config: Config,
): Promise<ClosedDatabase | undefined> {
  return new Promise((found, failed) => {
    const opening = (database: ClosedDatabase) => {
      found(database);
      return new Promise<never>(() => undefined);
    };
    open(config, { ...SILENT, opening })
      .then(async (dependencies) => {
        await closeInTime(dependencies);
        found(undefined);
      })
      .catch(failed);
  });
}

/**
 * Fills the database of a developer, which `seed` may find filled, and ends the process as `migrate` does. With NODE_ENV=production
 * it is refused.
 */
export function runSeed<Config extends object, Dependencies extends Store>({
  seed,
  ...parts
}: JobParts<Config, Dependencies> & {
  readonly seed: (dependencies: Dependencies) => Promise<void>;
}): void {
  const wrong: string[] = [];
  if (process.argv.length > 2)
    wrong.push(`unexpected argument ${JSON.stringify(process.argv.slice(2).join(' '))}: seed takes none`);
  if (process.env['NODE_ENV']?.trim() === 'production')
    wrong.push('NODE_ENV is production: seed is for the development database');
  const work = async (dependencies: Dependencies) => {
    await seed(dependencies);
    console.log('seeded');
  };
  void run(parts, work, wrong);
}

const SILENT: StoreObserver = { waiting: () => undefined, committed: () => undefined };

/** Opens the dependencies for some work. */
function run<Config extends object, Dependencies extends Store>(
  { readConfig, open }: JobParts<Config, Dependencies>,
  work: (dependencies: Dependencies, applied: number) => Promise<void> | void,
  wrong: string[] = [],
): Promise<never> {
  return end(readConfig, wrong, async (config) => {
    let applied = 0;
    const dependencies = await open(config, {
      ...SILENT,
      migrated(name, number) {
        if (applied++ === 0) console.log('migration  name');
        console.log(`${String(number).padStart(9)}  ${name}`);
      },
      warned: console.error,
    });
    try {
      await work(dependencies, applied);
    } finally {
      await closeInTime(dependencies);
    }
  });
}

/** @param wrong what is wrong besides the configuration */
async function end<Config extends object>(
  readConfig: JobParts<Config, Store>['readConfig'],
  wrong: string[],
  work: (config: Config) => Promise<void>,
): Promise<never> {
  // The first process of a container has no such handlers unless it says so.
  for (const signal of SIGNALS) process.once(signal, () => process.exit(128 + constants.signals[signal]));
  try {
    // Nobody is served, and so no client needs a secret.
    const config = readConfig({ ...process.env, NODE_ENV: 'development' });
    if ('databaseUrl' in config && config.databaseUrl === 'memory:')
      wrong.push('DATABASE_URL: expected a persistent database, got memory:');
    if (wrong.length > 0) throw new InvalidConfig(wrong.join('\n'));
    await work(config);
  } catch (error) {
    const isKnown = error instanceof InvalidConfig || error instanceof UnusableDatabase;
    console.error(isKnown ? error.message : error);
    process.exit(error instanceof InvalidConfig ? 2 : 1);
  }
  process.exit(0);
}

async function closeInTime(dependencies: Store): Promise<void> {
  const timer = setTimeout(() => {
    console.error(`the dependencies did not close within ${CLOSE_TIMEOUT} ms`);
    process.exit(1);
  }, CLOSE_TIMEOUT);
  await dependencies.close();
  clearTimeout(timer);
}
