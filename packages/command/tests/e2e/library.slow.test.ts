import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createDatabase } from '../../../../scripts/testing/shared-postgres';
import { keepFolder } from '../../../../scripts/testing/folder';
import { generateClient } from '../support/generated-client';
import { installBeside, layOut } from '../../../../scripts/testing/package';
import { commandsOf, followCommands } from '../../../../scripts/testing/page';
import { type RunningProcess, startProcess } from '../../../../scripts/testing/process';

// The first hour of a service: the commands of docs/library.md, as they stand.

jest.setTimeout(1_200_000);

const [LAY_OUT = '', ...BLOCKS] = commandsOf('library.md');

/** On PostgreSQL, where a test that writes takes ten times as long. The run in memory before it sends all generated requests. */
const FEW = '--runs 3';

const folder = keepFolder();
const service = join(folder, 'library');

const build = () => execFileSync(join(service, 'node_modules/.bin/tsc'), ['-p', 'src'], { cwd: service });

/** What the commands print, beside the addresses and ports of the test. */
async function follow(url: string): Promise<string[]> {
  let server: RunningProcess | undefined;
  let address = '';
  const printed: string[] = [];
  for (const block of BLOCKS) {
    if (block === 'npm run build && npm start\n') {
      await server?.stop();
      build();
      server = startProcess([join(service, 'dist/main.js')], { PORT: '0' }, service);
      [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
      continue;
    }
    const commands = block
      .replaceAll('http://127.0.0.1:3000', address)
      .replace(/postgres:\/\/\S+(.*)/, `${url}$1 ${FEW}`);
    printed.push(await followCommands(service, commands));
  }
  expect(await server?.stop()).toBe(0);
  return printed;
}

/** Members borrow books and bring them back, by a generated client. */
async function borrow(): Promise<void> {
  const createClient = generateClient(service);
  build(); // what is built has no column for the shelf, and so does not start
  const server = startProcess(
    [join(service, 'dist/main.js')],
    { PORT: '0', DATABASE_URL: 'memory:' },
    service,
  );
  const [baseUrl] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const member = { email: 'ada@example.org', name: 'Ada', password: 'a long password' };
  let token = '';
  const client = createClient({ baseUrl, credentials: { Token: () => token } });
  const call = async (id: string, request?: object) => {
    const answer = await client[id]?.(request);
    return [answer?.status, answer?.body as Readonly<Record<string, unknown>>] as const;
  };
  expect(await call('register', { body: member })).toMatchObject([201, { user: { email: member.email } }]);
  expect(await call('register', { body: member })).toMatchObject([409, {}]);
  expect(await call('login', { body: { ...member, password: 'wrong' } })).toMatchObject([401, {}]);
  expect(await call('getMe')).toMatchObject([401, {}]);
  token = String((await call('login', { body: member }))[1]['token']);
  const [, author] = await call('createAuthor', { body: { name: 'Jane Austen' } });
  expect(author).toEqual({ name: 'Jane Austen', id: 1n });
  const isbn = '9780000000001';
  const book = { isbn, title: 'Emma', authorId: author['id'], genre: 'novel' };
  expect((await call('createBook', { body: { book } }))[0]).toBe(201);
  expect(await call('borrowBook', { path: { isbn } })).toMatchObject([201, { id: 1n }]);
  expect(await call('borrowBook', { path: { isbn } })).toMatchObject([409, {}]);
  expect(await call('listBooks', { query: { available: false, genre: 'novel' } })).toMatchObject([
    200,
    { books: [{ isbn, mine: true }], total: 1n },
  ]);
  expect((await call('returnBook', { path: { loanId: 1n } }))[0]).toBe(200);
  expect(await call('returnBook', { path: { loanId: 2n ** 62n } })).toMatchObject([404, {}]);
  expect(await server.stop()).toBe(0);
}

test('the commands of the first hour work as they stand, and end in a service that is proven on both databases', async () => {
  expect(LAY_OUT).toContain(
    'contract-first new packages/command/tests/e2e/library/library.yaml --dir ../library\ncd ../library\n',
  );
  installBeside(folder);
  const said = layOut(service, 'packages/command/tests/e2e/library/library.yaml');
  expect(said).toMatch(/and 5 handler stubs[^]*UNPROVEN 0, BLOCKED 0/);

  const printed = await follow(await createDatabase('library_test'));
  const [users = '', first = '', copied = '', , filtered = '', column = '', proven = ''] = printed;
  expect(users).toMatch(/"authors":\[\{"name":"Jane Austen","born":"1775-12-16","id":1\}\],"total":1/);
  expect(first).toContain('5 operations are stubs');
  expect(first).toMatch(/STUB \d+, PROVEN \d+\/607, WAIVED 4, UNPROVEN 0, BLOCKED 0/);

  const [, added = '', deleted = ''] = /(\d+) insertions\(\+\), (\d+) deletions/.exec(copied) ?? [];
  expect(Number(added)).toBeLessThan(310);
  expect(Number(deleted)).toBeLessThan(70); // the reasons of the stubs among them
  expect(
    execFileSync('git', ['diff', '--cached', '--diff-filter=D', '--name-only'], { cwd: service }).toString(),
  ).toBe('');

  expect(filtered).toMatch(/"title":"Pride and Prejudice"[^\n]*"available":true\}\],"total":1\}/);
  expect(filtered).toMatch(/"title":"Emma"[^\n]*"available":false,"mine":true\}\],"total":1\}/);
  expect(column).toMatch(/ 2 {2}shelves\n/);
  expect(column).toContain('seeded\n');
  expect(proven.match(/^PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/gm)).toHaveLength(2);
  await borrow();
});
