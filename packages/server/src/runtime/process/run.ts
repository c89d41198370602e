import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Express } from 'express';
import {
  attempt,
  createHttpServer,
  InvalidContract,
  listen,
  readDocument,
  UnusableFolder,
} from '../../contract';
import { OpenApiDocument } from '../../contract/tools';
import { type Store, type StoreObserver, UnusableDatabase } from 'contract-first-database';
import { createOperationalApp, HEADERS, type RuntimeOptions } from '../app';
import { clientKeyOf } from '../credentials/secrets';
import {
  assertConfigured,
  type CredentialsConfig,
  openCredentials,
  type Verifiers,
} from '../credentials/credentials';
import { InvalidConfig, type ServerConfig } from '../config';
import type { Errors } from '../errors';
import { invitation, startLine } from '../credentials/invitation';
import { copy, migrate } from './job';
import { createLog } from '../observe/log';
import { createMetrics } from '../observe/metrics';
import type * as Limiters from '../limits/limiter';
import type * as RateLimits from '../limits/rate-limit';
import { type Probed, watchReadiness } from '../observe/probes';
import { createReport, type Report } from '../observe/report';
import { CLOSE_TIMEOUT, type Phases, SIGNALS, stopAtSignal } from './shutdown';
import { joinPrimary, listenBeside } from './worker';
import { runWorkers } from './workers';

