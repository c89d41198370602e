import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFiles } from '../pack/create';
import type { Manifest } from '../pack/manifest';
import { linksTo, repositoryAddress, webAddress } from '../pack/repository';
import { keepFolder } from '../testing/folder';

// What the packages say of the repository, which only a release knows.

const ROOT = join(__dirname, '../..');
const read = (...file: string[]) => readFileSync(join(ROOT, ...file), 'utf8');
const folder = keepFolder();
const PACKAGES = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each([
  ['https://github.com/a/b.git', 'https://github.com/a/b'],
  ['https://github.com/a/b/', 'https://github.com/a/b'],
  ['https://name:secret@git.example:8443/a/b.git\n', 'https://git.example/a/b'],
  ['git@github.com:a/b.git', 'https://github.com/a/b'],
  ['ssh://git@git.example:2222/a/b', 'https://git.example/a/b'],
  ['/srv/git/b.git', undefined],
  ['../b', undefined],
  ['file:///srv/git/b.git', undefined],
])('%j is on the web at %j', (remote, address) => {
  expect(webAddress(remote)).toBe(address);
});

test('a release of GitHub says where it is, else the remote does, else nothing', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  expect(repositoryAddress({}, folder)).toBeUndefined();
  git('remote', 'add', 'origin', 'git@git.example:a/b.git');
  expect(repositoryAddress({}, folder)).toBe('https://git.example/a/b');
  const env = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'c/d' };
  expect(repositoryAddress(env, folder)).toBe('https://github.com/c/d');
  expect(linksTo(undefined, 'packages/server')).toEqual({});
  expect(linksTo('https://github.com/c/d', 'packages/server')).toEqual({
    homepage: 'https://github.com/c/d#readme',
    repository: { type: 'git', url: 'git+https://github.com/c/d.git', directory: 'packages/server' },
    bugs: { url: 'https://github.com/c/d/issues' },
  });
});

test.each(PACKAGES)('%s has keywords, no side effects and a line in CODEOWNERS', (name) => {
  const manifest = JSON.parse(read('packages', name, 'package.json')) as Manifest & {
    readonly keywords: readonly string[];
    readonly sideEffects: boolean;
  };
  expect(manifest.keywords).toEqual(expect.arrayContaining(['openapi']));
  expect(manifest.sideEffects).toBe(false);
  // What a release knows is not written here by hand.
  for (const member of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(member);
  expect(read('.github/CODEOWNERS')).toMatch(new RegExp(`^/packages/${name}/`, 'm'));
});

test('the package of `npm create` has the same links', () => {
  const manifest = JSON.parse(read('packages/command/package.json')) as Manifest;
  const files = createFiles(manifest, linksTo('https://github.com/c/d', 'scripts/pack'));
  expect(JSON.parse(files['package.json'] ?? '')).toMatchObject({
    keywords: expect.arrayContaining(['openapi']) as string[],
    repository: { url: 'git+https://github.com/c/d.git', directory: 'scripts/pack' },
  });
});

test('a release packs where GitHub tells the address, and publishes those files', () => {
  const workflow = read('.github/workflows/release.yml');
  expect(workflow).toMatch(/- run: make pack\b[^]*npm publish --provenance [^\n]*\.cache\/pack\//);
  expect(workflow).not.toMatch(/GITHUB_(SERVER_URL|REPOSITORY):/);
});
