import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readWaiversFile, runCommand } from '../../src/contract/run-command';
import { type ContractReport, readDocument } from 'contract-first-prover';
import { main } from '../../src/contract/test-url';
import { correctServer, serve, target } from '../../../prover/tests/support/simple-server';

const NEVER_CONFLICTS = { obligation: /409/, reason: 'no conflict can occur' };

let folder: string;
let printed: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-'));
  printed = [];
  for (const method of ['log', 'error'] as const)
    jest.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      printed.push(texts.join(' '));
    });
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const values = (): { report: string; runs: string; github: boolean } => ({
  report: folder,
  runs: '1',
  github: false,
});

describe('the exit status', () => {
  test('is 0 if nothing failed and nothing is open', async () => {
    expect(await runCommand(target(correctServer, [NEVER_CONFLICTS]), values())).toMatchObject({ status: 0 });
    const sentence = 'No case of Numbers failed. Of 20 obligations, 19 are proven, 1 is waived.';
    expect(printed.join('\n')).toContain(sentence);
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain(sentence);
  });

  test('is 1 if something failed, and annotates the lines on request', async () => {
    const broken = target((request, body) =>
      body === '1000001' ? { status: 204 } : correctServer(request, body),
    );
    const { status } = await runCommand(
      broken,
      { ...values(), github: true },
      { locate: () => 'a.yaml:7:1' },
    );
    expect(status).toBe(1);
    expect(printed.join('\n')).toContain('::error file=a.yaml,line=7,title=');
  });

  const bad: [name: string, argv: string[], message: RegExp][] = [
    ['no arguments', [], /expected --url URL and --doc FILE$/],
    ['an unknown document', ['--url', 'http://127.0.0.1:1', '--doc', 'none.json'], /none\.json/],
    [
      'an unreachable server',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json'],
      /expected a server at http:\/\/127\.0\.0\.1:1, got none/,
    ],
    ['a URL without a server', ['--url', 'ftp://h', '--doc', 'good.json'], /expected a URL such as/],
    [
      'a wrong number',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json', '--seed', 'x'],
      /expected --seed to be an integer, got "x"/,
    ],
    ...[
      ...['--rate 0', '--rate 1e3', '--max=-1', '--max 1.5', '--timeout 99999999999', '--timeout x'],
      ...['--body-limit 0', '--runs=-1', '--runs 9999999'],
    ].map((option): [string, string[], RegExp] => [
      option,
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json', ...option.split(' ')],
      new RegExp(`expected ${option.split(/[ =]/)[0] ?? ''} to be an integer from \\d+ to \\d+, got "`),
    ]),
    [
      'a wrong case',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json', '--replay', 'x'],
      /expected a case as a report prints it/,
    ],
    ...['--waivers', '--credentials', '--ca'].flatMap((option) =>
      ['no.yaml', __dirname, __filename].map((file): [string, string[], RegExp] => [
        `${option} ${file}`,
        ['--url', 'https://127.0.0.1:1', '--doc', 'good.json', option, file],
        new RegExp(`^${file}\\S*: (?:expected|cannot read the file) .*$`),
      ]),
    ),
  ];
  test.each(bad)('is 2 for %s, with a sentence', async (_, argv, message) => {
    const { document } = target(correctServer);
    const readSource = (file: string) => {
      if (file !== 'good.json') throw new Error(`expected a document, got no file ${file}`);
      return { document };
    };
    expect(await main(argv, readSource)).toBe(2);
    expect(printed.join('\n')).toMatch(message);
    expect(printed.join('\n')).not.toMatch(/\n\s+at /);
  });
});

test('credentials of the user reach no output, and the curl lines work with their file', async () => {
  const TOKEN = 'a-secret-token-1';
  const server = await serve(({ headers: { authorization } }) => ({
    status: authorization === `Bearer ${TOKEN}` ? 200 : 401,
    headers: { 'Content-Type': 'application/json', 'WWW-Authenticate': 'Bearer' },
    // A bad server: it answers with the credential.
    body: JSON.stringify({ name: 1, echo: authorization }),
  }))();
  const url = `http://127.0.0.1:${server.port}`;
  const credentials = join(folder, 'credentials.json');
  writeFileSync(credentials, JSON.stringify({ token: { valid: TOKEN, invalid: 'another-token' } }));
  const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  const content = { 'application/json': { schema } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Secrets', version: '1.0.0' },
    paths: { '/me': { get: { operationId: 'getMe', responses: { 200: { description: 'me', content } } } } },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
  try {
    const argv = ['--url', url, '--doc', 'x', '--credentials', credentials, '--report', folder, '--github'];
    expect(await main(argv, () => ({ document }))).toBe(1);
    const files = ['index.html', 'contract.json', 'junit.xml'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    for (const text of [...files, ...printed]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain('another-token');
    }
    const { causes } = JSON.parse(files[1] ?? '') as ContractReport;
    const line = causes[0]?.example.curl ?? '';
    expect(line).toContain(`require(${JSON.stringify(credentials)})["token"]["valid"]`);
    const { stdout } = await promisify(execFile)('bash', ['-c', line]);
    expect(stdout).toContain(TOKEN);
  } finally {
    await server.close();
  }
}, 20_000);

test.each(['http://[/x', '//', 'http://h:99999/'])(
  'the URL of a server that is none, %s, has a sentence',
  (url) => {
    expect(() =>
      readDocument({ openapi: '3.1.0', servers: [{ url }], paths: { '/a': { get: {} } } }),
    ).toThrow(`servers: expected the URL of a server, got "${url}"`);
  },
);

describe('a file of waivers', () => {
  test.each([
    ['- a: [\n', /^\/.*:\d+:\d+: expected a list of waivers in JSON or YAML$/],
    ['a: 1\na: 2\n', /^\/.*:\d+:\d+: expected a list of waivers in JSON or YAML$/],
    ['- *a\n', /^\/.*: expected a list of waivers in JSON or YAML$/],
  ])('that is no YAML, %j, has a sentence with its place', (text, sentence) => {
    const file = join(folder, 'waivers.yaml');
    writeFileSync(file, text);
    expect(() => readWaiversFile(file)).toThrow(sentence);
  });

  test('that cannot be read has a sentence', () => {
    expect(() => readWaiversFile(folder)).toThrow(`${folder}: cannot read the file (EISDIR)`);
  });

  test('is YAML or JSON', () => {
    const file = join(folder, 'waivers.yaml');
    writeFileSync(file, `- failure: 'putNumber | *'\n  reason: until release 2\n  expires: 2026-12-31\n`);
    expect(readWaiversFile(file)).toEqual([
      { failure: 'putNumber | *', reason: 'until release 2', expires: '2026-12-31' },
    ]);
  });

  test('is refused with its name', () => {
    const file = join(folder, 'waivers.json');
    writeFileSync(file, '[{}]');
    expect(() => readWaiversFile(file)).toThrow(
      `${file}: waiver 1: expected a text \`failure\` or \`obligation\``,
    );
  });
});
