/**
 * `tsx scripts/gate/main.ts [NAME...]`: runs these checks in parallel, and lists all findings. Exits with 1 if a check
 * fails. Skips a check that has passed on the same files, unless AGAIN is set.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { treeDigest } from './tree';
import { installed, readManifest, root } from '../paths';

/** A check: its commands, in order, each a program of node_modules/.bin or a file of the toolchain. */
interface Check {
  readonly commands: readonly string[];
  /** The command that repairs it if it has failed. */
  readonly remedy?: string;
  /** What it leaves out. */
  readonly omission?: string;
}

/** One worker more than there are cores, because many suites wait for processes. Jest does not accept more than 100%. */
const JEST = `jest --maxWorkers=${availableParallelism() + 1}`;
/** The package, which this project builds and a service has. */
const PACK = existsSync(path.join(root, 'scripts/pack')) ? ['../pack/main'] : [];
/**
 * The paths that `quick` leaves out: tests of processes and of PostgreSQL, and suites that take seconds because they
 * measure, generate their cases, or run a compiler.
 */
const LEFT_OUT =
  'tests/e2e postgres black-box.test databases.test documents.test explain.test faults.test generated.test growth.test ' +
  'handler-types.test json-schema-test-suite.test layout.test memory.test one-way.test pattern.test stores.test';

const CHECKS: Readonly<Record<string, Check>> = {
  code: { commands: ['./code'] },
  boundaries: {
    commands: existsSync(path.join(root, '.dependency-cruiser.mjs')) ? ['./boundaries'] : [],
  },
  format: {
    commands: [
      'prettier --check --log-level warn --cache --cache-strategy content --cache-location .cache/prettier.json .',
    ],
    remedy: 'make format',
  },
  generated: { commands: ['../generate/main --check'] },
  quick: {
    commands: [`${JEST} --testPathIgnorePatterns ${LEFT_OUT}`],
    omission: `left out ${LEFT_OUT.replaceAll(' ', ', ')}: \`make test\` runs them`,
  },
  test: { commands: ['tsc -p src', ...PACK, `${JEST} --json --outputFile reports/jest.json`] },
  browser: {
    commands: [
      'tsc -p src',
      'jest --testMatch **/tests/**/*.browser.ts --json --outputFile reports/jest-browser.json',
    ],
  },
};

/** Jest loads the ES modules of a service only with an option of Node. */
const ENV =
  readManifest().type === 'module'
    ? {
        ...process.env,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
      }
    : process.env;

/** The folder of one file for each check that has passed. */
const NOTES = path.join(root, '.cache/passed');

interface Verdict {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs commands until one fails. A single check writes directly to the terminal. */
async function run(commands: readonly string[], alone: boolean): Promise<Verdict> {
  let output = '';
  for (const command of commands) {
    const [program = '', ...args] = command.split(' ');
    const [file, options] = program.startsWith('.')
      ? [process.execPath, [...process.execArgv, require.resolve(program)]]
      : [installed('.bin', program), []];
    const out = alone ? 'inherit' : 'pipe';
    const child = spawn(file, [...options, ...args], { cwd: root, stdio: ['ignore', out, out], env: ENV });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) return { passed: false, output };
  }
  return { passed: true, output };
}

/** The time at which the check passed on these files; undefined if it did not. */
function lastPass(name: string, digest: string | undefined): string | undefined {
  try {
    const [noted, when] = readFileSync(path.join(NOTES, name), 'utf8').split('\n');
    return digest !== undefined && noted === digest ? when : undefined;
  } catch {
    return undefined; // the check has never passed
  }
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs the checks. Returns the names of those that failed. */
async function runChecks(names: readonly string[]): Promise<string[]> {
  const digest = treeDigest();
  const failed: string[] = [];
  const waiting = [...names];
  async function work(): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const before = process.env['AGAIN'] ? undefined : lastPass(name, digest);
      if (before !== undefined) {
        console.log(`${name}: passed on these files at ${before}; AGAIN=1 runs it again`);
        continue;
      }
      const began = performance.now();
      const { passed, output } = await run(CHECKS[name]?.commands ?? [], names.length === 1);
      console.log(`${passed ? '' : output}${name}: ${passed ? 'passed' : 'FAILED'} after ${seconds(began)}`);
      if (!passed) failed.push(name);
      // Files that have changed meanwhile may have been read before or after.
      else if (digest !== undefined && treeDigest() === digest) {
        mkdirSync(NOTES, { recursive: true });
        writeFileSync(path.join(NOTES, name), `${digest}\n${new Date().toISOString()}\n`);
      }
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return failed;
}

export const test = (): Promise<void> => main(['test']);

/** @param given the names of the checks; by default, those of `make check` */
export async function main(given: readonly string[]): Promise<void> {
  const unknown = given.filter((name) => !Object.hasOwn(CHECKS, name));
  if (unknown.length > 0) {
    console.error(`expected names of checks (${Object.keys(CHECKS).join(', ')}), got ${unknown.join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const names = given.length > 0 ? given : ['code', 'boundaries', 'format', 'generated'];
  const began = performance.now();
  const failed = await runChecks(names);
  for (const name of names) {
    const { omission } = CHECKS[name] ?? {};
    if (omission !== undefined) console.log(`${name}: ${omission}`);
  }
  if (failed.length === 0) return;
  const remedied = failed.map((name) => {
    const { remedy } = CHECKS[name] ?? {};
    return remedy === undefined ? name : `${name} (\`${remedy}\` repairs it)`;
  });
  console.error(`\nfailed after ${seconds(began)}: ${remedied.join(', ')}`);
  process.exitCode = 1;
}

if (require.main === module) void main(process.argv.slice(2));
