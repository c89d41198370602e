import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../src/command';
import { newService } from '../../src/new/main';
import { Steps } from '../../src/new/write/steps';
import { useFolder } from '../../../../scripts/testing/folder';

const EXAMPLE = join(__dirname, '../../example.yaml');
const TEXT = readFileSync(EXAMPLE, 'utf8');

const folder = useFolder();
const silent = new Steps({ write: () => undefined });
const refusal = async (given: Partial<Parameters<typeof newService>[0]>) => {
  const options = { document: EXAMPLE, dir: folder.path('.'), name: '', allowOutside: false, ...given };
  return newService(options, silent).catch((error: unknown) => error);
};

test.each([
  [
    'no document, where nobody can be asked',
    { document: undefined },
    /^DOCUMENT is missing; give an OpenAPI document/,
  ],
  [
    'a document that does not exist',
    { document: 'none.yaml' },
    /^DOCUMENT: cannot read none\.yaml: there is no such file$/,
  ],
  ['a folder as the document', { document: __dirname }, /^DOCUMENT: cannot read .*: it is a folder$/],
  ['a file as the folder', { dir: EXAMPLE }, /^--dir: .*example\.yaml is a file; expected a folder$/],
  ['packages in no folder', { packages: 'no/folder' }, /^--packages: there is no folder no\/folder$/],
  ['a file of modules', { modules: EXAMPLE }, /^--modules: there is no folder .*example\.yaml$/],
  [
    'a name without a letter',
    { name: '漢字' },
    /^--name: expected a name with letters from a to z, got "漢字"$/,
  ],
])('refuses %s, and writes nothing', async (_, given, sentence) => {
  const error = await refusal(given);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message).toMatch(sentence);
  expect(readdirSync(folder.path('.'))).toEqual([]);
});

test.each(['.gitignore', 'notes/today.md', 'openapi/other.yaml', '.git.txt', 'README.txt', 'a.tgz'])(
  'refuses a folder with %s',
  async (file) => {
    folder.write({ [file]: '' });
    expect(((await refusal({})) as Error).message).toContain(
      `is not empty: it contains ${file}; use \`--dir NAME\` to create a new folder`,
    );
  },
);

test('names the project that a folder already contains, and no file of its caches', async () => {
  folder.write({ 'package.json': '', '.cache/generate': '' });
  expect(((await refusal({})) as Error).message).toContain('already contains a project (package.json)');
});

test('takes a folder with what may stay, up to the document that would be replaced', async () => {
  const old = TEXT.replace('openapi: 3.1.0', 'openapi: 3.0.3').replaceAll(/, examples: \[.*?\]/g, '');
  const document = folder.write({
    'openapi/books.yaml': old,
    'README.md': '',
    LICENSE: '',
    '.git/HEAD': '',
    'contract-first-2.0.0.tgz': '',
    'contract-first-server-2.0.0.tgz': '',
    'create-contract-first-2.0.0.tgz': '',
  });
  mkdirSync(folder.path('empty/folder'), { recursive: true });
  expect(((await refusal({ document })) as Error).message).toMatch(
    /^openapi\/books\.yaml would be replaced, because/,
  );
  expect(readFileSync(document, 'utf8')).toBe(old);
});
