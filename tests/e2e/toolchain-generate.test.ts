import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLISHED, TYPES } from '../../scripts/paths';
import type { Command, Outcome } from '../support/generator';
import { type RunningProcess, startProcess } from '../support/process';
import { copyToolchain, type Project, resetToolchain } from '../support/project';

jest.setTimeout(120_000);

const DOCUMENT = 'openapi/notes.yaml';
const GET_NOTE = `
  /notes/{id}:
    get:
      operationId: getNote
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '200':
          description: the note
          content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } }
`;

let generator: RunningProcess;
let project: Project;
/** The generated files of the fixture, by path. */
const generated = new Map<string, string>();
beforeAll(async () => {
  generator = startProcess(['--import', 'tsx', 'tests/support/generator.ts'], {});
  project = copyToolchain();
  await generate();
  for (const file of [PUBLISHED, TYPES]) generated.set(file, project.read(file));
});
beforeEach(() => {
  resetToolchain(project);
  for (const [file, text] of generated) project.write(file, text);
});
afterAll(async () => {
  project.remove();
  await generator.stop();
});

/** Runs the program itself. `generate` does the same without the second of start time. */
const runGenerate = (...args: string[]) => project.run('tsx', 'scripts/generate/main.ts', ...args);
/** Runs the program itself. `breaking` does the same without the second of start time. */
const runBreaking = (...args: string[]) => project.run('tsx', 'scripts/breaking/main.ts', ...args);

async function ask(command: Omit<Command, 'folder'>): Promise<Outcome> {
  const position = generator.output().length;
  generator.writeLine(JSON.stringify({ folder: project.folder, ...command } satisfies Command));
  const [line] = await generator.printed(/^\{.*\}$/m, position);
  return JSON.parse(line) as Outcome;
}
const generate = () => ask({});
const breaking = (base: string) => ask({ base });

const addGetNote = () => {
  project.edit(DOCUMENT, '\ncomponents:', `${GET_NOTE}components:`);
};

it('reports a new operation, and writes a stub that compiles but cannot run in production', async () => {
  expect(runGenerate()).toEqual({ status: 0, output: 'generated/ is up to date\n' });
  addGetNote();
  expect(runGenerate('--check').output).toContain('generated/openapi.json is stale at /paths/~1notes~1{id}');
  const { status, output } = await generate();
  expect(status).toBe(0);
  expect(output.split('\n')).toEqual([
    '          #/paths/~1notes~1{id}/get: GET /notes/{id} (getNote) is new',
    'src/handlers/get-note.ts is new: a stub, which answers from the document until you write it',
    'written: generated/openapi.json, generated/openapi.d.ts',
    '',
  ]);
  expect(project.run('tsc', '-p', 'src')).toEqual({ status: 0, output: '' });
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    API_TOKENS: 'token',
    DATABASE_URL: 'memory:',
    PORT: '0',
  };
  const started = spawnSync(process.execPath, ['dist/main.js'], {
    cwd: project.folder,
    env,
    encoding: 'utf8',
  });
  expect(started).toMatchObject({
    status: 1,
    stderr: '#/paths/~1notes~1{id}/get: the handler of getNote is still a stub: write it in src/handlers/\n',
  });
  expect(project.run('prettier', '--check', 'src/handlers').status).toBe(0);
});

it('never changes an existing handler, and lists the steps to do by hand', async () => {
  addGetNote();
  project.write('src/handlers/get-note.ts', '// mine\n');
  project.edit('src/handlers/index.ts', '=> ({\n  createNote: createNote(store),\n})', '=> listed(store)');
  const index = project.read('src/handlers/index.ts');
  const { output } = await generate();
  expect(output).toContain('src/handlers/get-note.ts exists and is not changed');
  expect(output).toContain("add to src/handlers/index.ts: import { getNote } from './get-note';");
  expect(output).toContain('and to the object that its createHandlers returns: getNote: getNote(store),');
  expect(project.read('src/handlers/get-note.ts')).toBe('// mine\n');
  expect(project.read('src/handlers/index.ts')).toBe(index);
});

it.each([
  [
    'createNote: createNote(store), // mine',
    'createNote: createNote(store), // mine\n  getNote: getNote(store),',
  ],
  ['createNote: createNote(store) // mine', 'createNote: createNote(store) // mine'],
  [
    'createNote: createNote(store) /* mine */,',
    'createNote: createNote(store) /* mine */,\n  getNote: getNote(store),',
  ],
  ['...notes(store),', '...notes(store),'],
])('keeps the form of the list of handlers: %s', async (was, is) => {
  addGetNote();
  project.edit('src/handlers/index.ts', 'createNote: createNote(store),', was);
  project.edit('src/handlers/index.ts', "'./create-note';", "'./create-note'; // mine");
  await generate();
  const index = project.read('src/handlers/index.ts');
  expect(index).toContain(`({\n  ${is}\n})`);
  expect(index).toContain("'./create-note'; // mine\n");
});

