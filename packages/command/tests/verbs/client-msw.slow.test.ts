import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { ROOT } from '../../../../scripts/testing/snippets';
import { SOURCES } from '../../../../scripts/testing/sources';

// The module for MSW that `client --msw` writes, in a front end that has MSW.

const DOCUMENT = `
openapi: 3.1.0
info: { title: Museum, version: '1' }
servers: [{ url: https://museum.example/v1 }, { url: /v2 }]
paths:
  /paintings/{id}:
    parameters: [{ $ref: '#/components/parameters/Id' }]
    get:
      operationId: getPainting
      responses:
        '200': { $ref: '#/components/responses/Painting' }
        '404': { description: There is none. }
    put:
      operationId: putPainting
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewPainting' } } } }
      responses:
        '201':
          description: The painting.
          headers: { Location: { required: true, schema: { const: /paintings/1 } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Painting' } } }
    delete: { operationId: removePainting, responses: { '204': { description: It is gone. } } }
    head: { operationId: headPainting, responses: { '200': { description: There is one. } } }
  /paintings/latest: { get: { operationId: latest, responses: { '200': { $ref: '#/components/responses/Text' } } } }
  /paintings/{id}.(old)|{size}:
    parameters: [{ $ref: '#/components/parameters/Id' }, { name: size, in: path, required: true, schema: { type: string } }]
    get: { operationId: old, responses: { '200': { $ref: '#/components/responses/Text' } } }
  /additions:
    get:
      operationId: additions
      responses:
        '200':
          description: The paintings that are added.
          content:
            application/jsonl: { x-item-schema: { $ref: '#/components/schemas/Painting' } }
  /nothing:
    get:
      operationId: nothing
      responses: { '200': { description: '', content: { application/json: { schema: { type: string, pattern: '^(?=a)b' } } } } }
components:
  parameters: { Id: { name: id, in: path, required: true, schema: { type: integer, format: int64 } } }
  responses:
    Text: { description: A text., content: { text/plain: { schema: { type: string, enum: [old] } } } }
    Painting:
      description: A painting.
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Painting' }
          examples:
            wrong: { value: { id: none } }
            right: { value: { id: 9007199254740993, title: Irises, mood: calm } }
  schemas:
    Mood: { type: string, enum: [calm, bright] }
    pair: { type: object, properties: { a: { type: string } } }
    Pair: { type: object, properties: { b: { type: string } } }
    NewPainting: { type: object, required: [title], properties: { title: { type: string, minLength: 1 }, mood: { $ref: '#/components/schemas/Mood' } } }
    Painting:
      allOf:
        - { type: object, required: [id, secret], properties: { id: { type: integer, format: int64 }, secret: { type: string, writeOnly: true } } }
        - $ref: '#/components/schemas/NewPainting'
    Login: { type: object, required: [password], properties: { password: { type: string, writeOnly: true } } }
`;

