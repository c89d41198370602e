/**
 * Serves what is being edited: on a change of openapi/ generates, on any change type-checks, compiles and swaps the
 * server. With a mistake the last good server goes on. Tests and scripts are checked beside the server, which needs none.
 *
 * The servers are workers of node:cluster, which share the port: the new one listens before the old one ends, so that
 * no request is lost, and one that does not start replaces nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { Compiler } from './compiler';
import { generate } from '../generate/main';
import { root, SOURCES } from '../paths';
import { SourceError } from '../source/source';
import { watchFolder } from './watch';

/** Milliseconds without a change before work begins: an editor writes a file in several steps. */
const SETTLE = 50;

cluster.setupPrimary({
  exec: path.join(root, 'dist/main.js'),
  execArgv: ['--enable-source-maps'],
  cwd: root,
});
/** One for the whole session: else every swap would refuse the token that worked a moment ago. */
const made = randomBytes(24).toString('base64url');
const configured = process.env['API_TOKENS'] ?? process.env['API_TOKENS_FILE'];
const environment = configured === undefined ? { API_TOKENS: made } : {};

const compiler = new Compiler();
let serving: Worker | undefined;
/** Does not listen yet, and may never. */
let starting: Worker | undefined;

/** Resolves once the new server listens, or has failed to. */
function swap(): Promise<boolean> {
  return new Promise((resolve) => {
    const worker = (starting = cluster.fork(environment));
    worker.once('exit', (code) => {
      if (worker === starting) starting = undefined;
      if (worker === serving) {
        serving = undefined;
        if (!worker.exitedAfterDisconnect)
          console.log(`the server ended with ${code}; it starts again after an edit`);
      }
      resolve(false);
    });
    worker.once('listening', () => {
      const last = serving;
      serving = worker;
      starting = undefined;
      if (last) end(last);
      resolve(true);
    });
  });
}

/** Milliseconds that a server has to drain before its channel to this process is closed. */
const DRAIN = 1000;

/** Drains a server. Disconnected too, since the channel to this process would keep it alive. */
function end(worker: Worker): void {
  worker.process.kill('SIGTERM');
  // Not at once: it closes connections on which no request has arrived yet (seen on Node 26).
  setTimeout(() => {
    if (worker.isConnected()) worker.disconnect();
  }, DRAIN);
}

/** The check of tests and scripts that runs. */
let checking: ChildProcess | undefined;

/** In a process of its own: this one hands out the connections of the server. */
function checkRest(): void {
  checking?.kill();
  const child = (checking = spawn(path.join(root, 'node_modules/.bin/tsc'), {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  }));
  let found = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (found += text));
  child.once('close', () => {
    if (child === checking && found !== '') console.log(`\n${found}\nthe server goes on without these\n`);
  });
}

/** Brings the server up to what the files say, and tells how that went. */
async function update(sources: boolean): Promise<void> {
  const started = performance.now();
  const failed = (message: string) => {
    const still = serving ? 'the last good server goes on' : 'nothing is served until this is right';
    console.log(`\n${message}\n\n${still}\n`);
  };
  if (sources) {
    try {
      console.log((await generate()).join('\n'));
    } catch (error) {
      failed(error instanceof SourceError ? error.message : inspect(error));
      return;
    }
  }
  const mistakes = compiler.compile();
  if (mistakes !== undefined) failed(mistakes);
  else if (await swap()) {
    console.log(`serving what is there, after ${Math.round(performance.now() - started)} ms\n`);
    checkRest();
  } else if (changed.size === 0) failed('the server did not start');
}

/** What has changed since the last update; `src` or `openapi`. */
const changed = new Set([SOURCES]);
let timer: NodeJS.Timeout | undefined;
let updating = false;

async function settle(): Promise<void> {
  if (updating) return;
  updating = true;
  while (changed.size > 0) {
    const sources = changed.has(SOURCES);
    changed.clear();
    await update(sources);
  }
  updating = false;
}

for (const folder of [SOURCES, 'src']) {
  watchFolder(path.join(root, folder), () => {
    changed.add(folder);
    clearTimeout(timer);
    timer = setTimeout(() => {
      starting?.process.kill('SIGKILL'); // it is of yesterday, and would be waited for
      void settle();
    }, SETTLE);
  });
}
for (const folder of ['tests', 'scripts']
  .map((name) => path.join(root, name))
  .filter((name) => existsSync(name))) {
  let timer: NodeJS.Timeout | undefined;
  watchFolder(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(checkRest, SETTLE);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    checking?.kill();
    if (serving) serving.once('exit', () => process.exit(0));
    else process.exit(0);
    for (const worker of Object.values(cluster.workers ?? {})) if (worker) end(worker);
  });
}
if (configured === undefined) console.log(`API_TOKENS is not set; the token of this session is ${made}\n`);
void settle();
