import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { pino } from 'pino';
import { createApp } from './app';
import { bearerStrategies } from './auth';
import { InvalidConfig, readConfig } from './config';
import { InvalidContract, type JsonObject } from './contract/document';
import { createHttpServer } from './contract/server';
import { renderProblem } from './errors';
import { openStore } from './storage/open';

/** Milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 10_000 };
/** Milliseconds that open requests are given to end after SIGTERM. */
const DRAIN = 10_000;

async function start(): Promise<void> {
  const config = readConfig();
  const log = pino({
    level: config.logLevel,
    ...(process.stdout.isTTY && { transport: { target: 'pino-pretty' } }),
  });
  const tokens = config.tokens ?? [randomBytes(24).toString('base64url')];
  const document = JSON.parse(
    readFileSync(path.join(__dirname, '../generated/openapi.json'), 'utf8'),
  ) as JsonObject;
  const store = await openStore(config.databaseUrl).catch((error: unknown) => {
    throw new InvalidConfig(`DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`);
  });
  const strategies = bearerStrategies(tokens);
  const app = createApp({ document, store, strategies, log, bodyLimit: config.bodyLimit });
  const server = createHttpServer(app, renderProblem, LIMITS);

  const address = await listen(server, config.host, config.port);
  // Not left to the log level: whoever starts the server looks for this.
  console.log(`listening on ${address}${config.tokens ? '' : invitation(address, tokens[0])}`);

  const stop = async () => {
    setTimeout(() => {
      server.closeAllConnections();
    }, DRAIN).unref();
    await new Promise((resolve) => server.close(resolve));
    await store.close();
    log.info({}, 'stopped');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1)); // a second one does not wait
      void stop();
    });
  }
}

/** Resolves with the address as a URL. */
function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `PORT: expected a free port, got ${port}, on which another program listens`;
      reject(error.code === 'EADDRINUSE' ? new InvalidConfig(taken) : error);
    });
    server.listen(port, host, () => {
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}

/** For whoever has configured no tokens: a request that works as it stands. */
function invitation(address: string, token = ''): string {
  return `

No API_TOKENS are set, so here is one until the server stops. Try:

  curl -i ${address}/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
    -d '{"id": 1, "name": "Monstera", "tag": "tropical"}'
`;
}

start().catch((error: unknown) => {
  const known = error instanceof InvalidConfig || error instanceof InvalidContract;
  console.error(known ? error.message : error);
  process.exitCode = 1;
});
