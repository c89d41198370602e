import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { workOn } from '../../src/paths';
import { upgrade } from '../../src/upgrade';
import { useFolder } from '../../../../scripts/testing/folder';

// e2e/upgrade.slow.test.ts upgrades a service.

jest.mock('node:child_process', () => ({
  ...jest.requireActual<object>('node:child_process'),
  spawnSync: jest.fn(() => ({ status: 1 })),
}));

const ROOT = process.cwd();
const folder = useFolder();
const MANIFEST = JSON.stringify({ dependencies: { 'contract-first-server': 'file:vendor/old.tgz' } });

beforeEach(() => {
  folder.write({
    'package.json': MANIFEST,
    'vendor/old.tgz': 'old',
    'package/package.json': '{"name":"contract-first-server"}',
  });
  execFileSync('tar', ['-czf', folder.path('given.tgz'), '-C', folder.path('.'), 'package']);
  workOn(folder.path('.'));
});
afterEach(() => {
  workOn(ROOT);
});

test.each([
  ['./given.tgz', 'contract-first-server@file:./vendor/given.tgz'],
  ['3.1.0', 'contract-first-server@3.1.0'],
])('npm gets %s as %s, and if it fails the service is as it was', (given, what) => {
  expect(() => upgrade(given)).toThrow(`npm could not install ${what}: `);
  expect(spawnSync).toHaveBeenLastCalledWith(
    'npm',
    expect.arrayContaining(['--save-exact', what]),
    expect.anything(),
  );
  expect(readdirSync(folder.path('vendor'))).toEqual(['old.tgz']);
  expect(readFileSync(folder.path('package.json'), 'utf8')).toBe(MANIFEST);
});
