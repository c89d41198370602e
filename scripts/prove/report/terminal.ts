import { ADVICE } from '../advice';
import { type Failure, printReplay, type Replay } from '../failure';
import { remarksOn } from '../document/remarks';
import { type FailureGroup, groupFailures } from '../groups';
import { isOpen, type Obligation } from '../obligation';
import { withoutSource } from '../profile';
import type { Result } from '../run';
import { describeWaiver } from '../waivers';
import { quoteWord } from '../wire/curl';
import { count } from './summary';

/** The result in one line. */
export const headline = ({ summary }: Pick<Result, 'summary'>): string => summary.headline;

/** Aligns the columns of a table. Numbers are aligned to the right. */
export function formatTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  const aligned = (row: readonly (string | number)[], column: number): string => {
    const text = String(row[column] ?? '');
    const numeric = typeof rows.at(-1)?.[column] === 'number';
    return numeric ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  };
  return rows
    .map((row) =>
      row
        .map((_, column) => aligned(row, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The number of groups, obligations or remarks that a terminal shows of each kind. */
const SHOWN = 8;

/** The report for a terminal: what is wrong, by cause, and how to go on. The files hold the rest. */
export function formatReport(result: Result): string {
  const { groups, waived, expiredWaivers, unusedWaivers } = result;
  const waivedBy = countBy(waived, ({ reason }) => reason);
  const parts = [
    verdict(result),
    ...operationTable(result),
    ...groups.slice(0, SHOWN).map((group, index) => describeGroup(group, index + 1)),
    ...(groups.length > SHOWN ? [`... and ${count(groups.length - SHOWN, 'more cause')}`] : []),
    ...openObligations(result),
    ...waivedObligations(result),
    ...[...waivedBy].map(([reason, cases]) => `WAIVED  ${count(cases, 'failure')}: ${reason}`),
    ...expiredWaivers.map((waiver) => ADVICE.renewWaiver(describeWaiver(waiver))),
    ...groupFailures(result.warnings).slice(0, SHOWN).map(describeWarning),
    ...outOfReach(result),
    ...documentRemarks(result),
    ...result.leftBehind.map((sentence) => `LEFT  ${sentence}`),
    ...requestsLeftOut(result),
    ...unusedWaivers.map((waiver) => ADVICE.removeWaiver(describeWaiver(waiver))),
    ...(result.replay ? [] : [headline(result)]),
  ];
  return parts.join(result.passed ? '\n' : '\n\n');
}

/** The result in sentences. */
export function verdict({ summary, replay, failures, stopped }: Result): string {
  if (!replay) return summary.verdict;
  if (stopped !== undefined) return `The case was not sent: ${stopped}.`;
  return `The case ${failures.length > 0 ? 'fails again' : 'passes now'}: ${printReplay(replay)}`;
}

function countBy<T>(entries: readonly T[], key: (entry: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1);
  return counts;
}

/** The operations with something open. */
function operationTable({ summary: { operations } }: Result): string[] {
  const wrong = operations
    .filter(({ open, failures }) => open + failures > 0)
    .sort((a, b) => b.failures - a.failures || b.open - a.open);
  if (wrong.length === 0) return [];
  const others = operations.filter((one) => !wrong.includes(one));
  const areProven = others.every(({ proven, obligations }) => proven === obligations);
  const rest = [
    ...(wrong.length > SHOWN ? [`... and ${count(wrong.length - SHOWN, 'more operation')}`] : []),
    ...(others.length > 0
      ? [
          `${count(others.length, 'other operation')}: ${areProven ? 'everything is proven' : 'nothing is open'}`,
        ]
      : []),
  ];
  const rows = wrong
    .slice(0, SHOWN)
    .map(({ operation, obligations, proven, open, apart, failures }) => [
      operation,
      `${proven} of ${obligations}`,
      open,
      apart,
      failures,
    ]);
  return [[formatTable([['operation', 'proven', 'open', 'apart', 'failures'], ...rows]), ...rest].join('\n')];
}

/** For a failure that does not occur each time. */
export const NOT_REPEATABLE =
  'it did not fail again: the answer depends on the state of the service, or on time';

/** A cause, its cases, and one request that shows it. */
function describeGroup(
  { cause, cases, operations, rules, example, isRepeatable }: FailureGroup,
  number: number,
): string {
  const lines: [label: string, text: string][] = [
    ...rules.slice(0, 3).map((rule): [string, string] => ['rule', rule]),
    ...(rules.length > 3
      ? [['', `... and ${count(rules.length - 3, 'more rule')}`] satisfies [string, string]]
      : []),
    ...(cause.source === undefined ? [] : [['source', cause.source] satisfies [string, string]]),
    ['case', shorten(`${example.family}: ${example.title}`)],
    ...example.problems.slice(0, 2).map((problem): [string, string] => ['', shorten(withoutSource(problem))]),
    ...(example.replay ? [['replay', replayOption(example.replay)] satisfies [string, string]] : []),
    ...(isRepeatable === false ? [['note', NOT_REPEATABLE] satisfies [string, string]] : []),
    ...(example.curl === '' ? [] : [['try', example.curl] satisfies [string, string]]),
  ];
  return [
    `${number}. ${count(cases, 'case')} of ${listed(operations)}: ${cause.sentence}`,
    ...lines.map(([label, text]) => `   ${label.padEnd(6)} ${text.replaceAll('\n', '\n          ')}`),
  ].join('\n');
}

/** Titles and problems contain values and answers, which may be long. */
const shorten = (text: string): string => (text.length > 220 ? `${text.slice(0, 220)}...` : text);

/** The option that repeats one generated case. */
export const replayOption = (replay: Replay): string => `--replay ${quoteWord(printReplay(replay))}`;

const listed = (names: readonly string[]): string =>
  names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more operations`;

/** The open obligations by reason, with those of each reason. */
function openObligations({ obligations, groups }: Result): string[] {
  // An obligation with a failed case is explained by the failure.
  const open = obligations.filter(({ state, failed }) => isOpen(state) && failed === 0);
  const byReason = [...countBy(open, reasonOf)].sort(([, a], [, b]) => b - a);
  const parts = byReason.slice(0, SHOWN).map(([reason, number]) => {
    const same = open.filter((one) => reasonOf(one) === reason);
    const { state = 'UNPROVEN', operation = '' } = same[0] ?? {};
    if (state === 'BLOCKED') {
      const operations = new Set(same.map((one) => one.operation));
      const blocked = operations.size === 1 ? operation : count(operations.size, 'operation');
      return `BLOCKED ${blocked}, with ${count(number, 'obligation')}: ${reason}`;
    }
    const rest = number > SHOWN ? [`  ... and ${number - SHOWN} more`] : [];
    return [
      `${state} ${number}: ${reason}`,
      ...same.slice(0, SHOWN).map(({ key }) => `  ${key}`),
      ...rest,
    ].join('\n');
  });
  const hidden = byReason.length - parts.length;
  return [
    ...(groups.length === 0 && open.length === 0 ? [] : parts),
    ...(hidden > 0 ? [`... and ${count(hidden, 'more reason')}`] : []),
  ];
}

function waivedObligations({ obligations }: Result): string[] {
  const waived = obligations.filter(({ state }) => state === 'WAIVED');
  return [...countBy(waived, reasonOf)].map(
    ([reason, number]) => `WAIVED  ${count(number, 'obligation')}: ${reason}`,
  );
}

/** What the standards leave to the server. */
const describeWarning = ({ cause, cases, operations, example }: FailureGroup): string =>
  `WARNING ${count(cases, 'case')} of ${listed(operations)}: ${example.problems[0] ?? cause.sentence}`;

/** What the author of the document should know. */
function documentRemarks({ document, documentFaults }: Result): string[] {
  const remarks = [...documentFaults, ...remarksOn(document).map(({ text }) => text)];
  const rest = remarks.length - SHOWN;
  return [
    ...remarks.slice(0, SHOWN).map((remark) => `DOCUMENT ${remark}`),
    ...(rest > 0 ? [`... and ${count(rest, 'more remark')} on the document`] : []),
  ];
}

/** The obligations that requests alone cannot prove, by reason. */
function outOfReach({ obligations }: Result): string[] {
  const beyond = obligations.filter(({ state }) => state === 'OUT OF REACH');
  return [...countBy(beyond, reasonOf)].map(
    ([reason, number]) => `OUT OF REACH ${count(number, 'obligation')}: ${reason}`,
  );
}

/** The requests that a budget left out, by reason. */
function requestsLeftOut({ leftOut }: Result): string[] {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const same = leftOut.filter((one) => one.reason === reason);
    const number = same.reduce((sum, { requests }) => sum + requests, 0);
    const what = same.map(({ operation, family, requests }) => `${operation} (${requests} ${family})`);
    const more = what.length > SHOWN ? ` and ${what.length - SHOWN} more` : '';
    return `LEFT OUT ${count(number, 'request')} of ${what.slice(0, SHOWN).join(', ')}${more}: ${reason}`;
  });
}

const reasonOf = ({ reason = 'no case proved it' }: Obligation): string => reason;

/** A failure, with the commands that repeat it. */
export function describeFailure(failure: Failure): string {
  const { family, operation, title } = failure;
  const lines = failureLines(failure).map((line) => `  ${line}`);
  return [`FAILED ${operation}, ${family}: ${title}`, ...lines].join('\n');
}

/** The problems of a failure, and the commands that repeat it. */
export const failureLines = ({ problems, curl, replay }: Failure): string[] => [
  ...problems,
  ...(replay
    ? [`found with seed ${replay.seed}, path ${replay.path}; the request is shrunk; ${replayOption(replay)}`]
    : []),
  ...(curl === '' ? [] : [curl]),
];
