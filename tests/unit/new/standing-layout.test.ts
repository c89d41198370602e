import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import ts from 'typescript';
import root from '../../../package.json';
import { describeFailure, run } from '../../../scripts/prove';
import { readLayout } from '../../../scripts/new/layout-files';
import { service } from '../../../scripts/new/layout/tests/contract/service';
import manifest from '../../../scripts/new/layout/package.json';
import * as library from '../../../src/database';

// The layout of new services, where it stands: `make check` checks its types and lints it, e2e/new-service.test.ts lays it out.

const ROOT = join(__dirname, '../../..');
const own = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('the service of the layout keeps its contract, without a stub and without a waiver', async () => {
  const target = service();
  expect([(await target.inspect()).stubs, target.waivers]).toEqual([[], []]);
  const { failures, obligations, passed } = await run(target, { seed: 1 });
  expect(failures.map(describeFailure)).toEqual([]);
  expect(obligations.filter(({ state }) => state !== 'PROVEN')).toEqual([]);
  expect(passed).toBe(true);
});

/** A file of the layout as this project would have it. */
const asHere = (text: string) =>
  text
    .replace(/^.*#region here[^]*?#endregion here.*\n/m, '')
    .replaceAll("'contract-first-server'", "'./contract'")
    .replaceAll("'contract-first-server/", "'./")
    .replaceAll('bike-shed.db', 'plants.db')
    .replaceAll('bike-shed', 'plant-store')
    .replaceAll('BikeShed', 'Plant');

test.each(['main', 'app', 'config', 'extensions'])('src/%s.ts is that of this project', (name) => {
  const sorted = (text: string) => text.split(/[\s,]+/).toSorted();
  expect(sorted(asHere(readLayout(`src/${name}.ts`)))).toEqual(sorted(own(`src/${name}.ts`)));
});

test.each([
  ['.nvmrc', '.nvmrc', /.+/g],
  ['Dockerfile', 'Dockerfile', /^(FROM \S+|ENV .*?DATABASE_URL|HEALTHCHECK[^]*)/gm],
  ['.env.example', '.env.example', /^(?!API_TOKENS|AUTH_)[A-Z_]+=(?!sqlite).*$/gm],
  ['src/tsconfig.json', 'src/tsconfig.json', /[^]+/g],
  ['tsconfig.json', 'tsconfig.json', /^ {4}"(?!paths|contract-first)[^]*?,?$/gm],
  ['openapi/overlay.yaml', 'openapi/overlay.yaml', /^(?=.*\[\?\()(?=.*responses).*$/gm],
  ['.github/workflows/ci.yml', '.github/workflows/ci.yml', /actions\/(checkout|setup-node)@.*/g],
])('%s has what that of this project has', (file, here, parts) => {
  const found = (text: string) => [...new Set(text.match(parts))].toSorted();
  expect(found(readLayout(file))).toEqual(found(own(here)));
});

test('package.json has the versions of this project', () => {
  const { devDependencies, engines, overrides, allowScripts } = manifest;
  const versions: Readonly<Record<string, string>> = { ...root.devDependencies, ...root.dependencies };
  expect(Object.entries(devDependencies).filter(([name, version]) => versions[name] !== version)).toEqual([]);
  expect(root).toMatchObject({ engines, overrides, allowScripts });
  expect(manifest.prettier).toEqual(JSON.parse(own('.prettierrc.json')));
});

/** The code in the comment above the schema: a migration, and the body of a function. */
function codeOfExample(): string[] {
  const blocks = readLayout('src/storage/open.ts').match(/(?:^ \* {5}.*\n)+/gm) ?? [];
  return blocks.map((code) => code.replace(/^ \* {5}/gm, ''));
}

/** Runs the body of a function over the library. */
function evaluate(body: string, values: Readonly<Record<string, unknown>>): unknown {
  const options = { compilerOptions: { target: ts.ScriptTarget.ESNext } };
  const { outputText } = ts.transpileModule(`return (async () => { ${body} })();`, options);
  const known = { ...library, ...values };
  return Reflect.apply(compileFunction(outputText, Object.keys(known)), undefined, Object.values(known));
}

test('the example of a table of its own works as it stands', async () => {
  const { collectionTable, openDatabase, sql } = library;
  const [migration = '', insert = ''] = codeOfExample();
  const added = (await evaluate(`return ${migration.replace(/,\s*$/, '')}`, {})) as library.Migration;
  const database = await openDatabase('memory:', {
    name: 'shed',
    mark: 'shed',
    migrations: [['collections', collectionTable('bikes')], added],
    probe: sql`INSERT INTO bikes (key, value) SELECT key, value FROM bikes WHERE 1 = 0`,
  });
  await library.collection(database, 'bikes').add('a', {});
  const results: unknown[] = [];
  for (const [item, code] of [
    ['a', 'x'],
    ['a', 'x'],
    ['a', 'y'],
    ['b', 'z'],
  ])
    results.push(await evaluate(insert, { database, item, code }));
  expect(results).toEqual([1n, 'taken', expect.any(BigInt), 'no such item']);
  await database.close();
});
