import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Document, isMap, parseDocument, type Scalar } from 'yaml';
import { errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, layOut, PACKED, runIn, TARBALL } from '../../../../scripts/testing/package';
import { startProgram } from '../../../../scripts/testing/program';
import {
  openTerminal,
  PAGES,
  prints,
  ROOT,
  settingOf,
  type Snippet,
  snippetsOf,
} from '../../../../scripts/testing/snippets';

// Every command and snippet of README and of docs/, as it stands. docs/README.md has the rule of the blocks.

jest.setTimeout(600_000);

const folder = keepFolder();
/** The programs of a reader, which install nothing. */
const PROGRAMS = join(__dirname, 'docs');
const README = join(folder, 'README/museum');
/** The service in which the pages of docs/ run. */
const MUSEUM = join(folder, 'docs/museum');

beforeAll(() => {
  installBeside(folder);
  mkdirSync(README, { recursive: true });
  symlinkSync(TARBALL, join(README, basename(TARBALL)));
  process.env['MODULES'] = join(folder, 'node_modules');
  process.env['PACKAGES'] = PACKED;
  layOut(MUSEUM, join(ROOT, 'docs/museum.yaml'), folder);
  symlinkSync(TARBALL, join(MUSEUM, basename(TARBALL)));
  // As in every service that has run, there is a database.
  expect(runIn(MUSEUM, 'contract-first', 'migrate')).toMatchObject({ status: 0 });
});

/** The text of a block of TypeScript as a whole module. */
const moduleOf = ({ text, around }: Snippet) => around.replace(/^.*\/\/ here$/m, () => text.trimEnd());

/** Adds a part of a document to a file. */
function addInto(file: string, part: Document): void {
  const whole = parseDocument(readFileSync(file, 'utf8'));
  const add = (path: readonly unknown[], node: unknown): void => {
    if (isMap(node) && whole.hasIn(path))
      for (const { key, value } of node.items) add([...path, (key as Scalar).value], value);
    else whole.setIn(path, node);
  };
  add([], part.contents);
  writeFileSync(file, whole.toString());
}

/** Runs the blocks of a page from its top to its end. Resolves with the files of TypeScript that it has written. */
async function follow(page: string, home: string): Promise<string[]> {
  const terminal = openTerminal(home, PROGRAMS);
  const modules: string[] = [];
  /** Undefined: the block before has run nothing. */
  let printed: string | undefined;
  const write = (name: string, text: string) => {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const ways: Readonly<Record<string, (snippet: Snippet) => unknown>> = {
    async sh({ word, text }) {
      if (word === 'serves') printed = await terminal.serve(text);
      else if (word === 'serves in this project') printed = await terminal.serve(`cd ${ROOT}\n${text}`);
      else {
        const { status, output } = await terminal.run(text);
        if (String(status) !== (/^fails (\d+)$/.exec(word)?.[1] ?? '0'))
          throw new Error(`status ${status}: ${output}`);
        printed = output;
      }
    },
    text({ text }) {
      if (printed !== undefined && !prints(printed, text))
        throw new Error(`expected it in what the block before printed: ${printed}`);
    },
    ts(snippet) {
      const { word, place } = snippet;
      if (!word.startsWith('from '))
        modules.push(write(word || `src/snippets/${place.replace(/\W+/g, '-')}.ts`, moduleOf(snippet)));
      else if (!prints(readFileSync(join(ROOT, word.slice(5)), 'utf8'), snippet.text))
        throw new Error(`${word.slice(5)} does not have these lines`);
    },
    yaml({ word, text }) {
      const read = parseDocument(text);
      if (read.errors.length > 0) throw new Error(read.errors.join('\n'));
      if (word.startsWith('into ')) addInto(join(home, word.slice(5)), read);
      else if (word) write(word, text);
    },
    js: ({ word, text }) => write(word, text),
    diff({ word, text }) {
      const lines = text.trimEnd().split('\n');
      const side = (sign: string) =>
        lines
          .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign))
          .map((line) => line.slice(1))
          .join('\n');
      const [before, after, ...others] = readFileSync(join(home, word), 'utf8').split(side('-'));
      if (before === undefined || after === undefined || others.length > 0)
        throw new Error(`expected these lines once in ${word}`);
      write(word, `${before}${side('+')}${after}`);
    },
    json({ word, text }) {
      JSON.parse(text);
      if (word) write(word, text);
    },
  };
  try {
    for (const snippet of snippetsOf(page)) {
      const { language, word, place } = snippet;
      if (word.startsWith('not run: ')) continue;
      const way = ways[language];
      if (!way)
        throw new Error(
          `${place}: expected one of ${Object.keys(ways).join(', ')} or a reason, got \`${language}\``,
        );
      if (language !== 'sh' && language !== 'text') printed = undefined;
      try {
        await way(snippet);
      } catch (error) {
        throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
      }
    }
  } finally {
    await terminal.close();
  }
  return modules;
}

const written: string[] = [];

test('README', async () => {
  await follow('README.md', README);
});

describe('of docs/', () => {
  const own = PAGES.filter((page) => page !== 'README.md' && settingOf(page, 'run by') === undefined);
  test.each(own.filter((page) => snippetsOf(page).some(({ word }) => !word.startsWith('not run: '))))(
    '%s',
    async (page) => {
      const home = join(folder, basename(page, '.md'), 'museum');
      if (settingOf(page, 'runs in') === 'an empty folder') {
        mkdirSync(home, { recursive: true });
        symlinkSync(TARBALL, join(home, basename(TARBALL)));
      } else cpSync(MUSEUM, home, { recursive: true, verbatimSymlinks: true });
      written.push(...(await follow(page, home)));
    },
  );

  test('their TypeScript compiles', () => {
    const options = { noEmit: true, incremental: false };
    expect(errorsIn(MUSEUM, options, (file) => written.includes(file), written)).toBe('');
  });

  test.each(PAGES.flatMap((page) => settingOf(page, 'run by') ?? []))(
    'a suite of its own runs the page: %s',
    (file) => {
      expect(existsSync(resolve(ROOT, file))).toBe(true);
    },
  );
});

test('the curl command of the CI workflow works against the server', async () => {
  const [command = ''] =
    /curl --fail[^]*?(?=\n {6}-)/.exec(readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8')) ?? [];
  const server = await startProgram({ API_TOKENS: 'secret' });
  const terminal = openTerminal(folder, PROGRAMS);
  const line = command.replace(/\s+/g, ' ').replace('http://127.0.0.1:3000', server.url);
  expect(await terminal.run(line)).toMatchObject({
    status: 0,
    output: expect.stringContaining('200 OK') as string,
  });
  await server.stop();
});
