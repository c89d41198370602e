import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ContractReport } from 'contract-first-prover';
import { withoutUnusedImports } from '../../src/new/fill';
import { UNDOTTED } from '../../src/new/layout-files';
import { keepFolder } from '../../../../scripts/testing/folder';
import { version } from '../../package.json';
import { ALL_EXTRAS, installBeside, layOut, runIn } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';
import { fast, slow } from '../../../../scripts/testing/cases';
import { columnOf } from '../../../../scripts/testing/sqlite-file';

// A service that `make new` lays out from a document of its own: eight operations, basic authentication, an API key, the
// errors of RFC 9457. (tests/new/standing-layout.slow.test.ts has one whose operations are implemented, upgrade.slow.test.ts this one.)

jest.setTimeout(600_000);

const ROOT = resolve(__dirname, '../../../..');
const GIVEN = join(__dirname, 'new-service');

const HANDLER = 'src/handlers/get-hours.ts';

const folder = keepFolder();
const service = join(folder, 'night-museum');
let said: string;

beforeAll(() => {
  installBeside(folder);
  said = layOut(service, join(GIVEN, 'night-museum.yaml'));
});

const read = (file: string) => readFileSync(join(service, file), 'utf8');
const run = (...args: readonly string[]) => runIn(service, 'contract-first', ...args);
const start = (env: Readonly<Record<string, string>>) =>
  startProcess([join(service, 'dist/main.js')], { PORT: '0', DATABASE_URL: 'memory:', ...env }, service);

