import { isDeepStrictEqual } from 'node:util';
import type { Case } from '../cases/case';
import type { Document, Operation } from '../document/model';
import { escapeToken } from '../json/tree';
import { fromJson, type Value, valueAt } from '../json/value';
import type { Finding } from '../profile';
import { type ExpectedMembers, type Refusal, type RefusalRule, refusalsFor } from '../target';
import { header, type RawResponse, summarize } from '../wire/message';
import { challengeFindings, scopeFindings } from './www-authenticate';
import type { Exchange } from './comparison';

/** The statuses that answer a reason, where a standard recommends some. Any other 4xx is a warning. */
const RECOMMENDED_STATUSES: Partial<Record<Refusal, readonly number[]>> = {
  'method not allowed': [405, 501],
  'missing credentials': [401, 403],
  'invalid credentials': [401, 403],
  'insufficient scope': [403],
};

/**
 * The findings about an answer that should refuse a request. For the profile `strict`, the target says how. For the profile
 * `document` any 4xx refuses it: RFC 9110 lets a server choose among them, and check in any order.
 */
export function refusalFindings(exchange: Exchange, reasons: readonly Refusal[]): Finding[] {
  const { document, operation, outcome, target } = exchange;
  const { status } = outcome;
  const isStrict = target.profile !== 'document';
  const isAbout = (reason: Refusal): boolean => reasons.includes(reason);
  return [
    ...(isStrict ? ruledFindings(exchange, reasons) : recommendedFindings(exchange, reasons)),
    ...(status === 401 ? challengeFindings(document, operation, reasons, outcome) : []),
    ...(isAbout('insufficient scope') && (isStrict || status === 403)
      ? scopeFindings(document, operation, outcome)
      : []),
    ...(status === 405 && (isStrict || isAbout('method not allowed'))
      ? allowFindings(document, operation, outcome, isStrict)
      : []),
  ];
}

/** The finding about an answer that is none of the refusals of the target. */
function ruledFindings(
  { target, sent, operation, outcome, value }: Exchange,
  reasons: readonly Refusal[],
): Finding[] {
  const rules = reasons.flatMap((reason) => refusalsFor(target, operation.id)[reason] ?? []);
  if (rules.some((rule) => matchesRule(rule, outcome, value))) return [];
  const expected = rules.map(({ status, body }) => `${status}${body ? ` ${JSON.stringify(body)}` : ''}`);
  const message = `expected ${expected.join(' or ')} (${reasons.join(' or ')}), got ${summarize(outcome)}`;
  return [{ rule: sent.rule ?? 'invalid request', message }];
}

/** The finding about an answer that is no refusal, or none that a standard recommends. Another rule covers 5xx. */
function recommendedFindings({ sent, outcome }: Exchange, reasons: readonly Refusal[]): Finding[] {
  const { status } = outcome;
  const recommended = new Set(reasons.flatMap((reason) => RECOMMENDED_STATUSES[reason] ?? []));
  const isRefused = status >= 300;
  const isRecommended = recommended.size === 0 ? status >= 400 : recommended.has(status);
  if (status >= 500 || (isRefused && isRecommended)) return [];
  const expected = isRefused && recommended.size > 0 ? [...recommended].join(' or ') : 'a 4xx';
  const message = `expected ${expected} (${reasons.join(' or ')}), got ${summarize(outcome)}`;
  return [{ rule: isRefused ? 'status of a refusal' : (sent.rule ?? 'invalid request'), message }];
}

/** Statuses that refuse a request for another reason than its values, before or after these are checked. */
const OTHER_STATUSES = [401, 403, 404, 405, 409, 410, 412, 423, 424, 428, 429];

/** Why a refusal does not show that the server has found the fault of the request. */
export function otherReason(
  { location }: Case,
  reasons: readonly Refusal[],
  { status }: RawResponse,
): string | undefined {
  if (status < 300) return undefined;
  const isAboutValues = reasons.includes('invalid request') || reasons.includes('malformed');
  const isFound = location === 'path' && status === 404; // The path names nothing.
  if (status >= 400 && (!isAboutValues || isFound || !OTHER_STATUSES.includes(status))) return undefined;
  return `the server answered ${status}, which may have another reason than: ${reasons.join(' or ')}`;
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
