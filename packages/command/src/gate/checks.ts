/** Runs checks in parallel, and lists all findings. A check that has passed on the same files is skipped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Outcome, unknown, UsageError } from '../command';
import { showRunning } from './running';
import { treeDigest } from './tree';

export { treeDigest };
import { installed, readManifest, root } from '../paths';

/** A check: its commands, in order, each a program of node_modules/.bin, or a file of this folder or of a package. */
export interface Check {
  readonly commands: readonly string[];
  /** The command that repairs it if it has failed. */
  readonly remedy?: string;
  /** What it leaves out. */
  readonly omission?: string;
}

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
const REPORTS = path.join(root, 'reports');

interface CheckResult {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs commands until one fails. A single check writes directly to the terminal. */
async function run(commands: readonly string[], alone: boolean): Promise<CheckResult> {
  let output = '';
  for (const command of commands) {
    const [program = '', ...args] = command.split(' ');
    const isOwn = program.startsWith('.');
    const isFile = program.includes('/');
    // What npm installs in .bin/ is a script of the shell on Windows.
    const shell = process.platform === 'win32' && !isFile;
    const bin = shell ? `"${installed('.bin', `${program}.cmd`)}"` : installed('.bin', program);
    const script = isOwn ? [...process.execArgv, require.resolve(program)] : [installed(program)];
    const [file, options] = isFile
      ? [process.execPath, [...script, ...args]]
      : [bin, shell ? args.map((arg) => `"${arg}"`) : args];
    const out = alone ? 'inherit' : 'pipe';
    const child = spawn(file, options, {
      cwd: root,
      shell,
      stdio: ['ignore', out, out],
      env: ENV,
    });
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

/** What came of a check. */
interface Checked {
  readonly name: string;
  readonly passed: boolean;
  /** When it passed on the same files, ISO 8601: it did not run again. */
  readonly skipped?: string;
  readonly seconds?: number;
  /** What it printed, unless that went to the terminal. */
  readonly output?: string;
}

async function check(
  name: string,
  { commands }: Check,
  digest: string | undefined,
  { again, alone, done }: { readonly again: boolean; readonly alone: boolean; readonly done: () => void },
): Promise<Checked> {
  const skipped = again ? undefined : lastPass(name, digest);
  if (skipped !== undefined) {
    console.log(
      `${name}: already passed on these files at ${skipped}; to run it again, use --again (AGAIN=1)`,
    );
    return { name, passed: true, skipped };
  }
  const began = performance.now();
  mkdirSync(REPORTS, { recursive: true }); // Jest writes its report there, and fails if the folder is missing.
  const { passed, output } = await run(commands, alone);
  done();
  console.log(`${passed ? '' : output}${name}: ${passed ? 'passed' : 'FAILED'} after ${seconds(began)}`);
  // Files that have changed meanwhile may have been read before or after.
  if (passed && digest !== undefined && treeDigest() === digest) {
    mkdirSync(NOTES, { recursive: true });
    writeFileSync(path.join(NOTES, name), `${digest}\n${new Date().toISOString()}\n`);
  }
  return { name, passed, seconds: (performance.now() - began) / 1000, output };
}

/** One worker more than there are cores, because many suites wait for processes. Jest does not accept more than 100%. */
export const JEST = `jest --maxWorkers=${availableParallelism() + 1}`;

/**
 * Runs some of the checks in a table.
 *
 * @param names of the checks
 * @returns with status 1 if one has failed
 * @throws {UsageError} if there is no such check
 */
export async function runChecks(
  checks: Readonly<Record<string, Check>>,
  names: readonly string[],
  options: { readonly again?: boolean; readonly json?: boolean } = {},
): Promise<Outcome> {
  for (const name of names)
    if (!Object.hasOwn(checks, name)) throw new UsageError(unknown('check', name, Object.keys(checks)));
  const began = performance.now();
  const digest = treeDigest();
  const again = options.again ?? Boolean(process.env['AGAIN']);
  const alone = names.length === 1 && options.json !== true;
  const checked: Checked[] = [];
  const running = new Set<string>();
  const line = showRunning(running, alone);
  const waiting = names.flatMap((name) => {
    const found = checks[name];
    return found === undefined ? [] : [{ name, found }];
  });
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, found } = next;
      running.add(name);
      checked.push(await check(name, found, digest, { again, alone, done: line.clear }));
      running.delete(name);
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work)).finally(line.end);
  for (const name of names) {
    const { omission } = checks[name] ?? {};
    if (omission !== undefined) console.log(`${name}: ${omission}`);
  }
  const failed = checked.filter(({ passed }) => !passed);
  if (failed.length > 0) {
    const remedied = failed.map(({ name }) => {
      const { remedy } = checks[name] ?? {};
      return remedy === undefined ? name : `${name} (run \`${remedy}\` to fix it)`;
    });
    console.error(`\nfailed after ${seconds(began)}: ${remedied.join(', ')}`);
  }
  return { status: failed.length > 0 ? 1 : 0, json: { passed: failed.length === 0, checks: checked } };
}
