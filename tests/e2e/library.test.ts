import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { keepFolder } from '../support/folder';
import { installBeside, TARBALL } from '../support/package';
import { type Postgres, startPostgres } from '../support/postgres';
import { type RunningProcess, startProcess } from '../support/process';

// The first hour of a service: the commands of docs/first-hour.md, as they stand.

jest.setTimeout(600_000);

const ROOT = resolve(__dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/first-hour.md'), 'utf8');
const [LAY_OUT = '', ...BLOCKS] = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);

const folder = keepFolder();
const service = join(folder, 'library');
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

/** What the commands print, beside the addresses and ports of the test. */
async function follow(url: string): Promise<string[]> {
  let server: RunningProcess | undefined;
  let address = '';
  const printed: string[] = [];
  for (const block of BLOCKS) {
    if (block === 'make run\n') {
      await server?.stop();
      execFileSync(join(service, 'node_modules/.bin/tsc'), ['-p', 'src'], { cwd: service });
      server = startProcess([join(service, 'dist/main.js')], { PORT: '0' }, service);
      [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
      continue;
    }
    const commands = block
      .replaceAll('http://127.0.0.1:3000', address)
      .replace(/postgres:\/\/\S+/, url)
      // The packages are installed, from no registry.
      .replace(/\bmake (?=[a-z])/g, 'make -s -o ./node_modules/.package-lock.json ');
    // A terminal keeps its variables.
    const script = `set -e -o pipefail; touch ../kept; . ../kept; trap 'declare -p TOKEN > ../kept 2>/dev/null || true' EXIT\n${commands}`;
    const env = {
      ...process.env,
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HERE: ROOT,
    };
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: service, env });
    printed.push(stdout + stderr);
  }
  expect(await server?.stop()).toBe(0);
  return printed;
}

test('the commands of the first hour work as they stand, and end in a service that is proven on both databases', async () => {
  expect(LAY_OUT).toContain('make new DIR=../library DOC=tests/e2e/library/library.yaml\ncd ../library\n');
  installBeside(folder, TARBALL);
  const options = ['--package', TARBALL, '--modules', join(folder, 'node_modules')];
  const command = ['scripts/new/main.ts', service, 'tests/e2e/library/library.yaml', ...options];
  const said = execFileSync(join(ROOT, 'node_modules/.bin/tsx'), command, { cwd: ROOT, encoding: 'utf8' });
  expect(said).toMatch(/and 5 stubs of handlers[^]*UNPROVEN 0, BLOCKED 0/);

  const url = new URL(await postgres.createDatabase());
  const admin = new Client({ connectionString: String(url) });
  await admin.connect();
  await admin.query('CREATE DATABASE library_test');
  await admin.end();
  url.pathname = '/library_test';
  const printed = await follow(String(url));
  const [users = '', first = '', copied = '', , filtered = '', column = '', proven = ''] = printed;
  expect(users).toMatch(/"authors":\[\{"name":"Jane Austen","born":"1775-12-16","id":1\}\],"total":1/);
  expect(first).toContain('5 operations are stubs');
  expect(first).toMatch(/STUB \d+, PROVEN \d+\/607, WAIVED 4, UNPROVEN 0, BLOCKED 0/);

  const [, added = '', deleted = ''] = /(\d+) insertions\(\+\), (\d+) deletions/.exec(copied) ?? [];
  expect(Number(added)).toBeLessThan(310);
  expect(Number(deleted)).toBeLessThan(60);
  expect(
    execFileSync('git', ['diff', '--cached', '--diff-filter=D', '--name-only'], { cwd: service }).toString(),
  ).toBe('');

  expect(filtered).toMatch(/"title":"Pride and Prejudice"[^\n]*"available":true\}\],"total":1\}/);
  expect(filtered).toMatch(/"title":"Emma"[^\n]*"available":false,"mine":true\}\],"total":1\}/);
  expect(column).toMatch(/ 2 {2}shelves\n/);
  expect(column).toContain('seeded\n');
  expect(proven.match(/^PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/gm)).toHaveLength(2);
});
