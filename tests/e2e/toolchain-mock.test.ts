import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from '../support/process';

jest.setTimeout(30_000);

const ROOT = join(__dirname, '../..');
const DOCUMENT = 'tests/contract/documents/bookshop/openapi.yaml';

let mock: RunningProcess;
afterEach(() => mock.stop('SIGKILL'));

const start = (document: string, env: Record<string, string> = {}) => {
  mock = startProcess(['--import', 'tsx', 'scripts/mock.ts', document], { PORT: '0', ...env }, ROOT);
};

it('serves a document in several files, and lists what it answers', async () => {
  start(DOCUMENT, { API_TOKENS: 'token' });
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  expect(mock.output()).toMatch(/^ {2}20\d {2}(GET|POST) \//m);
  expect(mock.output()).not.toContain('token');
  expect((await fetch(`${address}/no/such/path`)).status).toBe(404);
  expect(await mock.stop('SIGTERM')).toBe(0);
});

it('makes up a token where none is given, and it works', async () => {
  start('tests/contract/documents/security.yaml');
  const [, token = ''] = await mock.printed(/token of this run is (\S+)/);
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  const ask = (Authorization: string) => fetch(`${address}/bearer`, { headers: { Authorization } });
  expect(await (await ask(`Bearer ${token}`)).json()).toEqual({ name: 'text' });
  expect((await ask('Bearer other')).status).toBe(401);
});

it('serves a document with a keyword that nobody knows, and says that it goes unchecked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const document = join(folder, 'openapi.yaml');
  const text = readFileSync(join(ROOT, 'tests/contract/documents/strings.yaml'), 'utf8');
  const misspelt = Array.from({ length: 25 }, (_, i) => ` maxLenght${i}: 3,`).join('');
  writeFileSync(document, text.replace(' minLength: 3', ` nullable: true,${misspelt}$&`));
  start(document);
  await mock.printed(/mock of .* on http:/);
  rmSync(folder, { recursive: true });
  expect(mock.output()).toMatch(
    /^ {2}unchecked {2}\S+openapi\.yaml:\d+:\d+: Property `nullable` is not expected here\. Begin it with x- /m,
  );
  expect(mock.output().match(/^ {2}unchecked/gm)).toHaveLength(21);
  expect(mock.output()).toContain('and 6 more of this kind');
});

it.each([
  ['a file that is not there', 'none.yaml', /^none\.yaml: expected an OpenAPI document: ENOENT/],
  ['what is no document', 'package.json', /^package\.json: expected an OpenAPI document: Unsupported/],
])('refuses %s in a sentence', async (_, document, sentence) => {
  start(document);
  expect(await mock.exit).toBe(1);
  expect(mock.output()).toMatch(sentence);
});
