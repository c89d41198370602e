import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What one request cost the process that served it; of several runs the least. */
export interface Cost {
  /** Milliseconds. */
  readonly cpu: number;
  /** Milliseconds that the event loop stood still at a stretch. */
  readonly blocked: number;
  readonly status: number;
}

/** What is to be measured: a request, or the start with a document; each by its place in the list. */
export type Task =
  | {
      readonly subject: number;
      readonly adversary: number;
      readonly size: number;
      readonly innocent: boolean;
      readonly runs: number;
      /** CPU milliseconds: a run that costs less is the last. */
      readonly enough: number;
    }
  | { readonly document: number; readonly size: number };

/** A task, and the CPU milliseconds after which the process ends itself. */
export interface Assignment {
  readonly task: Task;
  readonly limit: number;
}

export type Report =
  | { readonly cost: Cost }
  /** Why the document is not served. */
  | { readonly refusal: string }
  | { readonly ready: true };

/** Bytes at which inputs are compared: the body limit of the plant store as it ships. */
export const SIZE = 100_000;
/** Milliseconds for what takes no time but that of a busy machine. */
const PATIENCE = 120_000;

/** Measures in a process of its own, which is replaced when a task costs so much that it ends. */
export class Meter {
  private child: ChildProcess | undefined;

  /** @param limit CPU milliseconds for one task; of a request beyond {@link SIZE} as many times as it is longer */
  constructor(private readonly limit: number) {}

  /** Resolves with the cost, `stopped` where the limit ended it, or a refusal of the document. */
  async measure(task: Task): Promise<Cost | 'stopped' | { readonly refusal: string }> {
    const child = (this.child ??= await this.start());
    const limit = this.limit * Math.max(1, 'document' in task ? 1 : task.size / SIZE);
    child.send({ task, limit } satisfies Assignment);
    const report = await this.next(child);
    if (report === undefined) {
      await this.end();
      return 'stopped';
    }
    if ('cost' in report) return report.cost;
    if ('refusal' in report) return report;
    throw new Error('expected a cost, got the start of another process');
  }

  async end(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  private async start(): Promise<ChildProcess> {
    const child = fork(join(__dirname, 'child.ts'), { execArgv: ['--import', 'tsx'] });
    const report = await this.next(child);
    if (report === undefined) throw new Error('expected a process that measures, got none');
    return child;
  }

  /** The next message; undefined once the process has ended, at its limit or out of memory. */
  private next(child: ChildProcess): Promise<Report | undefined> {
    return new Promise((resolve) => {
      const end = (report: Report | undefined): void => {
        clearTimeout(timer);
        child.off('message', received).off('exit', ended);
        resolve(report);
      };
      const received = (report: unknown): void => {
        end(report as Report);
      };
      const ended = (): void => {
        end(undefined);
      };
      const timer = setTimeout(ended, PATIENCE);
      child.on('message', received).on('exit', ended);
    });
  }
}
