import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { ContractReport } from 'contract-first-prover';

/** The report of a run so far. */
interface Checkpoint {
  readonly report: ContractReport;
  /** The report for the terminal. */
  readonly text: string;
  /** Where to write the files; undefined for none. */
  readonly folder?: string | undefined;
}

/** What the supervisor and the thread of a run have between them. */
export interface Supervision {
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Keeps the last report, for the case that the thread has to be ended. */
  readonly keep: (checkpoint: Checkpoint) => void;
}

/** Milliseconds from a signal until the thread is ended. Most of it is for the removal of what the run created. */
const GRACE_MS = 1200;

/** Milliseconds within which a second signal is the same one: a terminal sends it to npm and to this process, and npm sends it on. */
const TWICE_MS = 300;

const MARK = 'a supervised run';

/**
 * Runs a command in a thread of its own, since a program that generates values does not see a signal: SIGINT and SIGTERM
 * end the command within two seconds, with the report so far. A second signal ends the process.
 *
 * @param file the module of the command: it calls {@link supervised}
 * @returns the exit status
 */
export function supervise(file: string, argv: readonly string[]): Promise<number> {
  // Whoever reads the output may have gone: `make contract | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const worker = new Worker(file, { argv: [...argv], workerData: MARK });
  return new Promise((resolve) => {
    let last: Checkpoint | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isEnded = false;
    let interrupted = Infinity;
    const interrupt = (): void => {
      if (performance.now() - interrupted > TWICE_MS) process.exit(2);
      if (interrupted < Infinity) return;
      interrupted = performance.now();
      worker.postMessage('interrupt');
      timer = setTimeout(() => {
        isEnded = true;
        void worker.terminate();
      }, GRACE_MS);
    };
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
    worker
      .on('message', (checkpoint: Checkpoint) => {
        last = checkpoint;
      })
      .on('error', (error) => {
        console.error(`contract: ${error instanceof Error ? error.message : String(error)}`);
        resolve(2);
      })
      .on('exit', (status) => {
        clearTimeout(timer);
        process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
        resolve(isEnded ? reportLast(last) : status);
      });
  });
}

/** Reports what the thread has told before it was ended. */
async function reportLast(last: Checkpoint | undefined): Promise<number> {
  if (!last) {
    console.error('contract: the run was interrupted before its first request: nothing is proven');
    return 2;
  }
  const { report, text, folder } = last;
  if (folder !== undefined) (await import('contract-first-prover')).writeFiles(report, folder);
  console.log(text);
  return report.failures.length > 0 ? 1 : 2;
}

/** Runs the work of a command: supervised in the thread of {@link supervise}, else alone. */
export async function supervised(work: (supervision?: Supervision) => Promise<number>): Promise<void> {
  if (isMainThread || workerData !== MARK || !parentPort) {
    process.exitCode = await work();
    return;
  }
  const port = parentPort;
  const interrupt = new AbortController();
  port
    .on('message', () => {
      interrupt.abort();
    })
    .unref();
  process.exitCode = await work({
    signal: interrupt.signal,
    keep: (checkpoint) => {
      port.postMessage(checkpoint);
    },
  });
}
