/**
 * `tsx scripts/mock/main.ts DOCUMENT`: serves any OpenAPI 3.1 document with full validation. The responses are examples
 * of the document or generated values. The mock reads API_TOKENS and the environment variables that every server has.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import express from 'express';
import { createHttpServer, InvalidContract, listen } from '../../src/contract';
import {
  AcceptedSecrets,
  BEARER_TOKENS,
  createLog,
  createMetrics,
  createReport,
  HEADERS,
  InvalidConfig,
  parseSecrets,
  PLAIN_ERRORS,
  readEnvironment,
  readSecrets,
  readServerConfig,
} from '../../src/operational';
import { createMock, type Mock } from './service';
import { readExtensions } from '../publish/extensions';
import { remarkLines } from '../publish/remarks';
import { located, readSource, type Source, SourceError } from '../source/source';

/** Milliseconds between two searches for a response. */
const PAUSE = 10;

async function main(file: string): Promise<void> {
  if (file === '') throw new SourceError('expected a document: make mock DOC=path/to/openapi.yaml');
  const { secrets, ...config } = readEnvironment(process.env, (variables) => ({
    ...readServerConfig(variables),
    secrets: readSecrets(variables, 'API_TOKENS', BEARER_TOKENS).secrets,
  }));
  const report = createReport(PLAIN_ERRORS, createLog(config.logLevel), createMetrics(), HEADERS);
  const generatedToken = randomBytes(24).toString('base64url');
  const tokens = new AcceptedSecrets(secrets ?? parseSecrets('API_TOKENS', BEARER_TOKENS, [generatedToken]));
  const source = readSource(file);
  const { service, operations, leftOut, remarks, total } = createMocked(source, {
    ...config,
    extensions: readExtensions(),
    verifyToken: tokens.verify,
    report: report.request,
  });
  for (const sentence of source.notes) console.log(`  note  ${sentence}`);
  for (const sentence of remarkLines(source, remarks)) console.log(`  unchecked  ${sentence}`);
  for (const sentence of leftOut) console.log(`  left out  ${sentence}`);
  const account = `served ${operations.length} of ${total} operations, ${remarks.length} words not enforced`;
  if (operations.length === 0) throw new SourceError(account);

  const app = express().disable('x-powered-by').disable('etag').use(service);
  const server = createHttpServer(app, report.refuse, config.limits);
  const address = await listen(server, config.host, config.port);
  console.log(`\nmock of ${file} on ${address}`);
  if (!secrets)
    console.log(
      `API_TOKENS is not set; this bearer token is valid until the mock ends: ${generatedToken} (for other schemes any credentials)`,
    );
  console.log(account);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
  // The search for a response compiles its validator: requests come first.
  for (const { title, status } of operations) {
    if (!server.listening) return;
    console.log(`  ${status ?? '501 (no conforming response found)'}  ${title}`);
    await setTimeout(PAUSE);
  }
}

/** @throws {SourceError} with each finding that prevents the mock from serving the document */
function createMocked(source: Source, options: Parameters<typeof createMock>[1]): Mock {
  try {
    return createMock(source.document, options);
  } catch (error) {
    if (error instanceof InvalidContract) throw new SourceError(located(source, error.findings));
    throw error;
  }
}

const [given = ''] = process.argv.slice(2);
main(given).catch((error: unknown) => {
  console.error(error instanceof SourceError || error instanceof InvalidConfig ? error.message : error);
  process.exit(1);
});
