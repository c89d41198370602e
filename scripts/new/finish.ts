/** Makes the files of a new service a repository: formats them, runs the contract tests, and commits. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import prettier from 'prettier';
import type { Operation } from '../../src/contract';
import { handlerName } from '../generate/handler-names';
import { stubText } from '../generate/handlers';
import { codeOf } from './error-body';

/** The target of the contract tests in a service. */
const SERVICE = 'tests/contract/service.ts';
/** Milliseconds. The prover then ends with the report so far. Its own budgets are counted in requests. */
const LONGEST_MS = 300_000;

/** Formats a file as `make format` of its service does. Leaves a file that Prettier does not know as it is. */
export async function formatFile(file: string): Promise<void> {
  const { inferredParser } = await prettier.getFileInfo(file);
  if (inferredParser === null) return;
  const options = await prettier.resolveConfig(file);
  const text = await prettier.format(readFileSync(file, 'utf8'), { ...options, filepath: file });
  writeFileSync(file, text);
}

interface Obligation {
  readonly key: string;
  readonly state: string;
  /** The number of cases that disproved it. */
  readonly failed: number;
  readonly reason?: string;
}

/** A run of the contract tests. */
interface Run {
  readonly green: boolean;
  readonly output: string;
  /** What this file reads of contract.json; undefined: there is none. */
  readonly report?: {
    readonly obligations: readonly Obligation[];
    readonly failures?: readonly { readonly operation: string }[];
    /** Requests that were not sent. */
    readonly leftOut?: readonly Readonly<Record<'operation' | 'family' | 'reason', string>>[];
    /** Why the run ended early. */
    readonly stopped?: string;
  };
}

/**
 * Runs the contract tests of a new service. Adds a waiver for each promise that no request of the prover can prove or
 * disprove, with the reason, so that the first run of the team is green and its list of exceptions is whole; then it runs them
 * again. A promise that a case disproved stays as it is.
 *
 * @param handlers the operations whose handlers have been written: one that does not compile, or that a case disproves, becomes
 *   a stub
 */
export async function prove(
  folder: string,
  handlers: readonly Operation[],
): Promise<{ readonly green: boolean; readonly summary: string }> {
  const written = new Map(handlers.map((operation) => [operation.operationId, operation]));
  const unsound: string[] = [];
  const leave = async (wrong: readonly Operation[]): Promise<boolean> => {
    for (const operation of wrong) {
      const name = handlerName(operation.operationId);
      const file = path.join(folder, `src/handlers/${name.file}.ts`);
      writeFileSync(file, stubText(operation, name));
      await formatFile(file);
      written.delete(operation.operationId);
      unsound.push(operation.operationId);
    }
    return wrong.length > 0;
  };
  const errors = typeErrors(folder);
  await leave(
    handlers.filter(({ operationId }) =>
      errors.includes(`src/handlers/${handlerName(operationId).file}.ts(`),
    ),
  );
  let run = runContract(folder);
  for (;;) {
    const failed = new Set(run.report?.failures?.map(({ operation }) => operation));
    if (!(await leave([...written.values()].filter(({ operationId }) => failed.has(operationId))))) break;
    run = runContract(folder);
  }
  const all = run.report?.stopped === undefined ? (run.report?.obligations ?? []) : [];
  const waivable = all.filter(({ state, failed }) => state === 'UNPROVEN' && failed === 0);
  if (waivable.length > 0) {
    await addWaivers(path.join(folder, SERVICE), waivable);
    run = runContract(folder);
  }
  const { green, output, report } = run;
  const stubs =
    unsound.length === 0
      ? ''
      : `; left as stubs, because what follows from the document does not keep it: ${unsound.join(', ')}`;
  if (!report) return { green, summary: `the contract tests did not run: make contract\n${output}` };
  const added = waivable.length === 1 ? '1 waiver is' : `${waivable.length} waivers are`;
  const news =
    waivable.length > 0 ? `; ${added} added to ${SERVICE} for what no request can show${stubs}` : stubs;
  if (!green) return { green, summary: `${output.trimEnd()}${news}` };
  const figures = /^.*PROVEN \d+\/.*?(?=, \d+ requests|$)/m.exec(output)?.[0] ?? '';
  // No case of a stub could be made. That is no fault of the service.
  const unmade = (report.leftOut ?? [])
    .filter(({ family }) => family === 'baseline')
    .map(({ operation, reason }) => `\n  no request can be made for the stub ${operation}: ${reason}`);
  return { green, summary: `contract tests: ${figures}${news}${unmade.join('')}` };
}

/** What the compiler says of the service. */
function typeErrors(folder: string): string {
  const command = [path.join(folder, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', folder];
  return spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' }).stdout;
}

function runContract(folder: string): Run {
  const command = [path.join(folder, 'node_modules/.bin/contract-first'), 'contract'];
  const { status, stdout, error } = spawnSync(process.execPath, command, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    // Its line of progress is for the user.
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  });
  try {
    const text = readFileSync(path.join(folder, 'reports/contract/contract.json'), 'utf8');
    return { green: status === 0, output: stdout, report: JSON.parse(text) as NonNullable<Run['report']> };
  } catch {
    return { green: false, output: error?.message ?? stdout };
  }
}

/** Adds a waiver for each of the promises to the file of the target, and formats it. */
export async function addWaivers(
  file: string,
  added: readonly Pick<Obligation, 'key' | 'reason'>[],
): Promise<void> {
  const lines = added.map(
    ({ key, reason = '' }) =>
      `  ${codeOf({ obligation: key, reason: `at the start: ${reason.split(':')[0] ?? ''}` })},\n`,
  );
  const list = /(export const waivers: readonly Waiver\[\] = \[)\n?([^]*?)(\];\n)/;
  const text = readFileSync(file, 'utf8');
  if (!list.test(text)) throw new Error(`${file}: expected the list of waivers`);
  writeFileSync(
    file,
    text.replace(
      list,
      (_, open: string, old: string, end: string) => `${open}\n${old}${lines.join('')}${end}`,
    ),
  );
  await formatFile(file);
}

/** Starts a git repository with one commit. Returns a sentence. */
export function commit(folder: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const started = git('init', '--quiet', '--initial-branch=main');
  if (started.status !== 0) return 'git is not available: the files are in no repository';
  git('add', '--all');
  const made = git('commit', '--quiet', '--message', 'A service laid out from its document');
  return made.status === 0
    ? 'committed to a new git repository'
    : 'the files are staged in a new git repository: commit them, once git knows your name and e-mail address';
}
