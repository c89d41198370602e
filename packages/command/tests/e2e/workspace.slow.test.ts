import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, layOut } from '../../../../scripts/testing/package';

// A service that is a member of an npm workspace: lock file and packages are those of the root.

jest.setTimeout(600_000);

const workspace = keepFolder();
const service = join(workspace, 'services/museum');

/** Runs a target of the Makefile of the service. */
function make(...args: readonly string[]) {
  // As on a machine of its own: without the programs of this project.
  const PATH = (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules/.bin'));
  const env = { ...process.env, PATH: [join(process.execPath, '..'), ...PATH].join(':'), AGAIN: '' };
  const { status, stdout, stderr } = spawnSync('make', args, { cwd: service, encoding: 'utf8', env });
  return { status, output: stdout + stderr };
}

beforeAll(() => {
  installBeside(workspace);
  mkdirSync(join(workspace, 'services'));
  layOut(service, 'docs/museum.yaml', workspace);
  // What a team does with a service that it takes into its workspace.
  rmSync(join(service, 'node_modules'));
  writeFileSync(
    join(workspace, 'package.json'),
    JSON.stringify({ private: true, workspaces: ['services/*'] }),
  );
  writeFileSync(join(workspace, 'package-lock.json'), '{}');
  const list = join(workspace, 'node_modules/.package-lock.json');
  writeFileSync(list, '{}');
  const earlier = new Date(Date.now() - 60_000);
  for (const file of [join(workspace, 'package-lock.json'), join(service, 'package.json')])
    utimesSync(file, earlier, earlier);
});

test.each(['check', 'todo', 'contract', 'test'])('make %s finds the packages of the root', (target) => {
  const { status, output } = make(target);
  expect(status === 0 ? '' : output).toBe('');
});

test('make install installs in the root, with npm or pnpm, when the lock file is newer', () => {
  const later = new Date(Date.now() + 120_000);
  utimesSync(join(workspace, 'package-lock.json'), later, later);
  expect(make('--dry-run', 'install').output).toMatch(/^cd \.\.\/\.\. && npm ci --no-audit --no-fund$/m);
  rmSync(join(workspace, 'package-lock.json'));
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) writeFileSync(join(workspace, file), '');
  expect(make('--dry-run', 'install').output).toMatch(/^cd \.\.\/\.\. && pnpm install --frozen-lockfile$/m);
});