/** The configuration of the server and of its verifiers. */
type RunConfig<Dependencies> = ServerConfig & {
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
 * Runs a service until SIGTERM or SIGINT. It opens, in this order: configuration, listener of probes, dependencies, credentials,
 * application, listener. Until all are open, it is not ready, and a signal ends it at once. At the end it closes the listener once
 * its requests are answered, the dependencies, and the listener of probes. If it cannot start, it says why, closes the
 * dependencies that are open, and exits with status 1.
 *
 * `node main.js migrate`, `backup PATH` and `restore PATH` are done instead, and serve nobody (job.ts). Any other argument is
 * refused: a program that has some of its own takes them out of `process.argv` first.
 */
export function runService<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string = never,
>(parts: ServiceParts<Config, Dependencies, Own>): void {
  const [command, file, ...others] = process.argv.slice(2);
  const job = { readConfig: parts.readConfig, open: parts.open };
  if (command === 'migrate' && file === undefined) void migrate(job);
  else if ((command === 'backup' || command === 'restore') && file?.trim() && others.length === 0)
    void copy(job, command, file);
  else if (command !== undefined) {
    const got = process.argv.slice(2).join(' ');
    console.error(
      `unknown command ${JSON.stringify(got)}; use migrate, backup PATH or restore PATH, or none to serve`,
    );
    process.exit(2);
  } else
    start(parts).catch((error: unknown) => {
      explain(error);
      process.exit(1); // closes everything that is open
    });
}

function explain(error: unknown): void {
  const known = error instanceof InvalidConfig || error instanceof InvalidContract;
  const shown = error instanceof UnusableFolder ? `UPLOAD_FOLDER: ${error.message}` : error;
  console.error(known ? error.message : shown);
}

async function start<Config extends RunConfig<Dependencies>, Dependencies extends Store, Own extends string>(
  parts: ServiceParts<Config, Dependencies, Own>,
): Promise<void> {
  const config = parts.readConfig();
  const document = new OpenApiDocument(readDocument(readFileSync(parts.document, 'utf8')));
  assertConfigured(config.credentials, document);
  const worker = joinPrimary(config.worker);
  if (config.workers > 1 && !worker) {
    const [log, metrics] = [createLog(config.logLevel), createMetrics()];
    const report = createReport(parts.errors, log, metrics, HEADERS);
    const openProbes = (probed: Probed) => listenForProbes(config.ops, parts.errors, probed, report);
    if (config.rateLimit && !config.rateLimitStore)
      (onDemand('../limits/limiter') as typeof Limiters).countForWorkers();
    return runWorkers({ config, log, metrics, openProbes });
  }
  const log = createLog(config.logLevel, worker?.place.number);
  const metrics = createMetrics();
  const report = createReport(parts.errors, log, metrics, HEADERS);
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const readiness: Setting<Own>['readiness'] = {
    check: () => Promise.reject(new Error('the server has not started yet')),
  };
  const probed = {
    ready: () => readiness.check(),
    metrics,
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const probes = worker ? undefined : await listenForProbes(config.ops, parts.errors, probed, report);
  const giveUp = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopped before it started');
    process.exit(0); // what is under way in the database is rolled back, as after a kill
  };
  if (!worker) for (const signal of SIGNALS) process.on(signal, giveUp);
  const started = () => {
    for (const signal of SIGNALS) process.off(signal, giveUp);
  };
  const dependencies = await parts
    .open(config, {
      ...metrics.store,
      migrated(name, number) {
        log.info(`applied migration ${number}, ${name}`);
      },
      warned(message) {
        log.warn(message);
      },
    })
    .catch((error: unknown) => {
      if (!(error instanceof UnusableDatabase)) throw error;
      throw new InvalidConfig(`DATABASE_URL: ${error.message}`);
    });
  try {
    const setting = { log, metrics, report, draining, stopping, readiness, probes, started, worker };
    await serve(parts, config, document, dependencies, setting);
  } catch (error) {
    explain(error);
    setTimeout(() => process.exit(1), CLOSE_TIMEOUT);
    await dependencies.close().catch(explain);
    process.exit(1);
  }
}

/** What a process has before its dependencies. */
interface Setting<Own extends string> extends Phases {
  readonly log: ReturnType<typeof createLog>;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly report: Report<Own>;
  /** What the listener of probes asks, which is open from the beginning. */
  readonly readiness: { check: () => Promise<void> };
  readonly probes: Awaited<ReturnType<typeof listenForProbes>>;
  /** To be called when signals have a handler of their own. */
  readonly started: () => void;
  readonly worker: ReturnType<typeof joinPrimary>;
}

async function serve<Config extends RunConfig<Dependencies>, Dependencies extends Store, Own extends string>(
  { createApp }: Pick<ServiceParts<Config, Dependencies, Own>, 'createApp'>,
  config: Config,
  document: OpenApiDocument,
  dependencies: Dependencies,
  { log, metrics, report, draining, stopping, readiness, probes, started, worker }: Setting<Own>,
): Promise<void> {
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
  const own = { ready: watchReadiness(() => dependencies.ready(), log), metrics };
  const shared = worker?.share(own, { draining, stopping });
  const operations = {
    ...own,
    ...shared?.all,
    draining: draining.signal,
    stopping: stopping.signal,
    reportFault: report.fault,
  };
  const app = createApp(dependencies, {
    document,
    strategies: credentials.strategies,
    report: report.request,
    loggerFor: (requestId, operationId) => log.child({ requestId, operationId }),
    operational: config.ops === undefined,
    ...operations,
    onRemarks: (remarks) => {
      if (remarks.length > 0)
        log.warn({ remarks }, `${remarks.length} keywords of the document are not enforced`);
    },
    production: config.production,
    corsOrigins: config.corsOrigins,
    bodyLimit: config.bodyLimit,
    maxRequests: config.maxRequests,
    deadline: config.deadline,
    compression: config.compression,
    uploads: config.uploads,
    uploadTimeout: config.uploadTimeout,
    streams: config.streams,
    rateLimit: limiter,
  });
  const { shutdownDelay, shutdownTimeout } = config;
  // A load balancer of connections keeps those of its clients. Give each as long again to send its next request.
  const idleGrace = shutdownDelay > 0 ? Math.min(shutdownDelay, shutdownTimeout / 2) : undefined;
  const server = createHttpServer(
    app,
    report.refuse,
    { ...config.limits, idleGrace },
    stopping.signal,
    report.fault,
    report.unread,
  );
  server.once('close', () => void limiter?.close().catch(report.fault));
  server.maxConnections = config.maxConnections;
  server.on('drop', () => {
    attempt(metrics.droppedConnection, report.fault);
  });
  const { generated } = credentials;
  const address = await bind(config, 'HOST', 'PORT', (host, port) =>
    worker ? listenBeside(worker.place, server, host, port) : listen(server, host, port),
  );
  const invited = generated.size > 0 ? invitation(document, address, generated) : undefined;
  readiness.check = own.ready;
  if (shared) shared.started(server, address, invited);
  else {
    // At any log level: operators and scripts need the address.
    const notice = log.child({}, { level: 'info' });
    notice.info(startLine(address));
    if (probes) notice.info(`probes and metrics on ${probes.address}`);
    if (invited !== undefined) console.log(invited);
  }
  credentials.watch((change) => {
    if (change instanceof Error) log.error(change.message);
    else log.info(change);
  });
  started();
  const running = { server, probes: probes?.server, draining, stopping, timeout: shutdownTimeout };
  if (worker) {
    // The primary waits for the delay, and says that the server stops.
    const quiet = log.child({}, { level: 'error' });
    const own = { ...running, dependencies: worker.leaving(dependencies), delay: 0, log: quiet };
    stopAtSignal(own, worker.signals);
  } else stopAtSignal({ ...running, dependencies, delay: shutdownDelay, log });
}

/** Opens the listener of probes and metrics, if they have their own. */
async function listenForProbes<Own extends string>(
  ops: ServerConfig['ops'],
  errors: Errors<Own>,
  probed: Probed,
  report: Report<Own>,
) {
  if (!ops) return undefined;
  const { limits, maxConnections } = OPERATIONAL;
  const app = createOperationalApp(errors, { ...probed, reportFault: report.fault });
  const server = createHttpServer(app, report.refuse, limits, undefined, report.fault, report.unread);
  server.maxConnections = maxConnections;
  const address = await bind(ops, 'OPS_HOST', 'OPS_PORT', (host, port) => listen(server, host, port));
  return { server, address };
}

/** The hook that limits the requests of each client. Loads its package on demand: that takes some 20 ms. */
export function limitRequests(
  ...given: Parameters<typeof RateLimits.createRateLimiter>
): ReturnType<typeof RateLimits.createRateLimiter> {
  const { createRateLimiter } = onDemand('../limits/rate-limit') as typeof RateLimits;
  return createRateLimiter(...given);
}

const onDemand = createRequire(__filename);

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
