import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quoted } from './error-body';
import { formatFile } from './format';
import { type Obligation, type Proof, proofOf, type Report, SERVICE, waivable } from './proof';

/** Milliseconds. The engine then ends with the report so far. Its own budgets are counted in requests. */
const LONGEST_MS = 300_000;

/**
 * Runs the contract tests of a new service once. Adds a waiver for each promise that no request of the engine can prove or
 * disprove, with the reason, so that the first run of the team is green and its list of exceptions is whole. A promise that
 * a case disproved stays as it is.
 */
export async function waive(folder: string): Promise<Proof> {
  const { stdout, error } = spawnSync(
    process.execPath,
    [path.join(folder, 'node_modules/.bin/contract-first'), 'contract'],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      // Its line of progress is for the user.
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: LONGEST_MS,
    },
  );
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path.join(folder, 'reports/contract/contract.json'), 'utf8')) as Report;
  } catch {
    const cause = error?.message ?? stdout;
    return { green: false, summary: `the contract tests did not run: make contract\n${cause}` };
  }
  const added = waivable(report);
  if (added.length > 0) await addWaivers(path.join(folder, SERVICE), added);
  return proofOf(report);
}

/** Adds a waiver for each of the promises to the file of the target, and formats it. */
export async function addWaivers(
  file: string,
  added: readonly Pick<Obligation, 'key' | 'reason'>[],
): Promise<void> {
  const lines = added.map(
    ({ key, reason = '' }) =>
      `  { obligation: ${quoted(key)}, reason: ${quoted(`at the start: ${reason.split(':')[0] ?? ''}`)} },\n`,
  );
  const list = /(export const waivers: readonly Waiver\[\] = \[)\n?([^]*?)(\];\n)/;
  const text = readFileSync(file, 'utf8').replace(
    list,
    (_, open: string, old: string, end: string) => `${open}\n${old}${lines.join('')}${end}`,
  );
  writeFileSync(file, text);
  await formatFile(file);
}
