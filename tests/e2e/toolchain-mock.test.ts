import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from '../support/process';

const ROOT = join(__dirname, '../..');
const DOCUMENT = 'tests/http/documents/bookshop/openapi.yaml';

let mock: RunningProcess;
afterEach(() => (mock as RunningProcess | undefined)?.stop('SIGKILL'));

const start = (document: string, env: Record<string, string> = {}) => {
  mock = startProcess(['--import', 'tsx', 'scripts/mock/main.ts', document], { PORT: '0', ...env }, ROOT);
};

it('serves a document in several files, and lists its responses', async () => {
  start(DOCUMENT, { API_TOKENS: 'token' });
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  await mock.printed(/^ {2}20\d {2}(GET|POST) \//m);
  expect((await fetch(`${address}/no/such/path`)).status).toBe(404);
  expect(await mock.stop('SIGTERM')).toBe(0);
});

const temporary = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const document = join(folder, 'openapi.yaml');
  writeFileSync(document, text);
  return document;
};

it('converts a 3.0 document, serves the supported operations, and counts them in the last line', async () => {
  start(
    temporary(`
openapi: 3.0.3
info: { title: Old, version: '1' }
paths:
  /things:
    get:
      responses:
        '200':
          description: ''
          content:
            application/json:
              schema: { type: object, required: [at], properties: { at: { type: string, nullable: true, enum: [null] } } }
    post:
      parameters: [{ name: q, in: query, allowEmptyValue: true, schema: { type: integer } }]
      requestBody: { content: { multipart/form-data: {} } }
      responses: { '204': { description: '' } }
`),
  );
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  await mock.printed(/^served .*$/m);
  expect(mock.output()).toContain('OpenAPI 3.0.3 is converted to 3.1.0: nullable is the type null (1)');
  expect(mock.output()).toMatch(/ POST \/things is not served: #.*multipart bodies cannot be served/);
  expect(mock.output().trimEnd().split('\n').at(-1)).toBe(
    'served 1 of 2 operations, 0 keywords not enforced',
  );
  expect(await (await fetch(`${address}/things`)).json()).toEqual({ at: null });
});

it.each([
  [
    'swagger: "2.0"',
    /openapi\.yaml:1:1: #\/swagger: expected an OpenAPI 3\.1 document, got Swagger 2\.0: convert it/,
  ],
  ['openapi: 3.2.0', /openapi\.yaml:1:1: #\/openapi: .* got 3\.2\.0: later versions are not served yet/],
  ['openapi: 3.1', /openapi\.yaml:1:1: #\/openapi: .* got 3\.1: write it in full and in quotes/],
  ['openapi: 3.1.1\nwebhooks: {}', /^served 0 of 0 operations, 0 keywords not enforced\n$/],
])('%s is refused with a message', async (line, sentence) => {
  start(temporary(`${line}\ninfo: { title: None, version: '1' }\n`));
  expect(await mock.exit).toBe(1);
  expect(mock.output()).toMatch(sentence);
});

it.each([
  ['secret', 'secret', 'secret'],
  ['one:read write, two', 'one', 'two'],
])('prints credentials with the first token of API_TOKENS=%s; each passes', async (tokens, first, last) => {
  start('tests/http/documents/security.yaml', { API_TOKENS: tokens });
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  const [line] = await mock.printed(/^\{.*\}$/m);
  expect(JSON.parse(line)).toMatchObject({
    bearer: { valid: first, invalid: `${first}-invalid` },
    basic: { valid: `user:${first}`, invalid: `user:${first}-invalid` },
  });
  for (const token of [first, last]) {
    const Authorization = `Bearer ${token}`;
    expect((await fetch(`${address}/bearer`, { headers: { Authorization } })).status).toBe(200);
  }
  const { headers } = await fetch(`${address}/bearer`, { headers: { Origin: 'https://page.example' } });
  expect(headers.get('access-control-allow-origin')).toBe('*');
});

it('narrows CORS to CORS_ORIGINS', async () => {
  const Origin = 'https://page.example';
  start('tests/http/documents/security.yaml', { API_TOKENS: 'secret', CORS_ORIGINS: Origin });
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  const allowed = async (origin: string) =>
    (await fetch(`${address}/bearer`, { headers: { Origin: origin } })).headers.get(
      'access-control-allow-origin',
    );
  expect([await allowed(Origin), await allowed('https://other.example')]).toEqual([Origin, null]);
});

it('generates a valid token if none is configured', async () => {
  start('tests/http/documents/security.yaml');
  const [, token = ''] = await mock.printed(/this token is valid until the mock ends: (\S+)/);
  const [, address = ''] = await mock.printed(/mock of .* on (http:\S+)/);
  const ask = (Authorization: string) => fetch(`${address}/bearer`, { headers: { Authorization } });
  expect(await (await ask(`Bearer ${token}`)).json()).toEqual({ name: 'text' });
  expect((await ask('Bearer other')).status).toBe(401);
});

it('serves a document with an unknown keyword, and reports it as unchecked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const document = join(folder, 'openapi.yaml');
  const text = readFileSync(join(ROOT, 'tests/http/documents/strings.yaml'), 'utf8');
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
  ['a missing file', 'none.yaml', /^none\.yaml: expected an OpenAPI document: there is no such file/],
  [
    'a file that is not a document',
    'package.json',
    /^package\.json:1:1: #\/openapi: expected the version of an OpenAPI 3\.1 document, got none/,
  ],
])('refuses %s with a message', async (_, document, sentence) => {
  start(document);
  expect(await mock.exit).toBe(1);
  expect(mock.output()).toMatch(sentence);
});

it.each(['0', '2', 'yes', 'ALL', '1 all'])('make contract refuses WRITE=%s with a sentence', (value) => {
  const args = ['-s', 'contract', 'URL=http://127.0.0.1:1', 'DOC=openapi.yaml', `WRITE=${value}`];
  const { status, stderr } = spawnSync('make', args, { cwd: ROOT, encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toContain(`make contract: expected WRITE=1 or WRITE=all, got '${value}'`);
});
