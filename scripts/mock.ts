/**
 * `mock.ts DOCUMENT`: serves any OpenAPI 3.1 document at once, with every check on, answering from its examples or with
 * values made up to fit. HOST, PORT, API_TOKENS, API_TOKENS_FILE, BODY_LIMIT and LOG_LEVEL as for the server.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import { pino } from 'pino';
import { InvalidConfig, readConfig } from '../src/config';
import { InvalidContract } from '../src/contract/document';
import { createHttpServer } from '../src/contract/server';
import { renderProblem } from '../src/errors';
import { createMock } from './mock-service';
import { located, readSource, SourceError } from './source';

/** Milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 10_000 };

async function main(file: string): Promise<void> {
  const { host, port, bodyLimit, logLevel, ...config } = readConfig();
  const log = pino({
    level: logLevel,
    ...(process.stdout.isTTY && { transport: { target: 'pino-pretty' } }),
  });
  const made = randomBytes(24).toString('base64url');
  const document = await readSource(file);
  const { service, operations, leftOut } = createMock(document, {
    tokens: config.tokens ?? [made],
    bodyLimit,
    reserved: '/-/',
    report({ problem, ...outcome }) {
      const fields = { ...outcome, ...(problem && { problem: problem.message }) };
      if (problem?.cause === undefined) log.info(fields, 'answered');
      else log.error({ ...fields, err: problem.cause }, 'failed');
    },
  });
  for (const sentence of leftOut) console.log(`  left out  ${sentence}`);
  for (const { title, status } of operations) console.log(`  ${status ?? 'nothing fits, so 500'}  ${title}`);

  const app = express().disable('x-powered-by').use(service);
  const server = createHttpServer(app, renderProblem, LIMITS).listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  console.log(`\nmock of ${file} on http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
  if (!config.tokens) console.log(`API_TOKENS is not set; the bearer token of this run is ${made}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
}

const [given = ''] = process.argv.slice(2);
main(given).catch((error: unknown) => {
  if (error instanceof InvalidContract) console.error(located(given, error.findings));
  else console.error(error instanceof SourceError || error instanceof InvalidConfig ? error.message : error);
  process.exit(1);
});
