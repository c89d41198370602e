import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Milliseconds in which a program that is told to end may still clean up. */
const GRACE_MS = 5_000;
/** The status of finish.ts for a service that is laid out, but fails a check or a test. */
export const RED = 3;
export const isWindows = process.platform === 'win32';

export interface Running {
  /** Ends the program with all that it has started. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which it ends. */
  readonly timeout?: number;
  /** Whether it writes where this process writes. */
  readonly inherits?: boolean;
  /** Is given what it writes to standard error. */
  readonly onError?: (text: string) => void;
}

export interface Ended {
  /** Null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end.
 *
 * @throws {Error} ENOENT if there is no such program; the reason of the signal
 */
export async function run(
  [program = '', ...args]: readonly string[],
  cwd: string,
  { signal, timeout, inherits = false, onError }: Running = {},
): Promise<Ended> {
  signal?.throwIfAborted();
  const out = inherits ? 'inherit' : 'pipe';
  // What can be ended is a group of processes, which ends as a whole.
  const detached = signal !== undefined && !isWindows;
  const child = spawn(program, args, { cwd, detached, timeout, stdio: ['ignore', out, out] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  if (onError) child.stderr?.on('data', onError);
  let last: NodeJS.Timeout | undefined;
  const abort = () => {
    end(child.pid, 'SIGTERM');
    last = setTimeout(end, GRACE_MS, child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    signal?.throwIfAborted();
    return { status, ...output };
  } finally {
    signal?.removeEventListener('abort', abort);
    clearTimeout(last);
    // What it has started may still be there.
    if (signal?.aborted) end(child.pid, 'SIGKILL');
  }
}

/** Ends a group of processes. */
function end(pid: number | undefined, how: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (isWindows) {
    spawn('taskkill', ['/pid', `${pid}`, '/t', '/f']).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, how);
  } catch {
    return; // it has ended
  }
}