it('uses the formats and codecs of src/extensions.ts', async () => {
  project.edit(DOCUMENT, 'type: string', 'type: string\n          format: color');
  const place = 'openapi/notes.yaml:45:11: #/components/schemas/Note/properties/text/format: ';
  expect((await generate()).output).toContain(`${place}format color is not enforced`);
  project.edit(DOCUMENT, 'application/json:', 'application/cbor:');
  expect(await generate()).toMatchObject({
    status: 1,
    output: expect.stringContaining('a body of application/cbor cannot be judged by a schema') as string,
  });
  const cbor =
    "{ name: 'CBOR', mediaTypes: ['application/cbor'], isText: false, compile: () => ({ decode: String }) }";
  project.edit(
    'src/extensions.ts',
    'formats: {}, codecs: []',
    `formats: { color: Boolean }, codecs: [${cbor}]`,
  );
  // Another process: a module is loaded once.
  const { status, output } = runGenerate();
  expect([status, output]).toEqual([0, expect.not.stringContaining('color is not enforced')]);
});

it('names the lines of a removed operation whose handler is gone', async () => {
  addGetNote();
  await generate();
  project.edit(DOCUMENT, GET_NOTE, '\n');
  rmSync(join(project.folder, 'src/handlers/get-note.ts'));
  expect((await generate()).output).toContain(
    'getNote is not an operation of the document: delete its lines in src/handlers/index.ts',
  );
});

it.each([
  ['of YAML', 'paths:', 'paths: [', /^openapi\/notes\.yaml:\d+:\d+: a list or object of several lines/],
  [
    'of a reference',
    'schemas/NewNote',
    'schemas/NoNote',
    /^openapi\/notes\.yaml:21:\d+: #\/.*NoNote" leads nowhere/,
  ],
  [
    'of a keyword, which would go unchecked,',
    'type: string',
    'type: string\n          maxLenght: 30',
    /^openapi\/notes\.yaml:45:11: Property `maxLenght` is not expected here\. Do you mean `maxLength`\?\n$/,
  ],
  [
    'of the contract',
    'type: string',
    'type: text',
    /openapi\/notes\.yaml:44:\d+: #\/components\/schemas\/Note/,
  ],
])('shows an error %s with its file and line', async (_, was, is, message) => {
  project.edit(DOCUMENT, was, is);
  expect(await generate()).toEqual({ status: 1, output: expect.stringMatching(message) as string });
});

