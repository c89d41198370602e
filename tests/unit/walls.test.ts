import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

type Row = readonly [file: string, imported: string];

const FORBIDDEN: readonly Row[] = [
  ['src/contract/new.ts', '../errors'],
  ['src/contract/new.ts', '../plants/plant-store'],
  ['src/contract/new.ts', 'express-openapi-validator'],
  ['src/contract/parameters/new.ts', '../../errors'],
  ['src/contract/parameters/new.ts', 'express-openapi-validator'],
  ['src/contract/schema/validator.ts', '../errors'],
  ['src/handlers/new.ts', 'express'],
  ['src/handlers/new.ts', 'better-sqlite3'],
  ['src/handlers/new.ts', '../storage/memory'],
  ['src/plants/new.ts', 'pg'],
  ['src/plants/new.ts', '../errors'],
  ['src/another-domain/new.ts', '../storage/memory'],
  ['src/storage/new.ts', 'pg'],
  ['src/storage/new.ts', '../app'],
  ['src/storage/new.ts', '../contract/json'],
  ['src/storage/sqlite.ts', 'pg'],
  ['src/storage/postgres.ts', 'better-sqlite3'],
  ['src/storage/postgres.ts', '../handlers'],
  ['src/operational/new.ts', '../storage/open'],
  ['src/app.ts', './storage/open'],
];

const ALLOWED: readonly Row[] = [
  ['src/contract/schema/validator.ts', 'express-openapi-validator/dist/framework/ajv'],
  ['src/contract/parameters/new.ts', '../document'],
  ['src/handlers/new.ts', '../plants/plant-store'],
  ['src/plants/new.ts', '../store'],
  ['src/storage/new.ts', '../plants/plant-store'],
  ['src/storage/new.ts', '../store'],
  ['src/storage/sqlite.ts', 'better-sqlite3'],
  ['src/storage/postgres.ts', 'pg'],
];

/** Jest cannot load the configuration, which is an ES module: a process of its own lints all rows. */
const LINT = `
const { ESLint } = require('eslint');
const eslint = new ESLint({
  overrideConfig: { languageOptions: { parserOptions: { projectService: false, project: null } } },
  ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-imports',
});
const lint = ([file, imported]) => eslint.lintText("import '" + imported + "';", { filePath: file });
Promise.all(JSON.parse(process.argv[1]).map(lint)).then((results) => {
  console.log(JSON.stringify(results.map(([{ messages }]) => messages.map(({ message }) => message))));
});
`;

function lint(rows: readonly Row[]): string[][] {
  const args = ['-e', LINT, JSON.stringify(rows)];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(__dirname, '../..'),
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[][];
}

test('imports point down only', () => {
  const told = lint([...FORBIDDEN, ...ALLOWED]);
  const restricted = ([, imported]: Row) => [
    expect.stringContaining(`'${imported}' import is restricted`) as string,
  ];
  expect(told).toEqual([...FORBIDDEN.map(restricted), ...ALLOWED.map(() => [])]);
});
