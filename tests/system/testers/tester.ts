import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BODY_LIMIT,
  groupFailures,
  isOpen,
  type Json,
  type JsonObject,
  run,
  urlTarget,
  type UrlOptions,
} from '../../../scripts/prove';

/** A program that tests a server against its document. */
export interface Tester {
  readonly name: string;
  readonly title: string;
  /** The packages whose versions are told. */
  readonly packages: readonly string[];
  /** Whether it reads OpenAPI 3.0 only, and gets the document converted. */
  readonly reads30?: true;
  /** Whether it is put to the mutants of the documents of the tests too. */
  readonly readsAll?: true;
  /** For the prover, which runs in this process. */
  readonly options?: ProverOptions;
}

type ProverOptions = Pick<UrlOptions, 'profile' | 'bodyLimit' | 'refusalSchema'>;

/** What a tester is given. */
interface Job extends ProverOptions {
  /** The path of the document. */
  readonly document: string;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly folder: string;
  /** For the prover. */
  readonly credentials: Readonly<Record<string, unknown>>;
}

/** What it found: the names of the checks that failed, or why it could not run. */
export type Verdict =
  { readonly failures: readonly string[] } | { readonly error: string; readonly failures?: undefined };

export const TESTERS: readonly Tester[] = [
  {
    name: 'prover',
    title: 'ours, profile document',
    packages: [],
    readsAll: true,
    options: { profile: 'document' },
  },
  {
    name: 'prover-strict',
    title: 'ours, profile strict',
    packages: [],
    options: { profile: 'strict', bodyLimit: BODY_LIMIT, refusalSchema: '/components/schemas/Error' },
  },
  { name: 'specmatic', title: 'Specmatic, generative tests', packages: ['specmatic'] },
  { name: 'portman', title: 'Portman with Newman', packages: ['@apideck/portman', 'newman'] },
  {
    name: 'prism',
    title: 'Prism as a proxy, requests of Portman',
    packages: ['@stoplight/prism-cli', '@apideck/portman', 'newman'],
  },
  {
    name: 'jest-openapi',
    title: 'jest-openapi, 7 requests by hand',
    packages: ['jest-openapi'],
    reads30: true,
  },
  { name: 'dredd', title: 'Dredd', packages: ['dredd'], reads30: true },
  { name: 'stepci', title: 'Step CI', packages: ['@stepci/plugin-openapi', '@stepci/runner'], reads30: true },
];

const FOLDER = __dirname;
const require = createRequire(join(FOLDER, 'package.json'));

export const versionsOf = ({ packages }: Tester): string =>
  packages
    .map((name) => {
      const { version } = require(join(FOLDER, 'node_modules', name, 'package.json')) as { version: string };
      return `${name} ${version}`;
    })
    .join(', ');

/** Writes a document for a tester: as it is, or converted to OpenAPI 3.0. Returns the path of the file. */
export function writeDocument(folder: string, json: JsonObject, { reads30 }: Tester): string {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(reads30 ? convertTo30(json) : json, undefined, 2));
  return file;
}

function convertTo30(json: JsonObject): JsonObject {
  const { Converter } = require('@apiture/openapi-down-convert') as {
    Converter: new (document: JsonObject, options: object) => { convert(): JsonObject };
  };
  const options = { deleteExampleWithId: false, allOfTransform: false };
  return new Converter(structuredClone(json), options).convert();
}

/** Milliseconds that a run may take. */
const LIMIT = 60_000;

/** The prover as a black box. */
async function prove({ document, base, credentials, ...options }: Job): Promise<string[]> {
  const target = urlTarget({
    ...options,
    url: new URL(base).origin,
    document: JSON.parse(readFileSync(document, 'utf8')) as JsonObject,
    credentials: JSON.parse(JSON.stringify(credentials)) as Json,
    write: true,
    requestsPerSecond: 2000,
  });
  const { failures, obligations } = await run(target, { generated: 25, shrink: false });
  const open = obligations.filter(({ state }) => isOpen(state));
  return [
    ...groupFailures(failures).map(({ cause }) => cause.key),
    ...open.map(({ state, key }) => `${state} ${key}`),
  ];
}

/** Starts a tester: the prover here, any other in a process of its own. */
export function openTester({ name, options }: Tester) {
  const folder = mkdtempSync(join(tmpdir(), `tester-${name}-`));
  let child: ChildProcess | undefined;
  const end = (): void => {
    child?.removeAllListeners();
    child?.kill('SIGKILL');
    child = undefined;
  };
  const ask = async (job: Job): Promise<Verdict> => {
    child ??= fork(join(FOLDER, `testers/${name}.mjs`), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const settled = new AbortController();
    const { signal } = settled;
    const ended = once(child, 'exit', { signal }).then(
      ([code]) => `ended with exit status ${code ?? 'none'}`,
    );
    const late = sleep(LIMIT, `no result within ${LIMIT / 1000} s`, { signal });
    child.send(job);
    const answer = once(child, 'message', { signal }).then(([verdict]) => verdict as Verdict);
    const failed = Promise.race([ended, late]).then((error): Verdict => {
      end();
      return { error };
    });
    return Promise.race([answer, failed]).finally(() => {
      settled.abort();
      for (const one of [answer, failed]) one.catch(() => undefined);
    });
  };
  process.once('exit', end);
  return {
    folder,
    run: (job: Job): Promise<Verdict> =>
      options
        ? prove(job).then(
            (failures) => ({ failures }),
            (error: unknown) => ({ error: String(error) }),
          )
        : ask(job),
    close() {
      end();
      process.off('exit', end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that stays, before servers that come and go: testers keep one URL for all of them. It passes bytes on as they are. */
export async function openSwitch() {
  const clients = new Set<Socket>();
  let target = 0;
  const server = createServer((client) => {
    clients.add(client);
    pipeline(client, connect(target, '127.0.0.1'), client, () => clients.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  /** Passes bytes on to this port from now on, and ends what is connected. */
  const to = (port: number): void => {
    for (const client of clients) client.destroy();
    target = port;
  };
  const close = (): void => {
    to(0);
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, to, close };
}
