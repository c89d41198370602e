import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '../../scripts/testing/shared-postgres';
import { keepFolder } from '../../scripts/testing/folder';
import { startProcess } from '../../scripts/testing/process';
import { useServers } from '../../scripts/testing/program';
import { fast, sampleOf } from '../../scripts/testing/cases';
import { byProgram } from '../../scripts/testing/sqlite-file';

// The programs of the service that serve nobody, as they run in an image, and by `make migrate` and `make seed`.

const folder = keepFolder();
const start = useServers({ API_TOKENS: 'secret' });

const MAIN = join(__dirname, '../../dist/main.js');
const SEED = join(__dirname, '../../dist/seed.js');

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = startProcess(args, env, folder);
  const status = await program.exit;
  return { status, lines: program.output().trim().split('\n') };
}
const migrate = (env: Readonly<Record<string, string>>) => run([MAIN, 'migrate'], env);
const seed = (env: Readonly<Record<string, string>>) => run([SEED], env);

const APPLIED = ['migration  name', '        1  plants'];
const fileUrl = () => `sqlite:${mkdtempSync(join(folder, 'db-'))}/plants.db`;

const DATABASES: readonly [string, () => Promise<string>][] = [
  ['SQLite', () => Promise.resolve(fileUrl())],
  ['PostgreSQL', createDatabase],
];
describe.each(sampleOf(DATABASES, 'SQLite'))('with %s', (_, locate) => {
  test('migrate applies what is missing, in production too and without a token, and says so', async () => {
    const DATABASE_URL = await locate();
    const env = { DATABASE_URL, NODE_ENV: 'production' };
    await expect(migrate(env)).resolves.toEqual({ status: 0, lines: [...APPLIED, 'migrations applied: 1'] });
    await expect(migrate(env)).resolves.toEqual({
      status: 0,
      lines: ['nothing to do: the schema is up to date'],
    });
  });

  test('of several that migrate at once one applies each migration', async () => {
    const DATABASE_URL = await locate();
    const ended = await Promise.all(Array.from({ length: 3 }, () => migrate({ DATABASE_URL })));
    expect(ended.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(ended.filter(({ lines }) => lines.includes('migrations applied: 1'))).toHaveLength(1);
  });

  test('seed fills the database, once', async () => {
    const DATABASE_URL = await locate();
    await expect(seed({ DATABASE_URL })).resolves.toEqual({ status: 0, lines: [...APPLIED, 'seeded'] });
    await expect(seed({ DATABASE_URL })).resolves.toEqual({ status: 0, lines: ['seeded'] });
    const { url } = await start({ DATABASE_URL });
    const { status } = await fetch(`${url}/plants`, {
      method: 'POST',
      headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
      body: '{"id": 1, "name": "another"}',
    });
    expect(status).toBe(400); // the id is taken
  });
});

const WRONG: readonly [string, string, Record<string, string>][] = [
  [
    'a database of this process',
    'DATABASE_URL: expected a persistent database, got memory:',
    { DATABASE_URL: 'memory:' },
  ],
  [
    'no database',
    'DATABASE_URL: expected memory:, sqlite:PATH or postgres://',
    { DATABASE_URL: 'mysql://localhost/plants' },
  ],
  ['a variable that is wrong', 'PORT: expected an integer from 0 to 65535, got "x"', { PORT: 'x' }],
];
// tests/config.test.ts and unit/storage/open.test.ts have the other sentences.
test.each(sampleOf(WRONG, 'a database of this process'))(
  '%s is refused with status 2',
  async (_, message, env) => {
    for (const program of [migrate, seed]) {
      const { status, lines } = await program({ DATABASE_URL: fileUrl(), ...env });
      expect(lines).toEqual([expect.stringContaining(message)]);
      expect(status).toBe(2);
    }
  },
);

fast(() => {
  test('seed is refused in production', async () => {
    const { status, lines } = await seed({ DATABASE_URL: fileUrl(), NODE_ENV: 'production' });
    expect(lines).toEqual(['NODE_ENV is production: seed is for the development database']);
    expect(status).toBe(2);
  });
});

const FOREIGN: readonly [string, string, RegExp][] = [
  ['of a newer program', 'PRAGMA user_version = 99', /its schema has version 99, .*: run the newer program$/],
  ['whose migration was another', "UPDATE plant_store_migrations SET checksum = 'x'", /migration 1, plants/],
  ['of another program', 'PRAGMA application_id = 1', /it belongs to another program: use another file$/],
];
// packages/database/tests/migrations.test.ts and unit/storage/sqlite-truth.test.ts have the other sentences.
test.each(sampleOf(FOREIGN, 'of another program'))(
  'a database %s is refused with status 1, and a sentence',
  async (_, change, message) => {
    const DATABASE_URL = fileUrl();
    await migrate({ DATABASE_URL });
    byProgram(DATABASE_URL.replace('sqlite:', ''), (db) => {
      db.exec(change);
    });
    for (const program of [migrate, seed]) {
      const { status, lines } = await program({ DATABASE_URL });
      expect(lines).toEqual([expect.stringMatching(message)]);
      expect(status).toBe(1);
    }
  },
);

fast(() => {
  test.each([
    [MAIN, 'migrations'],
    [MAIN, 'migrate', 'now'],
    [MAIN, '--migrate'],
    [SEED, 'now'],
  ])('an argument that nobody knows is refused: %s %s %s', async (...args) => {
    const { status, lines } = await run(args, { DATABASE_URL: fileUrl() });
    expect(lines).toEqual([expect.stringContaining(` "${args.slice(1).join(' ')}"`)]);
    expect(status).toBe(2);
  });
});
