import type { JsonObject } from '../document/document';
import { SCOPE } from '../operations/declared-scopes';
import { type Headers, type Problem, RequestProblem } from '../problem';
import { schemeKind } from '../operations/alternatives';
import type { RunStrategy } from './strategies';

/** A security scheme that an operation demands. */
export interface Demanded {
  readonly name: string;
  /** The demanded scopes; for types other than oauth2 and openIdConnect, the roles. */
  readonly scopes: readonly string[];
  readonly run: RunStrategy;
  /** The challenge if the strategy has none. RFC 9110 section 11.6.1 requires one. */
  readonly challenge: string;
}

/** Why a scheme rejects a request. */
export interface Rejection {
  readonly scheme: Demanded;
  readonly kind: 'noCredentials' | 'badCredentials' | 'forbidden' | 'invalidRequest';
  /** The challenge of the strategy. */
  readonly challenge?: string | undefined;
  /** The credentials are valid, but lack scopes. */
  readonly insufficient?: true;
}

const MESSAGES = {
  noCredentials: 'the request has no credentials of a kind that this operation accepts',
  badCredentials: 'the credentials were rejected',
  forbidden: 'the credentials do not allow this operation',
};

/**
 * Creates the problem of a request that all alternatives reject: `forbidden` if any credentials are valid. A 401 has a
 * challenge for each scheme of the operation (RFC 9110 section 11.6.1), a 403 only for schemes with valid credentials.
 */
export async function problemOf(
  schemes: readonly Demanded[],
  rejections: readonly Rejection[],
): Promise<Problem> {
  const forbidden = rejections.filter(({ kind }) => kind === 'forbidden');
  const bad = rejections.some(({ kind }) => kind === 'badCredentials');
  const kind = forbidden.length > 0 ? 'forbidden' : bad ? 'badCredentials' : 'noCredentials';
  const { headers, cause } = await challenged(
    forbidden.length > 0 ? forbidden : schemes.map((scheme) => rejectionOf(scheme, rejections)),
  );
  const insufficient = forbidden.find((rejection) => rejection.insufficient);
  const message = insufficient
    ? `${MESSAGES.forbidden}, which requires ${insufficient.scheme.scopes.join(', ')}`
    : MESSAGES[kind];
  return new RequestProblem(kind, message, headers, { cause });
}

/** The challenges to rejected credentials, and the first failure to make one. */
export async function challenged(
  rejections: readonly Rejection[],
): Promise<{ headers: Headers; cause: unknown }> {
  const failures: unknown[] = [];
  const challenges = await Promise.all(
    rejections.map((rejection) => challengeFor(rejection, (error) => failures.push(error))),
  );
  const headers = challenges.length > 0 ? { 'WWW-Authenticate': distinct(challenges).join(', ') } : {};
  return { headers, cause: failures[0] };
}

/** The rejection by a scheme. A scheme that was not tried counts as one without credentials. */
function rejectionOf(scheme: Demanded, rejections: readonly Rejection[]): Rejection {
  const own = rejections.filter((rejection) => rejection.scheme.name === scheme.name);
  return own.find(({ kind }) => kind === 'badCredentials') ?? { scheme, kind: 'noCredentials' };
}

type Failed = (error: unknown) => void;

/** RFC 6750 section 3.1: a malformed token is an invalid one, and a request that repeats its token an invalid request. */
const ERRORS: Partial<Record<Rejection['kind'], string>> = {
  badCredentials: 'error="invalid_token"',
  invalidRequest: 'error="invalid_request"',
};

async function challengeFor(
  { scheme, kind, challenge, insufficient }: Rejection,
  failed: Failed,
): Promise<string> {
  const plain = challenge ?? (await plainChallenge(scheme, failed));
  const isBearer = /^bearer\b/i.test(plain);
  const reason = insufficient
    ? insufficientScope(scheme.scopes)
    : isBearer && !plain.includes('error=')
      ? (ERRORS[kind] ?? '')
      : '';
  if (reason === '') return plain;
  return plain.includes(' ') ? `${plain}, ${reason}` : `${plain} ${reason}`;
}

/** The challenge of a scheme's strategy to a request without credentials; if the strategy fails, that of the scheme. */
async function plainChallenge({ run, scopes, challenge }: Demanded, failed: Failed): Promise<string> {
  try {
    const verdict = await run({ headers: {} }, scopes);
    return ('kind' in verdict ? verdict.challenge : undefined) ?? challenge;
  } catch (error) {
    failed(error);
    return challenge;
  }
}

/** The longest list of scopes in a challenge, in characters: clients bound the size of a head. */
const MAX_SCOPE = 1_000;

/** The parameters of a challenge to credentials that lack scopes (RFC 6750 section 3.1). */
function insufficientScope(demanded: readonly string[]): string {
  // Names of roles are arbitrary: a header cannot carry all of them.
  const scope = demanded.join(' ');
  const isSendable = scope.length <= MAX_SCOPE && demanded.every((one) => SCOPE.test(one));
  return `error="insufficient_scope"${isSendable ? `, scope="${scope}"` : ''}`;
}

/** The distinct challenges, without those that are the beginning of another. */
function distinct(challenges: readonly string[]): string[] {
  const each = [...new Set(challenges)];
  return each.filter((one) => !each.some((other) => other !== one && /^[ ,]/.test(rest(other, one))));
}

const rest = (text: string, beginning: string) =>
  text.startsWith(beginning) ? text.slice(beginning.length) : '';

/** The challenge of a scheme, for strategies that have none. */
export function challengeOf(scheme: JsonObject): string {
  const kind = schemeKind(scheme);
  if (kind === 'apiKey') return 'ApiKey';
  return kind === 'basic' ? 'Basic realm="api", charset="UTF-8"' : 'Bearer realm="api"'; // RFC 7617 section 2, RFC 6750 section 3
}
