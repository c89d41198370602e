import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Store } from '../database';

/** Milliseconds that the store is given after the last request. */
const FLUSH_TIMEOUT = 10_000;

interface Running {
  /** Stops, and then emits `close`, once `stopping` is aborted. */
  readonly server: Server;
  /** Answers probes to the end, if they have a listener of their own. */
  readonly probes: Server | undefined;
  readonly store: Store;
  readonly stopping: AbortController;
  /** Milliseconds that open requests are given to end. */
  readonly timeout: number;
  readonly log: Logger;
}

/**
 * Stops at SIGTERM or SIGINT: open requests are answered, the store is flushed, and the process ends by itself with status
 * 0, for nothing is left to do. A second signal ends it at once. An exception that nothing caught stops it in the same way,
 * with status 1: no one knows what it left undone.
 */
export function stopAtSignal({ server, probes, store, stopping, timeout, log }: Running): void {
  const stop = async (signal: string) => {
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
    probes?.close().closeAllConnections();
    log.info('stopped');
  };
  const begin = (signal: string) => {
    stop(signal).catch((error: unknown) => {
      log.error({ err: error }, 'the server did not stop as it should');
      process.exit(1);
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1);
      begin(signal);
    });
  }
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an exception was not caught');
    process.exitCode = 1;
    if (!stopping.signal.aborted) begin('uncaughtException');
  });
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'the rejection of a promise was not handled');
  });
}
