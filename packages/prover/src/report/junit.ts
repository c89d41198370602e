import { isOpen } from '../obligation';
import type { ContractReport, ReportedFailure, ReportedObligation } from './contract-report';
import { html as xml, type Markup } from './html';

interface TestCase {
  readonly operation: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failure' | 'skipped';
  readonly message?: string | undefined;
  /** The problems and the command. */
  readonly text?: string;
}

/** A test suite for each operation, with a test case for each obligation and for each failure, waived ones too. */
export function junitXml({ obligations, causes, failures, waived, seconds }: ContractReport): string {
  const keyOf = ({ operation, family, title }: ReportedFailure): string => `${operation} ${family} ${title}`;
  // What the service has logged stands with the example of each cause, not with each case.
  const logs = new Map(causes.map(({ example, logged }) => [keyOf(example), logged]));
  const cases = [
    ...obligations.map(ofObligation),
    ...failures.map((failure) =>
      ofFailure(failure, 'failure', failure.problems[0], logs.get(keyOf(failure))),
    ),
    ...waived.map((failure) => ofFailure(failure, 'skipped', failure.reason)),
  ];
  const suites = [...Map.groupBy(cases, ({ operation }) => operation)].map(([name, own]) => {
    const countOf = (wanted: string): number => own.filter(({ outcome }) => outcome === wanted).length;
    const counts = xml`tests="${own.length}" failures="${countOf('failure')}" skipped="${countOf('skipped')}"`;
    return xml`  <testsuite name="${name}" ${counts}>\n${own.map(testcase)}  </testsuite>\n`;
  });
  return xml`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="contract" time="${seconds.toFixed(3)}">\n${suites}</testsuites>\n`
    .text;
}

const ofObligation = (obligation: ReportedObligation): TestCase => {
  const { operation, description, state, reason, passed, failed } = obligation;
  const why = reason ?? (isOpen(state) ? `${passed} cases passed, ${failed} failed` : '');
  const outcome = state === 'PROVEN' ? 'passed' : isOpen(state) ? 'failure' : 'skipped';
  return { operation, name: description, outcome, message: `${state}: ${why}` };
};

const ofFailure = (
  { operation, family, title, problems, curl }: ReportedFailure,
  outcome: TestCase['outcome'],
  message: string | undefined,
  logged?: string,
): TestCase => ({
  operation,
  name: `${family}: ${title}`,
  outcome,
  message,
  text: [...problems, ...(logged === undefined ? [] : [logged]), curl].join('\n'),
});

function testcase({ operation, name, outcome, message, text }: TestCase): Markup {
  const start = xml`    <testcase classname="${operation}" name="${name}"`;
  if (outcome === 'passed') return xml`${start}/>\n`;
  const tag = xml`${outcome} message="${message}"`;
  return xml`${start}><${tag}${text === undefined ? xml`/>` : xml`>${text}</${outcome}>`}</testcase>\n`;
}
