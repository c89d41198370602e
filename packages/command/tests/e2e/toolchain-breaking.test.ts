import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../../scripts/testing/folder';
import { useToolchain } from '../support/toolchain';

jest.setTimeout(120_000);

const DOCUMENT = 'openapi/notes.yaml';
const ACCEPTED = 'openapi/accepted-breaks.yaml';
const { project, ask, run } = useToolchain();
const breaking = (base: string, all = false) => ask({ base, all });
const folder = useFolder();

const gitIn = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args],
    { cwd, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
};
const git = (...args: string[]) => gitIn(project().folder, ...args);
const commit = (message: string) => {
  git('add', 'generated', 'openapi');
  git('commit', '--quiet', '--message', message);
};
beforeEach(() => {
  rmSync(join(project().folder, '.git'), { recursive: true, force: true });
  git('init', '--quiet', '--initial-branch=main');
  commit('first');
});

const addGetNote = () => {
  project().edit(
    DOCUMENT,
    '\ncomponents:',
    `
  /notes/{id}:
    get:
      operationId: getNote
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: the note } }
components:`,
  );
};

it('make breaking lists the changes that break a client of an earlier commit, and no others', async () => {
  addGetNote();
  await ask();
  expect(await breaking('HEAD')).toEqual({
    status: 0,
    output: 'no change since HEAD would break a client\n',
  });
  // Before `make generate`, too.
  project().edit(DOCUMENT, 'type: string', 'type: string\n          maxLength: 30');
  const broken = await breaking('HEAD');
  expect(broken).toEqual({
    status: 1,
    output:
      'breaking  #/components/schemas/Note/properties/text/maxLength: in requests: maxLength 30 is new\n' +
      '\n1 change since HEAD would break a client. To accept an intended break, see `npx contract-first breaking --help`\n',
  });
  expect(run('breaking', 'HEAD')).toEqual(broken);
  const [line = ''] = broken.output.replace('breaking  ', '').split('\n');
  project().write(
    'openapi/accepted-breaks.yaml',
    `- { change: '${line}', reason: agreed, until: '1.0.0' }\n`,
  );
  expect(await breaking('HEAD')).toEqual({
    status: 0,
    output: `accepted  ${line} (until 1.0.0: agreed)\nno change since HEAD would break a client, except as openapi/accepted-breaks.yaml accepts\n`,
  });
  project().edit(DOCUMENT, '  version: 1.0.0', '  version: 1.0.1');
  expect(await breaking('HEAD')).toMatchObject({
    status: 1,
    output: expect.stringContaining(
      '#/0: expired with version 1.0.0; the document has version 1.0.1',
    ) as string,
  });
  expect(await breaking('none')).toEqual({
    status: 2,
    output: 'unknown commit none: fetch it (`git fetch`) or correct the name\n',
  });
});

const LINE = '#/components/schemas/Note/properties/text/maxLength: in requests: maxLength 30 is new';
const breakIt = async () => {
  project().edit(DOCUMENT, 'type: string', 'type: string\n          maxLength: 30');
  project().write(ACCEPTED, `- { change: '${LINE}', reason: agreed, until: '1.0.0' }\n`);
  await ask();
  expect((await breaking('HEAD')).status).toBe(0);
};
const SPENT = {
  status: 0,
  output: `${ACCEPTED}#/0: the base already contains this change: you can delete the entry\nno change since HEAD would break a client\n`,
};

it('an acceptance whose break the base has is a notice, with any later version of the document', async () => {
  await breakIt();
  commit('break');
  expect(await breaking('HEAD')).toEqual(SPENT);
  project().edit(DOCUMENT, '  version: 1.0.0', '  version: 2.0.0');
  await ask();
  expect(await breaking('HEAD')).toEqual(SPENT);
  commit('raise');
  expect(await breaking('HEAD')).toEqual(SPENT);
  // A wrong entry that is new remains an error, with the one that it may mean.
  project().edit(DOCUMENT, 'maxLength: 30', 'maxLength: 20');
  project().write(
    ACCEPTED,
    `- { change: '${LINE}', reason: agreed, until: '2.0.0' }\n- { change: '${LINE}!', reason: x, until: '2.0.0' }\n`,
  );
  expect(await breaking('HEAD')).toMatchObject({
    status: 1,
    output: expect.stringContaining(
      `#/1: no breaking change matches "${LINE}!": did you mean "${LINE.replace('maxLength 30 is new', 'maxLength was 30, is 20')}"?`,
    ) as string,
  });
});

it('compares with the last common commit: what the base got since then is not gone', async () => {
  git('switch', '--quiet', '--create', 'branch');
  git('switch', '--quiet', 'main');
  addGetNote();
  await ask();
  commit('main has an operation more');
  git('switch', '--quiet', 'branch');
  const first = git('rev-parse', '--short=12', 'HEAD');
  expect(await breaking('main')).toEqual({
    status: 0,
    output: `no change since ${first}, the last common commit of main and HEAD would break a client\n`,
  });
});