/** The files of a service that people read. */
const filesOf = (service: string) =>
  readdirSync(service, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(service.length + 1))
    .filter((file) => !/^(node_modules|\.git|\.cache|vendor|reports|dist)\//.test(file));

fast(() => {
  test('is laid out by one command, and is green at once', async () => {
    expect(said).toMatch(/PROVEN \d+\/\d+, WAIVED \d+, UNPROVEN 0, BLOCKED 0/);
    expect(said).toContain('served 8 of 8 operations');
    const { waivers } = JSON.parse(read('reports/contract/contract.json')) as ContractReport;
    expect(waivers).toEqual({ expired: [], unused: [] });
    const files = filesOf(service);
    expect(files.filter((file) => /plant/i.test(file + read(file)))).toEqual([]);
    expect(read('openapi/night-museum.yaml')).toBe(readFileSync(join(GIVEN, 'night-museum.yaml'), 'utf8'));
    expect(read('src/auth.ts')).toMatch(/visitorKey: apiKeys\(.*\n.*curator: basicUsers\(/);
    expect(read('src/errors.ts')).toContain("MEDIA_TYPE = 'application/problem+json'");
    expect(read('src/errors.ts')).toContain('conflict: { status: 409, number: 40901 }');
    const own = files.filter((file) => !/^(generated|src\/(handlers|storage))\//.test(file));
    expect(own.length).toBeLessThanOrEqual(28);

    expect(said).toContain('npm run check and npm run test pass');
    // What has passed is not linted again, unless its text has changed.
    const handler = read(HANDLER);
    writeFileSync(join(service, HANDLER), `${handler}\nconst unused = 1;\n`);
    expect(run('check', '--only', 'code')).toEqual({
      status: 1,
      output: expect.stringMatching(/get-hours\.ts\n.*'unused' is assigned a value but never used/) as string,
    });
    writeFileSync(join(service, HANDLER), handler);
    expect(run('migrate')).toEqual({
      status: 0,
      output: expect.stringMatching(/^migration  name\n {8}1 {2}/) as string,
    });
    expect(run('seed')).toEqual({ status: 0, output: 'seeded\n' });
    const { output } = run('todo');
    expect(output).toContain('1 operation is a stub');
    expect(output).toContain('buyTicket | response | 409 | *: to do');

    expect(runIn(service, 'tsc', '-p', 'src')).toEqual({ status: 0, output: '' });
    const production = start({ NODE_ENV: 'production', API_USERS: 'ada:secret', API_KEYS: 'key' });
    expect(await production.exit).toBe(1);
    expect(production.output()).toContain('the handler of getHours is still a stub');
    const server = start({});
    const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
    const [, key = ''] = await server.printed(/(?:X-Visitor-Key|visitorKey): ([\w-]+)/);
    const response = await fetch(`${address}/v1/hours?from=2026-12-01`, {
      headers: { 'X-Visitor-Key': key },
    });
    expect([response.status, response.headers.get('x-stub')]).toEqual([200, 'getHours']);
    await server.stop();
  });
});

fast(() => {
  test('the package has the licenses of the page that it contains', () => {
    const packed = readdirSync(join(folder, 'node_modules/contract-first-server/dist/swagger-ui'));
    const licenses = readdirSync(join(ROOT, 'node_modules/swagger-ui-dist')).filter(
      (name) => /^(LICENSE|NOTICE)/.test(name) || packed.includes(name.replace(/\.LICENSE\.txt$/, '')),
    );
    expect(packed).toEqual(expect.arrayContaining(licenses));
  });
});

slow(() => {
  test("the layout's own document gives the layout back", () => {
    const layout = join(ROOT, 'packages/command/layout');
    const target = join(folder, 'bike-shed');
    expect(layOut(target, join(layout, 'openapi/bike-shed.yaml'), folder, ALL_EXTRAS)).toMatch(
      /STUB 2\d, PROVEN [1-9]\d*\/\d+, WAIVED 0/,
    );
    expect(runIn(target, 'jest', 'tests/environment.test.ts')).toMatchObject({ status: 0 });
    expect(runIn(target, 'contract-first', 'todo').output).toMatch(/ is never sent: .*\n {2}bikeAdded$/m);
    const named = (file: string) => (UNDOTTED.includes(file) ? `.${file}` : file);
    const standing = filesOf(layout).filter(
      (file) => !['src/storage/users.ts', 'pnpm-workspace.yaml'].includes(file),
    );
    expect(filesOf(target).sort()).toEqual(standing.map(named).sort());
    // But for the marks of regions, the paths of this project, the names of the packages, and the handler that no document tells.
    for (const file of standing.filter((one) => !one.endsWith('print-label.ts'))) {
      const text = readFileSync(join(layout, file), 'utf8')
        .replace(/^.*#region (here|users|curl)\b[^]*?#endregion \1\b.*\n/gm, '')
        .replace(/^.*#(end)?region.*\n/gm, '')
        .replaceAll('.tgz"', `-${version}.tgz"`);
      writeFileSync(join(target, named(file)), file.endsWith('.ts') ? withoutUnusedImports(text) : text);
    }
    // Without the marks some lists fit on a line.
    runIn(target, 'prettier', '--write', '--log-level', 'warn', '.');
    const changed = execFileSync('git', ['status', '--short', '.'], { cwd: target, encoding: 'utf8' });
    expect(changed).toBe('');
    // The examples of the document, once.
    expect(runIn(target, 'contract-first', 'seed')).toMatchObject({ status: 0 });
    expect(runIn(target, 'contract-first', 'seed')).toEqual({ status: 0, output: 'seeded\n' });
    expect(columnOf(join(target, 'data/bike-shed.db'), 'SELECT count(*) FROM bikes')).toEqual([1n]);
  });
});

/** Changes texts of a file of the service. */
function edit(file: string, ...changes: readonly (readonly [was: string, is: string])[]): void {
  let text = read(file);
  for (const [was, is] of changes) {
    expect(text).toContain(was);
    text = text.replace(was, is);
  }
  writeFileSync(join(service, file), text);
}

slow(() => {
  test('it becomes one of ES modules by docs/packages.md, with the Kysely that has nothing else', async () => {
    expect(run('migrate')).toMatchObject({ status: 0 });
    const kysely = join(folder, 'node_modules/kysely');
    rmSync(kysely);
    symlinkSync(join(ROOT, 'node_modules/kysely-0.29'), kysely);
    const [, program = ''] =
      /```js\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/packages.md'), 'utf8')) ?? [];
    writeFileSync(join(service, 'to-es-modules.mjs'), program);
    expect(runIn(service, '../../to-es-modules.mjs')).toEqual({ status: 0, output: '' });
    rmSync(join(service, 'to-es-modules.mjs'));
    edit(
      'src/storage/tickets.ts',
      ['import { events }', "import { kysely } from 'contract-first-database/kysely';\nimport { events }"],
      [
        'const [ticket] = await database.query(select(tickets)`WHERE ${equal(tickets, { number })}`);\n    return ticket;',
        "return kysely(database, { tickets }).selectFrom('tickets').selectAll().where('number', '=', number).executeTakeFirst();",
      ],
      ['  equal,\n', ''],
      ['  select,\n', ''],
    );
    edit('openapi/night-museum.yaml', [
      '  /events:\n',
      '  /doors:\n    get:\n      operationId: openDoors\n      responses: { "204": { description: They are open. }, "400": { $ref: "#/components/responses/BadRequest" } }\n  /events:\n',
    ]);
    expect(run('generate')).toMatchObject({ status: 0 });
    expect(read('src/handlers/index.ts')).toContain("from './open-doors.js'");
    expect(runIn(service, 'prettier', '--write', '--log-level', 'warn', '.')).toEqual({
      status: 0,
      output: '',
    });

    const checked = run('check');
    expect(checked.status === 0 || checked.output).toBe(true);
    expect(run('todo').output).toContain('openDoors: src/handlers/open-doors.ts');
    const tested = run('test'); // it builds, and runs the contract tests
    expect(tested.status === 0 || tested.output).toBe(true);
    expect(run('migrate')).toEqual({ status: 0, output: expect.stringContaining('up to date') as string });

    const server = startProcess(
      [join(service, 'dist/main.js')],
      { PORT: '0', DATABASE_URL: 'memory:' },
      service,
    );
    const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
    expect((await fetch(`${address}/-/docs`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});
