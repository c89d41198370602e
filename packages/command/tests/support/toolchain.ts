import { PUBLISHED, TYPES } from '../../src/paths';
import type { Command, Outcome } from './generator';
import { type RunningProcess, startProcess } from '../../../../scripts/testing/process';
import { copyToolchain, type Project, resetToolchain } from '../../../../scripts/testing/project';
import { SOURCES } from '../../../../scripts/testing/sources';

/**
 * A copy of the toolchain with the fixture, generated, anew for each test of a file, and a process that runs its commands
 * many times.
 *
 * @param prepare changes the fixture once, before all tests
 */
export function useToolchain(
  prepare: (project: Project, ask: Ask) => Promise<void> = () => Promise.resolve(),
) {
  let generator: RunningProcess;
  let project: Project;
  const kept = new Map<string, string>();
  const ask: Ask = async (command = {}) => {
    const position = generator.output().length;
    generator.writeLine(JSON.stringify({ folder: project.folder, ...command } satisfies Command));
    const [line] = await generator.printed(/^\{.*\}$/m, position);
    return JSON.parse(line) as Outcome;
  };
  beforeAll(async () => {
    generator = startProcess([...SOURCES, 'packages/command/tests/support/generator.ts'], {});
    project = copyToolchain();
    await ask();
    await prepare(project, ask);
    for (const file of [PUBLISHED, TYPES, ...project.list('openapi'), ...project.list('src/handlers')])
      kept.set(file, project.read(file));
  });
  beforeEach(() => {
    resetToolchain(project);
    for (const [file, text] of kept) project.write(file, text);
  });
  afterAll(async () => {
    project.remove();
    await generator.stop();
  });
  return {
    project: () => project,
    ask,
    /** Runs a command of the toolchain itself. `ask` does the same without its start. */
    run: (verb: string, ...args: string[]) => project.command(verb, ...args),
  };
}

export type Ask = (command?: Omit<Command, 'folder'>) => Promise<Outcome>;
