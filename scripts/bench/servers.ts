import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Message } from 'contract-first-server';
import { delayed } from '../testing/delayed';
import { startPostgres } from '../testing/postgres';
import { startChild } from '../program';
import { type Contract, type Expectation, ITEMS, TOKEN } from './contracts';

const ROOT = join(__dirname, '../..');
export const DIST = join(ROOT, 'dist');
const peer = (name: string): string => join(__dirname, `peers/${name}.mjs`);

/** A program to be measured. */
export interface Subject {
  readonly name: string;
  readonly file: string;
  /** What it does for a request, in a line. */
  readonly included: string;
  /** Loaded before the program. */
  readonly preload?: string;
  readonly database?: 'sqlite' | 'postgres';
  /** Milliseconds that a round trip to the database takes longer than on this machine. */
  readonly distance?: number;
  /** What it serves, where it is not that of the comparison. */
  readonly contract?: Contract;
  /** How many of the requests of a round it gets, where it would take minutes for all of them. 1 by default. */
  readonly share?: number;
  /** Whether it judges requests by the document, as all but one do. */
  readonly judges?: boolean;
}

const ALL =
  'path, credentials, request and response judged, int64 exact, duplicate keys refused, limits, deadlines';

export const OURS: Subject = {
  name: 'ours',
  file: join(DIST, 'main.js'),
  included: `${ALL}; metrics and request ids`,
};
/** The same server for other documents than that of the plants. */
export const SERVICE: Subject = { ...OURS, file: peer('service') };
/** The same core without the program around it. */
export const CORE: Subject = { name: 'core', file: peer('ours'), included: `${ALL}; no metrics` };
/** What a plant costs by where it is kept. */
export const SQLITE: Subject = { ...OURS, database: 'sqlite' };
export const POSTGRES: Subject = { ...OURS, database: 'postgres' };
export const MEMORY: Subject = { ...OURS, name: 'memory', included: 'ours, without a database' };
export const COMMIT_EACH: Subject = {
  ...SQLITE,
  name: 'a commit each',
  included: 'ours on SQLite, one plant at a time: none shares a commit',
  preload: join(__dirname, './commit-each.mjs'),
  share: 0.1,
};
/** The same server, built in another checkout of the project; undefined if it has none. */
export function inCheckout(checkout: string, subject: Subject): Subject | undefined {
  const file = join(checkout, relative(ROOT, subject.file));
  return existsSync(file)
    ? { ...subject, name: 'before', file, included: `${subject.name} of ${checkout}` }
    : undefined;
}
export const BARE: Subject = {
  name: 'bare',
  file: peer('bare'),
  included: 'node:http, JSON.parse, JSON.stringify; a plant is judged by hand, a list not at all',
  judges: false,
};
export const FASTIFY: Subject = {
  name: 'fastify',
  file: peer('fastify'),
  included: 'fastify and openapi-glue: request judged; response not, but written and cut by its schema',
};
export const FASTIFY_JUDGED: Subject = {
  name: 'fastify, judged',
  file: peer('fastify-judged'),
  included: 'the same with @fastify/response-validation: the value is judged before it is written',
};
export const README: Subject = {
  name: 'README',
  file: peer('readme'),
  included: 'express, express-openapi-validator, passport, as their READMEs wire them: both judged',
};
export const HONO: Subject = {
  name: 'hono',
  file: peer('hono'),
  included: 'hono and zod-openapi: request judged',
};
export const BACKEND: Subject = {
  name: 'openapi-backend',
  file: peer('openapi-backend'),
  included: 'openapi-backend on express: request judged',
};

/** What a server has used so far. */
export interface Usage {
  /** Microseconds, user and system together. */
  readonly cpu: number;
  /** Microseconds of its PostgreSQL. */
  readonly databaseCpu: number;
  /** Bytes that are resident. */
  readonly memory: number;
}

export interface Server {
  readonly port: number;
  /** Milliseconds from its spawn to its first successful response. */
  readonly startup: number;
  used(): Promise<Usage>;
  stop(): Promise<void>;
}

export function send(port: number, { method, path, headers, body }: Message): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...headers }, body: body ?? null });
}

/** A database of its own for a server. */
export async function startDatabase(
  { database, distance = 0 }: Pick<Subject, 'database' | 'distance'>,
  folder: string,
) {
  if (database !== 'postgres')
    return {
      url: database ? `sqlite:${join(folder, 'plants.db')}` : 'memory:',
      cpu: () => 0,
      stop: () => Promise.resolve(),
    };
  const postgres = await startPostgres();
  const proxy = distance > 0 ? await delayed(postgres.port, distance) : undefined;
  const url = await postgres.createDatabase();
  return {
    url: url.replace(`:${postgres.port}/`, `:${proxy?.port ?? postgres.port}/`),
    /** Of the processes that still run: nanoseconds in the first place of each file (Linux only). */
    cpu: () =>
      postgres.processes().reduce((sum, pid) => {
        try {
          return sum + Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, 'utf8')) / 1000;
        } catch {
          return sum; // it has ended
        }
      }, 0),
    async stop() {
      await proxy?.close();
      await postgres.remove();
    },
  };
}

/** Starts a server in a process of its own, and waits for its response to the first expectation. */
export async function startServer(subject: Subject, { document, expectations }: Contract): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const write = (name: string, value: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  const database = await startDatabase(subject, folder);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: '0',
    API_TOKENS: TOKEN,
    LOG_LEVEL: 'warn', // no peer writes a line for every request
    BODY_LIMIT: '1000000',
    DATABASE_URL: database.url,
    BENCH_DOCUMENT: write('document.json', document),
    BENCH_ITEMS: write('items.json', ITEMS),
  };
  const preload = [
    join(__dirname, './probe.mjs'),
    ...(subject.preload === undefined ? [] : [subject.preload]),
  ];
  const began = performance.now();
  const child = startChild(subject.name, subject.file, [], {
    env,
    execArgv: preload.flatMap((file) => ['--require', file]),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = await child.next<{ port: number }>();
  const [first] = expectations;
  if (first) await (await send(port, first.message)).text();
  return {
    port,
    startup: performance.now() - began,
    used: async () => ({ ...(await child.ask<Usage>({})), databaseCpu: database.cpu() }),
    async stop() {
      await child.kill();
      await database.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** What a server answers otherwise than it must; to measure that would compare unlike things. */
export async function check(
  { port }: Pick<Server, 'port'>,
  subject: Subject,
  expectations: readonly Expectation[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { message, status, body, judged } of expectations) {
    if (judged && subject.judges === false) continue;
    const response = await send(port, message);
    const text = await response.text();
    const same = body === undefined || isDeepStrictEqual(text === '' ? undefined : JSON.parse(text), body);
    if (response.status === status && same) continue;
    const { method, path } = message;
    wrong.push(`${method} ${path}: expected ${status}, got ${response.status} ${text.slice(0, 200)}`);
  }
  return wrong;
}
