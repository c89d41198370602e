/**
 * Serves the code while you edit it. A change in openapi/ runs `generate`; any change runs the type check and the
 * compiler, and replaces the server. After an error the previous server keeps running. Tests and scripts are checked in
 * the background, because the server does not need them.
 *
 * The servers are workers of node:cluster and share one port. The new worker listens before the old one stops, so no
 * request is lost. A worker that does not start replaces nothing.
 */
import { type ChildProcess, fork } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { Compiler } from '../compiler/compiler';
import { generate } from '../generate/main';
import { root, SOURCES } from '../paths';
import type { RestChecked } from './rest';
import { createDevSecrets, type DevSecrets } from './dev-secrets';
import { SourceError } from '../document/source/source';
import { watchFolder } from './watch';

/** Milliseconds without a change before an update starts: an editor writes a file in several steps. */
const SETTLE = 50;

/** The generated secrets; undefined until the first server starts. */
let secrets: DevSecrets | undefined;
/** Whether a person has been told how to call the server. */
let invited = false;

/** Generates the secrets once. Without them each server generates its own, and prints what is wrong. */
function begin(): DevSecrets | undefined {
  try {
    const created = createDevSecrets();
    for (const variable of created.signing)
      console.log(`${variable} is not set: a generated secret signs tokens until this program ends`);
    return created;
  } catch {
    return undefined;
  }
}

const compiler = new Compiler('src/tsconfig.json');
let serving: Worker | undefined;
/** The worker that does not listen yet. */
let starting: Worker | undefined;
/** Whether this process ends. The server has then got Ctrl-C too, and the signal of this process ends it at once. */
let ending = false;

/** Milliseconds in which a server that listens prints where: what follows from it is printed after that. */
const ANNOUNCED = 100;

/** Resolves with whether the new server listens, once no request reaches the old one. */
function swap(): Promise<boolean> {
  return new Promise((resolve) => {
    secrets ??= begin();
    const worker = (starting = cluster.fork(secrets?.environment));
    worker.once('exit', (code) => {
      if (worker === starting) starting = undefined;
      if (worker === serving) {
        serving = undefined;
        if (!worker.exitedAfterDisconnect && !ending)
          console.log(`the server exited with ${code}; edit a file to restart it`);
      }
      resolve(false);
    });
    let awaited = process.env['OPS_PORT']?.trim() ? 2 : 1; // the listener of probes is the first
    worker.on('listening', ({ address, port }) => {
      if (--awaited !== 0) return;
      const last = serving;
      serving = worker;
      starting = undefined;
      setTimeout(() => {
        const invitation = invited ? undefined : secrets?.invite(`http://${address}:${port}`);
        if (invitation !== undefined) console.log(invitation);
        invited = true;
        void (last ? end(last) : Promise.resolve()).then(() => {
          resolve(true);
        });
      }, ANNOUNCED);
    });
  });
}

/** Milliseconds between SIGTERM to a server and the end of its channel to this process. */
const DRAIN = 1000;

/**
 * Drains a server. Also disconnects it, because the channel to this process keeps it alive. Resolves when it gets no more
 * connections.
 */
function end(worker: Worker): Promise<void> {
  worker.process.kill('SIGTERM');
  return new Promise((resolve) => {
    // Its listener is closed. node:cluster has no public event for this: without it the promise resolves after the delay.
    worker.process.on('internalMessage', ({ act }: { readonly act?: string }) => {
      if (act === 'close') resolve();
    });
    worker.once('disconnect', () => {
      resolve();
    });
    // Delayed, because disconnecting closes connections that have not sent a request yet (seen on Node 26).
    setTimeout(() => {
      if (worker.isConnected()) worker.disconnect();
      resolve();
    }, DRAIN);
  });
}

/** The process that checks tests and scripts. */
let rest: ChildProcess | undefined;
/** The number of its checks so far. */
let checks = 0;

function checkRest(): void {
  rest ??= startRest();
  rest.send(++checks, () => undefined); // if it cannot be sent, `exit` follows
}

function startRest(): ChildProcess {
  const child = fork(require.resolve('./rest'), { cwd: root });
  child.on('message', ({ check, errors }: RestChecked) => {
    if (check === checks && errors !== undefined)
      console.log(`\n${errors}\nthe server keeps running with the previous files\n`);
  });
  child.once('exit', (status, signal) => {
    rest = undefined;
    if (!ending)
      console.log(
        `the check of tests and scripts ended with ${signal ?? status}; it restarts with the next change`,
      );
  });
  return child;
}

/** Generates if `sources` is true, compiles, and replaces the server. Prints the result. */
async function update(sources: boolean): Promise<void> {
  const started = performance.now();
  const failed = (message: string) => {
    const still = serving
      ? 'the previous server keeps running'
      : 'no server runs until this is fixed and a file is saved';
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
  console.log('compiling src/ ...');
  const mistakes = compiler.compile();
  if (mistakes !== undefined) failed(mistakes);
  else if (await swap()) {
    console.log(`serving the current files after ${Math.round(performance.now() - started)} ms\n`);
    checkRest();
  } else if (changed.size === 0) failed('the server did not start');
}

/** The folders that have changed since the last update. */
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

/** Serves until a signal ends the process. */
export function dev(): void {
  cluster.setupPrimary({
    exec: path.join(root, 'dist/main.js'),
    execArgv: ['--enable-source-maps'],
    cwd: root,
    args: [],
  });
  for (const folder of [SOURCES, 'src']) {
    watchFolder(path.join(root, folder), () => {
      changed.add(folder);
      clearTimeout(timer);
      timer = setTimeout(() => {
        starting?.process.kill('SIGKILL'); // it is stale, and the next update would wait for it
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
      ending = true;
      rest?.kill();
      if (serving) serving.once('exit', () => process.exit(0));
      else process.exit(0);
      for (const worker of Object.values(cluster.workers ?? {})) if (worker) void end(worker);
    });
  }
  void settle();
}
