import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A program of Node that runs. */
export interface RunningProcess {
  /** What it has printed so far, the last of it. */
  readonly output: () => string;
  /**
   * Resolves with the first match in what it has printed, from `position` on.
   *
   * @throws {Error} with what it has printed, if it ends before
   */
  readonly printed: (pattern: RegExp, position?: number) => Promise<RegExpExecArray>;
  /** Sends it a line on its standard input. */
  readonly tell: (line: string) => void;
  /** Its exit status once it has ended, null if a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Ends it with a signal; resolves as `exit` does. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Of what it has printed, so many characters are kept: a server under load for minutes prints hundreds of millions. */
const MAX_OUTPUT = 1_000_000;

const running = new Set<ChildProcess>();
const killAll = () => {
  for (const child of running) child.kill('SIGKILL');
};
process.once('exit', killAll);
// A test that has failed leaves its processes running, and Jest would wait for them. (Scripts have no afterAll.)
if (typeof afterAll === 'function') afterAll(killAll);

/** Node keeps the compiled code of the programs, which start some hundred times. */
const NODE_COMPILE_CACHE = join(__dirname, '../../.cache/node');

/** Starts a program with nothing of the environment of the tests but what Node itself needs. */
export function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): RunningProcess {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE, ...env },
    stdio: 'pipe',
  });
  running.add(child);
  let output = '';
  let dropped = 0; // characters before it
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length < 2 * MAX_OUTPUT) return;
      dropped += output.length - MAX_OUTPUT;
      output = output.slice(-MAX_OUTPUT);
    });
  }
  const exit = once(child, 'close').then(([status]) => {
    running.delete(child);
    return status as number | null;
  });
  const printed = (pattern: RegExp, position = 0) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output.slice(Math.max(0, position - dropped)));
        if (!match) return;
        child.stdout.off('data', look);
        child.stderr.off('data', look);
        resolve(match);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      look();
      void exit.then(() => {
        reject(new Error(`it ended and has not printed ${String(pattern)}: ${output}`));
      });
    });
  return {
    output: () => output,
    printed,
    tell: (line) => child.stdin.write(`${line}\n`),
    exit,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exit;
    },
  };
}
