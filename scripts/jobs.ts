/** The programs of a service that serve nobody. They run from its TypeScript. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Runs a program of the service to its end, with its status as that of this process. */
function run(file: string, args: readonly string[]): void {
  if (!existsSync(file)) {
    console.error(`expected the program ${file}, got none: a new service of \`make new\` has one`);
    process.exitCode = 2;
    return;
  }
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

const command =
  (name: string) =>
  (args: readonly string[]): void => {
    run('src/main.ts', [name, ...args]);
  };

export const migrate = command('migrate');
export const backup = command('backup');
export const restore = command('restore');

export const seed = (args: readonly string[]): void => {
  run('src/seed.ts', args);
};
