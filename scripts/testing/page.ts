import { execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, snippetsOf } from './snippets';

/** The commands of a page of docs/, block by block. */
export const commandsOf = (page: string): string[] =>
  snippetsOf(`docs/${page}`).flatMap(({ language, text }) => (language === 'sh' ? text : []));

/**
 * Runs commands in the folder of a service, whose packages are installed, from no registry. The variable TOKEN is kept for the
 * next ones, as a terminal keeps it.
 *
 * @returns what they print
 */
export async function followCommands(service: string, commands: string): Promise<string> {
  const kept = "touch ../kept; . ../kept; trap 'declare -p TOKEN > ../kept 2>/dev/null || true' EXIT";
  const PATH = [
    join(ROOT, 'packages/command/tests/e2e/docs'),
    dirname(process.execPath),
    process.env['PATH'],
  ].join(delimiter);
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['-c', `set -e -o pipefail; ${kept}\n${commands}`],
    {
      cwd: service,
      env: { ...process.env, PATH, HERE: ROOT, MODULES: join(dirname(service), 'node_modules') },
    },
  );
  return stdout + stderr;
}
