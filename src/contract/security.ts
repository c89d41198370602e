import type { IncomingMessage } from 'node:http';
import type { Strategy } from 'passport';
import { below, type JsonObject, type OpenApiDocument } from './document';
import type { Operation } from './operations';
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

/** A strategy of passport, so typed that it can be shown less than a whole request. */
interface CredentialsStrategy {
  authenticate(credentials: Credentials, options: { readonly scope: readonly string[] }): void;
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

type Outcome =
  | { readonly principal: unknown }
  | {
      readonly kind: 'noCredentials' | 'badCredentials' | 'forbidden';
      readonly challenge: string | undefined;
    };

interface Scheme {
  readonly name: string;
  readonly strategy: Strategy;
  /** The credentials of this scheme in a request, `malformed` if there is something else in their place. */
  readonly find: (request: IncomingMessage) => Credentials | 'malformed' | undefined;
}

/** Compiles the authentication of an operation; schemes that cannot be served become findings. */
export function compileSecurity(
  document: OpenApiDocument,
  operation: Operation,
  strategies: Strategies,
): Authenticate {
  const alternatives = operation.security.map((alternative) =>
    alternative.map(({ scheme: name, scopes }) => {
      const { pointer, value } = document.follow(below('/components/securitySchemes', name));
      const find = finder(value);
      if (find === undefined) document.find(pointer, 'this kind of security scheme cannot be served');
      const strategy = strategies[name];
      if (strategy === undefined)
        document.find(pointer, 'no strategy verifies the credentials of this security scheme');
      return strategy && find ? { name, strategy, find, scopes } : undefined;
    }),
  );
  const anonymous = operation.security.length === 0 || operation.security.some(({ length }) => length === 0);
  const schemes = alternatives.map((alternative) => alternative.filter((scheme) => scheme !== undefined));

  return async (request) => {
    const failures: Exclude<Outcome, { principal: unknown }>[] = [];
    for (const alternative of schemes) {
      const principals: Record<string, unknown> = {};
      let satisfied = alternative.length > 0;
      for (const scheme of alternative) {
        const outcome = await verify(scheme, request, scheme.scopes);
        if ('principal' in outcome) principals[scheme.name] = outcome.principal;
        else {
          failures.push(outcome);
          satisfied = false;
          break;
        }
      }
      if (satisfied) return principals;
    }
    if (anonymous) return {};
    throw refusal(failures);
  };
}

function refusal(failures: readonly Exclude<Outcome, { principal: unknown }>[]): Problem {
  const kind =
    (['forbidden', 'badCredentials'] as const).find((k) => failures.some((f) => f.kind === k)) ??
    'noCredentials';
  const challenges = new Set(
    failures.filter((f) => f.kind === kind).flatMap(({ challenge }) => challenge ?? []),
  );
  const message = {
    noCredentials: 'the request has no credentials of a kind that this operation accepts',
    badCredentials: 'the credentials were refused',
    forbidden: 'the credentials do not allow this operation',
  };
  return new Problem(kind, message[kind], { 'WWW-Authenticate': [...challenges].join(', ') || 'Bearer' });
}

/** Drives a strategy through the interface that passport documents for them: it ends by calling one of these. */
function verify(
  { strategy, find }: Scheme,
  request: IncomingMessage,
  scopes: readonly string[],
): Promise<Outcome> {
  const found = find(request);
  const credentials = found === undefined || found === 'malformed' ? { headers: {} } : found;
  const kind = found === undefined ? 'noCredentials' : 'badCredentials';
  return new Promise((resolve, reject) => {
    const attempt = Object.assign(Object.create(strategy) as CredentialsStrategy, {
      success: (principal: unknown) => {
        // With malformed credentials a strategy is only asked for its challenge.
        resolve(credentials === found ? { principal } : { kind, challenge: undefined });
      },
      fail: (challenge?: unknown, status?: number) => {
        const forbidden = status === 403 || challenge === 403;
        resolve({
          kind: forbidden ? 'forbidden' : kind,
          challenge: typeof challenge === 'string' ? challenge + reason(found, challenge) : undefined,
        });
      },
      pass: () => {
        resolve({ kind, challenge: undefined });
      },
      redirect: () => {
        reject(new Error('a strategy wants to redirect, which the contract does not know'));
      },
      error: reject,
    });
    attempt.authenticate(credentials, { scope: scopes });
  });
}

/** RFC 6750 section 3.1: a malformed token is an invalid one. The strategy has not seen it, and cannot say so. */
function reason(found: ReturnType<Scheme['find']>, challenge: string): string {
  return found === 'malformed' && /^bearer\b/i.test(challenge) ? ', error="invalid_token"' : '';
}

/** How the credentials of a scheme are found; undefined if this server cannot serve the scheme. */
function finder(scheme: JsonObject): Scheme['find'] | undefined {
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

function authorization(form: RegExp, scheme: string): Scheme['find'] {
  return ({ headers: { authorization: field }, rawHeaders }) => {
    if (field === undefined || field.split(' ', 1)[0]?.toLowerCase() !== scheme) return undefined;
    const single =
      rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization').length === 1;
    if (!single || !form.test(field)) return 'malformed';
    return { headers: { authorization: field.replace(/ +/, ' ') } };
  };
}

function apiKey(place: string, name: string): Scheme['find'] {
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
