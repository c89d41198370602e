import type { IncomingMessage } from 'node:http';
import type { Strategy } from 'passport';
import { below, type JsonObject, type OpenApiDocument } from './document';
import { settle } from './fault';
import type { Operation, SecurityAlternative } from './operations';
import { Problem } from './problem';

/**
 * What a strategy is shown of a request: the credentials of its own scheme, once they have the scheme's form. It cannot
 * look for them anywhere else, as passport-http-bearer would in the body and the query.
 */
export interface Credentials {
  readonly headers: { readonly authorization?: string };
  /** The API key, where the scheme is one. */
  readonly apiKey?: string;
}

/** The passport strategies that verify credentials, by the name of the security scheme. */
export type Strategies = Readonly<Record<string, Pick<Strategy, 'authenticate'>>>;

/** Who was authenticated, by the name of the security scheme that did it; empty for the anonymous. */
export type Principals = Readonly<Record<string, unknown>>;

/**
 * Authenticates a request as the security requirements of its operation say (OpenAPI 3.1 section 4.8.30): by one of the
 * alternatives, with all schemes of it.
 *
 * @throws {Problem} `noCredentials`, `badCredentials` or `forbidden`; what a strategy reports as an error as it is
 */
export type Authenticate = (request: IncomingMessage) => Promise<Principals>;

interface Refusal {
  readonly kind: 'noCredentials' | 'badCredentials' | 'forbidden';
  readonly challenge: string | undefined;
}
type Verdict = { readonly principal: unknown } | Refusal;

interface Scheme {
  readonly name: string;
  readonly scopes: readonly string[];
  /** The credentials of this scheme in a request, `malformed` if there is something else in their place. */
  readonly find: Find;
  /** For a strategy that gives none (RFC 9110 section 11.6.1 demands one). */
  readonly challenge: string;
  /** The strategy, with what it calls in the end. */
  readonly attempts: Attempt;
}

type Found = Credentials | 'malformed' | undefined;
type Find = (request: IncomingMessage) => Found;

/** Compiles the authentication of an operation; schemes that cannot be served become findings. */
export function compileSecurity(
  document: OpenApiDocument,
  operation: Operation,
  strategies: Strategies,
): Authenticate {
  const alternatives = operation.security.map((alternative) =>
    alternative.flatMap((required) => compileScheme(document, required, strategies) ?? []),
  );
  const anonymous = operation.security.length === 0 || operation.security.some(({ length }) => length === 0);
  const fallback = [...new Set(alternatives.flat().map(({ challenge }) => challenge))].join(', ');

  return async (request) => {
    const refusals: Refusal[] = [];
    for (const alternative of alternatives) {
      const principals: Record<string, unknown> = {};
      let satisfied = alternative.length > 0;
      for (const scheme of alternative) {
        const verdict = await verify(scheme, request);
        if ('principal' in verdict) principals[scheme.name] = verdict.principal;
        else {
          refusals.push(verdict);
          satisfied = false;
          break;
        }
      }
      if (satisfied) return principals;
    }
    if (anonymous) return {};
    throw refuse(refusals, fallback);
  };
}

function compileScheme(
  document: OpenApiDocument,
  { scheme: name, scopes }: SecurityAlternative[number],
  strategies: Strategies,
): Scheme | undefined {
  const { pointer, value } = document.follow(below('/components/securitySchemes', name));
  const find = finder(value);
  if (!find) document.addFinding(pointer, 'this kind of security scheme cannot be served');
  const strategy = strategies[name];
  if (!strategy) {
    const known = Object.keys(strategies).join(', ') || 'none';
    document.addFinding(pointer, `no strategy verifies its credentials; there are: ${known}`);
  }
  if (!strategy || !find) return undefined;
  return { name, scopes, find, challenge: challengeOf(value), attempts: attemptsOf(strategy) };
}

function refuse(refusals: readonly Refusal[], fallback: string): Problem {
  const has = (kind: Refusal['kind']) => refusals.some((refusal) => refusal.kind === kind);
  const kind = has('forbidden') ? 'forbidden' : has('badCredentials') ? 'badCredentials' : 'noCredentials';
  const challenges = refusals.flatMap((refusal) => (refusal.kind === kind ? (refusal.challenge ?? []) : []));
  const message = {
    noCredentials: 'the request has no credentials of a kind that this operation accepts',
    badCredentials: 'the credentials were refused',
    forbidden: 'the credentials do not allow this operation',
  };
  return new Problem(kind, message[kind], {
    'WWW-Authenticate': [...new Set(challenges)].join(', ') || fallback,
  });
}

