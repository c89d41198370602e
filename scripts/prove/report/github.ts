import type { ContractReport, Line } from './contract-report';
import { isOpen } from '../obligation';
import { count } from './summary';

/** GitHub shows ten annotations of a kind for each step. */
const SHOWN = 10;

/**
 * Workflow commands: the result, and annotations of the lines of the document, one for each cause of failures and each
 * reason why obligations are open.
 *
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function githubAnnotations(report: ContractReport): string[] {
  const causes = report.causes.map(({ cause, cases, operations, rules, line, example }) => ({
    line,
    title: `${count(cases, 'case')} failed: ${operations.slice(0, 3).join(', ')}`,
    message: [cause, ...rules.slice(0, 3), ...example.problems.slice(0, 2), example.curl].join('\n'),
  }));
  const open = report.obligations.filter(({ state, failed }) => isOpen(state) && failed === 0);
  const reasons = [...new Set(open.map(({ reason = '' }) => reason))].map((reason) => {
    const [first, ...others] = open.filter((one) => (one.reason ?? '') === reason);
    const also = others.length > 0 ? `\nAlso ${count(others.length, 'other obligation')}` : '';
    return {
      line: first?.line,
      title: `${first?.state ?? ''} ${first?.key ?? ''}`,
      message: `${reason}${also}`,
    };
  });
  const expired = report.waivers.expired.map((waiver) => ({
    line: undefined,
    title: 'A waiver has expired',
    message: waiver,
  }));
  const errors = [...expired, ...causes, ...reasons];
  const rest = errors.length - SHOWN;
  return [
    command('notice', undefined, 'Contract', `${report.verdict}\n${report.headline}`),
    ...errors.slice(0, SHOWN).map(({ line, title, message }) => command('error', line, title, message)),
    ...(rest > 0
      ? [command('notice', undefined, 'Contract', `${count(rest, 'more cause')} in the report`)]
      : []),
    ...report.warnings
      .slice(0, SHOWN)
      .map(({ cause, cases, operations, line, example }) =>
        command(
          'warning',
          line,
          `${count(cases, 'case')}: ${operations.slice(0, 3).join(', ')}`,
          [cause, example.curl].join('\n'),
        ),
      ),
    ...report.remarks.slice(0, SHOWN).map(({ text, line }) => command('notice', line, 'The document', text)),
    ...report.waivers.unused.map((waiver) =>
      command('warning', undefined, 'A waiver matches nothing', waiver),
    ),
  ];
}

function command(
  level: 'error' | 'warning' | 'notice',
  line: Line | undefined,
  title: string,
  message: string,
): string {
  const place = line ? `file=${escapeProperty(line.file)},line=${line.line},` : '';
  return `::${level} ${place}title=${escapeProperty(title)}::${escapeData(message)}`;
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
