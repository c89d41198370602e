import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { useToolchain } from '../support/toolchain';

jest.setTimeout(600_000);

/** Operations on notes, each with a handler that somebody wrote. */
const OPERATIONS = ['getNote', 'dropNote', 'listTopics'];
const implemented = (id: string) => `import type { CreateHandler } from './types';

/** Somebody wrote this. */
export const ${id}: CreateHandler<'${id}'> = () => () => Promise.resolve({ status: 200, body: { text: '${id}' } });
`;
const kebab = (id: string) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const fileOf = (id: string) => `src/handlers/${kebab(id)}.ts`;

/** A path item with operations, each of which answers a note. */
function pathItem(template: string, operations: Readonly<Record<string, string>>): string {
  const parameters = [...template.matchAll(/\{(\w+)\}/g)].map(
    ([, name]) => `{ name: ${name}, in: path, required: true, schema: { type: integer }, example: 1 }`,
  );
  const answer =
    "{ description: a note, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }";
  return `  ${template}:\n    parameters: [${parameters.join()}]\n${Object.entries(operations)
    .map(
      ([method, id]) =>
        `    ${method}: { operationId: ${id}, tags: [${method}], responses: { '200': ${answer} } }\n`,
    )
    .join('')}`;
}
const PATHS = `${pathItem('/notes/{id}', { get: 'getNote', delete: 'dropNote' })}${pathItem('/topics', { get: 'listTopics' })}`;

const { project, ask, run } = useToolchain(async (copy, ask) => {
  copy.edit('openapi/notes.yaml', '\ncomponents:', `\n${PATHS}components:`);
  await ask();
  for (const id of OPERATIONS) copy.write(fileOf(id), implemented(id));
});

const renamed = (was: string, is: string) =>
  `the operation ${was} is now ${is}: rename ${fileOf(was)} to ${kebab(is)}.ts, and ${was} to ${is} in it and in src/handlers/index.ts`;
const moved = (was: string, is: string) =>
  `the operation ${was} is now ${is}: move the code of its handler from ${fileOf(was)} to ${fileOf(is)}, which contains that of another operation`;
const dropped = (id: string) =>
  `${id} is not an operation of the document: ${fileOf(id)} is not a stub: move what other operations need from it, then delete it and its lines in src/handlers/index.ts`;

/** The operations of the two paths. */
type Items = readonly [notes: Readonly<Record<string, string>>, topics: Readonly<Record<string, string>>];
const NOTES = { get: 'getNote', delete: 'dropNote' };
const TOPICS = { get: 'listTopics' };
const changeTo = (
  [notes, topics]: Items,
  [note = '/notes/{id}', topic = '/topics']: readonly string[] = [],
) => {
  const paths = `${pathItem(note, notes)}${pathItem(topic, topics)}`;
  project().edit('openapi/notes.yaml', PATHS, paths);
};

/** The operations after a change, the paths if they change too, and what is said. */
type Case = readonly [name: string, items: Items, sentences: readonly string[], paths?: string[]];
const READ = { ...NOTES, get: 'readNote' };
const CASES: readonly Case[] = [
  ['one operationId', [READ, TOPICS], [renamed('getNote', 'readNote')]],
  [
    'several at once',
    [{ get: 'readNote', delete: 'removeNote' }, { get: 'topics' }],
    [renamed('getNote', 'readNote'), renamed('dropNote', 'removeNote'), renamed('listTopics', 'topics')],
  ],
  [
    'one, and the parameter of its path',
    [READ, TOPICS],
    [renamed('getNote', 'readNote')],
    ['/notes/{noteId}'],
  ],
  [
    'one that moves as well',
    [NOTES, { get: 'listSubjects' }],
    [renamed('listTopics', 'listSubjects')],
    ['/notes/{id}', '/subjects'],
  ],
  [
    'two that change places',
    [{ ...NOTES, get: 'listTopics' }, { get: 'getNote' }],
    [moved('getNote', 'listTopics'), moved('listTopics', 'getNote')],
  ],
  [
    'a chain',
    [{ ...NOTES, get: 'listTopics' }, { get: 'allTopics' }],
    [moved('getNote', 'listTopics'), renamed('listTopics', 'allTopics')],
  ],
  ['a schema and an operationId', [READ, TOPICS], [renamed('getNote', 'readNote')]],
  ['none, but one is gone', [{ get: 'getNote' }, TOPICS], [dropped('dropNote')]],
];

const aboutHandlers = (output: string) =>
  output.split('\n').filter((line) => /is not an operation|the operation .* is now .*: /.test(line));

