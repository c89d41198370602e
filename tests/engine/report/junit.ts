import type { Failure } from '../failure';
import type { Obligation } from '../obligation';
import type { Result } from '../run';
import { describeFailure } from './text';

/** A test suite for each operation, with a test case for each obligation and for each failure. */
export function junitXml({ obligations, failures, seconds }: Result): string {
  const operations = [...new Set(obligations.map(({ operation }) => operation))];
  const suites = operations.map((operation) => {
    const own = obligations.filter((obligation) => obligation.operation === operation);
    const failedCases = failures.filter((failure) => failure.operation === operation);
    const failed =
      own.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED').length + failedCases.length;
    const skipped = own.filter(({ state }) => state === 'WAIVED').length;
    const attributes = `name="${escapeXml(operation)}" tests="${own.length + failedCases.length}" failures="${failed}" skipped="${skipped}"`;
    const cases = [...own.map(testcase), ...failedCases.map(failedCase)];
    return `  <testsuite ${attributes}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="contract" time="${seconds.toFixed(3)}">\n${suites.join('\n')}\n</testsuites>\n`;
}

function testcase({ operation, description, state, reason, passed, failed }: Obligation): string {
  const name = `    <testcase classname="${escapeXml(operation)}" name="${escapeXml(description)}"`;
  if (state === 'PROVEN') return `${name}/>`;
  if (state === 'WAIVED') return `${name}><skipped message="${escapeXml(reason ?? '')}"/></testcase>`;
  const message = `${state}: ${reason ?? `${passed} cases passed, ${failed} failed`}`;
  return `${name}><failure message="${escapeXml(message)}"/></testcase>`;
}

const failedCase = (failure: Failure): string =>
  `    <testcase classname="${escapeXml(failure.operation)}" name="${escapeXml(`${failure.family}: ${failure.title}`)}"><failure message="${escapeXml(failure.problems[0] ?? '')}">${escapeXml(describeFailure(failure))}</failure></testcase>`;

/** XML 1.0 cannot contain most control characters, so U+FFFD replaces them. */
const escapeXml = (raw: string): string =>
  raw
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
