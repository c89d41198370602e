import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const ROOT = join(__dirname, '../..');

type Row = readonly [file: string, imported: string];

/** Each file is the only importing file of a project with these files. What has no slash or begins with `contract-first` is a package. */
const FORBIDDEN: readonly Row[] = [
  ['packages/server/src/contract/json/new.ts', 'packages/server/src/contract/http/there'],
  ['packages/server/src/contract/document/new.ts', 'packages/server/src/contract/schema/there'],
  ['packages/server/src/contract/operations/new.ts', 'packages/server/src/contract/parameters/there'],
  ['packages/server/src/contract/schema/new.ts', 'packages/server/src/contract/exchange/there'],
  ['packages/server/src/contract/exchange/new.ts', 'packages/server/src/contract/pipeline'],
  ['packages/server/src/contract/problem.ts', 'packages/server/src/contract/json/there'],
  ['packages/server/src/contract/json/new.ts', 'packages/server/src/runtime/there'],
  ['packages/server/src/contract/json/new.ts', 'src/errors'],
  ['packages/server/src/contract/json/new.ts', 'src/plants/there'],
  ['packages/server/src/contract/json/new.ts', 'contract-first-database'],
  ['packages/server/src/contract/json/new.ts', 'express-openapi-validator'],
  ['packages/server/src/contract/json/new.ts', 'pg'],
  ['packages/server/src/contract/json/new.ts', 'fast-check'],
  ['packages/server/src/contract/json/back.ts', 'packages/server/src/contract/json/circle'],
  ['packages/server/src/runtime/new.ts', 'packages/server/src/contract/json/there'],
  ['packages/server/src/runtime/new.ts', 'packages/database/src/index'],
  ['packages/server/src/runtime/new.ts', 'packages/database/src/there'],
  ['packages/server/src/runtime/new.ts', 'contract-first-prover'],
  ['packages/server/src/runtime/new.ts', 'src/storage/there'],
  ['packages/server/src/runtime/new.ts', 'generated/there'],
  ['packages/server/tests/http/new.test.ts', 'packages/prover/src/there'],
  ['packages/database/src/new.ts', 'pg'],
  ['packages/database/src/new.ts', 'express'],
  ['packages/database/src/new.ts', 'src/plants/there'],
  ['packages/database/src/new.ts', 'contract-first-server'],
  ['packages/database/src/new.ts', 'packages/database/src/sqlite/there'],
  ['packages/database/src/postgres/new.ts', 'packages/database/src/sqlite/there'],
  ['packages/database/src/sqlite/new.ts', 'pg'],
  ['packages/database/src/postgres/new.ts', 'node:sqlite'],
  ['packages/database/src/new.ts', 'kysely'],
  ['packages/database/src/kysely/new.ts', 'contract-first-server'],
  ['packages/database/tests/new.test.ts', 'packages/server/src/contract/json/there'],
  ['packages/prover/src/new.ts', 'contract-first-server'],
  ['packages/prover/src/new.ts', 'contract-first-server/tools'],
  ['packages/prover/src/new.ts', 'packages/command/src/command'],
  ['packages/prover/src/schema/strings.ts', 'contract-first-server/runtime'],
  ['packages/prover/src/service/new.ts', 'packages/server/src/contract/json/there'],
  ['packages/prover/src/service/new.ts', 'src/errors'],
  ['packages/prover/src/service/new.ts', 'scripts/testing/there'],
  ['packages/command/src/generate/new.ts', 'packages/command/src/new/there'],
  ['packages/command/src/generate/new.ts', 'packages/prover/src/there'],
  ['packages/command/src/generate/new.ts', 'src/errors'],
  ['packages/command/src/generate/new.ts', 'jest'],
  ['scripts/new.ts', 'packages/server/src/contract/schema/there'],
  ['src/handlers/new.ts', 'express'],
  ['src/handlers/new.ts', 'node:sqlite'],
  ['src/handlers/new.ts', 'src/storage/there'],
  ['src/handlers/new.ts', 'packages/server/src/contract/json/there'],
  ['src/handlers/new.ts', 'contract-first-prover'],
  ['src/plants/new.ts', 'pg'],
  ['src/plants/new.ts', 'src/errors'],
  ['src/plants/new.ts', 'contract-first-server/runtime'],
  ['src/another-domain/new.ts', 'src/storage/there'],
  ['src/storage/new.ts', 'pg'],
  ['src/storage/new.ts', 'src/app'],
  ['src/storage/new.ts', 'contract-first-server'],
  ['src/storage/new.ts', 'src/handlers/there'],
  ['src/app.ts', 'packages/server/src/runtime/there'],
  ['src/app.ts', 'src/storage/there'],
];

