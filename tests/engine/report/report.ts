import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Obligation, State } from '../ledger';
import { type KeywordRow, page } from './page';
import type { Result } from '../run';
import type { Failure } from '../session';

/** The run in one line: what CI prints and what the report is headed with. */
export function headline({ obligations, requests, seconds }: Result): string {
  const count = (state: State): number =>
    obligations.filter((obligation) => obligation.state === state).length;
  const proven = `PROVEN ${count('PROVEN')}/${obligations.length}`;
  const others = (['WAIVED', 'UNPROVEN', 'BLOCKED'] as const).map((state) => `${state} ${count(state)}`);
  return [proven, ...others, `${requests} requests`, `${seconds.toFixed(1)} s`].join(', ');
}

/** Rows of a table as aligned lines; numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
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

/** Operation x status x media type, against the credentials under which each was seen. */
export function matrix({ obligations, observations }: Result): {
  columns: string[];
  rows: (string | number)[][];
} {
  const columns = [...new Set(observations.map(({ credentials }) => credentials))];
  const rows = obligations
    .filter(({ kind }) => kind === 'response')
    .map(({ operation, what, state }) => {
      const [, status = '', media = ''] = what.split(' | ');
      const counts = columns.map((column) =>
        observations
          .filter((seen) => seen.operation === operation && seen.status === status)
          .filter((seen) => seen.media === media && seen.credentials === column)
          .reduce((sum, { count }) => sum + count, 0),
      );
      return [operation, status, media, state, ...counts];
    });
  return { columns: ['operation', 'status', 'media type', 'state', ...columns], rows };
}

/** Each keyword of each schema, with the cases that kept it and were accepted, and those that broke it and were not. */
export function keywords({ obligations }: Result): KeywordRow[] {
  const rows = new Map<string, KeywordRow>();
  for (const { operation, place = '', pointer = '', keyword = '', side, passed, state } of obligations) {
    if (side === undefined) continue;
    const key = [operation, place, pointer, keyword].join('|');
    const row = rows.get(key) ?? { operation, place, pointer, keyword, accepted: 0, rejected: 0, states: [] };
    const count = side === 'holds' ? { accepted: passed } : { rejected: passed };
    rows.set(key, { ...row, ...count, states: [...row.states, state] });
  }
  return [...rows.values()];
}

/** Everything a person wants to see on a terminal, the headline first. */
export function text(result: Result): string {
  const { columns, rows } = matrix(result);
  const tested = keywords(result).map(
    ({ operation, place, pointer, keyword, accepted, rejected }) =>
      [operation, place, pointer, keyword, accepted, rejected] as const,
  );
  const open = result.obligations.filter(({ state }) => state !== 'PROVEN');
  const parts = [
    headline(result),
    table([columns, ...rows]),
    table([['operation', 'place', 'schema', 'keyword', 'accepted', 'rejected'], ...tested]),
    ...result.waived.map(
      ({ operation, family, title, reason }) => `WAIVED ${operation}, ${family}: ${title}: ${reason}`,
    ),
    ...(open.length > 0 ? [table(open.map(({ state, key, reason }) => [state, key, reason ?? '']))] : []),
    ...result.failures.slice(0, 20).map(described),
    ...(result.failures.length > 20 ? [`... and ${result.failures.length - 20} more failures`] : []),
  ];
  return parts.join('\n\n');
}

/** A failure with what it takes to see it again. */
export function described({ family, operation, title, problems, curl, replay }: Failure): string {
  return [
    `FAILED ${operation}, ${family}: ${title}`,
    ...problems.map((problem) => `  ${problem}`),
    ...(replay ? [`  found with seed ${replay.seed}, path ${replay.path}; the request is shrunk`] : []),
    ...(curl === '' ? [] : ['  BASE=http://127.0.0.1:3000', `  ${curl}`]),
  ].join('\n');
}

/** Writes the page, the JSON and the JUnit XML into a folder, which is made. */
export function write(result: Result, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), page(result, headline(result), matrix(result), keywords(result)));
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(json(result), null, 2));
  writeFileSync(join(folder, 'junit.xml'), junit(result));
}

function json(result: Result): object {
  const { obligations, failures, observations, requests, seconds, seed, passed, families } = result;
  const summary = {
    headline: headline(result),
    passed,
    requests,
    seconds,
    seed,
    families: Object.fromEntries(families),
  };
  return { ...summary, obligations, observations, failures };
}

/** One test suite per operation, one test case per obligation; failures of cases stand in the one they speak against. */
function junit({ obligations, failures, seconds }: Result): string {
  const operations = [...new Set(obligations.map(({ operation }) => operation))];
  const suites = operations.map((operation) => {
    const own = obligations.filter((obligation) => obligation.operation === operation);
    const wrong = failures.filter((failure) => failure.operation === operation);
    const bad = own.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED').length + wrong.length;
    const skipped = own.filter(({ state }) => state === 'WAIVED').length;
    const attributes = `name="${xml(operation)}" tests="${own.length + wrong.length}" failures="${bad}" skipped="${skipped}"`;
    const cases = [...own.map(testcase), ...wrong.map(failedCase)];
    return `  <testsuite ${attributes}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="contract" time="${seconds.toFixed(3)}">\n${suites.join('\n')}\n</testsuites>\n`;
}

function testcase({ operation, what, state, reason, passed, failed }: Obligation): string {
  const name = `    <testcase classname="${xml(operation)}" name="${xml(what)}"`;
  if (state === 'PROVEN') return `${name}/>`;
  if (state === 'WAIVED') return `${name}><skipped message="${xml(reason ?? '')}"/></testcase>`;
  const message = `${state}: ${reason ?? `${passed} cases for it, ${failed} against it`}`;
  return `${name}><failure message="${xml(message)}"/></testcase>`;
}

const failedCase = (failure: Failure): string =>
  `    <testcase classname="${xml(failure.operation)}" name="${xml(`${failure.family}: ${failure.title}`)}"><failure message="${xml(failure.problems[0] ?? '')}">${xml(described(failure))}</failure></testcase>`;

/** Text inside XML 1.0, which has no way to write most control characters. */
const xml = (raw: string): string =>
  raw
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
