import type { IncomingMessage } from 'node:http';
import type { Finding, JsonObject, OpenApiDocument } from '../document/document';
import type { Operation, SecurityAlternative } from '../operations/operations';
import { fieldLines, repeatedField } from '../http/header-field';
import { type Headers, Problem } from '../problem';
import { type RunStrategy, type Strategies, strategyRunner } from './passport';
import {
  credentialsFinder,
  type FindCredentials,
  schemeAt,
  schemeKind,
  type SchemeKind,
} from './credentials';
import { holds, insufficientScope } from './scopes';

export type { Strategies } from './passport';
export type { Credentials } from './credentials';

/** The authenticated principals, by the name of their security scheme; empty for an anonymous request. */
export type Principals = Readonly<Record<string, unknown>>;

/**
 * Authenticates a request by the security requirements of its operation (OpenAPI 3.1 section 4.8.30): by all schemes of one
 * of the alternatives, with the scopes that it demands of each.
 *
 * @throws {Problem} `noCredentials`, `badCredentials` or `forbidden`; `invalidRequest` if Authorization is given twice
 * @throws the error that a strategy reports, unchanged
 */
export type Authenticate = (request: IncomingMessage) => Promise<Principals>;

interface Scheme {
  readonly name: string;
  /** The demanded scopes; for types other than oauth2 and openIdConnect, the roles. */
  readonly scopes: readonly string[];
  readonly find: FindCredentials;
  readonly run: RunStrategy;
  /** The challenge if the strategy has none. RFC 9110 section 11.6.1 requires one. */
  readonly challenge: string;
}

interface Rejection {
  readonly scheme: Scheme;
  readonly kind: 'noCredentials' | 'badCredentials' | 'forbidden' | 'invalidRequest';
  /** The challenge of the strategy. */
  readonly challenge?: string | undefined;
  /** The credentials are valid, but lack scopes. */
  readonly insufficient?: true;
}

const MESSAGES = {
  noCredentials: 'the request has no credentials of a kind that this operation accepts',
  badCredentials: 'the credentials were refused',
  forbidden: 'the credentials do not allow this operation',
};

/** Adds a finding for each security scheme of an operation that cannot be served. */
export function checkSecurity(document: OpenApiDocument, operation: Operation): void {
  for (const alternative of operation.security) {
    checkPossible(document, operation, alternative);
    for (const { scheme } of alternative) {
      const { pointer, value } = schemeAt(document, scheme);
      if (!schemeKind(value)) document.addFinding(pointer, 'this kind of security scheme cannot be served');
    }
  }
}

/** A finding for each security scheme that an operation demands and no strategy verifies. */
export const unverified = (
  document: OpenApiDocument,
  { operationId, security }: Operation,
  strategies: Strategies,
): Finding[] =>
  [...new Set(security.flat().map(({ scheme }) => scheme))]
    .filter((name) => !Object.hasOwn(strategies, name) || !strategies[name])
    .map((name) => {
      const known = Object.keys(strategies).join(', ') || 'none';
      const message = `${operationId} demands the security scheme ${name}: expected its verifier in src/auth.ts (the option strategies of createService), got ${known}`;
      return { pointer: schemeAt(document, name).pointer, message };
    });

/**
 * Compiles the authentication of an operation.
 *
 * @param strategies one for each of its schemes: `unverified` finds what is missing
 * @param runners those of the strategies, by the name of their scheme: operations share them
 */
export function compileSecurity(
  document: OpenApiDocument,
  operation: Operation,
  strategies: Strategies,
  runners = new Map<string, RunStrategy>(),
): Authenticate {
  const alternatives = operation.security.map((alternative) =>
    alternative.map((required) => compileScheme(document, required, strategies, runners)),
  );
  const anonymous = operation.security.length === 0 || operation.security.some(({ length }) => length === 0);

  return async (request) => {
    if (fieldLines(request, 'authorization').length > 1) {
      const repeated = alternatives.flat().map((scheme) => ({ scheme, kind: 'invalidRequest' }) as const);
      throw repeatedField('Authorization', (await challenged(repeated)).headers);
    }
    const rejections: Rejection[] = [];
    for (const alternative of alternatives) {
      const principals: Record<string, unknown> = {};
      let satisfied = alternative.length > 0;
      for (const scheme of alternative) {
        const found = scheme.find(request);
        if (typeof found !== 'object') {
          rejections.push({ scheme, kind: found ? 'badCredentials' : 'noCredentials' });
          satisfied = false;
          break;
        }
        const verdict = await scheme.run(found, scheme.scopes);
        if ('principal' in verdict && holds(verdict.principal, scheme.scopes)) {
          principals[scheme.name] = verdict.principal;
          continue;
        }
        const rejected = 'kind' in verdict ? verdict : ({ kind: 'forbidden', insufficient: true } as const);
        rejections.push({ scheme, ...rejected });
        satisfied = false;
        break;
      }
      if (satisfied) return principals;
    }
    if (anonymous) return {};
    throw await refuse(alternatives.flat(), rejections);
  };
}

