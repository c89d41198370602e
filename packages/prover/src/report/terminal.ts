import { ADVICE } from '../advice';
import { type Failure, printReplay } from '../failure';
import { isOpen } from '../obligation';
import { withoutSource } from '../profile';
import type { Result } from '../run';
import { quoteWord } from '../wire/curl';
import {
  type ContractReport,
  contractReport,
  type ReportedCause,
  type ReportedObligation,
} from './contract-report';
import { count } from './summary';

/** The result in one line. */
export const headline = ({ summary }: Pick<Result, 'summary'>): string => summary.headline;

/** Aligns the columns of a table. Numbers are aligned to the right. */
export function formatTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  const aligned = (cell: string | number, column: number): string => {
    const isNumber = typeof rows.at(-1)?.[column] === 'number';
    return isNumber ? String(cell).padStart(widths[column] ?? 0) : String(cell).padEnd(widths[column] ?? 0);
  };
  return rows.map((row) => row.map(aligned).join('  ').trimEnd()).join('\n');
}

/** The number of groups, obligations or remarks that a terminal shows of each kind. */
const SHOWN = 8;

/** The first entries, and a line that counts the rest. */
const first = (lines: readonly string[], noun: string, after = ''): string[] => [
  ...lines.slice(0, SHOWN),
  ...(lines.length > SHOWN ? [`... and ${count(lines.length - SHOWN, noun)}${after}`] : []),
];

/** The report for a terminal: what is wrong, by cause, and how to go on. The files hold the rest. */
export function formatReport(result: Result): string {
  const report = contractReport(result);
  const { obligations, waivers } = report;
  const parts = [
    report.verdict,
    ...operationTable(report),
    ...first(report.causes.map(describeCause), 'more cause'),
    ...openObligations(report),
    ...byReason('WAIVED ', obligations, ({ state }) => state === 'WAIVED'),
    ...[...Map.groupBy(report.waived, ({ reason }) => reason)].map(
      ([reason, same]) => `WAIVED  ${count(same.length, 'failure')}: ${reason}`,
    ),
    ...waivers.expired.map(ADVICE.renewWaiver),
    ...report.warnings.slice(0, SHOWN).map(describeWarning),
    ...byReason('OUT OF REACH', obligations, ({ state }) => state === 'OUT OF REACH'),
    ...first(
      report.remarks.map(({ text }) => `DOCUMENT ${text}`),
      'more remark',
      ' on the document',
    ),
    ...report.leftBehind.map((sentence) => `LEFT  ${sentence}`),
    ...requestsLeftOut(report),
    ...waivers.unused.map(ADVICE.removeWaiver),
    ...(result.replay ? [] : [report.headline]),
  ];
  return parts.join(report.passed ? '\n' : '\n\n');
}

/** The operations with something open. */
function operationTable({ summary: { operations } }: ContractReport): string[] {
  const wrong = operations
    .filter(({ open, failures }) => open + failures > 0)
    .sort((a, b) => b.failures - a.failures || b.open - a.open);
  if (wrong.length === 0) return [];
  const others = operations.filter((one) => !wrong.includes(one));
  const areProven = others.every(({ proven, obligations }) => proven === obligations);
  const rows = wrong
    .slice(0, SHOWN)
    .map(({ operation, obligations, proven, open, apart, failures }) => [
      operation,
      `${proven} of ${obligations}`,
      open,
      apart,
      failures,
    ]);
  const lines = [formatTable([['operation', 'proven', 'open', 'excused', 'failures'], ...rows])];
  if (wrong.length > SHOWN) lines.push(`... and ${count(wrong.length - SHOWN, 'more operation')}`);
  if (others.length > 0)
    lines.push(
      `${count(others.length, 'other operation')}: ${areProven ? 'everything is proven' : 'nothing is open'}`,
    );
  return [lines.join('\n')];
}

/** For a failure that does not occur each time. */
export const NOT_REPEATABLE =
  'it did not fail again: the answer depends on the state of the service, or on time';

