/** The programs of a service that serve nobody. They run from its TypeScript. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { type Outcome, UsageError } from './command';
import { CONDITIONS, installed } from './paths';

/** Prints an error that nobody has caught as a sentence, before Node prints its own lines: a package that is missing, a wrong file. */
const UNCAUGHT = `data:text/javascript,${encodeURIComponent(`process.on('uncaughtException', (error) => {
  console.error(String(error).split('\\nRequire stack:')[0]);
  console.error('use --debug for the stack');
  process.exit(1);
})`)}`;

interface JobOptions {
  /** Whether to print the stack of an error. */
  readonly debug?: boolean;
  readonly json?: boolean;
}

/**
 * Runs a program of the service to its end: `seed` is src/seed.ts, any other one a command of src/main.ts.
 *
 * @returns its status, as of a shell if a signal has ended it; with `json` also the migrations that it has applied
 * @throws {UsageError} if the service has no such program, or not what runs it
 */
export async function runJob(
  name: string,
  args: readonly string[],
  { debug = false, json = false }: JobOptions,
): Promise<Outcome> {
  const [file, ...given] = name === 'seed' ? ['src/seed.ts', ...args] : ['src/main.ts', name, ...args];
  if (!existsSync(file))
    throw new UsageError(`${file} does not exist: a new service of this version has one`);
  if (!existsSync(installed('tsx')))
    throw new UsageError(`${file} needs the package tsx, which is not installed: npm install -DE tsx`);
  const child = spawn(
    process.execPath,
    [...(debug ? [] : ['--import', UNCAUGHT]), ...CONDITIONS, '--import', 'tsx', file, ...given],
    {
      stdio: ['inherit', json ? 'pipe' : 'inherit', debug ? 'inherit' : 'pipe'],
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const applied: { readonly migration: number; readonly name: string }[] = [];
  if (child.stdout)
    createInterface(child.stdout).on('line', (line) => {
      console.log(line);
      const [, migration, migrated] = /^ *(\d+) {2}(.*)$/.exec(line) ?? [];
      if (migrated !== undefined) applied.push({ migration: Number(migration), name: migrated });
    });
  let stack = 0;
  if (child.stderr)
    createInterface(child.stderr).on('line', (line) => {
      if (/^\s+at /.test(line)) stack++;
      else console.error(line);
    });
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (stack > 0) console.error('use --debug for the stack');
  return { status: status ?? 128 + constants.signals[signal ?? 'SIGTERM'], json: { applied } };
}
