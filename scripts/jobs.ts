/** The programs of a service that serve nobody. They run from its TypeScript. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { type Outcome, UsageError } from './command';
import { installed } from './paths';

/**
 * Runs a program of the service to its end: `seed` is src/seed.ts, any other one a command of src/main.ts.
 *
 * @returns its status, as of a shell if a signal has ended it
 * @throws {UsageError} if the service has no such program, or not what runs it
 */
export function runJob(name: string, args: readonly string[]): number {
  return start(name, args, 'inherit').status;
}

/** Applies the migrations that the database lacks, and lists them. */
export function migrate(json = false): Outcome {
  const { status, output } = start('migrate', [], json ? 'pipe' : 'inherit');
  if (json) console.log(output.trimEnd());
  const applied = [...output.matchAll(/^ *(\d+) {2}(.*)$/gm)].map(([, migration, migrated]) => ({
    migration: Number(migration),
    name: migrated,
  }));
  return { status, json: { applied } };
}

function start(name: string, args: readonly string[], stdout: 'inherit' | 'pipe') {
  const [file, ...given] = name === 'seed' ? ['src/seed.ts', ...args] : ['src/main.ts', name, ...args];
  if (!existsSync(file))
    throw new UsageError(`expected the program ${file}, got none: a new service of this version has one`);
  if (!existsSync(installed('tsx')))
    throw new UsageError(`${file} needs the package tsx, which is not installed: npm install -DE tsx`);
  const { status, signal, output } = spawnSync(process.execPath, ['--import', 'tsx', file, ...given], {
    stdio: ['inherit', stdout, 'inherit'],
    encoding: 'utf8',
  });
  return { status: status ?? 128 + constants.signals[signal ?? 'SIGTERM'], output: output[1] ?? '' };
}