it('shows an error of the overlay as such, and all actions without a target', async () => {
  project.edit(DOCUMENT, "schemas/Error'", "schemas/Fault'");
  project.edit(DOCUMENT, '    Error:', '    Fault:');
  expect((await generate()).output).toMatch(
    /^openapi\/overlay\.yaml, at #\/components\/responses\/\w+\/.*"#\/components\/schemas\/Error" leads nowhere/,
  );
  const overlay = project.read('openapi/overlay.yaml');
  project.write('openapi/overlay.yaml', overlay.replaceAll(/@\.responses/g, '@.none'));
  expect(
    (await generate()).output.match(/^openapi\/overlay\.yaml#\/actions\/[12]: .* matches nothing/gm),
  ).toHaveLength(2);
});

it('shows where the overlay contradicts the document', async () => {
  const own =
    "  responses:\n    Unauthorized: { description: 'Show your card', content: { text/plain: {} } }\n";
  project.edit(DOCUMENT, 'components:\n', `components:\n${own}`);
  expect(await generate()).toEqual({
    status: 1,
    output:
      'openapi/overlay.yaml, at #/components/responses/Unauthorized/description: the document has "Show your card", ' +
      'the overlay "No token was sent, or it was refused.": remove it from the overlay\n',
  });
});

const PROBLEM = `'409':
          description: another note has this id
          content: { application/problem+json: { schema: { type: object, properties: { title: { type: string } } } } }
`;
const HEADER = `parameters:
      - { name: X-Tenant, in: header, required: true, schema: { type: string } }
    post:
      operationId`;
const KEY = 'key: { type: apiKey, in: header, name: X-Key }';
const BREAKS =
  'a client of the earlier contract would break: raise its version, or accept the break (`make breaking BASE=--help`)';
const WRITTEN = 'written: generated/openapi.json, generated/openapi.d.ts';
const POST = '#/paths/~1notes/post';

/** Edits of the document, each as texts and their replacements, and the output of \`make generate\`. */
const EDITS: readonly [string, readonly (readonly [string, string])[], readonly string[]][] = [
  [
    'a renamed operationId',
    [['operationId: createNote', 'operationId: writeNote']],
    [
      `          ${POST}/operationId: was createNote, is writeNote`,
      'the operation createNote is writeNote now: rename src/handlers/create-note.ts to write-note.ts, and createNote to writeNote in it and in src/handlers/index.ts',
      WRITTEN,
    ],
  ],
  [
    'an operation in the place of another one',
    [
      ['/notes:', '/letters:'],
      ['operationId: createNote', 'operationId: createLetter'],
    ],
    [
      `breaking  ${POST}: POST /notes (createNote) is gone`,
      '          #/paths/~1letters/post: POST /letters (createLetter) is new',
      'src/handlers/create-letter.ts is new: a stub, which answers from the document until you write it',
      'createNote is not an operation of the document: delete src/handlers/create-note.ts and its lines in src/handlers/index.ts',
      BREAKS,
      WRITTEN,
    ],
  ],
  [
    'a new required parameter',
    [
      [
        'operationId: createNote',
        'operationId: createNote\n      parameters: [{ name: shelf, in: query, required: true, schema: { type: integer } }]',
      ],
    ],
    [`breaking  ${POST}: the query parameter shelf is new and required`, BREAKS, WRITTEN],
  ],
  [
    'a required header on all operations of a path',
    [['post:\n      operationId', HEADER]],
    [`breaking  ${POST}: the header parameter X-Tenant is new and required`, BREAKS, WRITTEN],
  ],
  [
    'an added scheme in the place of another one',
    [
      ['  - bearerAuth: []', '  - key: []'],
      ['  securitySchemes:', `  securitySchemes:\n    ${KEY}`],
    ],
    [
      'breaking  #/security: POST /notes: requests with HTTP bearer credentials alone are refused now',
      '          #/security: POST /notes: requests with the API key X-Key in the header alone are admitted now',
      '          #/components/securitySchemes/key: the security scheme key is new',
      'the security scheme key is new: add apiKeys(...) for it to src/auth.ts, and its variables to .env.example',
      'no operation demands the security scheme bearerAuth any more: delete its verifier in src/auth.ts',
      BREAKS,
      WRITTEN,
    ],
  ],
  [
    'a second scheme as alternative on one operation',
    [
      [
        'operationId: createNote',
        'operationId: createNote\n      security: [{ bearerAuth: [] }, { key: [] }]',
      ],
      ['  securitySchemes:', `  securitySchemes:\n    ${KEY}`],
    ],
    [
      `          ${POST}/security: POST /notes: requests with the API key X-Key in the header alone are admitted now`,
      '          #/components/securitySchemes/key: the security scheme key is new',
      'the security scheme key is new: add apiKeys(...) for it to src/auth.ts, and its variables to .env.example',
      WRITTEN,
    ],
  ],
  [
    'a 400 that is split into a 400 and a 409 of another shape',
    [["'400':", `${PROBLEM}        '400':`]],
    [
      `          ${POST}/responses/409: the status 409 is new`,
      'createNote may answer 409 now: return it in src/handlers/create-note.ts, and prove it by a scenario of tests/contract/service.ts',
      WRITTEN,
    ],
  ],
];

it.each(EDITS)('lists the next steps after %s', async (_, edits, lines) => {
  for (const [was, is] of edits) project.edit(DOCUMENT, was, is);
  const { status, output } = await generate();
  expect([status, output.trimEnd().split('\n')]).toEqual([0, lines]);
});

it('make breaking lists the changes that break a client of an earlier commit, and no others', async () => {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: project.folder,
    });
  git('init', '--quiet');
  git('add', 'generated');
  git('commit', '--quiet', '--message', 'first');
  addGetNote();
  await generate();
  expect(await breaking('HEAD')).toEqual({ status: 0, output: 'nothing since HEAD would break a client\n' });
  // Before `make generate`, too.
  project.edit(DOCUMENT, 'type: string', 'type: string\n          maxLength: 30');
  const broken = await breaking('HEAD');
  expect(broken).toEqual({
    status: 1,
    output:
      'breaking  #/components/schemas/Note/properties/text/maxLength: in requests: maxLength 30 is new\n' +
      '\n1 change since HEAD would break a client. To accept an intended break, see `--help`\n',
  });
  expect(runBreaking('HEAD')).toEqual(broken);
  const [line = ''] = broken.output.replace('breaking  ', '').split('\n');
  project.write('openapi/accepted-breaks.yaml', `- { change: '${line}', reason: agreed, until: '1.0.0' }\n`);
  expect(await breaking('HEAD')).toEqual({
    status: 0,
    output: `accepted  ${line} (until 1.0.0: agreed)\nnothing since HEAD would break a client but as openapi/accepted-breaks.yaml accepts\n`,
  });
  project.edit(DOCUMENT, '  version: 1.0.0', '  version: 1.0.1');
  expect(await breaking('HEAD')).toMatchObject({
    status: 1,
    output: expect.stringContaining(
      '#/0: expired with version 1.0.0, the document has version 1.0.1',
    ) as string,
  });
  expect((await breaking('--help')).output).toContain('openapi/accepted-breaks.yaml');
  expect(await breaking('none')).toMatchObject({ status: 2 });
  expect(runBreaking()).toMatchObject({
    status: 2,
    output: expect.stringContaining('make breaking BASE=main') as string,
  });
});
