import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The built server (`dist/main.js`) as a process of its own. */
export interface Program {
  /** Where it listens. */
  readonly url: string;
  /** What it has printed so far, the last of it. */
  readonly output: () => string;
  /** Resolves with the first match once it has printed one. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Ends it with a signal; resolves with its exit status, null if the signal itself ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Milliseconds within which the server must listen, or say why it does not. */
const START_TIMEOUT = 20_000;

/** Of what it has printed, so many characters are kept: a server under load for minutes prints hundreds of millions. */
const MAX_OUTPUT = 1_000_000;

const running = new Set<ChildProcess>();
const killAll = () => {
  for (const child of running) child.kill('SIGKILL');
};
process.once('exit', killAll);
// A test that has failed leaves its server running, and Jest would wait for it. (Scripts have no afterAll.)
if (typeof afterAll === 'function') afterAll(killAll);

function spawnProgram(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join(__dirname, '../../dist/main.js')], {
    // Nothing of the environment of the tests but what Node itself needs.
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', DATABASE_URL: 'memory:', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exit = once(child, 'close').then(([status]) => {
    running.delete(child);
    return status as number | null;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-MAX_OUTPUT)));
  }
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output);
        if (!match) return;
        child.stdout.off('data', look);
        resolve(match);
      };
      child.stdout.on('data', look);
      look();
      void exit.then(() => {
        reject(new Error(`it ended and has not printed ${String(pattern)} (is it built?): ${output}`));
      });
    });
  return { child, exit, output: () => output, printed };
}

/**
 * Starts the server on a free port, with a store in memory unless `env` says otherwise.
 *
 * @throws {Error} with what it has printed, if it does not come to listen
 */
export async function startProgram(env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const { child, exit, output, printed } = spawnProgram(env);
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
  const [url] = await printed(/http:\/\/[\d.]+:\d+/);
  clearTimeout(timer);
  return {
    url,
    output,
    printed,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exit;
    },
  };
}

/** Starts the server where it must not come to listen; resolves with its exit status and what it printed. */
export async function failProgram(env: Readonly<Record<string, string>>) {
  const { child, exit, output } = spawnProgram(env);
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
  const status = await exit;
  clearTimeout(timer);
  return { status, output: output() };
}
