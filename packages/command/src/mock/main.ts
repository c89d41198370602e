import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import express from 'express';
import { createHttpServer, InvalidContract, listen } from 'contract-first-server';
import {
  BEARER_TOKENS,
  createMetrics,
  createReport,
  HEADERS,
  PLAIN_ERRORS,
  readSecrets,
} from 'contract-first-server/tools';
import {
  createLog,
  InvalidConfig,
  readEnvironment,
  readServerConfig,
  type Variables,
} from 'contract-first-server/runtime';
import { createMock, type Mock } from './service';
import { UsageError } from '../command';
import { readExtensions } from '../load';
import { remarkLines } from '../document/publish/remarks';
import { located, readSource, type Source, SourceError } from '../document/source/source';

/** Milliseconds between two searches for a response. */
const PAUSE = 10;

/**
 * Serves any OpenAPI document with full validation, until a signal. The responses are examples of the document or generated
 * values. The mock reads API_TOKENS, whose tokens pass every security scheme, CORS_ORIGINS, by default any, and the environment
 * variables that every server has.
 *
 * @param allowOutside whether references may lead to files outside the folder of the document
 * @param mcp the value of MCP; `read` if it is true
 * @throws {SourceError} if nothing of the document can be served
 * @throws {UsageError} if an environment variable is wrong
 */
export async function mock(
  file: string,
  allowOutside = false,
  mcp: string | boolean = false,
): Promise<undefined> {
  const { given, ...config } = readConfig(mcp === false ? {} : { MCP: mcp === true ? 'read' : mcp });
  const report = createReport(PLAIN_ERRORS, createLog(config.logLevel), createMetrics(), HEADERS);
  const generated = given.length === 0 ? randomBytes(24).toString('base64url') : undefined;
  const source = readSource(file, allowOutside);
  const { service, operations, credentials, leftOut, remarks, total, rejected } = createMocked(source, {
    ...config,
    corsOrigins: config.corsOrigins.length > 0 ? config.corsOrigins : '*',
    mcp: config.mcp && { ...config, ...config.mcp, fault: report.fault },
    extensions: readExtensions(),
    tokens: generated === undefined ? given : [generated],
    report: report.request,
  });
  for (const sentence of source.notes) console.log(`  note  ${sentence}`);
  for (const sentence of remarkLines(source, remarks)) console.log(`  unchecked  ${sentence}`);
  for (const sentence of leftOut) console.log(`  left out  ${sentence}`);
  const proven = rejected > 0 ? `, ${rejected} rejected by proof` : '';
  const account = `served ${operations.length} of ${total} operations${proven}, ${remarks.length} keywords not enforced`;
  if (operations.length === 0) throw new SourceError(account);

  const app = express().disable('x-powered-by').disable('etag').use(service);
  const server = createHttpServer(app, report.refuse, config.limits);
  const address = await listen(server, config.host, config.port);
  console.log(`\nmock of ${file} on ${address} (documentation: ${address}/-/docs)`);
  if (generated !== undefined)
    console.log(`API_TOKENS is not set; until the mock stops, use this token: ${generated}`);
  console.log('The credentials of the mock, for `contract-first contract --credentials FILE`:');
  console.log(credentials);
  if (config.mcp) console.log(`tools on ${address}/mcp: MCP=${config.mcp.mode}`);
  console.log(account);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
  // The search for a response compiles its validator: requests come first.
  let without = 0;
  for (const { title, status } of operations) {
    if (!server.listening) return;
    if (status === undefined) without++;
    console.log(`  ${status ?? '501 (no conforming response found)'}  ${title}`);
    await setTimeout(PAUSE);
  }
  if (without > 0)
    console.log(`501, no conforming response found: ${without} of ${operations.length} operations`);
}

/** @throws {UsageError} */
function readConfig(more: NodeJS.ProcessEnv) {
  try {
    return readEnvironment({ ...process.env, ...more }, (variables) => ({
      ...readServerConfig(variables),
      given: readTokens(variables),
    }));
  } catch (error) {
    throw error instanceof InvalidConfig ? new UsageError(error.message) : error;
  }
}

/** The tokens of API_TOKENS, or of the file API_TOKENS_FILE, without their scopes: the mock grants all. */
function readTokens(variables: Variables): string[] {
  const { file, secrets } = readSecrets(variables, 'API_TOKENS', BEARER_TOKENS);
  if (!secrets) return [];
  const text = file === undefined ? variables.read('API_TOKENS') : readFileSync(file, 'utf8');
  return text
    .split(file === undefined ? ',' : '\n')
    .map((one) => one.trim().split(':')[0] ?? '')
    .filter((one) => one !== '');
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
