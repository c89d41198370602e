import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A running Node process. */
export interface RunningProcess {
  /** The end of its output so far. */
  readonly output: () => string;
  /**
   * Resolves with the first match in its output, from `position` on.
   *
   * @throws {Error} with its output, if it exits before a match
   */
  readonly printed: (pattern: RegExp, position?: number) => Promise<RegExpExecArray>;
  /** Writes a line to its standard input. */
  readonly writeLine: (line: string) => void;
  /** Resolves with its exit status, or null if a signal ended it. */
  readonly exit: Promise<number | null>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends a signal; resolves as `exit` does. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** The maximum number of characters of output to keep: a server under load for minutes prints hundreds of millions. */
const MAX_OUTPUT = 1_000_000;

const running = new Set<ChildProcess>();
const killAll = () => {
  for (const child of running) child.kill('SIGKILL');
};
process.once('exit', killAll);
// A failed test leaves its processes running, and Jest waits for them. (Scripts have no afterAll.)
if (typeof afterAll === 'function') afterAll(killAll);

/** A cache of compiled code for the processes, of which the tests start hundreds. */
const NODE_COMPILE_CACHE = join(__dirname, '../../.cache/node');

/** Starts a Node program with only those environment variables of the tests that Node itself needs. */
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
  let dropped = 0; // characters before the kept ones
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
        reject(
          new Error(
            `expected output that matches ${String(pattern)}, but the process exited after: ${output}`,
          ),
        );
      });
    });
  return {
    output: () => output,
    printed,
    writeLine: (line) => child.stdin.write(`${line}\n`),
    exit,
    signal: (signal) => void child.kill(signal),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exit;
    },
  };
}
