import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyProject, type Project } from '../support/project';

jest.setTimeout(120_000);

const DOCUMENT = 'openapi/plant-store.yaml';
const GET_PLANT = `
  /plants/{id}:
    get:
      operationId: getPlant
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '200':
          description: the plant
          content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
`;

type Paths = Readonly<Record<string, { readonly get?: { readonly responses: object } }>>;

let project: Project;
beforeEach(() => {
  project = copyProject();
});
afterEach(() => {
  project.remove();
});

const generate = (...args: string[]) => project.run('tsx', 'scripts/generate.ts', ...args);
const addGetPlant = () => {
  project.edit(DOCUMENT, '\ncomponents:', `${GET_PLANT}components:`);
};

it('tells of a new operation, and writes a handler that compiles, but is not let into production', () => {
  expect(generate()).toEqual({ status: 0, output: 'generated/ is up to date\n' });
  addGetPlant();
  expect(generate('--check').output).toContain('generated/openapi.json is stale at /paths//plants/{id}');
  const { status, output } = generate();
  expect(status).toBe(0);
  expect(output.split('\n')).toEqual([
    '          #/paths/~1plants~1{id}/get: GET /plants/{id} (getPlant) is new',
    'src/handlers/get-plant.ts is new: it answers 501 until you write it',
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
    stderr: '#/paths/~1plants~1{id}/get: the handler of getPlant is still a stub: write it\n',
  });
  expect(project.run('prettier', '--check', 'src/handlers').status).toBe(0);
});

it('never touches a handler that is there, and says what is left to do by hand', () => {
  addGetPlant();
  project.write('src/handlers/get-plant.ts', '// mine\n');
  project.edit('src/handlers/index.ts', '=> ({\n  createPlant: createPlant(store),\n})', '=> listed(store)');
  const index = project.read('src/handlers/index.ts');
  const { output } = generate();
  expect(output).toContain('src/handlers/get-plant.ts was there and stays as it is');
  expect(output).toContain("add to src/handlers/index.ts: import { getPlant } from './get-plant';");
  expect(output).toContain('and to the object that its createHandlers returns: getPlant: getPlant(),');
  expect(project.read('src/handlers/get-plant.ts')).toBe('// mine\n');
  expect(project.read('src/handlers/index.ts')).toBe(index);
});

it.each([
  [
    'createPlant: createPlant(store), // mine',
    'createPlant: createPlant(store), // mine\n  getPlant: getPlant(),',
  ],
  [
    'createPlant: createPlant(store) // mine',
    'createPlant: createPlant(store), // mine\n  getPlant: getPlant(),',
  ],
  [
    'createPlant: createPlant(store) /* mine */,',
    'createPlant: createPlant(store) /* mine */,\n  getPlant: getPlant(),',
  ],
  ['...plants(store),', '...plants(store),'],
])('keeps the list of handlers as a person wrote it: %s', (was, is) => {
  addGetPlant();
  project.edit('src/handlers/index.ts', 'createPlant: createPlant(store),', was);
  project.edit('src/handlers/index.ts', "'./create-plant';", "'./create-plant'; // mine");
  generate();
  const index = project.read('src/handlers/index.ts');
  expect(index).toContain(`({\n  ${is}\n})`);
  expect(index).toContain("'./create-plant'; // mine\n");
});

it('leads through the loop of README: what the document adds, the compiler asks of the handler', () => {
  project.edit(
    DOCUMENT,
    '        - name\n      properties:',
    '        - name\n        - height\n      properties:\n        height: { type: integer }',
  );
  expect(generate().output).toMatch(/^breaking .*the property height is new and required/);
  const { output } = project.run('tsc', '-p', 'src', '--pretty', 'false');
  expect(output).toMatch(
    /^src\/handlers\/create-plant\.ts\(\d+,\d+\): [^]*Property 'height' is missing in type/,
  );
});

it('names the handler of an operation that is gone', () => {
  addGetPlant();
  generate();
  project.edit(DOCUMENT, 'operationId: getPlant', 'operationId: find');
  const orphan =
    'getPlant is no operation any more: delete src/handlers/get-plant.ts and its lines in src/handlers/index.ts';
  expect(generate().output).toContain(orphan);
  expect(existsSync(join(project.folder, 'src/handlers/get-plant.ts'))).toBe(true);
  rmSync(join(project.folder, 'src/handlers/get-plant.ts'));
  expect(generate().output).toContain(
    'getPlant is no operation any more: delete its lines in src/handlers/index.ts',
  );
});

