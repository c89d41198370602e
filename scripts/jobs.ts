/** The programs of a service that serve nobody. They run from its TypeScript. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { UsageError } from './command';

/**
 * Runs a program of the service to its end: `seed` is src/seed.ts, any other one a command of src/main.ts.
 *
 * @returns its status; as of a shell if a signal has ended it
 * @throws {UsageError} if the service has no such program
 */
export function runJob(name: string, args: readonly string[]): number {
  const [file, ...given] = name === 'seed' ? ['src/seed.ts', ...args] : ['src/main.ts', name, ...args];
  if (!existsSync(file))
    throw new UsageError(`expected the program ${file}, got none: a new service of this version has one`);
  const { status, signal } = spawnSync(process.execPath, ['--import', 'tsx', file, ...given], {
    stdio: 'inherit',
  });
  return status ?? 128 + constants.signals[signal ?? 'SIGTERM'];
}
