import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../../../../scripts/testing/project';
import { useToolchain } from '../support/toolchain';

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
        '400': &refused
          description: what is wrong
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
        '406': *refused
`;

const toolchain = useToolchain();
const { ask } = toolchain;
let project: Project;
beforeEach(() => {
  project = toolchain.project();
});
const runGenerate = (...args: string[]) => toolchain.run('generate', ...args);
const generate = () => ask();

const addGetNote = () => {
  project.edit(DOCUMENT, '\ncomponents:', `${GET_NOTE}components:`);
};

// new-service.test.ts compiles stubs.
it('reports a new operation, and writes a stub that cannot run in production', async () => {
  expect(await generate()).toEqual({ status: 0, output: 'generated/ is up to date\n' });
  addGetNote();
  expect(runGenerate('--check').output).toContain('generated/openapi.json is stale at /paths/~1notes~1{id}');
  const { status, output } = await generate();
  expect(status).toBe(0);
  expect(output.split('\n')).toEqual([
    '          #/paths/~1notes~1{id}/get: GET /notes/{id} (getNote) is new',
    'src/handlers/get-note.ts is a new stub: it responds from the document until you write it',
    "openapi/overlay.yaml: an example for $.paths['/notes/{id}'].get.parameters[0], which the tests use",
    'written: generated/openapi.json, generated/openapi.d.ts',
    '',
  ]);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    API_TOKENS: 'token',
    DATABASE_URL: 'memory:',
    PORT: '0',
  };
  const started = spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
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
  expect(output).toContain('src/handlers/get-note.ts already exists and is not changed');
  expect(output).toContain("add to src/handlers/index.ts: import { getNote } from './get-note';");
  expect(output).toContain('and to the object that createHandlers returns there: getNote: getNote(store),');
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
    output: expect.stringContaining('a body of application/cbor cannot be validated by a schema') as string,
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

it('writes the values of enums, removes them with the last enum, and overwrites no other file', async () => {
  const schema = '\ncomponents:\n  schemas:\n';
  project.edit(DOCUMENT, schema, `${schema}    Topic: { enum: [plants, pets] }\n`);
  expect(await generate()).toMatchObject({
    status: 0,
    output: expect.stringContaining('generated/openapi.d.ts, src/values.ts\n') as string,
  });
  expect(project.read('src/values.ts')).toContain(
    "export const topicValues = [\n  'plants',\n  'pets',\n] as const;",
  );
  expect((await ask({ what: 'compile' })).status).toBe(0);
  project.edit('src/values.ts', 'pets', 'cats');
  expect(runGenerate('--check')).toMatchObject({
    status: 1,
    output: 'src/values.ts is stale: run `npx contract-first generate` and commit the result\n',
  });

  const own = '// mine\n';
  project.write('src/values.ts', own);
  expect(await generate()).toEqual({
    status: 1,
    output: 'src/values.ts was not generated and is not overwritten: rename it, and run this again\n',
  });
  project.edit(DOCUMENT, '    Topic: { enum: [plants, pets] }\n', '');
  await generate();
  expect(project.read('src/values.ts')).toBe(own);

  rmSync(join(project.folder, 'src/values.ts'));
  project.edit(DOCUMENT, schema, `${schema}    Topic: { enum: [plants, pets] }\n`);
  await generate();
  project.edit(DOCUMENT, '    Topic: { enum: [plants, pets] }\n', '');
  expect((await generate()).output).toContain(
    'written: generated/openapi.json, generated/openapi.d.ts, src/values.ts',
  );
  expect(project.list('src')).not.toContain('src/values.ts');
});

it('names the lines of a removed operation whose handler is gone', async () => {
  addGetNote();
  await generate();
  project.edit(DOCUMENT, GET_NOTE, '\n');
  const { output } = await generate();
  expect(output).toMatch(
    /^openapi\/overlay\.yaml#\/actions\/0: \$\.paths\['\/notes\/\{id\}'\]\S* matches nothing: delete/,
  );
  project.write(
    'openapi/overlay.yaml',
    project.read('openapi/overlay.yaml').replace(/  - target: .*parameters[^]*?example: 1\n/, ''),
  );
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
      'the overlay has "No token was sent, or it was refused.": change the document, because an overlay can add and remove, but not replace\n',
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
  'existing clients would break: undo the breaking changes, or accept them (`npx contract-first breaking --help` shows how)';
const WRITTEN = 'written: generated/openapi.json, generated/openapi.d.ts';
const POST = '#/paths/~1notes/post';

/** Edits of the document, each as texts and their replacements, and the output of \`make generate\`. */
const EDITS: readonly [string, readonly (readonly [string, string])[], readonly string[]][] = [
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
      'no operation requires the security scheme bearerAuth any longer: delete its verifier in src/auth.ts',
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
      'createNote may now respond with 409: return it in src/handlers/create-note.ts and prove it with a scenario in tests/contract/service.ts',
      WRITTEN,
    ],
  ],
  [
    'a 422 in the place of a 400, which the server answers itself',
    [["'400':", "'422':"]],
    [
      `breaking  ${POST}/responses/400: the status 400 is gone`,
      `          ${POST}/responses/422: the status 422 is new`,
      BREAKS,
      WRITTEN,
    ],
  ],
];

it.each(EDITS)('lists the next steps after %s', async (_, edits, lines) => {
  for (const [was, is] of edits) project.edit(DOCUMENT, was, is);
  const { status, output } = await generate();
  expect([status, output.trimEnd().split('\n')]).toEqual([0, lines]);
});

/** Paths of operations, each with a list of unlimited length. */
const shelves = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `
  /shelves/${i}/{key}:
    get:
      operationId: getShelf${i}
      parameters: [{ name: key, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: all, content: { application/json: { schema: { type: array, items: { type: string } } } } }
        '400': { $ref: '#/components/responses/InternalServerError' }`,
  ).join('');

it('prints at most 20 lines about a change, and the rest on request', async () => {
  project.edit(DOCUMENT, '\ncomponents:', `${shelves(60)}\ncomponents:`);
  const first = (await ask()).output.trimEnd().split('\n');
  expect(first.length).toBeLessThanOrEqual(20);
  expect(
    first.filter((line) => /^and \d+ more: `npx contract-first generate --all` lists them$/.test(line)),
  ).toHaveLength(3);
  const all = (await ask({ all: true })).output;
  for (let i = 0; i < 60; i++) expect(all).toContain(`GET /shelves/${i}/{key} (getShelf${i}) is new`);
  expect(all.match(/is a list of unlimited length/g)).toHaveLength(60);
  // One line of the overlay that changes every operation is one line.
  project.edit(
    'openapi/overlay.yaml',
    "      '503':",
    "      '429': { $ref: '#/components/responses/InternalServerError' }\n      '503':",
  );
  expect((await ask()).output.trimEnd().split('\n')).toEqual([
    '          #/paths/*/*/responses/429: the status 429 is new (61 places)',
    WRITTEN,
  ]);
});

it('prints a remark once, until something about it changes', async () => {
  project.edit(DOCUMENT, '\ncomponents:', `${shelves(1)}\ncomponents:`);
  const remark = 'is a list of unlimited length';
  expect((await ask()).output).toContain(remark);
  // It moves down by a line.
  project.edit(DOCUMENT, 'paths:', '# a comment\npaths:');
  expect((await ask()).output).toBe('generated/ is up to date\n');
  expect((await ask({ all: true })).output).toContain(remark);
  project.edit(DOCUMENT, 'type: array,', 'type: array, maxItems: 9,');
  expect((await ask()).output).not.toContain(remark);
  project.edit(DOCUMENT, 'type: array, maxItems: 9,', 'type: array,');
  expect((await ask()).output).toContain(remark);
});

it('gives the path parameters of a later operation the example of the same place, and leaves the overlay as it is', async () => {
  const overlay = project.read('openapi/overlay.yaml').replace('actions:\n', 'actions:\n  # mine\n');
  project.write('openapi/overlay.yaml', overlay);
  const answers =
    "responses: { '200': { description: ok }, '400': { $ref: '#/components/responses/InternalServerError' } }";
  const pathOf = (name: string, schema: string) =>
    `[{ name: ${name}, in: path, required: true, schema: { ${schema} } }`;
  project.edit(
    DOCUMENT,
    '\ncomponents:',
    `
  /people/{person}:
    parameters: ${pathOf('person', 'type: string, format: uuid')}]
    get: { operationId: getPerson, ${answers} }
  '/people/{name}/letters/{letter: x}':
    parameters: ${pathOf('name', 'type: string')}, ${pathOf("'letter: x'", 'type: integer, minimum: 7').slice(1)}]
    get: { operationId: getLetter, ${answers} }
