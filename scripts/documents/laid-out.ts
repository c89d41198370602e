import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installBeside, layOutCommand } from '../testing/package';

/** What `make new` makes of a document. */
export interface LaidOut {
  readonly operations: number;
  readonly served: number;
  /** Its handlers, and those of them that are no stubs. */
  readonly handlers: number;
  readonly written: number;
  /** Seconds of `make new`. */
  readonly seconds: number;
  /** Whether each is green at once; undefined: it was not run. */
  readonly check: boolean;
  readonly contract: boolean;
  readonly test: boolean | undefined;
  /** What the commands that are not green say. */
  readonly reasons: readonly string[];
}

const ROOT = resolve(__dirname, '../..');
/** Milliseconds for each command; and the operations of a service whose own tests run, too, as they test the same. */
const [LIMIT, SMALL] = [300_000, Number(process.env['SMALL'] ?? 10)];

/**
 * Lays out a service from a document, checks it, and runs its tests if it is small.
 *
 * @throws {Error} if nothing is laid out
 */
export async function laidOut(file: string): Promise<LaidOut> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const service = join(folder, 'service');
  const modules = join(folder, 'node_modules');
  try {
    installBeside(folder);
    const began = performance.now();
    const made = await runs(ROOT, ...layOutCommand(service, resolve(file)), '--allow-outside');
    const seconds = Math.round((performance.now() - began) / 1000);
    const [, served, operations] = /served (\d+) of (\d+) operations/.exec(made.output) ?? [];
    if (!existsSync(join(service, 'generated')))
      throw new Error(made.output.trim().split('\n').at(-1) ?? `it ends with ${String(made.status)}`);
    const command = join(modules, '.bin/contract-first');
    const check = await runs(service, command, 'check');
    const isSmall = Number(served) <= SMALL;
    const tests = isSmall ? [await runs(service, command, 'test')] : [];
    const contract = made.output.includes('# it passes');
    const code = join(service, 'src/handlers');
    const handlers = readdirSync(code).filter((name) => !['index.ts', 'types.ts'].includes(name));
    const stubs = handlers.filter((name) => readFileSync(join(code, name), 'utf8').includes(' stub('));
    const red = [...(contract ? [] : [made]), ...[check, ...tests].filter(({ status }) => status !== 0)];
    return {
      operations: Number(operations),
      served: Number(served),
      handlers: handlers.length,
      written: handlers.length - stubs.length,
      seconds,
      check: check.status === 0,
      contract,
      test: isSmall ? tests.every(({ status }) => status === 0) : undefined,
      reasons: red.map(({ output }) => output.slice(-4_000)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a program of Node to its end, or ends it with all that it started. */
async function runs(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const kill = (signal: NodeJS.Signals) => {
    output += `\nit did not end within ${LIMIT / 1000} s: ${signal}`;
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  // `make new` ends what it has started, which is not in its group.
  const late = setTimeout(kill, LIMIT, 'SIGTERM');
  const later = setTimeout(kill, LIMIT + 10_000, 'SIGKILL');
  const status = await new Promise<number | null>((ended) => child.on('close', ended));
  for (const timer of [late, later]) clearTimeout(timer);
  return { status, output };
}
