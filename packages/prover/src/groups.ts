import type { Cause } from './cause';
import type { Failure } from './failure';

/** The failures with one cause. */
export interface FailureGroup {
  readonly cause: Cause;
  /** The number of cases. */
  readonly cases: number;
  readonly operations: readonly string[];
  /** The rules of the document that the cases are about. */
  readonly rules: readonly string[];
  /** The failure that is easiest to read: the one with the shortest commands. */
  readonly example: Failure;
  /** False if the example did not fail again: the answer depends on the state of the service, or on time. */
  readonly isRepeatable?: false;
}

/** Groups failures by their causes, the most frequent first. A failure with several causes is in several groups. */
export function groupFailures<T extends Failure>(
  failures: readonly T[],
): (FailureGroup & { readonly example: T })[] {
  const groups = new Map<string, { cause: Cause; rules: Set<string>; failures: T[] }>();
  for (const failure of failures) {
    for (const cause of failure.causes) {
      const group = groups.get(cause.key) ?? { cause, rules: new Set(), failures: [] };
      if (cause.rule !== undefined) group.rules.add(cause.rule);
      group.failures.push(failure);
      groups.set(cause.key, group);
    }
  }
  return [...groups.values()]
    .map(({ cause, rules, failures: grouped }) => ({
      cause,
      cases: grouped.length,
      operations: [...new Set(grouped.map(({ operation }) => operation))],
      rules: [...rules],
      example: grouped.reduce((best, failure) => (length(failure) < length(best) ? failure : best)),
    }))
    .sort((a, b) => b.cases - a.cases);
}

/** A failure without a request is the hardest to repeat. */
const length = ({ curl }: Failure): number => curl.length || Infinity;