it('says what to do in a shallow clone, without a common commit, without a contract and without git', async () => {
  project().edit(DOCUMENT, 'title: Notes', 'title: More notes');
  await ask();
  commit('second');
  const clone = folder.path('clone');
  gitIn(folder.path('.'), 'clone', '--quiet', '--depth=1', `file://${project().folder}`, clone);
  gitIn(clone, 'switch', '--quiet', '--orphan', 'other');
  gitIn(clone, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  const shallow = /this clone is shallow: run `git fetch --unshallow`, or .*fetch-depth: 0/;
  for (const ref of ['main', 'main~1']) {
    const { output } = await ask({ base: ref, git: join(clone, '.git') });
    expect(output).toMatch(shallow);
  }
  git('switch', '--quiet', '--orphan', 'other');
  git('commit', '--quiet', '--allow-empty', '--message', 'other');
  git('restore', '--source=main', '--worktree', 'openapi', 'generated');
  expect((await breaking('main')).output).toMatch(
    /^main and HEAD have no common commit in this clone: compare with/,
  );
  expect((await breaking('other')).output).toMatch(
    /^other has no generated\/openapi\.json, so there is nothing to compare/,
  );
  rmSync(join(project().folder, '.git'), { recursive: true });
  expect((await breaking('main')).output).toMatch(/ is not a git repository: run `git init`/);
});

it('prints one line for a class of changes, which one entry accepts as far as it counts', async () => {
  const paths = Array.from(
    { length: 30 },
    (_, i) =>
      `  /shelves/${i}:\n    get: { operationId: get${i}, responses: { '200': { description: ok } } }\n`,
  );
  project().edit(DOCUMENT, '\ncomponents:', `\n${paths.join('')}components:`);
  await ask();
  commit('many');
  const header = '[{ name: X-Tenant, in: header, required: true, schema: { type: string } }]';
  const text = project().read(DOCUMENT);
  project().write(DOCUMENT, text.replaceAll('    get: {', `    parameters: ${header}\n    get: {`));
  const line = '#/paths/*/get: the header parameter X-Tenant is new and required';
  expect((await ask()).output.split('\n')[0]).toBe(`breaking  ${line} (30 places)`);
  const found = await breaking('HEAD');
  expect(found.output.split('\n')[0]).toBe(`breaking  ${line} (30 places)`);
  expect(
    (await breaking('HEAD', true)).output.match(/^breaking {2}#\/paths\/~1shelves~1\d+\/get: the header/gm),
  ).toHaveLength(30);
  const accept = async (more: string) => {
    project().write(ACCEPTED, `- { change: '${line}', reason: agreed, until: '1.0.0'${more} }\n`);
    return breaking('HEAD');
  };
  const accepted = `accepted  ${line} (30 places, until 1.0.0: agreed)\nno change since HEAD would break a client, except as ${ACCEPTED} accepts\n`;
  expect(await accept(', places: 30')).toEqual({ status: 0, output: accepted });
  for (const more of ['', ', places: 29', ', places: many'])
    expect(await accept(more)).toMatchObject({
      status: 1,
      output: expect.stringMatching(/#\/0\/places: /) as string,
    });
  // Another break at the same places is none of this class.
  project().write(
    DOCUMENT,
    project()
      .read(DOCUMENT)
      .replace("{ operationId: get7, responses: { '200'", "{ operationId: get7, responses: { '201'"),
  );
  const other = await accept(', places: 30');
  expect([other.status, other.output]).toEqual([
    1,
    expect.stringContaining('#/paths/~1shelves~17/get/responses/200: the status 200 is gone'),
  ]);
});

it('compares two files, of any service: neither an overlay nor names of components matter', () => {
  const text = project().read(DOCUMENT);
  project().write('old.yaml', text);
  // What the overlay of the service names has another name in these.
  project().write('new.yaml', text.replaceAll('Note', 'Memo'));
  project().write(
    'broken.yaml',
    text.replaceAll('Note', 'Memo').replace('type: string', 'type: string\n          maxLength: 30'),
  );
  expect(run('breaking', 'old.yaml', 'new.yaml')).toEqual({
    status: 0,
    output: 'nothing from old.yaml to new.yaml would break a client\n',
  });
  expect(run('breaking', 'old.yaml', 'broken.yaml')).toEqual({
    status: 1,
    output:
      'breaking  #/components/schemas/Memo/properties/text/maxLength: in requests: maxLength 30 is new\n' +
      '\n1 change from old.yaml to broken.yaml would break a client\n',
  });
  expect(run('breaking', 'old.yaml', 'none.yaml')).toEqual({
    status: 2,
    output: 'none.yaml: cannot read the OpenAPI document: there is no such file\n',
  });
});
