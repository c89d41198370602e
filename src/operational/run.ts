import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Express } from 'express';
import type { Logger } from 'pino';
import {
  attempt,
  createHttpServer,
  curlCommand,
  exampleRequest,
  type HookContext,
  InvalidContract,
  type JsonObject,
  listen,
  messageOf,
  readDocument,
  type Strategies,
} from '../contract';
import type { Store, StoreObserver } from '../database';
import { createOperationalApp, HEADERS, type Surroundings } from './app';
import type { ServerConfig } from './config';
import { InvalidConfig } from './environment';
import type { Errors } from './errors';
import { createLog } from './log';
import { createMetrics } from './metrics';
import type * as RateLimits from './rate-limit';
import { watchReadiness } from './readiness';
import { createReport } from './report';
import { stopAtSignal } from './shutdown';

/** Who may call the service. */
export interface Authentication {
  /** By the name of the security scheme. */
  readonly strategies: Strategies;
  /** The name of a client, by which its requests are counted; undefined for an anonymous request. */
  readonly clientOf: (principals: HookContext['principals']) => string | undefined;
  /** A token that is valid until the server stops, because none is configured. */
  readonly generatedToken?: string | undefined;
  /** Called once, when the server listens: accepts changed credentials from then on. */
  readonly watch?: (log: Logger) => void;
}

/** The parts of a service, in the order in which `runService` needs them. */
export interface ServiceParts<Config extends ServerConfig, S extends Store, Own extends string> {
  /** @throws {InvalidConfig} */
  readonly readConfig: () => Config;
  /** The file of the published contract, generated/openapi.json. */
  readonly document: string;
  readonly errors: Errors<Own>;
  /** Rejects with a sentence about DATABASE_URL. */
  readonly openStore: (config: Config, observer: StoreObserver) => Promise<S>;
  readonly authenticate: (config: Config) => Authentication | Promise<Authentication>;
  /** Calls `createApp` with the handlers of the service and these surroundings. */
  readonly createApp: (store: S, surroundings: Surroundings<Own>) => Express;
}

/** Limits of the listener of probes and metrics, which serves few clients. */
const OPERATIONAL = {
  maxConnections: 64,
  limits: { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 },
};

/**
 * Runs a service until SIGTERM or SIGINT: configuration, store, credentials, application, listener, drain. Exits with
 * status 1 and a message if it cannot start.
 */
export function runService<Config extends ServerConfig, S extends Store, Own extends string = never>(
  parts: ServiceParts<Config, S, Own>,
): void {
  start(parts).catch((error: unknown) => {
    const known = error instanceof InvalidConfig || error instanceof InvalidContract;
    console.error(known ? error.message : error);
    process.exit(1); // closes everything that is open
  });
}

async function start<Config extends ServerConfig, S extends Store, Own extends string>({
  errors,
  ...parts
}: ServiceParts<Config, S, Own>): Promise<void> {
  const config = parts.readConfig();
  const document = readDocument(readFileSync(parts.document, 'utf8'));
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const report = createReport(errors, log, metrics, HEADERS);
  const store = await parts.openStore(config, metrics.store).catch((error: unknown) => {
    throw new InvalidConfig(`DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { strategies, clientOf, generatedToken, watch } = await parts.authenticate(config);
  const stopping = new AbortController();
  const operations = {
    ready: watchReadiness(() => store.ready(), log),
    metrics,
    stopping: stopping.signal,
    reportFault: report.fault,
  };
  const app = parts.createApp(store, {
    document,
    strategies,
    report: report.request,
    loggerFor: (requestId, operationId) => log.child({ requestId, operationId }),
    operational: config.ops === undefined,
    ...operations,
    onRemarks: (remarks) => {
      if (remarks.length > 0)
        log.warn({ remarks }, `${remarks.length} words of the document are not enforced`);
    },
    production: config.production,
    corsOrigins: config.corsOrigins,
    bodyLimit: config.bodyLimit,
    maxRequests: config.maxRequests,
    deadline: config.deadline,
    rateLimit: config.rateLimit && limitRequests(config.rateLimit, clientOf),
  });
  const server = createHttpServer(app, report.refuse, config.limits, stopping.signal, report.fault);
  server.maxConnections = config.maxConnections;
  server.on('drop', () => {
    attempt(metrics.droppedConnection, report.fault);
  });
  // At any log level: operators and scripts need the address.
  const notice = log.child({}, { level: 'info' });
  const address = await bind(server, config, 'HOST', 'PORT');
  notice.info(`listening on ${address}`);
  let probes: Server | undefined;
  if (config.ops) {
    const { limits, maxConnections } = OPERATIONAL;
    const probing = createOperationalApp(errors, operations);
    probes = createHttpServer(probing, report.refuse, limits, undefined, report.fault);
    probes.maxConnections = maxConnections;
    notice.info(`probes and metrics on ${await bind(probes, config.ops, 'OPS_HOST', 'OPS_PORT')}`);
  }
  if (generatedToken !== undefined) console.log(invitation(document, address, generatedToken));
  watch?.(log);
  stopAtSignal({ server, probes, store, stopping, timeout: config.shutdownTimeout, log });
}

/** The hook that limits the requests of each client. Loads its package on demand: that takes some 20 ms. */
export function limitRequests(limit: RateLimits.RateLimit, clientOf: Authentication['clientOf']) {
  const { createRateLimiter } = createRequire(__filename)('./rate-limit') as typeof RateLimits;
  return createRateLimiter(limit, clientOf);
}

/** @throws {InvalidConfig} with the names of the environment variables */
async function bind(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  ...[hostName, portName]: readonly [string, string]
): Promise<string> {
  return listen(server, host, port).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InvalidConfig(
      code === 'EADDRINUSE'
        ? `${portName}: expected a free port, got ${port}, which another program uses`
        : `${hostName} and ${portName}: expected an address that this program can listen on, got ${message}`,
    );
  });
}

/** A message for a server without configured tokens: a curl command that works as printed. */
function invitation(document: JsonObject, address: string, token: string): string {
  const given = 'API_TOKENS is not set. The server accepts a generated token until it stops.';
  const request = exampleRequest(document);
  if (!request?.credential) return `\n${given} Try it on ${address}/-/docs:\n\n  ${token}\n`;
  return `\n${given} Try:\n\n  ${curlCommand(address, messageOf(request, token))}\n`;
}
