/**
 * `make loop`: edits the document in a copy of the project, follows the tools until all is proven again, and draws what
 * they printed for README: tests/system/loop/loop.svg.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyProject, type Project } from '../../support/project';
import { draw, type Panel } from './draw';

const DOCUMENT = 'openapi/plant-store.yaml';
const OVERLAY = 'openapi/overlay.yaml';
const HANDLER = 'src/handlers/create-plant.ts';
const SCENARIOS = 'tests/contract/scenarios.ts';

/** The lines that an edit removes and adds. */
function edit(project: Project, file: string, was: string, is: string): string[] {
  project.edit(file, was, is);
  const [before, after] = [was.split('\n'), is.split('\n')];
  const indent = Math.min(...after.filter((line) => line !== '').map((line) => line.search(/\S/)));
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line.slice(indent)}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line.slice(indent)}`),
  ];
}

function run(project: Project, expected: number, program: string, ...args: string[]): string[] {
  console.error(`${program} ${args.join(' ')}`);
  const { status, output } = project.run(program, ...args);
  if (status !== expected)
    throw new Error(`${program}: expected the status ${expected}, got ${String(status)}\n${output}`);
  return output.trimEnd().split('\n');
}

function goRound(project: Project): Panel[] {
  const property = edit(
    project,
    DOCUMENT,
    '        - name\n      properties:\n',
    '        - name\n        - height\n      properties:\n        height: { type: integer, minimum: 0 }\n',
  );
  const example = edit(
    project,
    OVERLAY,
    '{ id: 1, name: Monstera, tag: tropical }',
    '{ id: 1, name: Monstera, tag: tropical, height: 30 }',
  );
  const generated = run(project, 0, 'tsx', 'scripts/generate/main.ts');
  const [error = ''] = run(project, 1, 'tsx', 'scripts/gate/code.ts');
  const handler = [
    ...edit(project, HANDLER, 'body: { id, name, tag }', 'body: { id, name, tag, height }'),
    ...edit(project, HANDLER, 'body: plant }', 'body: { ...plant, height } }'),
  ];
  project.write(SCENARIOS, project.read(SCENARIOS).replaceAll(/"name":/g, '"height":30,"name":'));
  run(project, 0, 'tsc', '-p', 'src', '--noEmit');
  const proven = run(project, 0, 'tsx', 'scripts/prove/service/contract.ts').slice(0, 2);
  return [
    { title: 'Edit openapi/', lines: [...property, ...example] },
    { title: 'make generate', lines: generated },
    { title: 'make check', lines: [error] },
    { title: `Edit ${HANDLER}, make contract`, lines: [...handler, '', ...proven] },
  ];
}

const project = copyProject('tests', 'eslint.config.mjs');
try {
  const file = join(__dirname, 'loop.svg');
  writeFileSync(file, draw(goRound(project)));
  console.error(`${file} is drawn.`);
} finally {
  project.remove();
}
