import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../testing/folder';
import { ALL_EXTRAS, installBeside, layOut } from '../testing/package';
import allowed from './root.json';

// The service at the root is what `contract-first new` creates from its document, except for what root.json lists with a reason.

jest.setTimeout(600_000);

const ROOT = join(__dirname, '../..');
const folder = keepFolder();
const created = join(folder, 'plant-store');
beforeAll(() => {
  installBeside(folder);
  layOut(created, join(ROOT, 'openapi/plant-store.yaml'), folder, ALL_EXTRAS);
});

/** What is not written by hand. */
const LEFT_OUT = /^(packages|docs|vendor)\/|^package-lock\.json$/;
const filesIn = (root: string) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)) && !LEFT_OUT.test(file));
const textOf = (root: string, file: string): string | undefined =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined;

/** What differs: a file, or a member of package.json. */
function differencesIn(file: string): string[] {
  const [own, other] = [textOf(ROOT, file), textOf(created, file)];
  if (own === other) return [];
  if (file !== 'package.json' || own === undefined || other === undefined) return [file];
  const [one, another] = [own, other].map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
  return Object.keys({ ...one, ...another })
    .filter((name) => JSON.stringify(one?.[name]) !== JSON.stringify(another?.[name]))
    .map((name) => `${file}#/${name}`);
}

test('the root differs from a created service by what root.json lists, and by nothing else', () => {
  const files = new Set([...filesIn(ROOT), ...filesIn(created)]);
  const differences = [...files].flatMap(differencesIn);
  const covers = ({ path }: { path: string }, found: string) =>
    path.endsWith('/') ? found.startsWith(path) : found === path;
  expect(differences.filter((found) => !allowed.some((each) => covers(each, found)))).toEqual([]);
  expect(allowed.filter((each) => !differences.some((found) => covers(each, found)))).toEqual([]);
  expect(allowed.filter(({ reason }) => reason.trim() === '')).toEqual([]);
});

test('src/ has the service alone, in at most 500 lines', () => {
  const lines = filesIn(ROOT)
    .filter((file) => file.startsWith('src/'))
    .map((file) => (textOf(ROOT, file) ?? '').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(500);
});
