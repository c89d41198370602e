import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quoted } from './error-body';

/** The parts of reports/contract/contract.json that this file reads. */
interface Report {
  readonly obligations: readonly Obligation[];
  readonly failures: readonly unknown[];
  /** Why the run ended early. */
  readonly stopped?: string;
}

interface Obligation {
  readonly key: string;
  readonly state: string;
  /** The number of cases that disproved it. */
  readonly failed: number;
  readonly reason?: string;
}

/** The result of the contract tests of a new service, with the added waivers. */
export interface Proof {
  /** Whether the tests pass now. */
  readonly green: boolean;
  readonly summary: string;
}

const SERVICE = 'tests/contract/service.ts';

/**
 * Runs the contract tests of a new service once. Adds a waiver for each promise that no request of the engine can prove or
 * disprove, with the reason, so that the first run of the team is green and its list of exceptions is whole. A promise that
 * a case disproved stays as it is.
 */
export function waive(folder: string): Proof {
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [path.join(folder, 'node_modules/.bin/contract-first'), 'contract'],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path.join(folder, 'reports/contract/contract.json'), 'utf8')) as Report;
  } catch {
    const cause = error?.message ?? `${stdout}${stderr}`;
    return { green: false, summary: `the contract tests did not run: make contract\n${cause}` };
  }
  const added = waivable(report);
  if (added.length > 0) {
    const file = path.join(folder, SERVICE);
    writeFileSync(file, withWaivers(readFileSync(file, 'utf8'), added));
  }
  return proofOf(report);
}

/** The promises without a case for or against them. */
const waivable = ({ obligations, stopped }: Report): Obligation[] =>
  stopped === undefined
    ? obligations.filter(({ state, failed }) => state === 'UNPROVEN' && failed === 0)
    : [];

/** The text of the target with a waiver for each of the promises. */
function withWaivers(text: string, added: readonly Obligation[]): string {
  const lines = added.map(
    ({ key, reason = '' }) =>
      `  {\n    obligation: ${quoted(key)},\n    reason: ${quoted(`at the start: ${reason.split(':')[0] ?? ''}`)},\n  },\n`,
  );
  const list = /(export const waivers: readonly Waiver\[\] = \[)\n?([^]*?)(\];\n)/;
  return text.replace(
    list,
    (_, open: string, old: string, end: string) => `${open}\n${old}${lines.join('')}${end}`,
  );
}

/** The figures with the added waivers, and what is not green. */
export function proofOf(report: Report): Proof {
  const { obligations, failures, stopped } = report;
  const added = waivable(report).length;
  const count = (state: string) => obligations.filter((one) => one.state === state).length;
  const rest = obligations.filter(
    ({ state, failed }) => state === 'BLOCKED' || (state === 'UNPROVEN' && failed > 0),
  );
  const news =
    added > 0
      ? `; ${added} ${added === 1 ? 'waiver is' : 'waivers are'} added to ${SERVICE} for what no request can show`
      : '';
  const summary = [
    `contract tests: PROVEN ${count('PROVEN')}/${obligations.length}`,
    `WAIVED ${count('WAIVED') + added}`,
    `UNPROVEN ${count('UNPROVEN') - added}`,
    `BLOCKED ${count('BLOCKED')}${news}`,
  ].join(', ');
  const reasons = [
    ...(stopped === undefined ? [] : [`the run ended early: ${stopped}`]),
    ...(failures.length > 0
      ? [`${failures.length} ${failures.length === 1 ? 'case' : 'cases'} failed: make contract`]
      : []),
    ...new Set(
      rest.map(({ key, state, reason = 'a case failed' }) => `${state} ${key.split(' | ')[0]}: ${reason}`),
    ),
  ];
  return { green: reasons.length === 0, summary: [summary, ...reasons].join('\n  ') };
}
