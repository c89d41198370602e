import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { execute, helpOf, outliveReaders, rowsOf, type Command } from '../../src/command';
import { withHelp } from '../../src/commands-page';
import { CONDITIONS, workOn } from '../../src/paths';
import { GROUPS, VERBS } from '../../src/verbs';
import { useFolder } from '../../../../scripts/testing/folder';

const ROOT = join(__dirname, '../../../..');
const folder = useFolder();

/** What a command prints and returns, in a folder that is no service. */
async function run(command: Command, ...argv: string[]) {
  const printed = { log: [] as string[], error: [] as string[] };
  const spies = (['log', 'error'] as const).map((method) =>
    jest.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      printed[method].push(texts.map((text) => (text as Partial<Error>).stack ?? String(text)).join(' '));
    }),
  );
  workOn(folder.path('.'));
  try {
    const { log } = console;
    const status = await execute(command, argv);
    expect(console.log).toBe(log); // `--json` takes it for the time of the command
    return { status, stdout: printed.log.join('\n'), stderr: printed.error.join('\n') };
  } finally {
    workOn(ROOT);
    for (const spy of spies) spy.mockRestore();
  }
}

/** One sentence, without a stack and without what only a project with a Makefile has. */
const isSentence = (text: string): boolean => text !== '' && !/\n|\s{2}at |\bmake\b/.test(text);

interface Misuse {
  readonly argv: readonly string[];
  /** What its sentence names. */
  readonly names: readonly string[];
}

/** The uses that no program may get. */
function misuses({ usage, options }: Command): Misuse[] {
  const places = usage.split(' ').filter((word) => /^\[?[A-Z]/.test(word));
  const required = places.filter((word) => !word.startsWith('['));
  const given = places.map(() => 'x');
  return [
    ...['--no-such', '-z', 'surplus'].map((wrong) => ({
      argv: [...given, wrong],
      names: [`"${wrong}"`],
    })),
    { argv: [...given, '--help=yes'], names: ['--help', '"yes"'] },
    ...required.flatMap((name, position) =>
      [[], [' ']].map((blank) => ({
        argv: [...given.slice(0, position), ...blank],
        names: [name],
      })),
    ),
    ...Object.entries(options).flatMap(([name, { type, value = '' }]) =>
      type === 'string'
        ? [
            ...[[], ['--help'], [' ']].map((other) => ({
              argv: [...given, `--${name}`, ...other],
              names: [`--${name}`, value],
            })),
            { argv: [...given, `--${name}=a`, `--${name}`, 'b'], names: [`--${name}`, '"b"'] },
          ]
        : { argv: [...given, `--${name}=1`], names: [`--${name}`, '"1"'] },
    ),
  ];
}

describe.each(VERBS.map((verb) => [verb.name, verb] as const))('%s', (_, verb) => {
  test.each(['--help', '-h'])('explains itself by %s, and names its options', async (help) => {
    const { status, stdout, stderr } = await run(verb, help);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const name of [...Object.keys(verb.options), 'help', 'debug'])
      expect(stdout).toContain(`  --${name}`);
    expect(stdout).toMatch(new RegExp(`npx contract-first ${verb.name}`));
    expect(stdout).not.toMatch(/\bmake\b/);
  });

  test('refuses each wrong use with a sentence that names it, an example and the way to the options', async () => {
    const npx = `npx contract-first ${verb.name}`;
    for (const { argv, names } of misuses(verb)) {
      const { status, stdout, stderr } = await run(verb, ...argv);
      const [sentence = '', ...more] = stderr.split('\n');
      expect({ argv, status, stdout, sentence: isSentence(sentence), more }).toEqual({
        argv,
        status: 2,
        stdout: '',
        sentence: true,
        more: [`Example: ${npx} ${verb.example}`.trimEnd(), `${npx} --help lists the options`],
      });
      for (const name of names) expect(sentence).toContain(name);
    }
  });

  if ('json' in verb.options)
    test('prints its errors as JSON too', async () => {
      const { status, stdout, stderr } = await run(verb, '--json', '--no-such');
      expect({ status, printed: JSON.parse(stdout) as unknown }).toEqual({
        status: 2,
        printed: { error: stderr },
      });
    });
});

/** The verbs that work anywhere. */
const ANYWHERE = ['mock', 'new', 'client'];

test.each(VERBS.filter(({ name }) => !ANYWHERE.includes(name)).map((verb) => [verb.name, verb] as const))(
  '%s outside of a service says what a service is',
  async (_, verb) => {
    const positionals = verb.usage.split(' ').filter((word) => /^[A-Z]/.test(word));
    const { status, stderr } = await run(verb, ...positionals);
    expect({ status, sentence: isSentence(stderr) }).toEqual({ status: 2, sentence: true });
    expect(stderr).toMatch(
      / is not the folder of a service: it has no package\.json; .*`npx contract-first new DOCUMENT`$/,
    );
  },
);

