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
  const { causes, obligations, waivers, warnings, remarks } = report;
  const open = obligations.filter(({ state, failed }) => isOpen(state) && failed === 0);
  const errors = [
    ...waivers.expired.map((waiver) => command('error', undefined, 'A waiver has expired', waiver)),
    ...causes.map(({ cause, cases, operations, rules, line, logged, example }) =>
      command(
        'error',
        line,
        `${count(cases, 'case')} failed: ${operations.slice(0, 3).join(', ')}`,
        [
          ...[cause, ...rules.slice(0, 3), ...example.problems.slice(0, 2)],
          ...(logged === undefined ? [] : [logged]),
          example.curl,
        ].join('\n'),
      ),
    ),
    ...[...Map.groupBy(open, ({ reason = '' }) => reason)].map(([reason, [first, ...others]]) => {
      const also = others.length > 0 ? `\nAlso ${count(others.length, 'other obligation')}` : '';
      return command('error', first?.line, `${first?.state ?? ''} ${first?.key ?? ''}`, `${reason}${also}`);
    }),
  ];
  const rest = errors.length - SHOWN;
  return [
    command('notice', undefined, 'Contract', `${report.verdict}\n${report.headline}`),
    ...errors.slice(0, SHOWN),
    ...(rest > 0
      ? [command('notice', undefined, 'Contract', `${count(rest, 'more cause')} in the report`)]
      : []),
    ...warnings.slice(0, SHOWN).map(({ cause, cases, operations, line, example }) => {
      const title = `${count(cases, 'case')}: ${operations.slice(0, 3).join(', ')}`;
      return command('warning', line, title, `${cause}\n${example.curl}`);
    }),
    ...remarks.slice(0, SHOWN).map(({ text, line }) => command('notice', line, 'The document', text)),
    ...waivers.unused.map((waiver) => command('warning', undefined, 'A waiver matches nothing', waiver)),
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
