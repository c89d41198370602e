import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSource } from '../../../scripts/source/source';
import type { Json, JsonObject } from '../../../scripts/prove/json/tree';
import { groupFailures } from '../../../scripts/prove/groups';
import { formatTable } from '../../../scripts/prove/report/terminal';
import { type Result, run } from '../../../scripts/prove/run';
import { urlTarget } from '../../../scripts/prove/url-target';
import { drawTables } from './draw';
import { judgementOf } from './judgements';

/*
 * `make servers`: the engine as a black box, put to servers that others wrote, or whose framework others wrote. Each
 * cause of a failure has a judgement of a person in judgements.ts; one without is a failure of this program.
 */

/** A server, and how it is tested. */
interface Subject {
  readonly name: string;
  /** What it is made of. */
  readonly title: string;
  /** The program and its arguments; it listens on 127.0.0.1. */
  readonly command: (port: number) => readonly string[];
  /** A file, or a path of the server. */
  readonly document: string;
  readonly credentials: Json;
}

const FOLDER = __dirname;
const TOKEN = 'a-secret';
const PLANTS = join(FOLDER, '../../../openapi/plant-store.yaml');
const installed = (path: string): string => join(FOLDER, 'node_modules', path);
const GALAXY = installed('@scalar/galaxy/dist/3.1.json');
const own = (name: string) => () => [join(FOLDER, `servers/${name}.mjs`)];
const secrets = (valid: string, ...schemes: string[]): Record<string, Json> =>
  Object.fromEntries(schemes.map((scheme) => [scheme, { valid, invalid: 'wrong:wrong' }]));
const BEARER = secrets(TOKEN, 'bearerAuth');
// A mock server accepts any credentials.
const ANY = secrets(
  'a:b',
  'bearerAuth',
  'basicAuth',
  'apiKeyHeader',
  'apiKeyQuery',
  'apiKeyCookie',
  'oAuth2',
  'openIdConnect',
);

const plants = (name: string, title: string): Subject => ({
  name,
  title: `plants: ${title}`,
  command: own(name),
  document: PLANTS,
  credentials: BEARER,
});

const SUBJECTS: readonly Subject[] = [
  plants('fastify', 'fastify, fastify-openapi-glue'),
  plants('express', 'express, express-openapi-validator'),
  plants('hono', 'hono, @hono/zod-openapi'),
  plants('openapi-backend', 'openapi-backend on express'),
  {
    name: 'petstore',
    title: 'example of fastify-openapi-glue',
    command: own('petstore'),
    document: installed('fastify-openapi-glue/examples/petstore/petstore-openapi.v3.json'),
    credentials: secrets('any', 'petstore_auth', 'api_key'),
  },
  {
    name: 'fastify-swagger',
    title: 'example of @fastify/swagger',
    command: own('fastify-swagger'),
    document: '/openapi.json',
    credentials: secrets(TOKEN, 'apiKey'),
  },
  {
    name: 'scalar',
    title: '@scalar/mock-server on @scalar/galaxy',
    command: own('scalar'),
    document: GALAXY,
    credentials: ANY,
  },
  {
    name: 'prism',
    title: '@stoplight/prism-cli mock on @scalar/galaxy',
    command: (port) => [installed('@stoplight/prism-cli/dist/index.js'), 'mock', '-p', String(port), GALAXY],
    document: GALAXY,
    credentials: ANY,
  },
  {
    name: 'mockoon',
    title: '@mockoon/cli on @scalar/galaxy',
    command: (port) => [
      ...[installed('@mockoon/cli/bin/run.js'), 'start', '--data', GALAXY, '--port', String(port)],
      ...['--hostname', '127.0.0.1', '--disable-log-to-file', '--repair'],
    ],
    document: GALAXY,
    credentials: ANY,
  },
];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });

/** @throws {Error} if it does not listen within 20 seconds */
async function startServer({ name, command }: Subject, port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port), TOKEN };
  const child = spawn(process.execPath, command(port), { cwd: FOLDER, env, stdio: 'ignore' });
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    if (await isListening(port)) return child;
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error(`${name} does not listen on port ${port}`);
}

async function test(subject: Subject): Promise<Result> {
  const port = await freePort();
  const child = await startServer(subject, port);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const url = `http://127.0.0.1:${port}`;
    const target = {
      ...(await documentOf(subject, url)),
      // The servers of the document are those of its authors.
      servers: [{ url: subject.name === 'petstore' ? '/v2' : '/' }],
    };
    const { credentials } = subject;
    return await run(
      urlTarget({ url, document: target, credentials, write: true, requestsPerSecond: 1000, timeout: 2000 }),
      { generated: 25 },
    );
  } finally {
    process.off('exit', kill);
    kill();
  }
}

async function documentOf({ document }: Subject, url: string): Promise<JsonObject> {
  const isServed = document === '/openapi.json';
  const json = isServed
    ? await (await fetch(url + document)).text()
    : JSON.stringify(readSource(document).document);
  // Below `$id`, `#/components` is in the schema itself (JSON Schema 2020-12, core section 8.2.1): the references of the
  // Galaxy document lead nowhere. It means them without `$id`.
  return JSON.parse(json, (key, value: unknown) => (key === '$id' ? undefined : value)) as JsonObject;
}

/** The failures of a server by what a person found, and the causes that nobody has judged. */
function findings({ name }: Subject, failures: Result['failures']): { rows: string[][]; open: string[] } {
  const cases = new Map<string, { source: string; count: number }>();
  const open: string[] = [];
  for (const { cause, cases: count, rules } of groupFailures(failures)) {
    const judged = judgementOf(name, cause.sentence, rules);
    if (judged) {
      const known = cases.get(judged.is)?.count ?? 0;
      cases.set(judged.is, { source: judged.source, count: known + count });
    } else
      open.push(`${name}: ${count} cases: ${cause.sentence.slice(0, 200)} (${rules.slice(0, 3).join(', ')})`);
  }
  const rows = [...cases].map(([is, { source, count }]) => [name, is, source, String(count)]);
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

main(process.env['ONLY']).catch((error: unknown) => {
  console.error('tests/system/testers/:', error);
  process.exitCode = 1;
});
