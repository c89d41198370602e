import type { IncomingMessage } from 'node:http';
import type { Finding, JsonObject, OpenApiDocument } from '../document/document';
import { schemeAt, schemeKind, type SecurityAlternative } from '../operations/alternatives';
import type { Operation } from '../operations/operations';
import { fieldLines, repeatedField } from '../http/header-field';
import { type RunStrategy, type Strategies, strategyRunner, type Verdict } from './strategies';
import { challenged, challengeOf, type Demanded, problemOf, type Rejection } from './challenges';
import type { Credentials } from './schemes';

export type { Strategies } from './strategies';
export type { Credentials } from './schemes';

/** The authenticated principals, by the name of their security scheme; empty for an anonymous request. */
export type Principals = Readonly<Record<string, unknown>>;

/** Without a prototype: a scheme may have the name `constructor`. */
const principalsOf = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;

/**
 * Authenticates a request by the security requirements of its operation (OpenAPI 3.1 section 4.8.30): by all schemes of one
 * of the alternatives, with the scopes that it demands of each. Where an alternative needs no credentials, a request is
 * anonymous only if it gives none for any scheme of the operation: those that are rejected, or are half of an alternative,
 * are 401 there too (RFC 9110 section 15.5.2, RFC 6750 section 3.1).
 *
 * It returns no promise where nothing waits, as for most requests: a promise takes time, and a verification that is pending counts.
 *
 * @throws {Problem} `noCredentials`, `badCredentials` or `forbidden`; `invalidRequest` if Authorization is given twice
 * @throws the error that a strategy reports, unchanged
 */
export type Authenticate = (request: IncomingMessage) => Principals | Promise<Principals>;

/** The security of an operation. */
export interface Security {
  readonly authenticate: Authenticate;
  /**
   * The credentials that a request gives for each alternative, verified or not, by the names of its schemes; none for an alternative
   * of which some are missing.
   */
  readonly credentialsOf: (request: IncomingMessage) => ReadonlyMap<string, string>;
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
      const message = `${operationId} requires the security scheme ${name}: expected a strategy for it (the option strategies of createService), got ${known}`;
      return { pointer: schemeAt(document, name).pointer, kind: 'noStrategy', message };
    });

/**
 * Compiles the security of an operation.
 *
 * @param strategies one for each of its schemes: `unverified` finds what is missing
 * @param runners those of the strategies, by the name of their scheme: operations share them
 */
