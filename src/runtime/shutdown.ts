import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Store } from '../database';

/** Milliseconds that the dependencies of a service have to close. */
export const CLOSE_TIMEOUT = 10_000;

interface Running {
  /** Stops and emits `close` after `stopping` is aborted. */
  readonly server: Server;
  /** The listener of probes, if there is one. It closes last. */
  readonly probes: Server | undefined;
  readonly dependencies: Store;
  readonly stopping: AbortController;
  /** Milliseconds that open requests have to finish. */
  readonly timeout: number;
  readonly log: Logger;
}

/**
 * Stops the server on SIGTERM or SIGINT: it answers open requests, closes the dependencies, and exits with status 0. A second
 * signal ends the process at once. An uncaught exception stops the server in the same way, with status 1, because the
 * state of the process is then unknown.
 */
export function stopAtSignal({ server, probes, dependencies, stopping, timeout, log }: Running): void {
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      server.closeAllConnections();
    }, timeout).unref();
    setTimeout(() => {
      log.error('the store did not close in time');
      process.exit(1);
    }, timeout + CLOSE_TIMEOUT).unref();
    const closed = once(server, 'close');
    stopping.abort();
    await closed;
    await dependencies.close();
    probes?.close().closeAllConnections();
    log.info('stopped');
  };
  const begin = (signal: string) => {
    stop(signal).catch((error: unknown) => {
      log.error({ err: error }, 'the shutdown failed');
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
    log.fatal({ err: error }, 'uncaught exception');
    process.exitCode = 1;
    if (!stopping.signal.aborted) begin('uncaughtException');
  });
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'unhandled promise rejection');
  });
}
