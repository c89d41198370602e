import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');

type Row = readonly [file: string, imported: string];

/** Each file is the only importing file of a project with these files. */
const FORBIDDEN: readonly Row[] = [
  ['src/contract/json/new.ts', 'src/contract/http/there'],
  ['src/contract/document/new.ts', 'src/contract/schema/there'],
  ['src/contract/operations/new.ts', 'src/contract/parameters/there'],
  ['src/contract/schema/new.ts', 'src/contract/exchange/there'],
  ['src/contract/exchange/new.ts', 'src/contract/pipeline'],
  ['src/contract/problem.ts', 'src/contract/json/there'],
  ['src/contract/json/new.ts', 'src/errors'],
  ['src/contract/json/new.ts', 'src/plants/there'],
  ['src/contract/json/new.ts', 'express-openapi-validator'],
  ['src/contract/json/new.ts', 'pg'],
  ['src/contract/json/back.ts', 'src/contract/json/circle'],
  ['src/handlers/new.ts', 'express'],
  ['src/handlers/new.ts', 'node:sqlite'],
  ['src/handlers/new.ts', 'src/storage/there'],
  ['src/handlers/new.ts', 'src/contract/json/there'],
  ['src/plants/new.ts', 'pg'],
  ['src/plants/new.ts', 'src/errors'],
  ['src/another-domain/new.ts', 'src/storage/there'],
  ['src/storage/new.ts', 'pg'],
  ['src/storage/new.ts', 'src/app'],
  ['src/storage/new.ts', 'src/contract/index'],
  ['src/storage/new.ts', 'src/handlers/there'],
  ['src/storage/new.ts', 'src/database/there'],
  ['src/plants/new.ts', 'src/database/there'],
  ['src/database/new.ts', 'pg'],
  ['src/database/new.ts', 'src/plants/there'],
  ['src/database/new.ts', 'src/contract/index'],
  ['src/database/new.ts', 'src/database/sqlite/there'],
  ['src/database/postgres/new.ts', 'src/database/sqlite/there'],
  ['src/database/sqlite/new.ts', 'pg'],
  ['src/database/postgres/new.ts', 'node:sqlite'],
  ['src/runtime/new.ts', 'src/storage/there'],
  ['src/runtime/new.ts', 'src/errors'],
  ['src/runtime/new.ts', 'generated/there'],
  ['src/app.ts', 'src/runtime/there'],
  ['src/storage/new.ts', 'kysely'],
  ['src/storage/new.ts', 'src/kysely/there'],
  ['src/database/new.ts', 'kysely'],
  ['src/kysely/new.ts', 'src/contract/index'],
  ['scripts/new.ts', 'src/kysely/there'],
  ['src/app.ts', 'src/storage/there'],
  ['scripts/new.ts', 'tests/support/there'],
  ['scripts/new.ts', 'src/contract/schema/there'],
  ['scripts/prove/new.ts', 'src/contract/index'],
  ['scripts/prove/service/new.ts', 'src/contract/json/there'],
  ['scripts/new.ts', 'scripts/prove/there'],
  ['tests/http/new.test.ts', 'scripts/prove/there'],
  ['scripts/prove/service/new.ts', 'src/errors'],
  ['scripts/prove/service/new.ts', 'tests/support/there'],
  ['tests/http/new.test.ts', 'src/contract/schema/there'],
];

const ALLOWED: readonly Row[] = [
  ['src/contract/schema/validator.ts', 'express-openapi-validator'],
  ['src/contract/parameters/new.ts', 'src/contract/document/there'],
  ['src/handlers/new.ts', 'src/plants/there'],
  ['src/handlers/new.ts', 'src/contract/index'],
  ['src/plants/new.ts', 'src/database/index'],
  ['src/storage/new.ts', 'src/plants/there'],
  ['src/storage/new.ts', 'src/database/index'],
  ['src/errors.ts', 'src/runtime/index'],
  ['src/runtime/new.ts', 'src/database/index'],
  ['src/database/sqlite/new.ts', 'node:sqlite'],
  ['src/database/drivers.ts', 'src/database/sqlite/there'],
  ['src/database/sqlite/new.ts', 'src/database/there'],
  ['src/database/postgres/new.ts', 'pg'],
  ['src/kysely/new.ts', 'src/database/index'],
  ['src/kysely/new.ts', 'kysely'],
  ['tests/unit/database/new.test.ts', 'src/database/there'],
  ['scripts/new.ts', 'src/contract/index'],
  ['scripts/new.ts', 'scripts/prove/index'],
  ['scripts/prove/index.ts', 'scripts/prove/service/there'],
  ['tests/prove/new.test.ts', 'scripts/prove/there'],
  ['tests/unit/contract/new.test.ts', 'src/contract/schema/there'],
];

let house: string;
beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'boundaries-'));
  for (const name of ['node_modules', 'tsconfig.json', '.dependency-cruiser.mjs'])
    symlinkSync(join(ROOT, name), join(house, name));
  const imports = new Map<string, string[]>();
  const isFile = (imported: string) => /^(src|scripts|tests|generated)\//.test(imported);
  for (const [file, imported] of [...FORBIDDEN, ...ALLOWED]) {
    if (isFile(imported)) imports.set(`${imported}.ts`, imports.get(`${imported}.ts`) ?? []);
    const from = isFile(imported) ? join(house, imported) : imported;
    imports.set(file, [...(imports.get(file) ?? []), from]);
  }
  imports.set('src/contract/json/circle.ts', [join(house, 'src/contract/json/back')]);
  for (const [file, from] of imports) {
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), from.map((each) => `import '${each}';\n`).join('') || 'export {};\n');
  }
});
afterAll(() => {
  rmSync(house, { recursive: true });
});

test('finds each forbidden import, and no allowed one', () => {
  const program = join(ROOT, 'node_modules/.bin/depcruise');
  const { stdout } = spawnSync(program, ['--output-type', 'json', 'src', 'scripts', 'tests'], {
    cwd: house,
    encoding: 'utf8',
  });
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  const found = summary.violations.map(({ from, to }): Row => [
    from,
    /node_modules\/([^/]+)/.exec(to)?.[1] ?? to.replace(/\.ts$/, ''),
  ]);
  const line = (row: Row) => row.join(' -> ');
  expect([...new Set(found.map(line))].sort()).toEqual(FORBIDDEN.map(line).sort());
});
