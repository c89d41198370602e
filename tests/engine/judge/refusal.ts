import { isDeepStrictEqual } from 'node:util';
import type { Case } from '../cases/case';
import type { Document, Operation } from '../document/document';
import { escapeToken, valueAt } from '../json/pointer';
import { fromJson, type Value } from '../json/value';
import type { ExpectedMembers, Refusal, RefusalRule, Target } from '../target';
import { header, type RawResponse, summarize } from '../wire/message';
import { challengeProblems, scopeProblems } from './challenges';

/** What is wrong with an answer that should have turned a request away; its body has been judged by its schema already. */
export function refusalProblems(
  document: Document,
  target: Target,
  { operation }: Case,
  reasons: readonly Refusal[],
  outcome: RawResponse,
  value: Value | undefined,
  entered: number,
): string[] {
  const rules = reasons.flatMap((reason) => target.refusals[reason] ?? []);
  const wanted = rules.map(({ status, body }) => `${status}${body ? ` ${JSON.stringify(body)}` : ''}`);
  const fits = rules.some((rule) => matchesRule(rule, outcome, value));
  return [
    ...(fits ? [] : [`expected ${wanted.join(' or ')} (${reasons.join(' or ')}), got ${summarize(outcome)}`]),
    ...(entered > 0 ? ['expected that nothing behind the contract is entered, but it was'] : []),
    ...(outcome.status === 401 ? challengeProblems(document, operation, reasons, outcome) : []),
    ...(reasons.includes('insufficient scope') ? scopeProblems(document, operation, outcome) : []),
    ...(outcome.status === 405 ? allowProblems(document, operation, outcome) : []),
  ];
}

/** Whether an answer is a refusal by this rule; its body has been judged by its schema already. */
export function matchesRule(
  { status, body = {} }: RefusalRule,
  outcome: RawResponse,
  value: Value | undefined,
): boolean {
  if (outcome.status !== status) return false;
  if (outcome.body.length === 0) return true; // to HEAD; elsewhere the schema of the body has complained
  return hasMembers(body, value);
}

/** Whether a JSON body has these members, each number written the same way. */
export const hasMembers = (members: ExpectedMembers, value: Value | undefined): boolean =>
  Object.entries(members).every(([name, wanted]) => {
    const pointer = name === '' || name.startsWith('/') ? name : `/${escapeToken(name)}`;
    const member = value === undefined ? undefined : valueAt(value, pointer);
    return typeof wanted === 'function' ? wanted(member) : isDeepStrictEqual(member, fromJson(wanted));
  });

/** Exactly the methods that the document has for this path. */
function allowProblems(document: Document, operation: Operation, outcome: RawResponse): string[] {
  const methods = document.operations
    .filter(({ path }) => path === operation.path)
    .map(({ method }) => method);
  const got = header(outcome, 'allow');
  // HEAD goes with GET (RFC 9110 section 9.3.2), whether the document has it or not.
  const implied = (method: string): boolean =>
    method === 'HEAD' && !methods.includes('HEAD') && methods.includes('GET');
  const named = got
    ?.split(',')
    .map((name) => name.trim())
    .filter((method) => !implied(method))
    .sort();
  return named?.join() === methods.sort().join()
    ? []
    : [`expected Allow: ${methods.join(', ')}, got ${got ?? 'none'}`];
}
