import type { Case } from './cases/case';
import type { Document, Operation } from './document';
import { fromJson, print, word, type Value } from './json';
import type { Refusal, RefusalRule, Target } from './target';
import { header, told, type RawResponse } from './wire';

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
  const rules = reasons.map((reason) => target.refusals[reason]);
  const wanted = rules.map(({ status, body }) => `${status}${body ? ` ${JSON.stringify(body)}` : ''}`);
  const fits = rules.some((rule) => isBy(rule, outcome, value));
  return [
    ...(fits ? [] : [`expected ${wanted.join(' or ')} (${reasons.join(' or ')}), got ${told(outcome)}`]),
    ...(entered > 0 && !reasons.includes('conflict')
      ? ['expected that nothing behind the contract is entered, but it was']
      : []),
    ...(outcome.status === 401 ? challenges(document, operation, reasons, outcome) : []),
    ...(outcome.status === 405 ? allow(document, operation, outcome) : []),
  ];
}

function isBy({ status, body = {} }: RefusalRule, outcome: RawResponse, value: Value | undefined): boolean {
  if (outcome.status !== status) return false;
  if (outcome.body.length === 0) return true; // to HEAD; elsewhere the schema of the body has complained
  return Object.entries(body).every(([name, wanted]) => {
    const member = value instanceof Map ? value.get(name) : undefined;
    return member !== undefined && print(member) === print(fromJson(wanted));
  });
}

/** Exactly the challenges of the operation's schemes (RFC 9110 section 11.6.1; error codes RFC 6750 section 3.1). */
function challenges(
  { schemes }: Document,
  operation: Operation,
  reasons: readonly Refusal[],
  outcome: RawResponse,
): string[] {
  const got = outcome.headers
    .filter(([name]) => name.toLowerCase() === 'www-authenticate')
    .map(([, text]) => text);
  if (got.length === 0) return ['expected a WWW-Authenticate header with the 401, got none'];
  const names = operation.security.flat().map((name) => schemes[name] ?? {});
  const wanted = names.flatMap(({ type, scheme }) =>
    type === 'apiKey' ? [] : [type === 'http' ? word(scheme).toLowerCase() : 'bearer'],
  );
  const found = got.join(', ').toLowerCase();
  const missing = [...new Set(wanted)].filter(
    (scheme) => !new RegExp(`(?:^|[\\s,])${scheme}(?:$|[\\s,])`).test(found),
  );
  const code = /error="?invalid_token"?/.test(found);
  const bearer = wanted.includes('bearer') && wanted.length === 1;
  const anonymous = reasons.length === 1 && reasons[0] === 'no credentials';
  const impostor = reasons.length === 1 && reasons[0] === 'bad credentials';
  return [
    ...missing.map(
      (scheme) => `expected a challenge for ${scheme} in WWW-Authenticate, got ${got.join(', ')}`,
    ),
    ...(bearer && anonymous && found.includes('error')
      ? [`expected a challenge without an error code where no token was sent, got ${found}`]
      : []),
    ...(bearer && impostor && !code ? [`expected error="invalid_token" in the challenge, got ${found}`] : []),
  ];
}

/** Exactly the methods that the document has for this path. */
function allow(document: Document, operation: Operation, outcome: RawResponse): string[] {
  const methods = document.operations
    .filter(({ path }) => path === operation.path)
    .map(({ method }) => method);
  const got = header(outcome, 'allow');
  const named = got
    ?.split(',')
    .map((name) => name.trim())
    .sort();
  return named?.join() === methods.sort().join()
    ? []
    : [`expected Allow: ${methods.join(', ')}, got ${got ?? 'none'}`];
}
