import { setTimeout as sleep } from 'node:timers/promises';
import type { BlackBox } from '../target';
import type { Address } from './address';
import { header, type Outcome, type RawRequest } from './message';
import { interrupt, send } from './socket';

/** Responses in a row without which a server is regarded as gone. */
const MAX_SILENCES = 5;

/** How often a request is sent again that the server asks to repeat later (RFC 9110 section 10.2.3, RFC 6585 section 4). */
const MAX_REPETITIONS = 3;

/** Seconds; a server that asks for more is not waited for. */
const MAX_WAIT_S = 30;

/** Milliseconds. */
const WITHHELD_TIMEOUT_MS = 1500;

/** Sends requests within the bounds of a black box. Without bounds it sends each at once. */
export type Client = ReturnType<typeof openClient>;

/** @param signal ends the run, also while a response is awaited */
export function openClient(bounds?: BlackBox, signal?: AbortSignal) {
  const interval = bounds ? 1000 / bounds.requestsPerSecond : 0;
  let next = 0;
  let count = 0;
  let silences = 0;
  /** Milliseconds of the slowest response. */
  let slowest = 0;
  let ended: string | undefined;
  let cut: string | undefined;
  /** Why the run must end; undefined if it may go on. */
  const isOver = (): string | undefined => {
    if (signal?.aborted === true) return 'it was interrupted';
    if (bounds && count >= bounds.maxRequests) return `it has sent ${bounds.maxRequests} requests, its limit`;
    return ended;
  };

  /** {@link isOver}, before what the run then leaves out. */
  const mustEnd = (): string | undefined => (cut ??= isOver());

  const fail = (error: unknown): undefined => {
    ended ??= error instanceof Error ? error.message : String(error);
  };

  /** Undefined if the run must end: the request was not sent, or its answer is not awaited. */
  const exchange = async (
    address: Address,
    given: RawRequest,
    listening?: number,
  ): Promise<Outcome | undefined> => {
    for (let attempt = 0; ; attempt++) {
      await pause(next - performance.now(), signal);
      if (mustEnd() !== undefined) return undefined;
      const request = (await address.renewed?.(given).catch(fail)) ?? given;
      if (mustEnd() !== undefined) return undefined;
      next = Math.max(next, performance.now()) + interval;
      count += 1;
      const began = performance.now();
      // A server that waits for a withheld body never answers. One that answers needs no longer than for others.
      const patience = request.sending === 'withheld' ? WITHHELD_TIMEOUT_MS + 3 * slowest : Infinity;
      if (request.sending === 'interrupted') await interrupt(address, request);
      const outcome = await send(address, request, {
        signal,
        patience,
        ...(listening !== undefined && { listening }),
      });
      if ('status' in outcome && !outcome.cut) slowest = Math.max(slowest, performance.now() - began);
      if (signal?.aborted === true) {
        mustEnd();
        return undefined;
      }
      silences = isSilence(outcome) ? silences + 1 : 0;
      if (silences >= MAX_SILENCES) ended ??= `the server did not answer ${MAX_SILENCES} requests in a row`;
      const wait = bounds && attempt < MAX_REPETITIONS ? secondsToWait(outcome) : undefined;
      if (wait === undefined) return outcome;
      next = Math.max(next, performance.now() + wait * 1000);
    }
  };
  /** Ends the run. */
  const stop = (reason: string): void => {
    ended ??= reason;
    cut ??= ended;
  };
  return {
    exchange,
    isOver,
    mustEnd,
    stop,
    /** Why the run has ended before its last request. */
    stopped: (): string | undefined => cut,
    /** Requests sent so far. */
    sent: (): number => count,
  };
}

/** Whether a server has sent nothing. */
const isSilence = (outcome: Outcome): boolean => 'noResponse' in outcome && outcome.isMalformed !== true;

/** The seconds after which a server asks to repeat a request; undefined if it does not, or if it is too long. */
function secondsToWait(outcome: Outcome): number | undefined {
  if ('noResponse' in outcome || (outcome.status !== 429 && outcome.status !== 503)) return undefined;
  const field = header(outcome, 'retry-after');
  if (field === undefined) return outcome.status === 429 ? 1 : undefined;
  const seconds = /^\d+$/.test(field) ? Number(field) : (Date.parse(field) - Date.now()) / 1000;
  return seconds <= MAX_WAIT_S ? Math.max(seconds, 0) : undefined;
}

/** Waits for milliseconds, or until the signal. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => undefined);
}
