/**
 * `tsx scripts/gate/main.ts NAME...`: runs these checks in parallel, and lists all findings. Exits with 1 if a check
 * fails. Skips a check that has passed on the same files, unless AGAIN is set.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { treeDigest } from './tree';
import { root } from '../paths';

/** A program of node_modules/.bin, or a file of the toolchain. */
type Command = readonly [program: string, ...args: string[]];

/**
 * One worker more than there are cores, because many suites wait for processes. Jest does not accept more than 100%.
 */
const WORKERS = `--maxWorkers=${availableParallelism() + 1}`;
const BUILD: Command = ['tsc', '-p', 'src'];
/** The package, which this project builds and a service has. */
const PACK: readonly Command[] = existsSync(path.join(root, 'scripts/pack')) ? [['../pack/main']] : [];
/**
 * The paths that `quick` leaves out: tests of processes and of PostgreSQL, and suites that take seconds because they
 * measure, generate their cases, or run a compiler.
 */
const LEFT_OUT = [
  'tests/e2e',
  'postgres',
  'black-box.test',
  'databases.test',
  'documents.test',
  'explain.test',
  'faults.test',
  'generated.test',
  'growth.test',
  'handler-types.test',
  'json-schema-test-suite.test',
  'layout.test',
  'memory.test',
  'one-way-branches.test',
  'pattern.test',
  'stores.test',
];
/** The commands of each check, in order. */
const CHECKS: Readonly<Record<string, readonly Command[]>> = {
  code: [['./code']],
  boundaries: existsSync(path.join(root, '.dependency-cruiser.mjs')) ? [['./boundaries']] : [],
  format: [
    [
      'prettier',
      '--check',
      '--log-level',
      'warn',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      '.cache/prettier.json',
      '.',
    ],
  ],
  generated: [['../generate/main', '--check']],
  quick: [['jest', WORKERS, '--testPathIgnorePatterns', ...LEFT_OUT]],
  test: [BUILD, ...PACK, ['jest', WORKERS, '--json', '--outputFile', 'reports/jest.json']],
  browser: [
    BUILD,
    [
      'jest',
      '--testMatch',
      '**/tests/**/*.browser.ts',
      '--json',
      '--outputFile',
      'reports/jest-browser.json',
    ],
  ],
};
/** The commands that repair a failed check. No command repairs the others. */
const REMEDIES: Readonly<Record<string, string>> = { format: '`make format` repairs it' };

/** The parts that a check leaves out. */
const OMISSIONS: Readonly<Record<string, string>> = {
  quick: `left out ${LEFT_OUT.join(', ')}: ` + '`make test` runs them',
};

/** The folder of one file for each check that has passed. */
const NOTES = path.join(root, '.cache/passed');

interface Verdict {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs a command. A single check writes directly to the terminal. */
function run([program, ...args]: Command, alone: boolean): Promise<Verdict> {
  const [file, options] = program.startsWith('.')
    ? [process.execPath, [...process.execArgv, require.resolve(program)]]
    : [path.join(root, 'node_modules/.bin', program), []];
  const child = spawn(file, [...options, ...args], {
    cwd: root,
    stdio: ['ignore', ...(alone ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const))],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      resolve({ passed: status === 0, output });
    });
  });
}

async function runAll(commands: readonly Command[], alone: boolean): Promise<Verdict> {
  let output = '';
  for (const command of commands) {
    const verdict = await run(command, alone);
    output += verdict.output;
    if (!verdict.passed) return { passed: false, output };
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

async function main(names: readonly string[]): Promise<string[]> {
  const digest = process.env['AGAIN'] ? undefined : treeDigest();
  const failed: string[] = [];
  const waiting = [...names];
  async function work(): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const before = lastPass(name, digest);
      if (before !== undefined) {
        console.log(`${name}: passed on these files at ${before}; AGAIN=1 runs it again`);
        continue;
      }
      const began = performance.now();
      const { passed, output } = await runAll(CHECKS[name] ?? [], names.length === 1);
      console.log(`${passed ? '' : output}${name}: ${passed ? 'passed' : 'FAILED'} after ${seconds(began)}`);
      const now = treeDigest();
      if (!passed) failed.push(name);
      else if (now !== undefined) {
        mkdirSync(NOTES, { recursive: true });
        writeFileSync(path.join(NOTES, name), `${now}\n${new Date().toISOString()}\n`);
      }
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const name of names) if (OMISSIONS[name] !== undefined) console.log(`${name}: ${OMISSIONS[name]}`);
  return failed;
}

const began = performance.now();
main(process.argv.slice(2)).then(
  (failed) => {
    if (failed.length === 0) return;
    const remedied = failed.map((name) => (REMEDIES[name] ? `${name} (${REMEDIES[name]})` : name));
    console.error(`\nfailed after ${seconds(began)}: ${remedied.join(', ')}`);
    process.exitCode = 1;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