test.each(['{', 'null', '7', ''])('a package.json with the text %j is a sentence', async (text) => {
  folder.write({ 'package.json': text });
  const [verb] = VERBS.filter(({ name }) => name === 'generate');
  expect(verb && (await run(verb))).toEqual({
    status: 2,
    stdout: '',
    stderr: 'package.json: expected a JSON object',
  });
});

test('an option with one mistake gets the one that was meant', async () => {
  const options = VERBS.flatMap((verb) => Object.keys(verb.options).map((name) => [verb, name] as const));
  const mistaken = fc
    .constantFrom(...options)
    .chain(([verb, name]) =>
      fc.nat(name.length - 1).map((at) => ({ verb, name, wrong: name.slice(0, at) + name.slice(at + 1) })),
    );
  await fc.assert(
    fc.asyncProperty(mistaken, async ({ verb, name, wrong }) => {
      fc.pre(wrong.length > 2 && !(wrong in verb.options));
      const { stderr } = await run(verb, `--${wrong}`);
      expect(stderr).toContain(`; did you mean --${name}?`);
    }),
    { numRuns: 60 },
  );
});

const failing = (error: unknown): Command => ({
  name: 'fail',
  usage: '[options]',
  summary: 'Fail',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  example: '',
  run: () => {
    throw error;
  },
});

const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test.each([
  [
    'a missing file',
    caught(() => readFileSync('/no/such/file')),
    /^\/no\/such\/file: no such file or directory/,
  ],
  [
    'a folder in place of a file',
    caught(() => readFileSync('/')),
    /^contract-first fail: illegal operation on a directory/,
  ],
  [
    'a fault',
    new TypeError('x is not a function'),
    /^contract-first fail: failed with TypeError; use --debug for the stack$/,
  ],
  [
    'text that is no JSON',
    caught(() => JSON.parse('{')),
    /^contract-first fail: failed with SyntaxError; use --debug for the stack$/,
  ],
  [
    'a value that is no error',
    'text',
    /^contract-first fail: failed with string; use --debug for the stack$/,
  ],
])('%s is one sentence, and its stack is for --debug', async (_, error, sentence) => {
  const { status, stderr } = await run(failing(error));
  expect({ status, sentence: isSentence(stderr) }).toEqual({ status: 1, sentence: true });
  expect(stderr).toMatch(sentence);
  const { stdout, stderr: stack } = await run(failing(error), '--json', '--debug');
  expect(JSON.parse(stdout)).toEqual({ error: stderr });
  expect(stack).toMatch(error === 'text' ? /^text$/ : /\n\s+at /);
});

test('each verb is in one group of the list', () => {
  const grouped = Object.values(GROUPS).flat();
  expect(grouped.toSorted()).toEqual(VERBS.map(({ name }) => name).sort());
});

test.each([60, 80, 100])(
  'the options of each verb are aligned and fit a terminal of %i columns',
  (columns) => {
    const words = (text: string) => text.split(/\s+/).join(' ');
    for (const verb of VERBS) {
      const [wide = '', narrow = '', least = ''] = [Infinity, columns, 1].map((most) =>
        stripVTControlCharacters(helpOf(verb, most)),
      );
      expect([words(narrow), words(least)]).toEqual([words(wide), words(wide)]);
      const [, options = ''] = /^Options\n((?: .*\n)+)/m.exec(narrow) ?? [];
      const lines = options.trimEnd().split('\n');
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      const starts = lines.map((line) => /^ {2}(?:-\S+(?: [A-Z]\S*)?)? *(?=\S)/.exec(line)?.[0].length);
      expect(new Set(starts).size).toBe(1);
    }
  },
);

test('no word is lost that is longer than a line', () => {
  const word = 'openapi/accepted-breaks.yaml-and-more';
  expect(rowsOf([['--a', `see ${word} first`]], 1)).toEqual([`  --a  see\n       ${word}\n       first`]);
});

test('docs/commands.md has the help of each verb', () => {
  const page = readFileSync(join(ROOT, 'docs/commands.md'), 'utf8');
  expect(page).toBe(withHelp(page)); // `tsx packages/command/src/commands-page.ts` writes it
});

test('a closed pipe is not an error; any other error of the output is', () => {
  const outputs = [process.stdout, process.stderr];
  const before = outputs.map((stream) => stream.listeners('error'));
  outliveReaders();
  for (const stream of outputs) {
    expect(stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(true);
    expect(() => stream.emit('error', new Error('no space'))).toThrow('no space');
  }
  for (const [i, stream] of outputs.entries())
    for (const listener of stream.listeners('error'))
      if (!before[i]?.includes(listener)) stream.off('error', listener as () => void);
});

test('programs of the command run the sources of the packages where it runs from its own', () => {
  expect(CONDITIONS).toEqual(['--conditions=@contract-first/source']);
});
