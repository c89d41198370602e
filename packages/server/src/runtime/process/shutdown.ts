import { type EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Store } from 'contract-first-database';

/** What ends a server. */
export const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process at once on a signal, because it serves nobody yet.
 *
 * @returns to be called when it has started, just before `stopAtSignal`
 */
export function exitAtSignal(log: Logger): () => void {
  const exit = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopped before it started');
    process.exit(0);
  };
  for (const signal of SIGNALS) process.on(signal, exit);
  return () => {
    for (const signal of SIGNALS) process.off(signal, exit);
  };
}

/** Milliseconds that the dependencies of a service have to close. */
export const CLOSE_TIMEOUT = 10_000;

/** The phases of a shutdown. */
export interface Phases {
  /** Aborted when the server is no longer ready. It serves all requests as before. */
  readonly draining: AbortController;
  /** Aborted when the server begins to stop: at the same time, or later. */
  readonly stopping: AbortController;
}

interface Running extends Phases {
  /** Stops and emits `close` after `stopping` is aborted. */
  readonly server: EventEmitter & Pick<Server, 'listening' | 'closeAllConnections'>;
  /** The listener of probes, if there is one. It closes last. */
  readonly probes: Server | undefined;
  readonly dependencies: Store;
  /** Milliseconds from `draining` to `stopping`, in which load balancers notice that the server is not ready. */
  readonly delay: number;
  /** Milliseconds that open requests have to finish, from `stopping` on. */
  readonly timeout: number;
  readonly log: Logger;
}

/**
 * Stops the server on SIGTERM or SIGINT: for `delay` it only tells load balancers that it is not ready. Then it accepts no
 * connections, answers open requests, closes the dependencies, and exits with status 0. A second signal skips the delay, or
 * after it ends the process at once. An uncaught exception stops the server without the delay and with status 1, because
 * the state of the process is then unknown.
 *
 * @param signals emits the signals; a worker gets those of its primary
 */
export function stopAtSignal(
  { server, probes, dependencies, draining, stopping, delay, timeout, log }: Running,
  signals: Pick<NodeJS.EventEmitter, 'on'> = process,
): void {
  const stop = async (signal: string) => {
    draining.abort();
    const closed = once(server, 'close');
    stopping.abort();
    // More than once: one that the operating system had accepted may come later.
    setInterval(() => {
      server.closeAllConnections();
    }, timeout).unref();
    setTimeout(() => {
      log.error('the store did not close in time');
      process.exit(1);
    }, timeout + CLOSE_TIMEOUT).unref();
    while (server.listening) await sleep(1); // of several workers one may be frozen
    log.info({ signal }, 'stopping');
    await closed;
    await dependencies.close();
    probes?.close().closeAllConnections();
    log.info('stopped');
  };
  let delayed: NodeJS.Timeout | undefined;
  const begin = (signal: string) => {
    clearTimeout(delayed);
    stop(signal).catch((error: unknown) => {
      log.error({ err: error }, 'the shutdown failed');
      process.exit(1);
    });
  };
  for (const signal of SIGNALS) {
    signals.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1);
      if (delay === 0 || draining.signal.aborted) {
        begin(signal);
        return;
      }
      log.info({ signal, delay }, 'draining');
      draining.abort();
      delayed = setTimeout(begin, delay, signal);
    });
  }
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    process.exitCode = 1;
    if (!stopping.signal.aborted) begin('uncaughtException');
  });
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'unhandled promise rejection');
  });
}
