import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptied } from 'contract-first-prover/service';
import { run } from 'contract-first-prover';
import { readConfig } from '../../../../src/config';
import { openDependencies } from '../../../../src/dependencies';
import { service } from '../../../../tests/contract/service';
import { createDatabase } from '../../../../scripts/testing/shared-postgres';
import { keepFolder } from '../../../../scripts/testing/folder';

const folder = keepFolder();

test('the file of SQLite is removed, with what belongs to it', async () => {
  const file = join(folder, 'a-test.db');
  const files = ['', '-wal', '-shm'].map((end) => file + end);
  for (const each of files) writeFileSync(each, 'old');
  expect(await emptied(`sqlite:${file}`)).toBe(`sqlite:${file}`);
  expect(files.filter((each) => existsSync(each))).toEqual([]);
  await emptied(`sqlite:${file}`);
  expect(await emptied('memory:')).toBe('memory:');
});

test.each(['postgres://user:a-password@db.example/plants', 'sqlite:data/plants.db'])(
  'a database that is not there for tests is left alone: %s',
  async (url) => {
    const message = await emptied(url).catch((error: unknown) => String(error));
    expect(message).toMatch(
      /expected a database whose name contains "test", because the tests empty it, got \S*plants/,
    );
    expect(message).not.toContain('a-password');
  },
);

describe('on PostgreSQL', () => {
  test('the contract tests prove the same', async () => {
    const url = await createDatabase('contract_test');
    const open = async () => openDependencies(readConfig({ DATABASE_URL: await emptied(url) }));
    const result = await run(service({ open }), { generated: 1 });
    expect(result.failures.map(({ problems }) => problems)).toEqual([]);
    expect(result.passed).toBe(true);
  }, 120_000);
});
