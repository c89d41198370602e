import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Store } from '../store';

/** Milliseconds that the store is given after the last request. */
const FLUSH_TIMEOUT = 10_000;

interface Running {
  /** Stops, and then emits `close`, once `stopping` is aborted. */
  readonly server: Server;
  readonly store: Store;
  readonly stopping: AbortController;
  /** Milliseconds that open requests are given to end. */
  readonly timeout: number;
  readonly log: Logger;
}

/**
 * Stops at SIGTERM or SIGINT: open requests are answered, the store is flushed, and the process ends by itself with status
 * 0, for nothing is left to do. A second signal ends it at once.
 */
export function stopAtSignal({ server, store, stopping, timeout, log }: Running): void {
  const stop = async (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      server.closeAllConnections();
    }, timeout).unref();
    setTimeout(() => {
      log.error('the store did not close in time');
      process.exit(1);
    }, timeout + FLUSH_TIMEOUT).unref();
    const closed = once(server, 'close');
    stopping.abort();
    await closed;
    await store.close();
    log.info('stopped');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1);
      void stop(signal);
    });
  }
}
