import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quoted } from './error-body';

/** A promise of the document without a proof, as reports/contract/contract.json has it. */
interface Unproven {
  readonly key: string;
  readonly state: string;
  readonly reason?: string;
}

const SERVICE = 'tests/contract/service.ts';

/**
 * Runs the contract tests of a new service once. Adds a waiver for each promise that no request of the engine can prove or
 * disprove, with the reason, so that the first run of the team is green and its list of exceptions is whole.
 *
 * @returns a sentence about the result
 */
export function waive(folder: string): string {
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [path.join(folder, 'node_modules/.bin/contract-first'), 'contract'],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  const report = path.join(folder, 'reports/contract/contract.json');
  let obligations: readonly Unproven[];
  try {
    ({ obligations } = JSON.parse(readFileSync(report, 'utf8')) as { obligations: readonly Unproven[] });
  } catch {
    return `the contract tests did not run: make contract\n${error?.message ?? `${stdout}${stderr}`}`;
  }
  const open = obligations.filter(({ state }) => state === 'UNPROVEN');
  const lines = open.map(
    ({ key, reason = '' }) =>
      `  {\n    obligation: ${quoted(key)},\n    reason: ${quoted(`at the start: ${reason.split(':')[0] ?? ''}`)},\n  },\n`,
  );
  if (lines.length > 0) {
    const file = path.join(folder, SERVICE);
    const text = readFileSync(file, 'utf8');
    const list = /(export const waivers: readonly Waiver\[\] = \[)\n?([^]*?)(\];\n)/;
    writeFileSync(
      file,
      text.replace(
        list,
        (_, open: string, old: string, end: string) => `${open}\n${old}${lines.join('')}${end}`,
      ),
    );
  }
  const summary = /^PROVEN .*$/m.exec(stdout)?.[0] ?? '';
  return `contract tests: ${summary}${lines.length > 0 ? `; ${lines.length} waivers added for what no request can show` : ''}`;
}
