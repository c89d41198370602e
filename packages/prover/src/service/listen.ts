import type { RequestListener, Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { type Answer, createHttpServer, type Problem } from 'contract-first-server';
import type { Server } from '../target';

/** Milliseconds: longer than the prover waits for a response, so that no timeout affects a result. */
const TIMEOUTS = { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 1000 };

/**
 * Starts an application as a server under test, on a free port.
 *
 * @param wrap wraps the application in the HTTP server
 */
export async function listen(
  app: Express,
  service: Pick<Server, 'entered' | 'failed' | 'reset'>,
  render: (problem: Problem) => Answer,
  wrap: (application: RequestListener) => RequestListener = (application) => application,
): Promise<Server> {
  const server = createHttpServer(app, render, TIMEOUTS);
  server.removeAllListeners('request').on('request', wrap(app));
  return { host: '127.0.0.1', ...service, ...(await openServer(server)) };
}

/** Lets a server listen on a free port of 127.0.0.1. */
export async function openServer(server: HttpServer) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Closes the server and all its connections. */
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
