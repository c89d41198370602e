import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { createApp, createOperationalApp, HEADERS } from './app';
import { readConfig } from './config';
import { attempt, createHttpServer, InvalidContract, listen, readDocument } from './contract';
import { createHandlers } from './handlers';
import { clientOf } from './operational/client';
import { openCredentials } from './operational/credentials';
import { InvalidConfig } from './operational/environment';
import { invitation } from './operational/invitation';
import { createLog } from './operational/log';
import { createMetrics } from './operational/metrics';
import type { RateLimit } from './operational/rate-limit';
import { watchReadiness } from './operational/readiness';
import { createReport } from './operational/report';
import { stopAtSignal } from './operational/shutdown';
import { openStore } from './storage/open';

/** Limits of the listener of probes and metrics, which serves few clients. */
const OPERATIONAL = {
  maxConnections: 64,
  limits: { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 },
};

async function start(): Promise<void> {
  const config = readConfig();
  const document = readDocument(readFileSync(path.join(__dirname, '../generated/openapi.json'), 'utf8'));
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const report = createReport(log, metrics, HEADERS);
  const store = await openStore(config.databaseUrl, metrics.store).catch((error: unknown) => {
    throw new InvalidConfig(`DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`);
  });
  const credentials = openCredentials(config.credentials, document);
  await credentials.ready;
  const rateLimit = config.rateLimit && (await limiting(config.rateLimit));
  const stopping = new AbortController();
  const operations = {
    ready: watchReadiness(() => store.ready(), log),
    metrics,
    stopping: stopping.signal,
    reportFault: report.fault,
  };
  const app = createApp({
    document,
    handlers: createHandlers(store),
    strategies: credentials.strategies,
    report: report.request,
    loggerFor: (requestId, operationId) => log.child({ requestId, operationId }),
    operational: config.ops === undefined,
    ...operations,
    onRemarks: (remarks) => {
      if (remarks.length > 0)
        log.warn({ remarks }, `${remarks.length} words of the document are not enforced`);
    },
    ...config,
    rateLimit,
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
    probes = createHttpServer(
      createOperationalApp(operations),
      report.refuse,
      limits,
      undefined,
      report.fault,
    );
    probes.maxConnections = maxConnections;
    notice.info(`probes and metrics on ${await bind(probes, config.ops, 'OPS_HOST', 'OPS_PORT')}`);
  }
  if (credentials.generated.size > 0) console.log(invitation(document, address, credentials.generated));
  credentials.watch((change) => {
    if (change instanceof Error) log.error(change.message);
    else log.info(change);
  });

  stopAtSignal({ server, probes, store, stopping, timeout: config.shutdownTimeout, log });
}

/** Loads the package on demand: that takes some 20 ms. */
async function limiting(limit: RateLimit) {
  const { createRateLimiter } = await import('./operational/rate-limit.js');
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

start().catch((error: unknown) => {
  const known = error instanceof InvalidConfig || error instanceof InvalidContract;
  console.error(known ? error.message : error);
  process.exit(1); // closes everything that is open
});
