import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { STATUS_LINE } from '../support/client';
import { startProgram } from '../support/program';

// Runs the curl commands of README and of the CI workflow against the server.

const ADDRESS = 'http://127.0.0.1:3000';
const read = (file: string) => readFileSync(join(__dirname, '../..', file), 'utf8');

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const workflow = parse(read('.github/workflows/ci.yml')) as Workflow;
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []));
const commands = [
  ...steps.filter((run) => run.startsWith('curl ')),
  ...[...read('README.md').matchAll(/^curl (?:.*\\\n)*.*$/gm)].map(([command]) => command),
];

test('README and the CI workflow contain curl commands', () => {
  expect(commands).toHaveLength(2);
});

test.each(commands)('works as written: %s', async (command) => {
  expect(command).toContain(ADDRESS);
  const server = await startProgram({ API_TOKENS: 'secret' });
  const { stdout } = await promisify(execFile)('bash', ['-c', command.replace(ADDRESS, server.url)]);
  expect(stdout).toContain(STATUS_LINE);
  await server.stop();
});
