import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import root from '../../../../package.json';
import { describeFailure, run } from 'contract-first-prover';
import { withoutUnusedImports } from '../../src/new/fill';
import { readLayout } from '../../src/new/layout-files';
import { service } from '../../layout/tests/contract/service';
import manifest from '../../layout/package.json';

// The layout of new services, where it stands: `make check` checks its types and lints it, e2e/new-service.test.ts lays it out.

const ROOT = join(__dirname, '../../../..');
const own = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('the service of the layout keeps its contract, without a stub and without a waiver', async () => {
  const target = service();
  expect([(await target.inspect()).stubs, target.waivers]).toEqual([[], []]);
  const { failures, obligations, passed } = await run(target, { seed: 1 });
  expect(failures.map(describeFailure)).toEqual([]);
  expect(obligations.filter(({ state }) => state !== 'PROVEN')).toEqual([]);
  expect(passed).toBe(true);
});

/** A file of the layout as this project would have it, whose store has no list of bodies. */
const asHere = (text: string) =>
  text
    .replace(/^.*#region (here|users|senders|curl)\b[^]*?#endregion \1\b.*\n/gm, '')
    .replace("import { stored } from './storage/stored';\n", '')
    .replace(' errors, stored,', ' errors,')
    .replaceAll('bike-shed.db', 'plants.db')
    .replaceAll('bike-shed', 'plant-store')
    .replaceAll('BikeShed', 'Plant');

test.each(['main', 'app', 'config', 'extensions'])('src/%s.ts is that of this project', (name) => {
  const sorted = (text: string) =>
    withoutUnusedImports(text)
      .split(/[\s,]+/)
      .toSorted();
  expect(sorted(asHere(readLayout(`src/${name}.ts`)))).toEqual(sorted(own(`src/${name}.ts`)));
});

test.each([
  ['.nvmrc', '.nvmrc', /.+/g],
  ['Dockerfile', 'Dockerfile', /^(FROM \S+|ENV .*?DATABASE_URL|HEALTHCHECK[^]*)/gm],
  ['.env.example', '.env.example', /^(?!API_TOKENS|AUTH_|TOKEN_|WEBHOOK_)[A-Z_]+=(?!sqlite).*$/gm],
  ['src/tsconfig.json', 'src/tsconfig.json', /^(?!.*(allowJs|customConditions|\/\/ The packages)).*$/gm],
  ['tsconfig.json', 'tsconfig.json', /^ {4}"(?!(packages|scripts)\/)[^]*?,?$/gm],
  ['openapi/overlay.yaml', 'openapi/overlay.yaml', /^(?=.*\[\?\()(?=.*responses).*$/gm],
  ['.github/workflows/ci.yml', '.github/workflows/ci.yml', /actions\/(checkout|setup-node)@.*/g],
])('%s has what that of this project has', (file, here, parts) => {
  const found = (text: string) => [...new Set(text.match(parts))].toSorted();
  expect(found(readLayout(file))).toEqual(found(own(here)));
});

test('package.json has the versions of this project', () => {
  const { devDependencies, engines, overrides, allowScripts } = manifest;
  const versions: Readonly<Record<string, string>> = { ...root.devDependencies, ...root.dependencies };
  const expected = (name: string) =>
    name.startsWith('contract-first') ? `file:vendor/${name}.tgz` : versions[name];
  expect(devDependencies).toEqual(
    Object.fromEntries(Object.keys(devDependencies).map((name) => [name, expected(name)])),
  );
  expect(root).toMatchObject({ engines, overrides, allowScripts });
  expect(manifest.resolutions).toEqual(overrides); // Yarn's word
  expect(parse(readLayout('pnpm-workspace.yaml'))).toEqual({ allowBuilds: allowScripts });
  expect(manifest.prettier).toEqual((JSON.parse(own('package.json')) as { prettier: object }).prettier);
});