components:`,
  );
  const { output } = await ask();
  expect(output.match(/^openapi\/overlay\.yaml: an example for .*$/gm)).toHaveLength(3);
  const text = project.read('openapi/overlay.yaml');
  const added = text.slice(text.indexOf('actions:') + 'actions:\n'.length, text.indexOf('  # mine'));
  expect(overlay.replace('actions:\n', `actions:\n${added}`)).toBe(text);
  expect(added).toContain("  - target: $.paths['/people/{person}'].parameters[0]\n");
  const { paths } = JSON.parse(project.read('generated/openapi.json')) as {
    paths: Record<string, { parameters: { example: unknown }[] }>;
  };
  expect(paths['/people/{name}/letters/{letter: x}']?.parameters.map(({ example }) => example)).toEqual([
    '00000000-0000-4000-8000-000000000001',
    7,
  ]);
  expect(await ask()).toEqual({ status: 0, output: 'generated/ is up to date\n' });
  // One that comes later has the example of those before it.
  project.edit(
    DOCUMENT,
    '\ncomponents:',
    `\n  /people/{id}/photo:\n    parameters: ${pathOf('id', 'type: string, format: uuid')}]\n    get: { operationId: getPhoto, ${answers} }\ncomponents:`,
  );
  await ask();
  const published = JSON.parse(project.read('generated/openapi.json')) as {
    paths: Record<string, { parameters: { example: unknown }[] }>;
  };
  expect(published.paths['/people/{id}/photo']?.parameters[0]?.example).toBe(
    published.paths['/people/{person}']?.parameters[0]?.example,
  );
});
