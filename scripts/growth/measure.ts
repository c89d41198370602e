import { join } from 'node:path';
import { type Child, startChild } from '../program';
import { SOURCES } from '../testing/sources';

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

/** A task, and the CPU milliseconds of one of its runs after which the process ends itself. */
export interface Assignment {
  readonly task: Task;
  readonly limit: number;
}

export type Report =
  | { readonly cost: Cost }
  /** Why the document is not served. */
  | { readonly refusal: string };

/** Bytes at which inputs are compared: the body limit of the plant store as it ships. */
export const SIZE = 100_000;
/** Milliseconds for what takes no time but that of a busy machine. */
const PATIENCE = 120_000;

/** Measures in a process of its own, which is replaced when a task costs so much that it ends. */
export class Meter {
  private child: Child | undefined;

  /** @param limit CPU milliseconds for one run of a task; of a request beyond {@link SIZE} as many times as it is longer */
  constructor(private readonly limit: number) {}

  /** Resolves with the cost, `stopped` where the limit ended it, or a refusal of the document. */
  async measure(task: Task): Promise<Cost | 'stopped' | { readonly refusal: string }> {
    const child = (this.child ??= await this.start());
    const limit = this.limit * Math.max(1, 'document' in task ? 1 : task.size / SIZE);
    const late = setTimeout(() => void child.kill(), PATIENCE);
    // It ends at its limit, or out of memory.
    const report = await child.ask<Report>({ task, limit } satisfies Assignment).catch(() => undefined);
    clearTimeout(late);
    if (report === undefined) await this.end();
    return report === undefined ? 'stopped' : 'cost' in report ? report.cost : report;
  }

  async end(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    await child?.kill();
  }

  private async start(): Promise<Child> {
    const options = { execArgv: [...SOURCES] };
    const child = startChild('the process that measures', join(__dirname, './child.ts'), [], options);
    await child.next();
    return child;
  }
}
