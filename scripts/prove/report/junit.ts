import { isOpen } from '../obligation';
import type { ContractReport, ReportedFailure, ReportedObligation } from './contract-report';

/** A test suite for each operation, with a test case for each obligation and for each failure, waived ones too. */
export function junitXml({ obligations, failures, waived, seconds }: ContractReport): string {
  const operations = new Set([...obligations, ...failures, ...waived].map(({ operation }) => operation));
  const suites = [...operations].map((name) => {
    const own = obligations.filter(({ operation }) => operation === name);
    const cases = [
      ...own.map((one) => testcase(one.operation, one.description, verdictOf(one))),
      ...failures
        .filter(({ operation }) => operation === name)
        .map((failure) => testcase(name, titleOf(failure), element('failure', failure.problems[0], failure))),
      ...waived
        .filter(({ operation }) => operation === name)
        .map((failure) => testcase(name, titleOf(failure), element('skipped', failure.reason, failure))),
    ];
    const countOf = (tag: string): number => cases.filter((xml) => xml.includes(`><${tag} `)).length;
    const attributes = `name="${escapeXml(name)}" tests="${cases.length}" failures="${countOf('failure')}" skipped="${countOf('skipped')}"`;
    return `  <testsuite ${attributes}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="contract" time="${seconds.toFixed(3)}">\n${suites.join('\n')}\n</testsuites>\n`;
}

const testcase = (operation: string, name: string, content: string): string =>
  `    <testcase classname="${escapeXml(operation)}" name="${escapeXml(name)}"${content === '' ? '/>' : `>${content}</testcase>`}`;

const titleOf = ({ family, title }: ReportedFailure): string => `${family}: ${title}`;

function verdictOf({ state, reason, passed, failed }: ReportedObligation): string {
  if (state === 'PROVEN') return '';
  if (!isOpen(state)) return element('skipped', `${state}: ${reason ?? ''}`);
  return element('failure', `${state}: ${reason ?? `${passed} cases passed, ${failed} failed`}`);
}

function element(tag: 'failure' | 'skipped', message = '', failure?: ReportedFailure): string {
  const start = `<${tag} message="${escapeXml(message)}"`;
  return failure
    ? `${start}>${escapeXml([...failure.problems, failure.curl].join('\n'))}</${tag}>`
    : `${start}/>`;
}

/** XML 1.0 cannot contain most control characters, so U+FFFD replaces them. */
const escapeXml = (raw: string): string =>
  raw
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
