import type { Case } from './cases/case';
import { withoutSource } from './profile';

/** Why cases fail: without the values of one case, so that it is the same for each case that it explains. */
export interface Cause {
  /** Equal for equal causes. */
  readonly key: string;
  /** What was expected, and what was got. */
  readonly sentence: string;
  /** The rule that the case is about: `violates maximum of /components/schemas/Book/properties/id`. */
  readonly rule?: string;
  /** The section that states the broken rule. */
  readonly source?: string;
  /** JSON pointer to its place in the document. */
  readonly pointer: string;
}

/** The rule of the document that a case is about, and its place. */
interface Rule {
  readonly text?: string;
  readonly pointer: string;
}

/**
 * The causes of a failed case: one if the outcome is wrong, since it explains the rest, else one for each problem.
 *
 * A problem has the form `expected E, got G`. E names the rule that was broken, so it is the same in each case, except
 * for values, which are elided. G starts with the status if the answer as a whole was wrong.
 */
export function causesOf(failed: Case, problems: readonly string[]): Cause[] {
  const rule = ruleOf(failed);
  if (problems.length === 0) return [plainCause('expected an answer', rule.pointer)];
  const outcome = problems.find(isWrongOutcome);
  if (outcome !== undefined) return [withSource(outcome, (problem) => outcomeCause(failed, rule, problem))];
  const independent = problems.filter((problem) => !CONSEQUENCE.test(problem));
  const causes = (independent.length > 0 ? independent : problems).map((problem) =>
    withSource(problem, (text) => problemCause(rule, text)),
  );
  return [...new Map(causes.map((cause) => [cause.key, cause])).values()];
}

function withSource(problem: string, causeOf: (problem: string) => Cause): Cause {
  const text = withoutSource(problem);
  const source = / \(rule: (.*)\)$/s.exec(problem.slice(text.length))?.[1];
  return { ...causeOf(text), ...(source !== undefined && { source }) };
}

/** The cause of a failure without a case, whose problem has no values. */
export const plainCause = (problem: string, pointer: string): Cause => ({
  key: problem,
  sentence: truncate(problem),
  pointer,
});

const isWrongOutcome = (problem: string): boolean =>
  /^expected (?!a body|no body|a documented status).*?, got \d{3}(?: |$)/s.test(problem);

/** Problems that follow from others. */
const CONSEQUENCE = /^expected (?:the service (?:not )?to be entered|a documented status)/;

/** A refusal of a valid request is explained by its body; other wrong outcomes by the rule that the server broke. */
function outcomeCause({ expect }: Case, { text, pointer }: Rule, problem: string): Cause {
  const [expected, got] = split(problem);
  const status = got.slice(0, 3);
  const isSuccess = status.startsWith('2');
  const rule = text === undefined ? {} : { rule: text };
  if (expect.kind === 'answered' && !isSuccess && expected.startsWith('expected success')) {
    const verb = status.startsWith('4') ? 'was refused' : 'failed';
    const sentence = `a valid request ${verb}: ${withoutValues(got)}`;
    return { key: sentence, sentence, ...rule, pointer };
  }
  const broken = /^violates (.*)$/.exec(text ?? '')?.[1];
  if (expect.kind === 'refused' && isSuccess && broken !== undefined) {
    const sentence = `a value was accepted that violates ${broken}`;
    return { key: sentence, sentence, pointer };
  }
  const observed = isSuccess && expect.kind === 'refused' ? 'a success' : status;
  const sentence = `${text === undefined ? '' : `${text}: `}${expected}, got ${observed}`;
  return { key: sentence, sentence, pointer };
}

function problemCause({ pointer }: Rule, problem: string): Cause {
  const [expected, got] = split(problem);
  const schema = /^expected (?:a body that fits|each item of the stream to fit) (\/\S+)/.exec(expected)?.[1];
  const error = /: (#\S* .*)$/s.exec(got)?.[1];
  const status = /^\d{3}(?= |$)/.exec(got)?.[0];
  const observed =
    status ?? withoutValues(got.replace(/^(?:["[{\d-]|true|false|null).*?( \([^)]*\))?$/s, '...$1'));
  const sentence = `${expected}${error === undefined ? '' : ` (${withoutNumbers(error)})`}${got === '' ? '' : `, got ${observed}`}`;
  return { key: sentence, sentence: truncate(sentence), pointer: schema ?? pointer };
}

/** The expectation without values, and the observation. */
function split(problem: string): [expected: string, got: string] {
  const [, expected = problem, got = ''] = /^(.*?), got (.*)$/s.exec(problem) ?? [];
  return [expected.replace(/( =| with) (?=["[{\d-]|true|false|null).*$/s, '$1 ...'), got];
}

const withoutNumbers = (text: string): string =>
  text.replace(/\/\d+(?=[/ ])/g, '/*').replace(/(?<![\w/#])-?\d+(?:\.\d+)?/g, 'N');

/** The text without what changes from answer to answer: dates, ids, long numbers, quoted values. */
const withoutValues = (text: string): string =>
  truncate(
    text
      .replace(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.]+Z?/gi, '...')
      .replace(/\\"(?:[^"\\]|\\[^"])*\\"/g, '\\"...\\"')
      .replace(/\b(item|after) \d+/g, '$1 N')
      .replace(/-?\d{6,}(?:\.\d+)?(?:e[-+]?\d+)?/gi, 'N')
      .replace(/\/\d+(?=\/|$)/g, '/*'),
  );

const truncate = (text: string): string => (text.length > 240 ? `${text.slice(0, 240)}...` : text);

/** The obligation that a case is about. */
function ruleOf({ about, proves, family, title, operation }: Case): Rule {
  const key = about ?? (proves.length === 1 ? proves[0] : undefined);
  const { pointer } = operation;
  if (family === 'scenarios') return { text: `scenario ${title}`, pointer };
  if (key === undefined) return { pointer };
  const description = key.slice(`${operation.id} | `.length);
  const constraint = /^.* \| (\/\S*) (\S+) \| (holds|violates)$/.exec(description);
  if (!constraint) return { text: description.replaceAll(' | ', ', '), pointer };
  const [, place = '', keyword = '', side = ''] = constraint;
  return { text: `${side} ${keyword} of ${place}`, pointer: place };
}
