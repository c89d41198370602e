import { isDeepStrictEqual } from 'node:util';
import type { Document, Operation } from '../document/document';
import { escapeToken, valueAt } from '../json/pointer';
import { fromJson, type Value } from '../json/value';
import type { ExpectedMembers, Refusal, RefusalRule, Target } from '../target';
import { header, type RawResponse, summarize } from '../wire/message';
import { challengeProblems, scopeProblems } from './challenges';

/** The problems of an answer that should refuse a request. The schema of its body is judged elsewhere. */
export function refusalProblems(
  document: Document,
  target: Target,
  operation: Operation,
  reasons: readonly Refusal[],
  outcome: RawResponse,
  value: Value | undefined,
  entered: number,
): string[] {
  const rules = reasons.flatMap((reason) => target.refusals[reason] ?? []);
  const expected = rules.map(({ status, body }) => `${status}${body ? ` ${JSON.stringify(body)}` : ''}`);
  const isExpected = rules.some((rule) => matchesRule(rule, outcome, value));
  return [
    ...(isExpected
      ? []
      : [`expected ${expected.join(' or ')} (${reasons.join(' or ')}), got ${summarize(outcome)}`]),
    ...(entered > 0 ? ['expected the service not to be entered, but it was'] : []),
    ...(outcome.status === 401 ? challengeProblems(document, operation, reasons, outcome) : []),
    ...(reasons.includes('insufficient scope') ? scopeProblems(document, operation, outcome) : []),
    ...(outcome.status === 405 ? allowProblems(document, operation, outcome) : []),
  ];
}

/** Whether an answer is a refusal by this rule. The schema of its body is judged elsewhere. */
export function matchesRule(
  { status, body = {} }: RefusalRule,
  outcome: RawResponse,
  value: Value | undefined,
): boolean {
  if (outcome.status !== status) return false;
  if (outcome.body.length === 0) return true; // An answer to HEAD. Otherwise the schema of the body reports it.
  return hasMembers(body, value);
}

/** Whether a JSON body has these members. Numbers must be written the same way. */
export const hasMembers = (members: ExpectedMembers, value: Value | undefined): boolean =>
  Object.entries(members).every(([name, expected]) => {
    const pointer = name === '' || name.startsWith('/') ? name : `/${escapeToken(name)}`;
    const member = value === undefined ? undefined : valueAt(value, pointer);
    return typeof expected === 'function' ? expected(member) : isDeepStrictEqual(member, fromJson(expected));
  });

/** The problems of Allow: it lists the methods of this path, no others (RFC 9110 section 10.2.1). */
function allowProblems(document: Document, operation: Operation, outcome: RawResponse): string[] {
  const methods = document.operations
    .filter(({ path }) => path === operation.path)
    .map(({ method }) => method);
  const got = header(outcome, 'allow');
  // GET implies HEAD (RFC 9110 section 9.3.2), so Allow may list it.
  const isImplied = (method: string): boolean =>
    method === 'HEAD' && !methods.includes('HEAD') && methods.includes('GET');
  const listed = got
    ?.split(',')
    .map((name) => name.trim())
    .filter((method) => !isImplied(method))
    .sort();
  return listed?.join() === methods.sort().join()
    ? []
    : [`expected Allow: ${methods.join(', ')}, got ${got ?? 'none'}`];
}
