import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { startProcess } from '../../../../scripts/testing/process';
import { SOURCES } from '../../../../scripts/testing/sources';

const ROOT = join(__dirname, '../../../..');
const folder = keepFolder();

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** The function that reads a document, and the one that compiles it. */
const COUNTED = { readings: ['document/references', 'read'], compilations: ['compile', 'compile'] } as const;

/** How often a program called them, as V8 counted it in each thread (https://nodejs.org/api/cli.html#node_v8_coveragedir). */
function counted(dir: string): Record<string, number> {
  const reports = readdirSync(dir).map(
    (name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as Coverage,
  );
  const scripts = reports.flatMap(({ result }) => result);
  const calls = Object.entries(COUNTED).map(([what, [file, name]]) => {
    const own = scripts.filter(({ url }) => new RegExp(`/contract/${file}\\.[jt]s$`).test(url));
    const functions = own
      .flatMap((script) => script.functions)
      .filter(({ functionName }) => functionName === name);
    return [what, functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)] as const;
  });
  return Object.fromEntries(calls);
}

const TSX = [...SOURCES];
const PREFLIGHT = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };

it.each([
  ['a server', ['dist/main.js'], { readings: 1, compilations: 1 }],
  [
    'a mock',
    [...TSX, 'packages/command/src/cli.ts', 'mock', 'openapi/plant-store.yaml'],
    { readings: 1, compilations: 1 },
  ],
  [
    'make contract, which starts four servers',
    [...TSX, 'packages/command/src/cli.ts', 'contract', '--report', join(folder, 'report')],
    { readings: 1, compilations: 1 },
  ],
  ['make todo', [...TSX, 'packages/command/src/cli.ts', 'todo'], { readings: 1, compilations: 0 }],
])('%s reads the document once and compiles it at most once', async (_, args, calls) => {
  const dir = mkdtempSync(join(folder, 'coverage-'));
  const [program] = args.filter((arg) => arg.includes('/'));
  const env = {
    NODE_V8_COVERAGE: dir,
    NODE_DISABLE_COMPILE_CACHE: '1', // compiled code of a cache is not counted
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: 'memory:',
    CORS_ORIGINS: PREFLIGHT.Origin,
  };
  const running = startProcess(args, env, ROOT);
  if (program === 'dist/main.js' || args.includes('mock')) {
    const [url] = await running.printed(/http:\/\/[\d.]+:\d+/);
    expect((await fetch(`${url}/plants`, { method: 'OPTIONS', headers: PREFLIGHT })).status).toBe(204);
    if (program === 'dist/main.js') expect((await fetch(`${url}/-/docs`)).status).toBe(200);
    await running.printed(/curl -i|  200  /); // the invitation; the answers that the mock has found
    expect(await running.stop()).toBe(0);
  } else expect(await running.exit).toBe(0);
  expect(counted(dir)).toEqual(calls);
});
