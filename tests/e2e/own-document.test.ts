import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { copyProject, type Project } from '../support/project';

jest.setTimeout(120_000);

/** The files of another service: a document with five operations on two resources, handlers, a store and scenarios. */
const LIBRARY = join(__dirname, 'library');

let project: Project;
beforeAll(() => {
  project = copyProject('tests', 'README.md');
});
afterAll(() => {
  project.remove();
});

const generate = () => project.run('tsx', 'scripts/generate/main.ts');

/**
 * Runs the command of README that removes the files of the plants. Uses `rm` instead of `git rm`, which requires a
 * repository. Both fail if a file does not exist.
 */
function removePlants(): void {
  const [, paths = ''] = /^ *git rm -rq ((?:.*\\\n)*.*)\n/m.exec(project.read('README.md')) ?? [];
  const { status, stderr } = spawnSync('bash', ['-c', `rm -r ${paths}`], {
    cwd: project.folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
}

test('the way that README shows leads from another document to a server that passes its tests', () => {
  removePlants();
  cpSync(LIBRARY, project.folder, { recursive: true });
  expect(generate().output).toMatch(
    /overlay\.yaml#\/actions\/\d+: .*NewPlant matches nothing: delete the action/,
  );
  const overlay = project.read('openapi/overlay.yaml');
  project.write('openapi/overlay.yaml', overlay.slice(0, overlay.lastIndexOf('  - target:')));
  expect(generate()).toMatchObject({ status: 0 });
  project.edit('src/errors.ts', "'idTaken'", "'noSuchBook' | 'noSuchLoan' | 'lent'");
  project.edit(
    'src/errors.ts',
    '  idTaken: { status: 400, number: 40002 },',
    `  noSuchBook: { status: 404, number: 40401 },
  noSuchLoan: { status: 404, number: 40402 },
  lent: { status: 409, number: 40900 },`,
  );
  project.edit('src/config.ts', 'sqlite:data/plants.db', 'memory:');
  expect(project.run('tsc')).toEqual({ status: 0, output: '' });
  // The types are already checked, so this only writes the files.
  expect(project.run('tsc', '-p', 'src', '--noCheck')).toEqual({ status: 0, output: '' });
  const { status, output } = project.run(
    'jest',
    'tests/contract/(contract|http)',
    'tests/e2e/(logs|operations|server|shutdown)',
  );
  expect(output).toMatch(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
  expect(status).toBe(0);
});