export function compileSecurity(
  document: OpenApiDocument,
  operation: Operation,
  strategies: Strategies,
  runners = new Map<string, RunStrategy>(),
): Security {
  const alternatives = operation.security.map((alternative) =>
    alternative.map((required) => compileScheme(document, required, strategies, runners)),
  );
  const schemes = alternatives.flat();
  const isOptional = alternatives.length === 0 || alternatives.some(({ length }) => length === 0);

  const [[first] = []] = alternatives;
  const isAlone = alternatives[0]?.length === 1;

  const authenticate: Authenticate = (request) => {
    if (fieldLines(request, 'authorization').length > 1) return rejectRepeated();
    if (isOptional && schemes.every(({ find }) => find(request) === undefined)) return principalsOf();
    if (!first) return tryAll(request);
    const found = first.find(request);
    const verdict = typeof found === 'object' ? first.run(found, first.scopes) : undefined;
    if (isAlone && verdict && 'principal' in verdict && holds(verdict.principal, first.scopes)) {
      const principals = principalsOf();
      principals[first.name] = verdict.principal;
      return principals;
    }
    return tryAll(request, verdict);
  };
  /** @param known the verdict of the first scheme, if its strategy has run */
  const tryAll = async (
    request: IncomingMessage,
    known?: Verdict | Promise<Verdict>,
  ): Promise<Principals> => {
    const rejections: Rejection[] = [];
    for (const alternative of alternatives) {
      const principals = principalsOf();
      let satisfied = alternative.length > 0;
      for (const scheme of alternative) {
        const found = scheme.find(request);
        if (typeof found !== 'object') {
          rejections.push({ scheme, kind: found === 'malformed' ? 'badCredentials' : 'noCredentials' });
          satisfied = false;
          break;
        }
        const verdict = await (scheme === first && known ? known : scheme.run(found, scheme.scopes));
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
    throw await problemOf(schemes, rejections);
  };
  const rejectRepeated = async (): Promise<never> => {
    const repeated = schemes.map((scheme) => ({ scheme, kind: 'invalidRequest' }) as const);
    throw repeatedField('Authorization', (await challenged(repeated)).headers);
  };
  const credentialsOf = (request: IncomingMessage) => {
    const given = new Map<string, string>();
    for (const alternative of alternatives) {
      const names = namesOf(alternative.map(({ name }) => name));
      const found = alternative.map(({ find }) => find(request)).filter((one) => typeof one === 'object');
      const secrets = found.map(({ apiKey, headers }) => apiKey ?? headers.authorization);
      if (names !== '' && found.length === alternative.length)
        given.set(names, JSON.stringify([names, ...secrets]));
    }
    return given;
  };
  return { authenticate, credentialsOf };
}

/** The schemes of an alternative, or of the principals that satisfied it. */
export const namesOf = (schemes: readonly string[]): string => JSON.stringify(schemes).slice(1, -1);

/** A scheme that an operation demands, with what finds its credentials. */
interface Scheme extends Demanded {
  readonly find: FindCredentials;
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
 * `malformed`: the credentials are not in the form of their scheme. `otherKind`: the field has those of another scheme, or of
 * none. Undefined: there are none.
 */
type Found = Credentials | 'malformed' | 'otherKind' | undefined;
type FindCredentials = (request: IncomingMessage) => Found;

/** Creates the function that finds the credentials of a security scheme; undefined if the scheme cannot be served. */
function credentialsFinder(scheme: JsonObject): FindCredentials | undefined {
  switch (schemeKind(scheme)) {
    case 'bearer': // RFC 6750 section 2.1
      return authorization(/^bearer +[\w.~+/-]+=*$/i, 'bearer');
    case 'basic': // RFC 7617
      return authorization(/^basic +[A-Za-z\d+/]+=*$/i, 'basic');
    case 'apiKey':
      return apiKey(String(scheme['in']), String(scheme['name']));
    case undefined:
      return undefined;
  }
}

function authorization(form: RegExp, scheme: string): FindCredentials {
  return (request) => {
    const field = request.headers.authorization;
    if (field === undefined) return undefined;
    if (!form.test(field))
      return field.split(' ', 1)[0]?.toLowerCase() === scheme ? 'malformed' : 'otherKind';
    return { headers: { authorization: field.includes('  ') ? field.replace(/ +/, ' ') : field } };
  };
}

function apiKey(place: string, name: string): FindCredentials {
  const one = (values: readonly string[]) => {
    const [key] = values;
    if (key === undefined) return undefined;
    return values.length === 1 && key !== '' ? { headers: {}, apiKey: key } : ('malformed' as const);
  };
  if (place === 'header') {
    return (request) => one(fieldLines(request, name.toLowerCase()));
  }
  if (place === 'query') {
    return ({ url = '' }) => one(valuesIn(url.slice(url.indexOf('?') + 1 || url.length), name));
  }
  return ({ headers: { cookie = '' } }) => {
    const pairs = cookie.split(';').map((pair) => pair.trim());
    return one(
      pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1)),
    );
  };
}

/** The values of a name in a query. Decodes only the pairs whose names have a matching length. */
function valuesIn(query: string, name: string): string[] {
  const bytes = Buffer.byteLength(name);
  const candidates = query.split('&').filter((pair) => {
    const end = pair.indexOf('=');
    const encoded = end < 0 ? pair : pair.slice(0, end);
    // A percent-encoded byte has three characters.
    return encoded.length === bytes || encoded.length - 2 * (encoded.split('%').length - 1) === bytes;
  });
  return new URLSearchParams(candidates.join('&')).getAll(name);
}

/**
 * Whether a principal holds all demanded scopes, by its property `scopes`. Without that property it holds none.
 *
 * @throws {TypeError} if `scopes` is not an array: `includes` of a string would accept parts of a scope
 */
export function holds(principal: object, demanded: readonly string[]): boolean {
  if (demanded.length === 0) return true;
  const held = heldBy(principal);
  return held !== undefined && demanded.every((scope) => held.includes(scope));
}

function heldBy(principal: object): readonly string[] | undefined {
  const held: unknown = 'scopes' in principal ? principal.scopes : undefined;
  if (held === undefined) return undefined;
  if (Array.isArray(held)) return held as string[];
  throw new TypeError(`expected the scopes of a principal to be an array of strings, got ${typeof held}`);
}

/** The scopes of credentials, by security scheme. */
export type Scopes = Readonly<
  Record<string, { readonly demanded: readonly string[]; readonly held: readonly string[] }>
>;

/**
 * Returns the demanded and the held scopes of accepted credentials.
 *
 * @param security the alternatives of the operation, of which the first that the principals satisfy counts
 */
export function scopesOf(
  security: readonly SecurityAlternative[],
  principals: Readonly<Record<string, unknown>>,
): Scopes {
  const principalOf = (scheme: string): object => Object(principals[scheme]) as object;
  const satisfied = security.find(
    (schemes) =>
      schemes.length === Object.keys(principals).length &&
      schemes.every(({ scheme, scopes }) => scheme in principals && holds(principalOf(scheme), scopes)),
  );
  const scopes = (satisfied ?? []).map(
    ({ scheme, scopes: demanded }) =>
      [scheme, { demanded, held: heldBy(principalOf(scheme)) ?? [] }] as const,
  );
  return Object.assign(Object.create(null) as object, Object.fromEntries(scopes));
}
