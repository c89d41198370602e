import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The Node that is used stands in .nvmrc, the oldest that is supported in package.json: here, and in a new service. */
const USED = read('.nvmrc').trim();
const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
const OLDEST = /^\^(\d+\.\d+) \|\| >=\d+\.\d+$/.exec(engines.node)?.[1];

/** Files that say what a program does, and not what was measured or what a person reads. */
const isProgram = (file: string): boolean =>
  /(?:^|\/)(?:Dockerfile|Makefile|run|image|migrations|[^/]+\.(?:ya?ml|json|mjs))$/.test(file) &&
  !/package-lock|(^|\/)tests\/|^openapi\/|^generated\/|^reports\//.test(file);

/** The places that name a version of Node. */
function places(): string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const near = /node[^\n]{0,60}?\b(?:2[0-9])(?:\.\d+)*\b|\b2[0-9]\.\d+(?:\.\d+)?\b[^\n]{0,30}node/i;
  return files
    .split('\n')
    .filter(isProgram)
    .flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => near.test(line) && !/@types\/node|"description"|opentelemetry/.test(line))
        .map((line) => `${file}: ${line.trim().replace(/,$/, '')}`),
    );
}

test('a version of Node stands in one place', () => {
  expect(USED).toMatch(/^\d+\.\d+\.\d+$/);
  expect(OLDEST).toBeDefined();
  expect(read('packages/command/layout/.nvmrc').trim()).toBe(USED);
  const major = USED.split('.')[0] ?? '';
  expect(places()).toEqual([
    // It tests the oldest, the used and the others.
    expect.stringMatching(`^\\.github/workflows/ci\\.yml: node: \\[${OLDEST ?? ''}, .*\\b${major}\\b.*\\]$`),
    `package.json: "node": "${engines.node}"`,
    ...['command/layout', 'command', 'database', 'prover', 'server'].map(
      (name) => `packages/${name}/package.json: "node": "${engines.node}"`,
    ),
  ]);
});