it.each(CASES.map(([name, items, sentences, paths = []]) => [name, items, sentences, paths] as const))(
  'after a rename of %s, every command says the same on every run, and no stub is written',
  async (name, items, sentences, paths) => {
    changeTo(items, paths);
    if (name.startsWith('a schema')) {
      const text = project().read('openapi/notes.yaml');
      project().write('openapi/notes.yaml', text.replaceAll(/(schemas\/|^ {4})Note\b/gm, '$1Memo'));
    }
    for (let i = 0; i < 3; i++) expect(aboutHandlers((await ask()).output)).toEqual(sentences);
    rmSync(join(project().folder, '.cache'), { recursive: true, force: true }); // as in a clone
    expect(aboutHandlers((await ask()).output)).toEqual(sentences);
    expect((await ask({ what: 'left' })).output).toBe(`${sentences.join('\n')}\n`);
    const waiting = sentences.filter((line) => line.includes(' is now '));
    const { status, output } = run('generate', '--check');
    expect([status, aboutHandlers(output)]).toEqual([waiting.length > 0 ? 1 : 0, waiting]);
    // The compiler does not see that two handlers of one type have changed places.
    const seen = sentences.filter((line) => !line.includes('move the code of its handler'));
    const compiled = (await ask({ what: 'compile' })).output.replaceAll(/^.*? error TS\d+: /gm, '');
    expect(aboutHandlers(compiled)).toEqual(expect.arrayContaining(seen));
    for (const id of OPERATIONS) expect(project().read(fileOf(id))).toBe(implemented(id));
    expect(project().list('src/handlers')).toHaveLength(OPERATIONS.length + 3);
  },
);

it('names the path parameters that have other names, with the files to change', async () => {
  changeTo([READ, TOPICS], ['/notes/{noteId}']);
  const sentence = (id: string, was: string) =>
    `the path parameter id of ${id} is now noteId: rename it in ${fileOf(was)} and tests/contract/service.ts`;
  expect((await ask()).output.split('\n').slice(1, 3)).toEqual([
    sentence('readNote', 'getNote'),
    sentence('dropNote', 'dropNote'),
  ]);
});

it('remembers a rename after generated/ is deleted, or left with the marks of a merge', async () => {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: project().folder,
    });
  rmSync(join(project().folder, '.git'), { recursive: true, force: true });
  git('init', '--quiet');
  const sentence = renamed('getNote', 'readNote');
  const spoil = async (change: () => void) => {
    git('add', '--force', 'generated');
    git('commit', '--quiet', '--allow-empty', '--message', 'state');
    change();
    expect(aboutHandlers((await ask()).output)).toEqual([sentence]);
  };
  const remove = () => {
    for (const file of project().list('generated')) rmSync(join(project().folder, file));
  };
  // Before the first generate after the rename, and after it.
  await spoil(() => {
    changeTo([READ, TOPICS]);
    remove();
  });
  await spoil(remove);
  await spoil(() => {
    for (const file of project().list('generated'))
      project().write(file, `<<<<<<< HEAD\n${project().read(file)}`);
  });
  expect(project().list('src/handlers')).toHaveLength(OPERATIONS.length + 3);
});

/** Follows the sentences about a rename. */
function rename(was: string, is: string): void {
  const [file, index] = [fileOf(was), 'src/handlers/index.ts'];
  const text = project().read(file).replaceAll(was, is);
  rmSync(join(project().folder, file));
  project().write(fileOf(is), text);
  project().write(index, project().read(index).replaceAll(was, is).replace(kebab(was), kebab(is)));
}

it('forgets a rename once its sentence is followed', async () => {
  changeTo([READ, TOPICS]);
  await ask();
  rename('getNote', 'readNote');
  expect((await ask()).output).toBe('written: generated/renamed.json\n');
  expect(project().list('generated')).not.toContain('generated/renamed.json');
  expect(await ask({ what: 'compile' })).toEqual({ status: 0, output: '\n' });
});

it('forgets that two have changed places once their code has, and that one was renamed once it has its old name', async () => {
  changeTo([{ get: 'listTopics', delete: 'removeNote' }, { get: 'getNote' }]);
  await ask();
  const [one, other] = [fileOf('getNote'), fileOf('listTopics')];
  const code = (file: string, from: string, to: string) =>
    project().read(file).replaceAll(from, to).replace(`'${to}' }`, `'mine' }`);
  const [first, second] = [code(one, 'getNote', 'listTopics'), code(other, 'listTopics', 'getNote')];
  project().write(other, first);
  project().write(one, second);
  expect(aboutHandlers((await ask()).output)).toEqual([renamed('dropNote', 'removeNote')]);
  project().edit('openapi/notes.yaml', 'removeNote', 'dropNote');
  expect(aboutHandlers((await ask()).output)).toEqual([]);
});

it('advises to delete a file only if it is a stub that nobody has changed', async () => {
  const path = pathItem('/extra', { get: 'getExtra' });
  project().edit('openapi/notes.yaml', PATHS, `${PATHS}${path}`);
  await ask();
  const stub = project().read(fileOf('getExtra'));
  project().edit('openapi/notes.yaml', path, '');
  const advice = async (text: string) => {
    project().write(fileOf('getExtra'), text);
    return (await ask()).output;
  };
  expect(await advice(stub)).toContain(`delete ${fileOf('getExtra')}, which is a stub`);
  for (const text of [
    `${stub}\n// mine\n`,
    stub.replace('() =>', '(dependencies) =>'),
    implemented('getExtra'),
  ])
    expect(await advice(text)).not.toContain('delete src/handlers/get-extra');
});