/** A cause, its cases, and one request that shows it. */
function describeCause(
  { cause, cases, operations, rules, source, logged, example, isRepeatable }: ReportedCause,
  index: number,
): string {
  const lines: [label: string, text: string | undefined][] = [
    ...rules.slice(0, 3).map((rule): [string, string] => ['rule', rule]),
    ['', rules.length > 3 ? `... and ${count(rules.length - 3, 'more rule')}` : undefined],
    ['source', source],
    ['case', shorten(`${example.family}: ${example.title}`)],
    ...example.problems.slice(0, 2).map((problem): [string, string] => ['', shorten(withoutSource(problem))]),
    ['logged', logged],
    ['replay', example.replay && replayOption(example.replay)],
    ['note', isRepeatable === false ? NOT_REPEATABLE : undefined],
    ['try', example.curl || undefined],
  ];
  return [
    `${index + 1}. ${count(cases, 'case')} of ${listed(operations)}: ${cause}`,
    ...lines.flatMap(([label, text]) =>
      text === undefined ? [] : `   ${label.padEnd(6)} ${text.replaceAll('\n', '\n          ')}`,
    ),
  ].join('\n');
}

/** Titles and problems contain values and answers, which may be long. */
const shorten = (text: string): string => (text.length > 220 ? `${text.slice(0, 220)}...` : text);

/** The option that repeats one generated case. */
const replayOption = (replay: string): string => `--replay ${quoteWord(replay)}`;

const listed = (names: readonly string[]): string =>
  names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more operations`;

const reasonOf = ({ reason = 'no case proved it' }: ReportedObligation): string => reason;

/** A line for each reason of the obligations in a state. */
const byReason = (
  label: string,
  obligations: readonly ReportedObligation[],
  isShown: (obligation: ReportedObligation) => boolean,
): string[] =>
  [...Map.groupBy(obligations.filter(isShown), reasonOf)].map(
    ([reason, same]) => `${label} ${count(same.length, 'obligation')}: ${reason}`,
  );

/** The open obligations by reason, with those of each reason. A failure explains those with a failed case. */
function openObligations({ obligations }: ContractReport): string[] {
  const open = obligations.filter(({ state, failed }) => isOpen(state) && failed === 0);
  const groups = [...Map.groupBy(open, reasonOf)].sort(([, a], [, b]) => b.length - a.length);
  const parts = groups.map(([reason, same]) => {
    const [{ state, operation } = { state: 'UNPROVEN', operation: '' }] = same;
    if (state !== 'BLOCKED') {
      const rest = same.length > SHOWN ? [`  ... and ${same.length - SHOWN} more`] : [];
      const keys = same.slice(0, SHOWN).map(({ key }) => `  ${key}`);
      return [`${state} ${same.length}: ${reason}`, ...keys, ...rest].join('\n');
    }
    const operations = new Set(same.map((one) => one.operation)).size;
    const blocked = operations === 1 ? operation : count(operations, 'operation');
    return `BLOCKED ${blocked}, with ${count(same.length, 'obligation')}: ${reason}`;
  });
  return first(parts, 'more reason');
}

/** What the standards leave to the server. */
const describeWarning = ({ cause, cases, operations, example }: ReportedCause): string =>
  `WARNING ${count(cases, 'case')} of ${listed(operations)}: ${example.problems[0] ?? cause}`;

/** The requests that a budget left out, by reason. */
function requestsLeftOut({ leftOut }: ContractReport): string[] {
  return [...Map.groupBy(leftOut, ({ reason }) => reason)].map(([reason, same]) => {
    const number = same.reduce((sum, { requests }) => sum + requests, 0);
    const what = same.map(({ operation, family, requests }) => `${operation} (${requests} ${family})`);
    const more = what.length > SHOWN ? ` and ${what.length - SHOWN} more` : '';
    return `LEFT OUT ${count(number, 'request')} of ${what.slice(0, SHOWN).join(', ')}${more}: ${reason}`;
  });
}

/** A failure, with the commands that repeat it. */
export function describeFailure({ family, operation, title, problems, curl, replay }: Failure): string {
  const lines = [...problems];
  if (replay)
    lines.push(
      `found with seed ${replay.seed}, path ${replay.path}; the request is shrunk; ${replayOption(printReplay(replay))}`,
    );
  if (curl !== '') lines.push(curl);
  return [`FAILED ${operation}, ${family}: ${title}`, ...lines.map((line) => `  ${line}`)].join('\n');
}
