import type { Failure } from '../failure';
import type { State } from '../obligation';
import type { Result } from '../run';
import { keywordRows, responseTable } from './tables';

/** The result in one line. */
export function headline({ obligations, requests, seconds }: Result): string {
  const count = (state: State): number =>
    obligations.filter((obligation) => obligation.state === state).length;
  const proven = `PROVEN ${count('PROVEN')}/${obligations.length}`;
  const others = (['WAIVED', 'UNPROVEN', 'BLOCKED'] as const).map((state) => `${state} ${count(state)}`);
  return [proven, ...others, `${requests} requests`, `${seconds.toFixed(1)} s`].join(', ');
}

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

/** The report for a terminal. */
export function formatReport(result: Result): string {
  const { columns, rows } = responseTable(result);
  const tested = keywordRows(result).map(
    ({ operation, slot, pointer, keyword, accepted, rejected }) =>
      [operation, slot, pointer, keyword, accepted, rejected] as const,
  );
  const open = result.obligations.filter(({ state }) => state !== 'PROVEN');
  const parts = [
    headline(result),
    formatTable([columns, ...rows]),
    formatTable([['operation', 'location', 'schema', 'keyword', 'accepted', 'rejected'], ...tested]),
    ...result.waived.map(
      ({ operation, family, title, reason }) => `WAIVED ${operation}, ${family}: ${title}: ${reason}`,
    ),
    ...(open.length > 0
      ? [formatTable(open.map(({ state, key, reason }) => [state, key, reason ?? '']))]
      : []),
    ...result.failures.slice(0, 20).map(describeFailure),
    ...(result.failures.length > 20 ? [`... and ${result.failures.length - 20} more failures`] : []),
  ];
  return parts.join('\n\n');
}

/** A failure, with the commands that repeat it. */
export function describeFailure(failure: Failure): string {
  const { family, operation, title } = failure;
  const lines = failureLines(failure).map((line) => `  ${line}`);
  return [`FAILED ${operation}, ${family}: ${title}`, ...lines].join('\n');
}

/** The problems of a failure, and the commands that repeat it. */
export const failureLines = ({ problems, curl, replay }: Failure): string[] => [
  ...problems,
  ...(replay ? [`found with seed ${replay.seed}, path ${replay.path}; the request is shrunk`] : []),
  ...(curl === '' ? [] : [curl]),
];
