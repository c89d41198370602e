import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import * as contract from 'contract-first-server';
import { readConfig } from '../../src/config';
import * as database from 'contract-first-database';
import { ERRORS } from '../../src/errors';
import * as runtime from 'contract-first-server/runtime';
import { PAGES, readPage as read, ROOT, snippetsOf } from '../testing/snippets';

// Facts of the code that README, docs/ and CONTRIBUTING repeat for people. (e2e/docs.slow.test.ts runs their commands.)

const readme = read('README.md');

/** The cells of the table with these headings, row by row. */
function table(headings: readonly string[], text: string): string[][] {
  const lines = text.split('\n');
  const cells = (line = '') =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const first = lines.findIndex((line) => headings.every((heading, i) => cells(line)[i] === heading));
  const rest = lines.slice(first + 2);
  return first < 0
    ? []
    : rest
        .slice(
          0,
          rest.findIndex((line) => !line.startsWith('|')),
        )
        .map(cells);
}

test('docs/errors.md lists every kind of error, with its number and its status', () => {
  const rows = table(['number', 'status', 'kind'], read('docs/errors.md')).map((cells) => cells.slice(0, 3));
  const errors = Object.entries(ERRORS).toSorted(([, one], [, other]) => one.number - other.number);
  expect(rows).toEqual(
    errors.map(([kind, { number, status }]) => [String(number), String(status), `\`${kind}\``]),
  );
  expect(rows.filter(([number, status]) => Math.floor(Number(number) / 100) !== Number(status))).toEqual([]);
});

const isErrorClass = (value: unknown) =>
  typeof value === 'function' && Reflect.get(value, 'prototype') instanceof Error;

test('docs/errors.md lists every class of errors that the package exports, with its entry', () => {
  const rows = table(['class', 'entry'], read('docs/errors.md')).map(([name, entry]) => `${name} ${entry}`);
  const exported = Object.entries({
    'contract-first-server': contract,
    'contract-first-database': database,
    'contract-first-server/runtime': runtime,
  }).flatMap(([entry, names]) =>
    Object.entries(names)
      .filter(([, value]) => isErrorClass(value))
      .map(([name]) => `\`${name}\` \`${entry}\``),
  );
  expect(rows.toSorted()).toEqual(exported.toSorted());
});

test('CONTRIBUTING lists the stages of a request in order', () => {
  const rows = table(['stage'], read('CONTRIBUTING.md'));
  expect(rows).toEqual(Object.entries(contract.STAGES).map(([name, text]) => [`\`${name}\``, text]));
});

