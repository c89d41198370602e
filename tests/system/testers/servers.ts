import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  formatTable,
  groupFailures,
  type Json,
  type JsonObject,
  type Result,
  run,
  urlTarget,
} from '../../../scripts/prove';
import { readSource } from '../../../scripts/source/source';
import { freePort } from '../../support/postgres';
import { TOKEN } from '../bench/contracts';
import { BACKEND, FASTIFY, HONO, README, startServer, type Subject as Peer } from '../bench/servers';
import { runProgram } from '../program';
import { drawTables } from './draw';
import { judgementOf } from './judgements';

/*
 * `make servers`: the prover as a black box, put to servers that others wrote, or whose framework others wrote. Each
 * cause of a failure has a judgement of a person in judgements.ts; one without is a failure of this program.
 */

/** A server, and how it is tested. */
interface Subject {
  readonly name: string;
  /** What it is made of. */
  readonly title: string;
  /** A server of `make bench`; or a program and its arguments, which listens on 127.0.0.1. */
  readonly server: Peer | ((port: number) => readonly string[]);
  /** A file, or a path of the server. */
  readonly document: string;
  readonly credentials: Json;
}

const FOLDER = __dirname;
const PLANTS = join(FOLDER, '../../../openapi/plant-store.yaml');
const installed = (path: string): string => join(FOLDER, 'node_modules', path);
const GALAXY = installed('@scalar/galaxy/dist/3.1.json');
const own = (name: string) => () => [join(FOLDER, `servers/${name}.mjs`)];
const secrets = (valid: string, ...schemes: string[]): Record<string, Json> =>
  Object.fromEntries(schemes.map((scheme) => [scheme, { valid, invalid: 'wrong:wrong' }]));
// A mock server accepts any credentials.
const ANY = secrets(
  'a:b',
  ...['bearerAuth', 'basicAuth', 'apiKeyHeader', 'apiKeyQuery', 'apiKeyCookie', 'oAuth2', 'openIdConnect'],
);

const plants = (name: string, server: Peer, title: string): Subject => ({
  name,
  title: `plants: ${title}`,
  server,
  document: PLANTS,
  credentials: secrets(TOKEN, 'bearerAuth'),
});
/** A mock server of the document that Scalar publishes as its example. */
const galaxy = (name: string, title: string, server: Subject['server']): Subject => ({
  name,
  title: `${title} on @scalar/galaxy`,
  server,
  document: GALAXY,
  credentials: ANY,
});

const SUBJECTS: readonly Subject[] = [
  plants('fastify', FASTIFY, 'fastify, fastify-openapi-glue'),
  plants('express', README, 'express, express-openapi-validator'),
  plants('hono', HONO, 'hono, @hono/zod-openapi'),
  plants('openapi-backend', BACKEND, 'openapi-backend on express'),
  {
    name: 'petstore',
    title: 'example of fastify-openapi-glue',
    server: own('petstore'),
    document: installed('fastify-openapi-glue/examples/petstore/petstore-openapi.v3.json'),
    credentials: secrets('any', 'petstore_auth', 'api_key'),
  },
  {
    name: 'fastify-swagger',
    title: 'example of @fastify/swagger',
    server: own('fastify-swagger'),
    document: '/openapi.json',
    credentials: secrets(TOKEN, 'apiKey'),
  },
  galaxy('scalar', '@scalar/mock-server', own('scalar')),
  galaxy('prism', '@stoplight/prism-cli mock', (port) => [
    ...[installed('@stoplight/prism-cli/dist/index.js'), 'mock', '-p', String(port), GALAXY],
  ]),
  galaxy('mockoon', '@mockoon/cli', (port) => [
    ...[installed('@mockoon/cli/bin/run.js'), 'start', '--data', GALAXY, '--port', String(port)],
    ...['--hostname', '127.0.0.1', '--disable-log-to-file', '--repair'],
  ]),
];

const isListening = (port: number): Promise<boolean> =>
  once(connect(port, '127.0.0.1'), 'connect').then(
    () => true,
    () => false,
  );

