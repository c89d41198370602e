import { isDeepStrictEqual } from 'node:util';
import type { Case } from '../cases/case';
import type { Document, Operation } from '../document/model';
import { escapeToken, valueAt } from '../json/tree';
import { fromJson, type Value } from '../json/value';
import type { Finding, RuleName } from '../profile';
import type { ExpectedMembers, Refusal, RefusalRule, Refusals, Target } from '../target';
import { header, type RawResponse, summarize } from '../wire/message';
import { challengeFindings, scopeFindings } from './challenges';

/** The status of each refusal that RFC 9110 defines. */
export const DEFAULT_REFUSALS: Refusals = {
  'not found': { status: 404 },
  'method not allowed': { status: 405 },
  'missing credentials': { status: 401 },
  'invalid credentials': { status: 401 },
  'insufficient scope': { status: 403 },
  'unsupported media type': { status: 415 },
  'not acceptable': { status: 406 },
  'content too large': { status: 413 },
  malformed: { status: 400 },
  'invalid request': { status: 400 },
};

/** The broken rule if a server accepts a request that it should refuse. */
const ruleOf = ({ rule = 'invalid request' }: Case): RuleName => rule;

/** The findings about an answer that should refuse a request, for the profile `strict`. */
export function houseRefusalFindings(
  document: Document,
  target: Target,
  sent: Case,
  reasons: readonly Refusal[],
  outcome: RawResponse,
  value: Value | undefined,
): Finding[] {
  const refusals = target.refusals ?? DEFAULT_REFUSALS;
  const rules = reasons.flatMap((reason) => refusals[reason] ?? []);
  const expected = rules.map(({ status, body }) => `${status}${body ? ` ${JSON.stringify(body)}` : ''}`);
  const isExpected = rules.some((rule) => matchesRule(rule, outcome, value));
  const message = `expected ${expected.join(' or ')} (${reasons.join(' or ')}), got ${summarize(outcome)}`;
  const { operation } = sent;
  return [
    ...(isExpected ? [] : [{ rule: ruleOf(sent), message }]),
    ...(outcome.status === 401 ? challengeFindings(document, operation, reasons, outcome) : []),
    ...(reasons.includes('insufficient scope') ? scopeFindings(document, operation, outcome) : []),
    ...(outcome.status === 405 ? allowFindings(document, operation, outcome, true) : []),
  ];
}

/** The statuses that answer a reason, where a standard recommends some. Any other 4xx is a warning. */
const RECOMMENDED_STATUSES: Partial<Record<Refusal, readonly number[]>> = {
  'method not allowed': [405, 501],
  'missing credentials': [401, 403],
  'invalid credentials': [401, 403],
  'insufficient scope': [403],
};

/**
 * The findings about an answer that should refuse a request, for the profile `document`: any 4xx refuses it. RFC 9110
 * lets a server choose among them, and check in any order.
 */
export function refusalFindings(
  document: Document,
  sent: Case,
  reasons: readonly Refusal[],
  outcome: RawResponse,
): Finding[] {
  const { status } = outcome;
  const { operation } = sent;
  const why = reasons.join(' or ');
  if (status >= 500) return []; // Another rule covers it.
  if (status < 300)
    return [{ rule: ruleOf(sent), message: `expected a 4xx (${why}), got ${summarize(outcome)}` }];
  const recommended = reasons.flatMap((reason) => RECOMMENDED_STATUSES[reason] ?? []);
  const isRecommended = recommended.length === 0 ? status >= 400 : recommended.includes(status);
  const names = recommended.length === 0 ? 'a 4xx' : [...new Set(recommended)].join(' or ');
  const message = `expected ${names} (${why}), got ${summarize(outcome)}`;
  return [
    ...(isRecommended ? [] : [{ rule: 'status of a refusal', message } as const]),
    ...(status === 401 ? challengeFindings(document, operation, reasons, outcome) : []),
    ...(status === 403 && reasons.includes('insufficient scope')
      ? scopeFindings(document, operation, outcome)
      : []),
    ...(status === 405 && reasons.includes('method not allowed')
      ? allowFindings(document, operation, outcome, false)
      : []),
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

/**
 * The finding about Allow: it lists the methods of this path (RFC 9110 section 10.2.1).
 *
 * @param exactly whether it must list all that are documented, and no others; HEAD may always be beside GET (RFC 9110 section
 *   9.3.2). Otherwise it must list the one of the operation, which the server has just served.
 */
function allowFindings(
  document: Document,
  operation: Operation,
  outcome: RawResponse,
  exactly: boolean,
): Finding[] {
  const methods = exactly
    ? document.operations.filter(({ path }) => path === operation.path).map(({ method }) => method)
    : [operation.method];
  const got = header(outcome, 'allow');
  const listed = got?.split(',').map((name) => name.trim());
  const isImplied = (method: string): boolean => method === 'HEAD' && methods.includes('GET');
  const isComplete = listed && methods.every((method) => listed.includes(method));
  const hasOthers = listed?.some((method) => !methods.includes(method) && !isImplied(method));
  if (isComplete && !(exactly && hasOthers)) return [];
  return [{ rule: 'Allow', message: `expected Allow: ${methods.join(', ')}, got ${got ?? 'none'}` }];
}
