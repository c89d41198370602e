import type { Document, Operation } from '../document/model';
import { type JsonObject, asString } from '../json/tree';
import type { Finding } from '../profile';
import type { Refusal } from '../target';
import { header, headerLines, type RawResponse } from '../wire/message';

/**
 * The findings about WWW-Authenticate: it has at least one challenge that is applicable to the operation (RFC 9110 section
 * 15.5.2), none for schemes that the operation does not accept, and none twice. RFC 6750 section 3.1 defines the error codes.
 */
export function challengeFindings(
  { schemes }: Document,
  operation: Operation,
  reasons: readonly Refusal[],
  outcome: RawResponse,
): Finding[] {
  const got = headerLines(outcome, 'www-authenticate');
  if (got.length === 0)
    return [{ rule: 'challenge', message: 'expected a WWW-Authenticate header with the 401, got none' }];
  const expected = new Set(operation.security.flat().map((name) => challengeOf(schemes[name] ?? {})));
  const text = got.join(', ').toLowerCase();
  const sent = readChallenges(text);
  const challenged = new Set(sent.map((challenge) => challenge.split(' ', 1)[0] ?? ''));
  const others = [...challenged].filter((scheme) => !expected.has(scheme));
  // No challenge is registered for API keys, so any challenge is allowed that is not registered for another scheme.
  const forApiKey = others.filter((scheme) => expected.size === 1 || !REGISTERED_SCHEMES.includes(scheme));
  const isApplicable = [...expected].some((scheme) =>
    scheme === '' ? forApiKey.length > 0 : challenged.has(scheme),
  );
  const unexpected = others.filter((scheme) => !expected.has('') || !forApiKey.includes(scheme));
  const duplicates = sent.filter((challenge, i) => sent.indexOf(challenge) !== i);
  if (!isApplicable || unexpected.length + duplicates.length > 0) {
    const names = [...expected].map((scheme) => (scheme === '' ? 'the API key' : scheme));
    const message = `expected a challenge for ${names.join(' or ')}, once, in WWW-Authenticate, got ${got.join(', ')}`;
    return [{ rule: 'challenges of the operation', message }];
  }
  if (expected.size > 1 || !expected.has('bearer') || reasons.length > 1) return [];
  const error = /error="?([a-z_]+)/.exec(text)?.[1];
  const expectedError = reasons[0] === 'invalid credentials' ? 'invalid_token' : undefined;
  if (error === expectedError) return [];
  const message = `expected ${expectedError ? `error="${expectedError}"` : 'no error code'} in the challenge, got ${got.join(', ')}`;
  return [{ rule: 'challenge error code', message }];
}

/** Schemes of the HTTP Authentication Scheme Registry that OpenAPI documents often use. */
const REGISTERED_SCHEMES = ['basic', 'bearer', 'digest', 'dpop', 'hoba', 'mutual', 'negotiate'];

/** The challenges of a header. Commas separate the challenges, and their parameters too (RFC 9110 section 11.6.1). */
function readChallenges(text: string): string[] {
  const challenges: string[] = [];
  for (const [item] of text.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g)) {
    const isParameter = /^\s*[^\s=]+\s*=/.test(item);
    const last = challenges.at(-1);
    if (isParameter && last !== undefined) challenges[challenges.length - 1] = `${last},${item}`;
    else challenges.push(item.trim());
  }
  return challenges;
}

/** The findings about a challenge for missing scopes: it names the error and the scopes (RFC 6750 section 3.1). */
export function scopeFindings({ schemes }: Document, { scopes }: Operation, outcome: RawResponse): Finding[] {
  const required = scopes.flatMap((alternative) =>
    Object.entries(alternative).filter(([, names]) => names.length > 0),
  );
  // Only bearer tokens have this error.
  if (required.some(([name]) => challengeOf(schemes[name] ?? {}) !== 'bearer')) return [];
  const got = header(outcome, 'www-authenticate') ?? 'none';
  const listed = /\bscope="([^"]*)"/.exec(got)?.[1]?.split(' ') ?? [];
  const listsAll = required.some(([, names]) => names.every((name) => listed.includes(name)));
  const [[, example] = ['', ['']]] = required;
  if (got.includes('error="insufficient_scope"') && listsAll) return [];
  const message = `expected a challenge with error="insufficient_scope", scope="${example.join(' ')}", got ${got}`;
  return [{ rule: 'challenge error code', message }];
}

/** The authentication scheme in the challenge of a security scheme; empty for an API key. */
function challengeOf({ type, scheme }: JsonObject): string {
  if (type === 'apiKey') return '';
  return type === 'http' ? asString(scheme).toLowerCase() : 'bearer';
}
