import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BODY_LIMIT } from '../../../scripts/prove/service/service-target';
import type { JsonObject } from '../../../scripts/prove/json/tree';
import type { Profile } from '../../../scripts/prove/profile';

/** A program that tests a server against its document. */
export interface Tester {
  readonly name: string;
  /** Its file in testers/; that of its name by default. */
  readonly program?: string;
  readonly title: string;
  /** The packages whose versions are told. */
  readonly packages: readonly string[];
  /** Whether it reads OpenAPI 3.0 only, and gets the document converted. */
  readonly reads30?: true;
  /** Whether it is put to the mutants of the documents of the tests too. */
  readonly readsAll?: true;
  /** What it is given beyond the job of all. */
  readonly options?: Pick<Job, 'profile' | 'bodyLimit' | 'refusalSchema'>;
}

/** What a tester is given. */
export interface Job {
  /** The path of the document. */
  readonly document: string;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly folder: string;
  /** For the engine. */
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly profile?: Profile;
  readonly bodyLimit?: number;
  readonly refusalSchema?: string;
}

/** What it found: the names of the checks that failed, or why it could not run. */
export type Verdict = { readonly failures: readonly string[] } | { readonly error: string };

export const TESTERS: readonly Tester[] = [
  { name: 'engine', title: 'ours, profile document', packages: [], program: 'engine.ts', readsAll: true },
  {
    name: 'engine-strict',
    title: 'ours, profile strict',
    packages: [],
    program: 'engine.ts',
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
const TSX = pathToFileURL(require.resolve('tsx')).href;

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

/** Starts a tester in a process of its own. */
export function openTester({ name, program = `${name}.mjs` }: Tester) {
  const folder = mkdtempSync(join(tmpdir(), `tester-${name}-`));
  let child: ChildProcess | undefined;
  const start = (): ChildProcess =>
    fork(join(FOLDER, 'testers', program), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: program.endsWith('.ts') ? ['--import', TSX] : [],
    });
  const end = (): void => {
    child?.removeAllListeners();
    child?.kill('SIGKILL');
    child = undefined;
  };
  process.once('exit', end);
  return {
    folder,
    run(job: Job): Promise<Verdict> {
      const running = (child ??= start());
      return new Promise((resolve) => {
        const settle = (verdict: Verdict, broken: boolean): void => {
          clearTimeout(timer);
          running.removeAllListeners();
          if (broken) end();
          resolve(verdict);
        };
        const timer = setTimeout(() => {
          settle({ error: `no result within ${LIMIT / 1000} s` }, true);
        }, LIMIT);
        running.once('message', (verdict) => {
          settle(verdict as Verdict, false);
        });
        running.once('exit', (code) => {
          settle({ error: `ended with exit status ${code ?? 'none'}` }, true);
        });
        running.send(job);
      });
    },
    close() {
      end();
      process.off('exit', end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
