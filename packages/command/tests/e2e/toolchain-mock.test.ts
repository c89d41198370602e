import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleOf, slow } from '../../../../scripts/testing/cases';
import { useFolder } from '../../../../scripts/testing/folder';
import { type RunningProcess, startProcess } from '../../../../scripts/testing/process';
import { COMMAND } from '../../../../scripts/testing/project';

const ROOT = join(__dirname, '../../../..');
const SECURITY = 'scripts/testing/documents/security.yaml';
const folder = useFolder();

let mock: RunningProcess;
afterEach(() => (mock as RunningProcess | undefined)?.stop('SIGKILL'));

const start = (document: string, env: Record<string, string> = {}) => {
  mock = startProcess([COMMAND, 'mock', document], { PORT: '0', ...env }, ROOT);
};
/** Resolves with the address of a mock that serves. */
async function serve(document: string, env: Record<string, string> = {}): Promise<string> {
  start(document, env);
  return (await mock.printed(/mock of .* on (http:\S+) \(documentation: \1\/-\/docs\)/))[1] ?? '';
}
const ask = (address: string, headers: Record<string, string>) => fetch(`${address}/bearer`, { headers });

const TOKENS = [
  ['API_TOKENS', 'one:read write, two', 'one', 'two'],
  ['API_TOKENS', 'secret', 'secret', 'secret'],
  ['API_TOKENS_FILE', 'one:read write\ntwo\n', 'one', 'two'],
] as const;
it.each(sampleOf(TOKENS, 'API_TOKENS_FILE'))(
  'prints credentials with the first token of %s %j; each passes',
  async (variable, tokens, first, last) => {
    const value = variable === 'API_TOKENS' ? tokens : folder.write({ tokens });
    const address = await serve(SECURITY, { [variable]: value });
    const [line] = await mock.printed(/^\{.*\}$/m);
    expect(JSON.parse(line)).toMatchObject({
      bearer: { valid: first, invalid: `${first}-invalid` },
      basic: { valid: `user:${first}`, invalid: `user:${first}-invalid` },
    });
    for (const token of [first, last])
      expect((await ask(address, { Authorization: `Bearer ${token}` })).status).toBe(200);
  },
);

slow(() => {
  it('serves a document in several files, and lists its responses', async () => {
    const address = await serve('scripts/testing/documents/bookshop/openapi.yaml', { API_TOKENS: 'token' });
    await mock.printed(/^ {2}20\d {2}(GET|POST) \//m);
    expect((await fetch(`${address}/no/such/path`)).status).toBe(404);
    expect(await mock.stop('SIGTERM')).toBe(0);
  });

  it('converts a 3.0 document, serves the supported operations, and counts them', async () => {
    const text = `
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
        requestBody: { content: { multipart/mixed: {} } }
        responses: { '204': { description: '' } }
  `;
    const address = await serve(folder.write({ 'openapi.yaml': text }));
    const [account] = await mock.printed(/^served .*$/m);
    expect(account).toBe('served 1 of 2 operations, 0 keywords not enforced');
    expect(mock.output()).toContain(
      'OpenAPI 3.0.3 is converted to 3.1.0: nullable becomes the type null (1)',
    );
    expect(mock.output()).toMatch(/ POST \/things is not served: #.*multipart\/mixed cannot be served/);
    expect(await (await fetch(`${address}/things`)).json()).toEqual({ at: null });
  });

  const version = (line: string) => `${line}\ninfo: { title: None, version: '1' }\n`;
  /** http/start.test.ts has the sentences, too. */
  const REFUSED: readonly [string, RegExp][] = [
    [
      'swagger: "2.0"',
      / #\/swagger: expected an OpenAPI 3\.1 or 3\.2 document, got Swagger 2\.0: convert it/,
    ],
    ['openapi: 3.3.0', / #\/openapi: .* got 3\.3\.0: later versions are not served yet/],
    ['openapi: 3.1', / #\/openapi: .* got 3\.1: write it in full and in quotes/],
    ['openapi: 3.1.1\nwebhooks: {}', /^served 0 of 0 operations, 0 keywords not enforced\n$/],
  ];
  it.each(REFUSED)('%s is refused with a message', async (line, sentence) => {
    start(folder.write({ 'openapi.yaml': version(line) }));
    expect(await mock.exit).toBe(1);
    expect(mock.output()).toMatch(sentence);
  });

  const Origin = 'https://page.example';
  it.each([
    ['any', {}, '*', '*'],
    [Origin, { CORS_ORIGINS: Origin }, Origin, null],
  ])('allows pages of %s', async (_, env, own, other) => {
    const address = await serve(SECURITY, { API_TOKENS: 'secret', ...env });
    const allowed = async (origin: string) =>
      (await ask(address, { Origin: origin })).headers.get('access-control-allow-origin');
    expect([await allowed(Origin), await allowed('https://other.example')]).toEqual([own, other]);
  });

  it('generates a valid token if none is configured', async () => {
    const address = await serve(SECURITY);
    const [, token = ''] = await mock.printed(/until the mock stops, use this token: (\S+)/);
    const answer = await ask(address, { Authorization: `Bearer ${token}` });
    expect(await answer.json()).toEqual({ name: 'text' });
    expect((await ask(address, { Authorization: 'Bearer other' })).status).toBe(401);
  });

  it('serves a document with an unknown keyword, and reports it as unchecked', async () => {
    const text = readFileSync(join(ROOT, 'scripts/testing/documents/strings.yaml'), 'utf8');
    const misspelt = Array.from({ length: 25 }, (_, i) => ` maxLenght${i}: 3,`).join('');
    await serve(
      folder.write({ 'openapi.yaml': text.replace(' minLength: 3', ` whenever: true,${misspelt}$&`) }),
    );
    expect(mock.output()).toMatch(
      /^ {2}unchecked {2}\S+openapi\.yaml:\d+:\d+: Property `whenever` is not expected here\. Begin it with x- /m,
    );
    expect(mock.output().match(/^ {2}unchecked/gm)).toHaveLength(21);
    expect(mock.output()).toContain('and 6 more of this kind');
  });

  it.each([
    ['a folder', 'openapi', 2, 'openapi: cannot read the OpenAPI document: it is a folder'],
    ['a missing file', 'none.yaml', 2, 'none.yaml: cannot read the OpenAPI document: there is no such file'],
    [
      'another file',
      'package.json',
      1,
      'package.json:1:1: #/openapi: expected the version of an OpenAPI 3.1 or 3.2 document',
    ],
  ])('refuses %s with a message', async (_, document, status, sentence) => {
    start(document);
    expect(await mock.exit).toBe(status);
    expect(mock.output().slice(0, sentence.length)).toBe(sentence);
  });

  it('refuses a wrong variable with a sentence', async () => {
    start(SECURITY, { PORT: 'abc' });
    expect(await mock.exit).toBe(2);
    expect(mock.output()).toBe('PORT: expected an integer from 0 to 65535, got "abc"\n');
  });

  it.each(['0', '2', 'yes', 'ALL', '1 all'])('make contract refuses WRITE=%s with a sentence', (value) => {
    const args = ['-s', 'contract', 'URL=http://127.0.0.1:1', 'DOC=openapi.yaml', `WRITE=${value}`];
    const { status, stderr } = spawnSync('make', args, { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain(`make contract: expected WRITE=1 or WRITE=all, got '${value}'`);
  });
});
