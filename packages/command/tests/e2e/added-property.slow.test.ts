import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, layOut, runIn } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';
import { readPage } from '../../../../scripts/testing/snippets';

// The first edit of a new user: a property of a schema whose objects are rows. docs/loop.md shows what is printed.

jest.setTimeout(600_000);

const folder = keepFolder();
const service = join(folder, 'museum');
const run = (...args: readonly string[]) => runIn(service, 'contract-first', ...args);
const build = () => runIn(service, 'tsc', '-p', 'src');

beforeAll(() => {
  installBeside(folder);
  layOut(service, resolve(__dirname, '../../../../docs/museum.yaml'));
});

/** Changes texts of a file of the service. */
function edit(file: string, ...changes: readonly (readonly [was: string, is: string])[]): void {
  const path = join(service, file);
  let text = readFileSync(path, 'utf8');
  for (const [was, is] of changes) {
    expect(text).toContain(was);
    text = text.replace(was, is);
  }
  writeFileSync(path, text);
}

const start = (...program: readonly string[]) =>
  startProcess(
    program,
    { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'museum.db')}`, API_TOKENS: 'a-token' },
    service,
  );

/** What a server of the built service responds with. */
async function responses(...bodies: readonly object[]) {
  const server = start('dist/main.js');
  const [address = ''] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const headers = { Authorization: 'Bearer a-token', 'Content-Type': 'application/json' };
  const found: unknown[] = [];
  for (const body of bodies) {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    found.push((await fetch(`${address}/paintings`, init)).status);
  }
  found.push(await (await fetch(`${address}/paintings`, { headers })).json());
  expect(await server.stop()).toBe(0);
  return found;
}

test('a property that is added to a schema is followed to its table', async () => {
  expect(build()).toEqual({ status: 0, output: '' });
  const old = { title: 'Night', artist: 'Ada' };
  expect(await responses(old)).toEqual([201, [{ id: 1, ...old }]]);

  edit('openapi/museum.yaml', ['        year:', '        room: { type: string }\n        year:']);
  const column = 'room: TEXT.optional().added(),';
  const migration = "{ name: 'room of paintings', oldest: 1, steps: [addColumn(paintings.room)] },";
  const [page = ''] = /(?<=\n\n)( {4}.*\n)+/.exec(readPage('docs/loop.md')) ?? [];
  const lines = page.replace(/^ {4}/gm, '');
  expect(lines).toContain(`    ${column}\n`);
  expect(lines).toContain(`    ${migration}\n`);
  const generated = run('generate');
  expect(generated.status === 0 || generated.output).toBe(true);
  expect(generated.output).toContain(`generated/openapi.d.ts\n${lines}`);
  expect(run('check')).toMatchObject({ status: 1, output: expect.stringContaining(lines) as string });
  expect(run('todo')).toEqual({ status: 0, output: lines.replace(/\n {2}/g, '\n    ') });
  expect(build().status).not.toBe(0);
  // What is built is stale, and tsx checks no types.
  for (const program of [['dist/main.js'], ['--import', 'tsx', 'src/main.ts']]) {
    const server = start(...program);
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain('no column holds the property room: `npx contract-first todo` prints');
  }

  edit('src/storage/paintings.ts', ['  title: TEXT,', `  title: TEXT,\n  ${column}`]);
  edit(
    'src/storage/open.ts',
    ['createTable(paintings)]]', `createTable(paintings)], ${migration}]`],
    ['import {', "import { addColumn } from 'contract-first-database';\nimport {"],
  );
  runIn(service, 'prettier', '--write', '--log-level', 'warn', 'src');
  const checked = run('check');
  expect(checked.status === 0 || checked.output).toBe(true);
  expect(run('generate').output).toBe('generated/ is up to date\n');
  expect(build()).toEqual({ status: 0, output: '' });
  const added = { title: 'Day', artist: 'Ada', room: 'blue' };
  expect(await responses(added)).toEqual([
    201,
    [
      { id: 1, ...old },
      { id: 2, ...added },
    ],
  ]);
});
