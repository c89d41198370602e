import { copyProject, type Project } from '../../../../scripts/testing/project';

/** Changes of the sources, or of what is generated, and what the commands say of each. */
const CHANGES: Readonly<Record<string, readonly [change: (project: Project) => void, says: RegExp]>> = {
  'the document': [
    (project) => {
      project.edit('openapi/plant-store.yaml', 'The name of the plant', 'The name of a plant');
    },
    /^generated\/openapi\.json is stale at \/components\/schemas\/Plant\/\S+ \("The name of the plant" there, "The name of a plant" in openapi\/\): run `npx contract-first generate`$/m,
  ],
  'the overlay': [
    (project) => {
      project.write(
        'openapi/overlay.yaml',
        project.read('openapi/overlay.yaml').replace(/description: (\w)/g, 'description: So $1'),
      );
    },
    /^generated\/openapi\.json is stale at .*"So .* in openapi\/\): run `npx contract-first generate`$/m,
  ],
  'a merge': [
    (project) => {
      project.write('generated/openapi.json', `<<<<<<< HEAD\n${project.read('generated/openapi.json')}`);
    },
    /^generated\/openapi\.json is stale: run `npx contract-first generate`$/m,
  ],
};

describe('a published document that is not that of openapi/', () => {
  const project = copyProject('tests/contract');
  afterAll(() => {
    project.remove();
  });

  test.each(Object.entries(CHANGES))('%s is refused by contract and todo', (_, [change, says]) => {
    const files = ['openapi/plant-store.yaml', 'openapi/overlay.yaml', 'generated/openapi.json'];
    const before = files.map((file) => [file, project.read(file)] as const);
    change(project);
    const contract = project.command('contract');
    expect(contract.output).toMatch(says);
    expect(contract.status).toBe(2);
    const todo = project.command('todo');
    expect(todo.output).toMatch(says);
    expect(todo.status).toBe(1);
    for (const [file, text] of before) project.write(file, text);
  });

  test('is taken when it is only older', () => {
    project.write('openapi/plant-store.yaml', project.read('openapi/plant-store.yaml'));
    expect(project.command('todo')).toEqual({
      status: 0,
      output: 'no stub, column or scenario is missing; npx contract-first contract says what is not proven\n',
    });
  });
});
