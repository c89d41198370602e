import { createServer, type Server } from 'node:http';
import { createHttpServer, listen } from '../../contract';
import { createOperationalApp } from '../app';
import { InvalidConfig, type ServerConfig } from '../config';
import type { Errors } from '../errors';
import type { Probed } from '../observe/probes';
import type { Report } from '../observe/report';
import type { Place } from './place';

/** @throws {InvalidConfig} with the names of the environment variables */
async function bind(
  { host, port }: { readonly host: string; readonly port: number },
  hostName: string,
  portName: string,
  open: (host: string, port: number) => Promise<string>,
): Promise<string> {
  return open(host, port).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InvalidConfig(
      code === 'EADDRINUSE'
        ? `${portName}: port ${port} is already in use`
        : `${hostName} and ${portName}: cannot listen on this address: ${message}`,
    );
  });
}

/**
 * Starts to listen for the requests of clients, and resolves to the URL.
 *
 * @param place of a worker, which has the same port as the others
 * @throws {InvalidConfig}
 */
export const listenForClients = (
  config: Pick<ServerConfig, 'host' | 'port'>,
  server: Server,
  place?: Place,
): Promise<string> =>
  bind(config, 'HOST', 'PORT', (host, port) =>
    place ? listenBeside(place, server, host, port) : listen(server, host, port),
  );

/** Limits of the listener of probes and metrics, which serves few clients. */
const OPERATIONAL = {
  maxConnections: 64,
  limits: {
    headersTimeout: 5_000,
    requestTimeout: 5_000,
    keepAliveTimeout: 5_000,
    sendTimeout: 5_000,
    maxHeaderSize: 8_192,
  },
};

/**
 * Opens the listener of probes and metrics, if they have their own.
 *
 * @throws {InvalidConfig}
 */
export async function listenForProbes<Own extends string>(
  ops: ServerConfig['ops'],
  errors: Errors<Own>,
  probed: Probed,
  report: Report<Own>,
): Promise<{ readonly server: Server; readonly address: string } | undefined> {
  if (!ops) return undefined;
  const { limits, maxConnections } = OPERATIONAL;
  const app = createOperationalApp(errors, { ...probed, reportFault: report.fault });
  const server = createHttpServer(app, report.refuse, limits, undefined, report.fault, report.unread);
  server.maxConnections = maxConnections;
  const address = await bind(ops, 'OPS_HOST', 'OPS_PORT', (host, port) => listen(server, host, port));
  return { server, address };
}

/** Whether each worker has its own listener, and the operating system divides the connections; otherwise they share one. */
export const OWN_LISTENERS = process.platform === 'linux';

/** Starts to listen as the first worker or as another one: `listen` of the core. */
async function listenBeside({ first }: Place, server: Server, host: string, port: number): Promise<string> {
  if (!OWN_LISTENERS) return listen(server, host, port);
  let free = port;
  if (first) {
    // A listener that shares its port would take no notice of another program's.
    const alone = createServer();
    free = portOf(await listen(alone, host, port, { exclusive: true }));
    await new Promise((resolve) => alone.close(resolve));
  }
  return listen(server, host, free, { reusePort: true });
}

/** The port of the URL of a server, which always has one. */
export const portOf = (url: string): number => Number(url.slice(url.lastIndexOf(':') + 1));