/** @throws {Error} if it does not listen within 20 seconds */
async function startProgram(name: string, command: (port: number) => readonly string[]) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), TOKEN };
  const child: ChildProcess = spawn(process.execPath, command(port), { cwd: FOLDER, env, stdio: 'ignore' });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = (): void => {
    process.off('exit', kill);
    kill();
  };
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    if (await isListening(port)) return { port, stop };
    await sleep(100);
  }
  stop();
  throw new Error(`${name} does not listen on port ${port}`);
}

async function test(subject: Subject): Promise<Result> {
  const { name, server, credentials } = subject;
  const running =
    typeof server === 'function'
      ? await startProgram(name, server)
      : await startServer(server, { document: readSource(PLANTS).document, expectations: [] });
  try {
    const url = `http://127.0.0.1:${running.port}`;
    // The servers of the document are those of its authors.
    const servers = [{ url: name === 'petstore' ? '/v2' : '/' }];
    const document = { ...(await documentOf(subject, url)), servers };
    return await run(
      urlTarget({ url, document, credentials, write: true, requestsPerSecond: 1000, timeout: 2000 }),
      { generated: 25 },
    );
  } finally {
    await running.stop();
  }
}

async function documentOf({ document }: Subject, url: string): Promise<JsonObject> {
  let file = document;
  if (document.startsWith('/openapi')) {
    file = join(mkdtempSync(join(tmpdir(), 'servers-')), document);
    writeFileSync(file, await (await fetch(url + document)).text());
  }
  // Below `$id`, `#/components` is in the schema itself (JSON Schema 2020-12, core section 8.2.1): the references of the
  // Galaxy document lead nowhere. It means them without `$id`.
  return JSON.parse(JSON.stringify(readSource(file).document), (key, value: unknown) =>
    key === '$id' ? undefined : value,
  ) as JsonObject;
}

/** The failures of a server by what a person found, and the causes that nobody has judged. */
function findings({ name }: Subject, failures: Result['failures']): { rows: string[][]; open: string[] } {
  const defects = new Map<string, { source: string; count: number }>();
  const open: string[] = [];
  for (const { cause, cases, rules } of groupFailures(failures)) {
    const { sentence, source = '' } = cause;
    const defect = judgementOf(name, sentence, rules);
    if (defect === undefined)
      open.push(`${name}: ${cases} cases: ${sentence.slice(0, 200)} (${rules.slice(0, 3).join(', ')})`);
    else defects.set(defect, { source, count: (defects.get(defect)?.count ?? 0) + cases });
  }
  const rows = [...defects].map(([defect, { source, count }]) => [name, defect, source, String(count)]);
  return { rows, open };
}

async function main(only: string | undefined): Promise<void> {
  const rows: string[][] = [];
  const defects: string[][] = [];
  const open: string[] = [];
  for (const subject of SUBJECTS.filter(({ name }) => only?.split(',').includes(name) ?? true)) {
    const { obligations, failures, warnings, requests, seconds, stopped } = await test(subject);
    const found = findings(subject, failures);
    const count = (state: string): number => obligations.filter((one) => one.state === state).length;
    const kinds = [found.rows.length, groupFailures(warnings).length];
    const states = [`${count('PROVEN')} of ${obligations.length}`, count('BLOCKED')];
    rows.push(
      [subject.title, ...states, failures.length, ...kinds, requests, seconds.toFixed(1)].map(String),
    );
    defects.push(...found.rows);
    open.push(...found.open);
    if (stopped !== undefined) defects.push([subject.name, `the run ended early: ${stopped}`, '', '']);
    console.error(`${subject.title}: ${failures.length} failures, ${seconds.toFixed(1)} s`);
  }
  const tables = [
    [['server', 'proven', 'blocked', 'failures', 'defects', 'warnings', 'requests', 'seconds'], ...rows],
    [['server', 'defect', 'rule', 'cases'], ...defects],
  ];
  console.log(tables.map((table) => formatTable(table)).join('\n\n'));
  for (const cause of open) console.log(`\nNot judged: ${cause}`);
  if (only === undefined) drawTables('servers', tables);
  process.exitCode = open.length > 0 ? 1 : 0;
}

runProgram('servers', () => main(process.env['ONLY']));