/** The variables that the server of this project reads. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const get = (given: Readonly<Record<string, string>>, name: string) => {
    names.add(name);
    return given[name];
  };
  // Some are read beside others only.
  for (const given of [{}, { OPS_PORT: '0' }, { RATE_LIMIT: '1/1s' }]) readConfig(new Proxy(given, { get }));
  return [...names];
}

test('docs/configuration.md lists every variable that the server reads, with its default and its bounds', () => {
  const page = read('docs/configuration.md');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (?:`(.*?)`)? *\| (.*?) *\|.*\|$/gm)].map((cells) =>
    cells.slice(1),
  );
  const defaults = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => match.slice(1));
  expect(rows.map(([name]) => name).sort()).toEqual(variablesRead().sort());
  expect(rows.map(([name, value = '']) => [name, value]).sort()).toEqual(defaults.sort());
  const wrong = rows.filter(([name = '', , bounds = '']) => {
    const sentence = wrongOf({ [name]: 'x' });
    const [, least = '', most = ''] =
      new RegExp(`^${name}: .*integer from (\\d+) to (\\d+)`, 'm').exec(sentence) ?? [];
    return !bounds.startsWith(least === '' ? '' : `${least} to ${most}`);
  });
  expect(wrong).toEqual([]);
});

/** What a configuration is refused with; empty if it is accepted. */
function wrongOf(environment: NodeJS.ProcessEnv): string {
  try {
    readConfig(environment);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const TEXTS = [...PAGES, 'CONTRIBUTING.md', 'packages/command/layout/README.md'];

/** packages/command/tests/verbs/command.test.ts proves that the page has each verb. */
const VERBS = [...read('docs/commands.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);

test.each([
  [
    'targets of make',
    /`(?:[A-Z_]+=\S+ )*make ([a-z]+)/g,
    [...read('Makefile').matchAll(/^([a-z]+):/gm)].map(([, name]) => name),
  ],
  ['verbs', /\bcontract-first (?!COMMAND|VERB)([a-z]+)\b(?=[^\n]*`)/g, VERBS],
  [
    'npm scripts',
    /`npm run ([a-z]+)/g,
    Object.keys({ ...scriptsIn('package.json'), ...scriptsIn('packages/command/layout/package.json') }),
  ],
])('the pages name only %s that there are', (_, written, known) => {
  const named = TEXTS.flatMap((page) =>
    [...read(page).matchAll(written)].map(([, name]) => `${page} ${name}`),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name.split(' ')[1] ?? ''))).toEqual([]);
});

/** The scripts of a package.json. */
function scriptsIn(file: string): Record<string, string> {
  return (JSON.parse(read(file)) as { scripts: Record<string, string> }).scripts;
}

test('each fence begins a block that is run, but for a few that say why not', () => {
  const unread = PAGES.filter(
    (page) => (read(page).match(/^ *```/gm)?.length ?? 0) !== 2 * snippetsOf(page).length,
  );
  expect(unread).toEqual(['docs/README.md']); // which shows a block within a block
  const left = PAGES.flatMap(snippetsOf).filter(({ word }) => word.startsWith('not run: '));
  expect(left.length).toBeLessThan(20);
});

test('texts and comments name only files that are there', () => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => existsSync(join(ROOT, file)));
  const isThere = (name: string) =>
    files.some((file) => `/${file}`.endsWith(`/${name.replace(/^(\.{0,2}\/)+/, '')}`));
  const texts = files.flatMap((file): [string, RegExp][] => {
    if (/^CHANGELOG|new-service\/2\.0\.0(-whole)?\//.test(file)) return []; // the past
    // What a plus marks, or a page lets a reader save, is to be written.
    if (file.endsWith('.md')) return [[file, /(?<!save this as )`([\w./-]+\.(?:ts|mjs|md))`(?! \(\+)/g]];
    return /\.m?ts$/.test(file)
      ? [[file, /^\s*(?:\/\/|\/?\*).*?(?<![\w*])([\w./-]+\.(?:ts|mjs|md))\b/gm]]
      : [];
  });
  const named = texts.flatMap(([file, name]) =>
    [...read(file).matchAll(name)].map((match) => [file, match[1] ?? '']),
  );
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(([, name = '']) => !isThere(name))).toEqual([]);
});

test('README names the minimum Node version of package.json', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const [oldest = ''] = /[\d.]+/.exec(engines.node) ?? [];
  expect(readme).toContain(`Node ${oldest}`);
  expect(read('.github/workflows/ci.yml')).toContain(`node: [${oldest}, `);
});

/** The anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('links of the pages lead to files and headings that are there', () => {
  const pages = [
    ...PAGES,
    'CONTRIBUTING.md',
    'packages/server/src/runtime/README.md',
    'packages/database/src/README.md',
    'packages/database/src/kysely/README.md',
  ];
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)]*))?\)/g)].map(([link, file = '', anchor]) => ({
      link: `${page} ${link}`,
      file: file === '' ? page : normalize(join(dirname(page), file)),
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(40);
  const dead = links.filter(
    ({ file, anchor }) =>
      !existsSync(join(ROOT, file)) || (anchor !== undefined && !anchorsOf(read(file)).includes(anchor)),
  );
  expect(dead.map(({ link }) => link)).toEqual([]);
});

test('README has at most 150 lines, and docs/README.md leads to every page', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  const index = read('docs/README.md');
  const pages = PAGES.filter((page) => page !== 'README.md' && page !== 'docs/README.md');
  expect(pages.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
});

/** Longer lines are hard to read in a terminal, and to compare in a diff. */
const MOST_CHARACTERS = 140;

test(`no line of prose has more than ${MOST_CHARACTERS} characters`, () => {
  const long = [...TEXTS, 'CHANGELOG.md'].flatMap((page) =>
    read(page)
      .replaceAll(/^( *)(`{3,})[^]*?^\1\2$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
      .split('\n')
      .flatMap((line, i) =>
        line.length > MOST_CHARACTERS && !/^\||^ *\S+$/.test(line) ? [`${page}:${i + 1}`] : [],
      ),
  );
  expect(long).toEqual([]);
});

test('docs/troubleshooting.md quotes sentences that the code has', () => {
  const list = execFileSync('git', ['ls-files', 'src', 'packages/*/src/*'], { cwd: ROOT, encoding: 'utf8' });
  const code = list
    .split('\n')
    .filter((file) => file.endsWith('.ts'))
    .map(read)
    .join('');
  const quoted = [...read('docs/troubleshooting.md').matchAll(/^\| [^|]*?`([^`]+)`/gm)].map(
    ([, text = '']) => text,
  );
  expect(quoted.length).toBeGreaterThan(10);
  expect(quoted.filter((text) => !code.includes(text))).toEqual([]);
});