it.each([
  ['of YAML', 'paths:', 'paths: [', /^openapi\/plant-store\.yaml:\d+:\d+: Block collections/],
  [
    'of a reference',
    'schemas/NewPlant',
    'schemas/NoPlant',
    /^openapi\/plant-store\.yaml:24:\d+: #\/.*\/\$ref: \"#\/components\/schemas\/NoPlant\" leads nowhere/,
  ],
  [
    'of a keyword, which would go unchecked,',
    'type: string',
    'type: string\n          maxLenght: 30',
    /^openapi\/plant-store\.yaml:48:11: Property `maxLenght` is not expected here\. Do you mean `maxLength`\?\n$/,
  ],
  [
    'of the contract',
    'type: string',
    'type: text',
    /openapi\/plant-store\.yaml:47:\d+: #\/components\/schemas\/Plant/,
  ],
])('shows a mistake %s with its file and line', (_, was, is, message) => {
  project.edit(DOCUMENT, was, is);
  const { status, output } = generate();
  expect(status).toBe(1);
  expect(output).toMatch(message);
});

it('shows a mistake of the overlay as one of the overlay, and all actions that match nothing', () => {
  project.edit(DOCUMENT, "schemas/Error'", "schemas/Fault'");
  project.edit(DOCUMENT, '    Error:', '    Fault:');
  expect(generate().output).toMatch(
    /^openapi\/overlay\.yaml, at #\/components\/responses\/\w+\/.*"#\/components\/schemas\/Error" leads nowhere/,
  );
  const overlay = project.read('openapi/overlay.yaml');
  project.write('openapi/overlay.yaml', overlay.replaceAll(/@\.responses/g, '@.none'));
  expect(
    generate().output.match(/^openapi\/overlay\.yaml#\/actions\/[1-5]: .* matches nothing/gm),
  ).toHaveLength(5);
});

it('shows where the overlay changes what the document says', () => {
  const own =
    "  responses:\n    Unauthorized: { description: 'Show your card', content: { text/plain: {} } }\n";
  project.edit(DOCUMENT, 'components:\n', `components:\n${own}`);
  expect(generate()).toEqual({
    status: 1,
    output:
      'openapi/overlay.yaml, at #/components/responses/Unauthorized/description: the document says "Show your card", ' +
      'not "No token was sent, or it was refused."; leave it out\n',
  });
});

it('asks for a 401 only where credentials are asked for', () => {
  addGetPlant();
  const answers = () =>
    (JSON.parse(project.read('generated/openapi.json')) as { paths: Paths }).paths['/plants/{id}']?.get
      ?.responses;
  generate();
  expect(answers()).toHaveProperty('401');
  project.edit(DOCUMENT, 'operationId: getPlant', 'operationId: getPlant\n      security: []');
  generate();
  expect(answers()).not.toHaveProperty('401');
  project.edit(DOCUMENT, 'security: []', 'security: [{ bearerAuth: [] }]');
  project.edit(DOCUMENT, 'security:\n  - bearerAuth: []\n', '');
  generate();
  expect(answers()).toHaveProperty('401');
});

it('make breaking holds what would break a client of an earlier commit, and nothing else', () => {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: project.folder,
    });
  git('init', '--quiet');
  git('add', 'generated');
  git('commit', '--quiet', '--message', 'first');
  const breaking = (...args: string[]) => project.run('tsx', 'scripts/breaking.ts', ...args);
  addGetPlant();
  generate();
  expect(breaking('HEAD')).toEqual({ status: 0, output: 'nothing since HEAD would break a client\n' });
  // Also before it is generated.
  project.edit(DOCUMENT, 'type: string', 'type: string\n          maxLength: 30');
  expect(breaking('HEAD')).toEqual({
    status: 1,
    output:
      'breaking  #/components/schemas/Plant/properties/name/maxLength: in requests: maxLength 30 is new\n' +
      '\n1 change since HEAD would break a client\n',
  });
  expect(breaking('none')).toMatchObject({ status: 2 });
  expect(breaking()).toMatchObject({
    status: 2,
    output: expect.stringContaining('make breaking BASE=main') as string,
  });
});
