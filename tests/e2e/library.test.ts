import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { keepPostgres } from '../support/databases';
import { keepFolder } from '../support/folder';
import { installBeside, layOut, TARBALL } from '../support/package';
import { commandsOf, followCommands } from '../support/page';
import { type RunningProcess, startProcess } from '../support/process';

// The first hour of a service: the commands of docs/tutorial.md, as they stand.

jest.setTimeout(600_000);

const [LAY_OUT = '', ...BLOCKS] = commandsOf('tutorial.md');

const folder = keepFolder();
const service = join(folder, 'library');
const createDatabase = keepPostgres();

/** What the commands print, beside the addresses and ports of the test. */
async function follow(url: string): Promise<string[]> {
  let server: RunningProcess | undefined;
  let address = '';
  const printed: string[] = [];
  for (const block of BLOCKS) {
    if (block === 'npm run build && npm start\n') {
      await server?.stop();
      execFileSync(join(service, 'node_modules/.bin/tsc'), ['-p', 'src'], { cwd: service });
      server = startProcess([join(service, 'dist/main.js')], { PORT: '0' }, service);
      [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
      continue;
    }
    const commands = block.replaceAll('http://127.0.0.1:3000', address).replace(/postgres:\/\/\S+/, url);
    printed.push(await followCommands(service, commands));
  }
  expect(await server?.stop()).toBe(0);
  return printed;
}

test('the commands of the first hour work as they stand, and end in a service that is proven on both databases', async () => {
  expect(LAY_OUT).toContain(
    'contract-first new tests/e2e/library/library.yaml --dir ../library\ncd ../library\n',
  );
  installBeside(folder, TARBALL);
  const said = layOut(service, 'tests/e2e/library/library.yaml');
  expect(said).toMatch(/and 5 stubs of handlers[^]*UNPROVEN 0, BLOCKED 0/);

  const printed = await follow(await createDatabase('library_test'));
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
