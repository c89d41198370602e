import type { Document, Operation } from '../document/document';
import { type JsonObject, asString } from '../json/json';
import type { Refusal } from '../target';
import { header, type RawResponse } from '../wire/message';

/**
 * One challenge for each scheme of the operation and none for others (RFC 9110 section 11.6.1; error codes RFC 6750
 * section 3.1).
 */
export function challengeProblems(
  { schemes }: Document,
  operation: Operation,
  reasons: readonly Refusal[],
  outcome: RawResponse,
): string[] {
  const got = outcome.headers
    .filter(([name]) => name.toLowerCase() === 'www-authenticate')
    .map(([, text]) => text);
  if (got.length === 0) return ['expected a WWW-Authenticate header with the 401, got none'];
  const wanted = new Set(operation.security.flat().map((name) => challengeOf(schemes[name] ?? {})));
  const text = got.join(', ').toLowerCase();
  const given = readChallenges(text);
  const named = new Set(given.map((challenge) => challenge.split(' ', 1)[0] ?? ''));
  const others = [...named].filter((scheme) => !wanted.has(scheme));
  // Nobody has registered a challenge for API keys: any will do, but not that of a scheme that is registered.
  const forKey = others.filter((scheme) => wanted.size === 1 || !REGISTERED_SCHEMES.includes(scheme));
  const missing = [...wanted].filter((scheme) => (scheme === '' ? forKey.length === 0 : !named.has(scheme)));
  const foreign = others.filter((scheme) => !wanted.has('') || !forKey.includes(scheme));
  const twice = given.filter((challenge, i) => given.indexOf(challenge) !== i);
  if (missing.length + foreign.length + twice.length > 0) {
    const names = [...wanted].map((scheme) => (scheme === '' ? 'the API key' : scheme));
    return [
      `expected a challenge for ${names.join(' and ')}, each once, in WWW-Authenticate, got ${got.join(', ')}`,
    ];
  }
  if (wanted.size > 1 || !wanted.has('bearer') || reasons.length > 1) return [];
  const code = /error="?([a-z_]+)/.exec(text)?.[1];
  const expected = reasons[0] === 'bad credentials' ? 'invalid_token' : undefined;
  if (code === expected) return [];
  return [
    `expected ${expected ? `error="${expected}"` : 'no error code'} in the challenge, got ${got.join(', ')}`,
  ];
}

/** Schemes of the HTTP Authentication Scheme Registry that OpenAPI documents are likely to have. */
const REGISTERED_SCHEMES = ['basic', 'bearer', 'digest', 'dpop', 'hoba', 'mutual', 'negotiate'];

/** The challenges of a header in which they are a list, and so are the parameters of each (RFC 9110 section 11.6.1). */
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

/** RFC 6750 section 3.1: where bearer tokens lack scopes, the challenge names the error and the scopes that it takes. */
export function scopeProblems({ schemes }: Document, { scopes }: Operation, outcome: RawResponse): string[] {
  const demanded = scopes.flatMap((alternative) =>
    Object.entries(alternative).filter(([, names]) => names.length > 0),
  );
  // Other schemes than those of bearer tokens have no such error.
  if (demanded.some(([name]) => challengeOf(schemes[name] ?? {}) !== 'bearer')) return [];
  const got = header(outcome, 'www-authenticate') ?? 'none';
  const named = /\bscope="([^"]*)"/.exec(got)?.[1]?.split(' ') ?? [];
  const all = demanded.some(([, names]) => names.every((name) => named.includes(name)));
  const [[, example] = ['', ['']]] = demanded;
  return got.includes('error="insufficient_scope"') && all
    ? []
    : [`expected a challenge with error="insufficient_scope", scope="${example.join(' ')}", got ${got}`];
}

/** The authentication scheme that a security scheme is challenged with; empty for an API key. */
function challengeOf({ type, scheme }: JsonObject): string {
  if (type === 'apiKey') return '';
  return type === 'http' ? asString(scheme).toLowerCase() : 'bearer';
}
