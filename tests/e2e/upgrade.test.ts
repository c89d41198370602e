import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { seedLock } from '../../scripts/new/lock';
import { version } from '../../package.json';
import { errorsIn } from '../support/compile';
import { installBeside, runIn, TARBALL, unpack } from '../support/package';
import { startProcess } from '../support/process';

jest.setTimeout(120_000);

const ROOT = resolve(__dirname, '../..');
const PREVIOUS = '0.9.0';

let folder: string;
let service: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  service = join(folder, 'notes');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const read = (file: string) => readFileSync(join(service, file), 'utf8');
const write = (file: string, text: string) => {
  writeFileSync(join(service, file), text);
};
/** Replaces a text that must exist in a file of the service. */
function edit(file: string, was: string, is: string): void {
  expect(read(file)).toContain(was);
  write(
    file,
    read(file).replace(was, () => is),
  );
}
const npm = (...args: readonly string[]) =>
  execFileSync('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: service,
    encoding: 'utf8',
  });

/** Builds the package with a lower version. */
function packPrevious(): string {
  const content = join(folder, 'previous/package');
  unpack(TARBALL, content);
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')) as object;
  writeFileSync(join(content, 'package.json'), JSON.stringify({ ...manifest, version: PREVIOUS }));
  const tarball = join(folder, `contract-first-server-${PREVIOUS}.tgz`);
  execFileSync('tar', ['-czf', tarball, '-C', join(folder, 'previous'), 'package']);
  return tarball;
}

/** Edits the service as its team does: a handler over the store, an error, a variable, a policy and a scenario. */
function writeService(): void {
  write(
    'src/handlers/create-note.ts',
    `import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /notes */
export const createNote: CreateHandler<'createNote'> =
  (store) =>
  async ({ body: { id, ...note } }) => {
    if (await store.items.add(String(id), note)) return { status: 200, body: note };
    return { status: 400, body: errorBody('taken', \`body/id \${id} is taken\`) };
  };
`,
  );
  edit('src/errors.ts', 'OwnKind = never', `OwnKind = 'taken'`);
  edit('src/errors.ts', '  ...COMMON,\n', '  ...COMMON,\n  taken: { status: 400, number: 40002 },\n');
  edit('src/config.ts', '  readonly databaseUrl', '  readonly most: number;\n  readonly databaseUrl');
  edit(
    'src/config.ts',
    '    databaseUrl:',
    `    most: variables.integer('MOST_NOTES', 100, 1, 1000),\n    databaseUrl:`,
  );
  edit('src/app.ts', '...extensions }', '...extensions, beforeHandler: () => undefined }');
  edit(
    'tests/contract/service.ts',
    'scenarios: readonly Scenario[] = [',
    `scenarios: readonly Scenario[] = [
  {
    title: 'an id names one note',
    steps: [
      { operation: 'createNote', body: '{"id": 1, "text": "Water the fern"}', expect: 'success' },
      { operation: 'createNote', body: '{"id": 1, "text": "Water the palm"}', expect: 'taken' },
    ],
  },
`,
  );
  edit(
    'tests/contract/service.ts',
    'Readonly<Record<string, OwnRefusal>> = {',
    `Readonly<Record<string, OwnRefusal>> = { taken: { ...refusal('taken'), operations: [] }`,
  );
}

test('a service of the previous version is upgraded by npm, and is green', async () => {
  const previous = packPrevious();
  installBeside(folder, previous);
  const document = join(__dirname, '../support/fixture/openapi/notes.yaml');
  const options = ['--package', previous, '--modules', join(folder, 'node_modules')];
  execFileSync(join(ROOT, 'node_modules/.bin/tsx'), [
    'scripts/new/main.ts',
    service,
    document,
    'notes',
    ...options,
  ]);
  writeService();

  // npm has no packages to install here: it updates package.json and package-lock.json, and the test unpacks the package.
  seedLock(service);
  npm('install', '--package-lock-only');
  cpSync(TARBALL, join(service, 'vendor', basename(TARBALL)));
  npm('install', '--package-lock-only', `./vendor/${basename(TARBALL)}`);
  expect(read('package.json')).toContain(`"file:vendor/${basename(TARBALL)}"`);
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, object> };
  expect(packages['node_modules/contract-first-server']).toMatchObject({ version });
  npm('ci', '--dry-run');
  unpack(TARBALL, join(folder, 'node_modules/contract-first-server'));

  expect(runIn(service, 'contract-first', 'generate')).toEqual({
    status: 0,
    output: 'generated/ is up to date\n',
  });
  // The strictest flags: the declarations of the package are checked too, but not those of other packages.
  const strictest = { skipLibCheck: false, noUnusedLocals: true, noUnusedParameters: true };
  const isOurs = (file: string) => !/\/node_modules\/(?!contract-first-server\/)/.test(file);
  expect(errorsIn(service, strictest, isOurs)).toBe('');
  const { status, output } = runIn(service, 'contract-first', 'contract');
  expect(output).toMatch(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
  expect(status).toBe(0);
  expect(runIn(service, 'contract-first', 'todo').output).toBe('nothing is left to do\n');

  const env = { PORT: '0', API_TOKENS: 'token', DATABASE_URL: 'memory:' };
  const server = startProcess(['--import', 'tsx', 'src/main.ts'], env, service);
  const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const response = await fetch(`${address}/notes`, {
    method: 'POST',
    headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json' },
    body: '{"id": 1, "text": "Water the fern"}',
  });
  expect([response.status, await response.json()]).toEqual([200, { text: 'Water the fern' }]);
  expect(await server.stop()).toBe(0);
});