const ALLOWED: readonly Row[] = [
  ['tests/new.test.ts', 'scripts/testing/there'],
  ['packages/server/src/contract/schema/validator.ts', 'express-openapi-validator'],
  ['packages/server/src/contract/parameters/new.ts', 'packages/server/src/contract/document/there'],
  ['packages/server/src/runtime/new.ts', 'packages/server/src/contract/index'],
  ['packages/server/src/runtime/new.ts', 'contract-first-database'],
  ['packages/server/tests/contract/new.test.ts', 'packages/server/src/contract/schema/there'],
  ['packages/server/tests/contract/new.test.ts', 'contract-first-prover'],
  ['packages/database/src/sqlite/new.ts', 'node:sqlite'],
  ['packages/database/src/drivers.ts', 'packages/database/src/sqlite/there'],
  ['packages/database/src/sqlite/new.ts', 'packages/database/src/there'],
  ['packages/database/src/postgres/new.ts', 'pg'],
  ['packages/database/src/kysely/new.ts', 'packages/database/src/index'],
  ['packages/database/tests/new.test.ts', 'packages/database/src/there'],
  ['packages/prover/src/schema/strings.ts', 'contract-first-server/tools'],
  ['packages/prover/src/service/new.ts', 'contract-first-server/runtime'],
  ['packages/prover/src/service/new.ts', 'contract-first-database'],
  ['packages/prover/tests/new.test.ts', 'packages/prover/src/there'],
  ['packages/command/src/contract/new.ts', 'contract-first-prover/service'],
  ['packages/command/src/mock/new.ts', 'contract-first-server/tools'],
  ['packages/command/src/new/new.ts', 'packages/command/src/generate/there'],
  ['scripts/new.ts', 'contract-first-server'],
  ['scripts/new.ts', 'contract-first-prover'],
  ['src/handlers/new.ts', 'src/plants/there'],
  ['src/handlers/new.ts', 'contract-first-server'],
  ['src/plants/new.ts', 'contract-first-database'],
  ['src/storage/new.ts', 'src/plants/there'],
  ['src/storage/new.ts', 'contract-first-database'],
  ['src/errors.ts', 'contract-first-server/runtime'],
];

/** The file to which the entry of a package leads. */
const ENTRIES: Readonly<Record<string, string>> = {
  'contract-first-database': 'packages/database/src/index',
  'contract-first-server': 'packages/server/src/contract/index',
  'contract-first-server/runtime': 'packages/server/src/runtime/index',
  'contract-first-server/tools': 'packages/server/src/tools',
  'contract-first-prover': 'packages/prover/src/index',
  'contract-first-prover/service': 'packages/prover/src/service/index',
};

/** The packages, and their folders. */
const FOLDERS: Readonly<Record<string, string>> = {
  'contract-first': 'command',
  'contract-first-database': 'database',
  'contract-first-prover': 'prover',
  'contract-first-server': 'server',
};

/** How a file imports another one. */
function pathTo(file: string, imported: string): string {
  const path = relative(dirname(file), imported).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}

let house: string;
beforeAll(() => {
  house = realpathSync(mkdtempSync(join(tmpdir(), 'boundaries-')));
  for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs'])
    symlinkSync(join(ROOT, name), join(house, name));
  mkdirSync(join(house, 'node_modules/@types'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter(
    (each) => !/^(\.|@types$|contract-first)/.test(each),
  ))
    symlinkSync(join(ROOT, 'node_modules', name), join(house, 'node_modules', name));
  for (const [name, folder] of Object.entries(FOLDERS)) {
    mkdirSync(join(house, 'packages', folder), { recursive: true });
    cpSync(join(ROOT, 'packages', folder, 'package.json'), join(house, 'packages', folder, 'package.json'));
    symlinkSync(join(house, 'packages', folder), join(house, 'node_modules', name));
  }
  const imports = new Map<string, string[]>(Object.values(ENTRIES).map((entry) => [`${entry}.ts`, []]));
  const isFile = (imported: string) => /^(src|packages|scripts|tests|generated)\//.test(imported);
  for (const [file, imported] of [...FORBIDDEN, ...ALLOWED]) {
    if (isFile(imported)) imports.set(`${imported}.ts`, imports.get(`${imported}.ts`) ?? []);
    const from = isFile(imported) ? pathTo(file, imported) : imported;
    imports.set(file, [...(imports.get(file) ?? []), from]);
  }
  imports.set('packages/server/src/contract/json/circle.ts', ['./back']);
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
  const { stdout, stderr } = spawnSync(
    program,
    ['--output-type', 'json', 'src', 'packages', 'scripts', 'tests'],
    {
      cwd: house,
      encoding: 'utf8',
    },
  );
  if (stdout === '') throw new Error(stderr);
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  const found = summary.violations.map(({ from, to }): Row => [
    from,
    /node_modules\/([^/]+)/.exec(to)?.[1] ?? to.replace(/\.ts$/, ''),
  ]);
  const line = (row: Row) => row.join(' -> ');
  expect([...new Set(found.map(line))].sort()).toEqual(
    FORBIDDEN.map(([file, imported]) => line([file, ENTRIES[imported] ?? imported])).sort(),
  );
});