/** A strategy at work on one request. */
interface Attempt {
  found: Found;
  end: (verdict: Verdict) => void;
  error: (error: unknown) => void;
  authenticate(credentials: Credentials, options: { readonly scope: readonly string[] }): unknown;
}

/** A strategy of passport ends by calling one of these on itself (https://www.passportjs.org/packages/passport-strategy). */
function attemptsOf(strategy: Strategies[string]): Attempt {
  const unfinished = { found: undefined, end: () => undefined, error: () => undefined };
  return Object.assign(Object.create(strategy) as Pick<Attempt, 'authenticate'>, unfinished, {
    success(this: Attempt, principal: unknown) {
      // With malformed credentials a strategy is asked for no more than its challenge.
      this.end(
        typeof this.found === 'object' ? { principal } : { kind: 'badCredentials', challenge: undefined },
      );
    },
    fail(this: Attempt, challenge?: unknown, status?: number) {
      const forbidden = status === 403 || challenge === 403;
      const kind = forbidden ? 'forbidden' : this.found ? 'badCredentials' : 'noCredentials';
      const told = typeof challenge === 'string' ? challenge + reason(this.found, challenge) : undefined;
      this.end({ kind, challenge: told });
    },
    pass(this: Attempt) {
      this.end({ kind: this.found ? 'badCredentials' : 'noCredentials', challenge: undefined });
    },
    redirect(this: Attempt) {
      this.error(new Error('a strategy wants to redirect, which the contract does not know'));
    },
  });
}

function verify({ attempts, find, scopes }: Scheme, request: IncomingMessage): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const attempt = Object.create(attempts) as Attempt;
    attempt.found = find(request);
    attempt.end = resolve;
    attempt.error = reject;
    const given = typeof attempt.found === 'object' ? attempt.found : { headers: {} };
    // A strategy may be async against its type; its rejection must not end the process.
    settle(attempt.authenticate(given, { scope: scopes }), reject);
  });
}

/** RFC 6750 section 3.1: a malformed token is an invalid one. The strategy has not seen it, and cannot say so. */
function reason(found: Found, challenge: string): string {
  return found === 'malformed' && /^bearer\b/i.test(challenge) ? ', error="invalid_token"' : '';
}

function challengeOf(scheme: JsonObject): string {
  if (scheme['type'] === 'apiKey') return 'ApiKey';
  return String(scheme['scheme']).toLowerCase() === 'basic' ? 'Basic' : 'Bearer';
}

/** How the credentials of a scheme are found; undefined if this server cannot serve the scheme. */
function finder(scheme: JsonObject): Find | undefined {
  const bearer = authorization(/^bearer +[\w.~+/-]+=*$/i, 'bearer');
  if (scheme['type'] === 'oauth2' || scheme['type'] === 'openIdConnect') return bearer;
  if (scheme['type'] === 'http') {
    const name = String(scheme['scheme']).toLowerCase();
    if (name === 'bearer') return bearer; // RFC 6750 section 2.1
    if (name === 'basic') return authorization(/^basic +[A-Za-z\d+/]+=*$/i, 'basic'); // RFC 7617
  }
  if (scheme['type'] === 'apiKey') return apiKey(String(scheme['in']), String(scheme['name']));
  return undefined;
}

function authorization(form: RegExp, scheme: string): Find {
  return ({ headers: { authorization: field }, rawHeaders }) => {
    if (field === undefined || field.split(' ', 1)[0]?.toLowerCase() !== scheme) return undefined;
    let count = 0; // of what Node has made one
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i];
      if (name?.length === 13 && name.toLowerCase() === 'authorization') count++;
    }
    if (count !== 1 || !form.test(field)) return 'malformed';
    return { headers: { authorization: field.replace(/ +/, ' ') } };
  };
}

function apiKey(place: string, name: string): Find {
  const one = (values: readonly string[]) => {
    const [key] = values;
    if (key === undefined) return undefined;
    return values.length === 1 && key !== '' ? { headers: {}, apiKey: key } : ('malformed' as const);
  };
  if (place === 'header') {
    return ({ headersDistinct }) => one(headersDistinct[name.toLowerCase()] ?? []);
  }
  if (place === 'query') {
    return ({ url = '' }) =>
      one(new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length)).getAll(name));
  }
  return ({ headers: { cookie = '' } }) => {
    const pairs = cookie.split(';').map((pair) => pair.trim());
    return one(
      pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1)),
    );
  };
}
