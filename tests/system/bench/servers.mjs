import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { send, TOKEN } from './request.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * What is measured. Ours must answer rightly, a peer that does not is only left out; `responses` says how a response is
 * held to the document.
 */
export const SERVERS = [
  {
    name: 'ours, memory',
    file: at('../../../dist/main.js'),
    database: 'memory',
    ours: true,
    responses: 'validated',
  },
  {
    name: 'ours, SQLite',
    file: at('../../../dist/main.js'),
    database: 'sqlite',
    ours: true,
    responses: 'validated',
  },
  { name: 'bare node:http', file: at('peers/bare-node.mjs'), responses: 'written by hand' },
  { name: 'fastify + openapi-glue', file: at('peers/fastify-glue.mjs'), responses: 'cut to the schema' },
  { name: 'hono + zod-openapi', file: at('peers/hono-zod.mjs'), responses: 'unchecked' },
  { name: 'openapi-backend, express', file: at('peers/openapi-backend.mjs'), responses: 'unchecked' },
  { name: 'express + validator, README', file: at('peers/express-readme.mjs'), responses: 'validated' },
];

/** Those that can be given a document of any number of operations. */
export const SCALABLE = [
  { name: 'ours', file: at('peers/ours.mjs'), ours: true },
  { name: 'fastify + openapi-glue', file: at('peers/fastify-glue.mjs') },
  { name: 'express + validator, README', file: at('peers/express-readme.mjs') },
];

/** Resolves with the next message of a child process, unless it ends before. */
function nextMessage(child, name) {
  return new Promise((resolve, reject) => {
    const ended = (code, signal) => {
      reject(new Error(`${name} ended with ${signal ?? `code ${code}`} before it answered`));
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}

/** Starts a child process that is asked by messages, one at a time. */
function startChild(name, file, options) {
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options });
  return {
    ready: () => nextMessage(child, name),
    ask(question) {
      const answer = nextMessage(child, name);
      child.send(question);
      return answer;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve).kill();
      }),
  };
}

/** Starts the load generator, a process of its own. */
export const startLoad = () => startChild('the load generator', at('load.mjs'), {});

/**
 * Starts a server in a process of its own.
 *
 * @returns its origin; `startup`, the milliseconds from spawn to the first plant created; and how to ask what it has
 *   used so far: `cpu` in microseconds, user and system together, and resident `memory` in bytes
 */
export async function startServer({ name, file, database }, operations = 1) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: '0',
    API_TOKENS: TOKEN,
    LOG_LEVEL: 'warn', // no peer writes a line for every request
    DATABASE_URL: database === 'sqlite' ? `sqlite:${join(folder, 'plants.db')}` : 'memory:',
    BENCH_OPERATIONS: String(operations),
  };
  const started = performance.now();
  const child = startChild(name, file, { env, execArgv: ['--require', at('probe.mjs')] });
  const { port } = await child.ready();
  const origin = `http://127.0.0.1:${port}`;
  await send(origin, 0);
  return {
    origin,
    startup: performance.now() - started,
    used: () => child.ask({}),
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
