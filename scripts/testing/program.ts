import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from './folder';
import { type RunningProcess, startProcess } from './process';

/** The built server (`dist/main.js`) as a separate process. */
export interface Program extends RunningProcess {
  /** The URL of its listener. */
  readonly url: string;
}

type Environment = Readonly<Record<string, string>>;

/** Milliseconds within which the server must listen or exit. */
const START_TIMEOUT = 20_000;

/** Resolves with the result of `awaited`, or kills the server on timeout. */
async function within<T>({ stop }: RunningProcess, awaited: Promise<T>): Promise<T> {
  const timer = setTimeout(() => void stop('SIGKILL'), START_TIMEOUT);
  try {
    return await awaited;
  } finally {
    clearTimeout(timer);
  }
}

function spawnProgram(env: Environment, cwd?: string): RunningProcess {
  const usual = { HOST: '127.0.0.1', PORT: '0', DATABASE_URL: 'memory:' };
  return startProcess([join(__dirname, '../../dist/main.js')], { ...usual, ...env }, cwd);
}

/**
 * Starts the server on a free port, with a store in memory unless `env` names another one.
 *
 * @throws {Error} with its output, if it exits instead of listening (is it built?)
 */
export async function startProgram(env: Environment = {}, cwd?: string): Promise<Program> {
  const server = spawnProgram(env, cwd);
  const [, url = ''] = await within(server, server.printed(/ on (http:\/\/[\d.]+:\d+)/));
  return { ...server, url };
}

/**
 * Starts servers in the tests of a file, with these variables beside those of the test. Each must end after its test with
 * status 0. Call it once, at the top.
 */
export function useServers(usual: Environment) {
  const started: Program[] = [];
  afterEach(async () => {
    for (const { stop } of started.splice(0)) expect(await stop()).toBe(0);
  });
  return async (env: Environment = {}): Promise<Program> => {
    const server = await startProgram({ ...usual, ...env });
    started.push(server);
    return server;
  };
}

/** Starts a server that must not listen. Resolves with its exit status and its output. */
export async function failProgram(env: Environment) {
  const server = spawnProgram(env);
  return { status: await within(server, server.exit), output: server.output() };
}

/**
 * The environment of a server whose handlers are replaced, before it starts, by what is written here: an expression of
 * `handler` and `request`.
 *
 * @param before statements that run once
 */
export function withHandlers(expression: string, before = ''): Environment {
  const file = join(ownFolder(), 'changed-handlers.js');
  const handlers = join(__dirname, '../../dist/handlers/index.js');
  const code = `const handlers = require(${JSON.stringify(handlers)});
    const { createHandlers } = handlers;
    ${before}
    handlers.createHandlers = (dependencies) =>
      Object.fromEntries(
        Object.entries(createHandlers(dependencies)).map(([id, handler]) => [id, (request) => (${expression})]),
      );`;
  writeFileSync(file, code);
  return { NODE_OPTIONS: `--require=${file}` };
}

/** The log lines of the server, up to the line about this request. */
export async function logUntil(program: Program, requestId: string): Promise<Record<string, unknown>[]> {
  await program.printed(new RegExp(`"requestId":"${requestId}".*\n`));
  const lines = program.output().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
