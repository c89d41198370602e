import { isWanted, readExtras } from '../../src/new/extras';
import { layoutFiles } from '../../src/new/layout-files';

const FILES = layoutFiles();
const filesWith = (names: string) => FILES.filter((file) => isWanted(file, readExtras(names)));
const ALL = ['deploy', 'github', 'vscode'];
const SUBSETS = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
  ALL.filter((_name, i) => (bits >> i) % 2 === 1).join(','),
);

test('with all extras a service has every file of the layout, and each subset has others', () => {
  expect(filesWith(ALL.join(','))).toEqual(FILES);
  expect(new Set(SUBSETS.map((names) => filesWith(names).join())).size).toBe(SUBSETS.length);
});

test.each(SUBSETS)('with %j it has what runs, tests and changes a service', (names) => {
  const files = filesWith(names);
  for (const file of ['package.json', 'README.md', 'Makefile', 'src/main.ts', 'tests/contract/service.ts'])
    expect(files).toContain(file);
  expect(files.includes('Dockerfile')).toBe(names.includes('deploy'));
  expect(files.includes('.github/workflows/ci.yml')).toBe(names.includes('github'));
  expect(files.includes('.vscode/settings.json')).toBe(names.includes('vscode'));
  // It starts the image, in CI.
  expect(files.includes('.ci/image')).toBe(names.includes('deploy') && names.includes('github'));
});

test('an unknown extra is an error that names the known ones', () => {
  expect(() => readExtras('deploy,githb')).toThrow(
    '--with: unknown extra "githb"; did you mean github?; use deploy, github, vscode',
  );
});
