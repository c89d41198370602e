/** What every process that serves clients does in the same way: alone or as a worker. */
import type { Server } from 'node:http';
import type { Express } from 'express';
import { attempt, createHttpServer, InvalidContract, UnusableFolder } from '../../contract';
import type { OpenApiDocument } from '../../contract/tools';
import { type Store, type StoreObserver, UnusableDatabase } from 'contract-first-database';
import { HEADERS, type RuntimeOptions } from '../app';
import { InvalidConfig, type ServerConfig } from '../config';
import { type CredentialsConfig, openCredentials, type Verifiers } from '../credentials/credentials';
import { clientKeyOf } from '../credentials/secrets';
import { observeDeprecated } from '../observe/deprecated';
import { invitation } from '../credentials/invitation';
import type { Errors } from '../errors';
import { limitRequests } from '../limits/load';
import { createLog } from '../observe/log';
import { createMetrics } from '../observe/metrics';
import type { Probed } from '../observe/probes';
import { createReport } from '../observe/report';
import { CLOSE_TIMEOUT } from './shutdown';

/** The configuration of the server and of its verifiers. */
export type RunConfig<Dependencies> = ServerConfig & {
  readonly credentials: CredentialsConfig<Verifiers<Dependencies>>;
};

/** Opens what handlers, verifiers and hooks share: that of src/dependencies.ts. */
type Open<Config, Dependencies> = (config: Config, observer: StoreObserver) => Promise<Dependencies>;

/** The parts of a service, in the order in which `runService` needs them. */
export interface ServiceParts<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string,
> {
  /** @throws {InvalidConfig} */
  readonly readConfig: (environment?: NodeJS.ProcessEnv) => Config;
  /** The file of the published contract, generated/openapi.json. */
  readonly document: string;
  readonly errors: Errors<Own>;
  /** Calls `createApp` with the handlers of the service, these options and the dependencies. */
  readonly createApp: (dependencies: Dependencies, options: RuntimeOptions<Own>) => Express;
  readonly open: Open<Config, Dependencies>;
}

/** What a process knows before it opens anything. */
export interface Setting<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string,
> {
  readonly parts: ServiceParts<Config, Dependencies, Own>;
  readonly config: Config;
  readonly document: OpenApiDocument;
}

/** @param worker the number of the worker that this process is */
export function createObservers<Own extends string>(
  errors: Errors<Own>,
  level: ServerConfig['logLevel'],
  worker?: number,
) {
  const [log, metrics] = [createLog(level, worker), createMetrics()];
  return { log, metrics, report: createReport(errors, log, metrics, HEADERS) };
}
type Observers<Own extends string> = ReturnType<typeof createObservers<Own>>;

/** @throws {InvalidConfig} if the database cannot be used */
export async function openDependencies<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string,
>(
  { parts, config }: Setting<Config, Dependencies, Own>,
  { log, metrics }: Observers<Own>,
): Promise<Dependencies> {
  const observer: StoreObserver = {
    ...metrics.store,
    migrated(name, number) {
      log.info(`applied migration ${number}, ${name}`);
    },
    warned(message) {
      log.warn(message);
    },
  };
  return parts.open(config, observer).catch((error: unknown) => {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new InvalidConfig(`DATABASE_URL: ${error.message}`);
  });
}

/** Begins to serve. If that fails, it says why, closes the dependencies, and exits with status 1. */
export async function serveWith(dependencies: Store, serve: () => Promise<void>): Promise<void> {
  try {
    await serve();
  } catch (error) {
    explain(error);
    setTimeout(() => process.exit(1), CLOSE_TIMEOUT);
    await dependencies.close().catch(explain);
    process.exit(1);
  }
}

/** Prints why a service cannot start: a sentence where it is known what is wrong, else the stack. */
export function explain(error: unknown): void {
  const known = error instanceof InvalidConfig || error instanceof InvalidContract;
  const shown = error instanceof UnusableFolder ? `UPLOAD_FOLDER: ${error.message}` : error;
  console.error(known ? error.message : shown);
}

/**
 * Opens the credentials and creates the application and its server, which does not listen yet.
 *
 * @param own of this process
 * @param operations what probes and metrics of the application say: of this process, or of all workers
 */
export async function createServer<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string,
>(
  { parts, config, document }: Setting<Config, Dependencies, Own>,
  { log, metrics, report }: Observers<Own>,
  dependencies: Dependencies,
  probed: Probed,
): Promise<ServiceServer> {
  const credentials = openCredentials(config.credentials, document, dependencies, (message) => {
    log.warn(message);
  });
  await credentials.ready;
  const limiter =
    config.rateLimit &&
    limitRequests(
      config.rateLimit,
      clientKeyOf,
      config.rateLimitStore && {
        ...config.rateLimitStore,
        service: String(document.at('/info/title')),
        log,
        uncounted: metrics.uncountedRequest,
      },
    );
  const app = parts.createApp(dependencies, {
    document,
    strategies: credentials.strategies,
    logins: credentials.logins,
    report: report.request,
    loggerFor: (requestId, operationId) => log.child({ requestId, operationId }),
    operational: config.ops === undefined,
    ...probed,
    reportFault: report.fault,
    onRemarks: (remarks) => {
      if (remarks.length > 0)
        log.warn({ remarks }, `${remarks.length} keywords of the document are not enforced`);
    },
    production: config.production,
    corsOrigins: config.corsOrigins,
    mcp: config.mcp && {
      ...config.mcp,
      host: config.host,
      issuers: credentials.issuers,
      onLeftOut: (leftOut) => {
        if (leftOut.length > 0)
          log.warn({ leftOut }, `${leftOut.length} operations, or parts of them, are not available as tools`);
      },
    },
    bodyLimit: config.bodyLimit,
    maxRequests: config.maxRequests,
    deadline: config.deadline,
    compression: config.compression,
    uploads: config.uploads,
    uploadTimeout: config.uploadTimeout,
    streams: config.streams,
    rateLimit: limiter,
    deprecated: observeDeprecated(metrics, clientKeyOf),
  });
  const { shutdownDelay, shutdownTimeout } = config;
  // A load balancer of connections keeps those of its clients. Give each as long again to send its next request.
  const idleGrace = shutdownDelay > 0 ? Math.min(shutdownDelay, shutdownTimeout / 2) : undefined;
  const limits = { ...config.limits, idleGrace };
  const server = createHttpServer(app, report.refuse, limits, probed.stopping, report.fault, report.unread);
  server.once('close', () => void limiter?.close().catch(report.fault));
  server.maxConnections = config.maxConnections;
  server.on('drop', () => {
    attempt(metrics.droppedConnection, report.fault);
  });
  return {
    server,
    invitationFor: (address) =>
      credentials.generated.size > 0 ? invitation(document, address, credentials.generated) : undefined,
    watchSecrets() {
      credentials.watch((change) => {
        if (change instanceof Error) log.error(change.message);
        else log.info(change);
      });
    },
  };
}

interface ServiceServer {
  readonly server: Server;
  /** What a person needs who tries the server on this address: the secrets that were generated, if any were. */
  readonly invitationFor: (address: string) => string | undefined;
  /** Reads the files of secrets again when they change. */
  readonly watchSecrets: () => void;
}
