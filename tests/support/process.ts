import { type ChildProcess, spawn } from 'node:child_process';

/** A program that runs, and all that it has written so far. */
export interface RunningProcess {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves with the match once the output from `position` on has one; fails when the program has ended before. */
  printed(pattern: RegExp, position?: number): Promise<RegExpExecArray>;
  /** Sends a signal and resolves with the exit code, null if the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a program of Node, whose variables are those of this process and the given ones. */
export function startProcess(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): RunningProcess {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  let text = '';
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of waiting) check();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(look);
  return {
    child,
    output: () => text,
    printed: (pattern, position = 0) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(text.slice(position));
          const over = child.exitCode !== null || child.signalCode !== null;
          if (!match && !over) return;
          waiting.delete(check);
          if (match) resolve(match);
          else reject(new Error(`expected ${String(pattern)}, but the program ended:\n${text}`));
        };
        waiting.add(check);
        check();
      }),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
