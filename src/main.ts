import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { createApp, createOperationalApp, HEADERS } from './app';
import { clientOf, createStrategies, tokenVerifier } from './auth';
import { InvalidConfig, readConfig, watchTokensFile } from './config';
import {
  attempt,
  createHttpServer,
  curlCommand,
  exampleRequest,
  InvalidContract,
  type JsonObject,
  listen,
  messageOf,
  readDocument,
} from './contract';
import { createHandlers } from './handlers';
import { jwtVerifier } from './jwt';
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
  const generatedToken = config.tokens || config.jwt ? undefined : randomBytes(24).toString('base64url');
  const tokens = config.tokens ?? (generatedToken === undefined ? [] : [generatedToken]);
  const clients = tokenVerifier(tokens, config.jwt && (await jwtVerifier(config.jwt)));
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
    strategies: createStrategies(clients.verify),
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
  if (generatedToken !== undefined) console.log(invitation(document, address, generatedToken));
  if (config.tokensFile !== undefined) {
    watchTokensFile(config.tokensFile, tokens, (change) => {
      if (change instanceof Error) log.error(`the tokens are unchanged: ${change.message}`);
      else {
        clients.replaceTokens(change);
        log.info('the tokens have been replaced');
      }
    });
  }

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

/** A message for a server without configured tokens: a curl command that works as printed. */
function invitation(document: JsonObject, address: string, token: string): string {
  const given = 'API_TOKENS is not set. The server accepts a generated token until it stops.';
  const request = exampleRequest(document);
  if (!request?.credential) return `\n${given} Try it on ${address}/-/docs:\n\n  ${token}\n`;
  return `\n${given} Try:\n\n  ${curlCommand(address, messageOf(request, token))}\n`;
}

start().catch((error: unknown) => {
  const known = error instanceof InvalidConfig || error instanceof InvalidContract;
  console.error(known ? error.message : error);
  process.exit(1); // closes everything that is open
});