/** Finds schemes that no request satisfies together, because each needs the only Authorization field of a request. */
function checkPossible(
  document: OpenApiDocument,
  { pointer, operationId }: Operation,
  alternative: SecurityAlternative,
): void {
  const named = (kind: SchemeKind) =>
    alternative.find(({ scheme }) => schemeKind(schemeAt(document, scheme).value) === kind)?.scheme;
  const [bearer, basic] = [named('bearer'), named('basic')];
  if (bearer === undefined || basic === undefined) return;
  document.addFinding(
    pointer,
    `${operationId} demands ${bearer} and ${basic} together, which no request can satisfy: it has one Authorization field (RFC 9110 section 11.6.2)`,
  );
}

/** @throws {Error} if the scheme cannot be served or has no strategy: without it everybody would be let in */
function compileScheme(
  document: OpenApiDocument,
  { scheme: name, scopes }: SecurityAlternative[number],
  strategies: Strategies,
  runners: Map<string, RunStrategy>,
): Scheme {
  const { value } = schemeAt(document, name);
  const find = credentialsFinder(value);
  const strategy = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  if (!strategy || !find) throw new Error(`expected a strategy for the security scheme ${name}, got none`);
  const run = runners.get(name) ?? strategyRunner(name, strategy);
  runners.set(name, run);
  return { name, scopes, find, run, challenge: challengeOf(value) };
}

/**
 * Creates the problem of a request that all alternatives reject: `forbidden` if any credentials are valid. A 401 has a
 * challenge for each scheme of the operation (RFC 9110 section 11.6.1), a 403 only for schemes with valid credentials.
 */
async function refuse(schemes: readonly Scheme[], rejections: readonly Rejection[]): Promise<Problem> {
  const forbidden = rejections.filter(({ kind }) => kind === 'forbidden');
  const bad = rejections.some(({ kind }) => kind === 'badCredentials');
  const kind = forbidden.length > 0 ? 'forbidden' : bad ? 'badCredentials' : 'noCredentials';
  const { headers, cause } = await challenged(
    forbidden.length > 0 ? forbidden : schemes.map((scheme) => rejectionOf(scheme, rejections)),
  );
  const insufficient = forbidden.find((rejection) => rejection.insufficient);
  const message = insufficient
    ? `${MESSAGES.forbidden}, which demands ${insufficient.scheme.scopes.join(', ')}`
    : MESSAGES[kind];
  return new Problem(kind, message, headers, { cause });
}

/** The challenges to rejected credentials, and the first failure to make one. */
async function challenged(rejections: readonly Rejection[]): Promise<{ headers: Headers; cause: unknown }> {
  const failures: unknown[] = [];
  const challenges = await Promise.all(
    rejections.map((rejection) => challengeFor(rejection, (error) => failures.push(error))),
  );
  const headers = challenges.length > 0 ? { 'WWW-Authenticate': distinct(challenges).join(', ') } : {};
  return { headers, cause: failures[0] };
}

/** The rejection by a scheme. A scheme that was not tried counts as one without credentials. */
function rejectionOf(scheme: Scheme, rejections: readonly Rejection[]): Rejection {
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
  if (challenge !== undefined) return challenge;
  const plain = await plainChallenge(scheme, failed);
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
async function plainChallenge({ run, scopes, challenge }: Scheme, failed: Failed): Promise<string> {
  const verdict = await run({ headers: {} }, scopes).catch((error: unknown) => {
    failed(error);
    return undefined;
  });
  return (verdict && 'kind' in verdict ? verdict.challenge : undefined) ?? challenge;
}

/** The distinct challenges, without those that are the beginning of another. */
function distinct(challenges: readonly string[]): string[] {
  const each = [...new Set(challenges)];
  return each.filter((one) => !each.some((other) => other !== one && /^[ ,]/.test(rest(other, one))));
}

const rest = (text: string, beginning: string) =>
  text.startsWith(beginning) ? text.slice(beginning.length) : '';

function challengeOf(scheme: JsonObject): string {
  const kind = schemeKind(scheme);
  if (kind === 'apiKey') return 'ApiKey';
  return kind === 'basic' ? 'Basic realm="api", charset="UTF-8"' : 'Bearer'; // RFC 7617 section 2 requires the realm
}