/** What a test of a front end does, and what the compiler rejects. */
const FRONT_END = `
import assert from 'node:assert/strict';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { createClient } from './client.ts';
import { build, handlers, handlersOf, json } from './client-msw.ts';

const server = setupServer(...handlers);
server.listen({ onUnhandledFrame: 'error' });
const museum = createClient({ baseUrl: 'https://any.example' });
const path = { id: 1n };

// Examples are judged: the first one is wrong.
const irises = { id: 9007199254740993n, title: 'Irises', mood: 'calm' };
const found = await museum.getPainting({ path });
assert.deepEqual([found.status, found.status === 200 && found.body], [200, irises]);
const put = await museum.putPainting({ path, body: build.newPainting({ title: 'Guernica' }) });
assert.deepEqual(
  [put.status, put.status === 201 && [put.headers.Location, put.body]],
  [201, ['/paintings/1', build.painting()]],
);
assert.equal((await museum.removePainting({ path })).status, 204);
assert.equal((await museum.headPainting({ path })).status, 200);
const latest = await museum.latest();
assert.equal(latest.status === 200 && latest.body, 'old');
assert.equal((await museum.old({ path: { id: 1n, size: '?' } })).status, 200);
const additions = await museum.additions();
if (additions.status !== 200) throw new Error('no additions');
for await (const { id, title } of additions.body) assert.deepEqual([typeof id, typeof title], ['bigint', 'string']);
assert.equal((await fetch('https://any.example/v2/paintings/latest')).status, 200);
await assert.rejects(museum.nothing());

// What a test changes of it.
const large = build.painting({ id: 2n ** 62n + 1n, mood: 'bright' });
server.use(http.get('*/paintings/:id', () => json(large, { headers: { 'X-Test': 'a' } })));
const changed = await museum.getPainting({ path });
assert.deepEqual([changed.status === 200 && changed.body, changed.response.headers.get('X-Test')], [large, 'a']);
assert.deepEqual([build.pair(), build.Pair()], [{ a: 'text' }, { b: 'text' }]);
build.painting().title = 'Another';
assert.notEqual(build.painting().title, 'Another');
// @ts-expect-error the document has no such mood
build.painting({ mood: 'sad' });
// @ts-expect-error no response has it
build.painting({ secret: '' });
// @ts-expect-error an int64 is a bigint
build.painting({ id: 1 });
// @ts-expect-error only requests have it
void build.login;

// One server, behind a proxy.
server.resetHandlers(...handlersOf('http://localhost:5173/api(1)/'));
const proxied = createClient({ baseUrl: 'http://localhost:5173/api(1)' });
assert.equal((await proxied.latest()).status, 200);
await assert.rejects(museum.latest());
server.close();
console.log('all is well');
`;

const STRICTEST = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
};

const folder = keepFolder();
/** Runs the command on the document in a folder. */
function client(name: string, ...args: string[]) {
  const command = join(ROOT, 'packages/command/src/cli.ts');
  const run = spawnSync(process.execPath, [...SOURCES, command, 'client', 'museum.yaml', ...args], {
    cwd: join(folder, name),
    encoding: 'utf8',
  });
  return { status: run.status, output: `${run.stdout}${run.stderr}` };
}
function write(name: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
}
const project = {
  'package.json': '{"type":"module"}',
  'tsconfig.json': JSON.stringify({ compilerOptions: STRICTEST }),
};
const compile = (name: string) =>
  errorsIn(join(folder, name), {}, (file) => file.startsWith(realpathSync(join(folder, name))));
beforeAll(() => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

test('handlers and values serve the tests of a front end', () => {
  write('museum', { ...project, 'museum.yaml': DOCUMENT, 'front-end.ts': FRONT_END });
  expect(client('museum', '--msw')).toEqual({
    status: 0,
    output: expect.stringMatching(/left out {2}nothing: .*\n.*left out {2}Login: /) as string,
  });
  expect(compile('museum')).toBe('');
  const run = spawnSync(process.execPath, ['front-end.ts'], {
    cwd: join(folder, 'museum'),
    encoding: 'utf8',
  });
  expect([run.stdout, run.status]).toEqual(['all is well\n', 0]);
});

test('a document without schemas has handlers only, and a file of somebody else is kept', () => {
  const bare = `openapi: 3.1.0
info: { title: Bare, version: '1' }
paths: { /: { get: { operationId: get, responses: { '204': { description: '' } } } } }
`;
  write('bare', { ...project, 'museum.yaml': bare, 'use.mts': "import './own-msw.mts';\n" });
  const args = ['--msw', '--out', 'own.mts'];
  expect(client('bare', ...args).status).toBe(0);
  expect(compile('bare')).toBe('');
  const file = join(folder, 'bare/own-msw.mts');
  appendFileSync(file, '// old\n');
  expect(client('bare', ...args, '--check')).toEqual({
    status: 1,
    output: 'own.mts is up to date: 1 operation\nown-msw.mts is stale: 1 operation\n',
  });
  writeFileSync(file, 'export const own = 1;\n');
  expect(client('bare', ...args)).toEqual({
    status: 2,
    output: expect.stringContaining('own-msw.mts is not a generated client') as string,
  });
  expect(readFileSync(file, 'utf8')).toBe('export const own = 1;\n');
});
