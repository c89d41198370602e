import type { IncomingMessage } from 'node:http';
import { joinPointer, type JsonObject, type OpenApiDocument } from '../document/document';
import type { Operation, SecurityAlternative } from '../operations/operations';
import { Problem } from '../problem';
import { type Ask, attemptsOf, type Strategies } from './attempt';
import { type Find, finder } from './credentials';
import { holds, insufficientScope } from './scopes';

export type { Strategies } from './attempt';
export type { Credentials } from './credentials';

/** Who was authenticated, by the name of the security scheme that did it; empty for the anonymous. */
export type Principals = Readonly<Record<string, unknown>>;

/**
 * Authenticates a request as the security requirements of its operation say (OpenAPI 3.1 section 4.8.30): by one of the
 * alternatives, with all schemes of it, and with the scopes that it demands of each.
 *
 * @throws {Problem} `noCredentials`, `badCredentials` or `forbidden`; what a strategy reports as an error as it is
 */
export type Authenticate = (request: IncomingMessage) => Promise<Principals>;

interface Scheme {
  readonly name: string;
  /** Or roles, of a scheme that has no scopes. */
  readonly scopes: readonly string[];
  readonly find: Find;
  readonly ask: Ask;
  /** For a strategy that gives none (RFC 9110 section 11.6.1 demands one). */
  readonly challenge: string;
}

interface Refusal {
  readonly scheme: Scheme;
  readonly kind: 'noCredentials' | 'badCredentials' | 'forbidden';
  /** In the words of the strategy. */
  readonly challenge?: string | undefined;
  /** The credentials are good, but lack scopes. */
  readonly insufficient?: true;
}

const MESSAGES = {
  noCredentials: 'the request has no credentials of a kind that this operation accepts',
  badCredentials: 'the credentials were refused',
  forbidden: 'the credentials do not allow this operation',
};

/** Compiles the authentication of an operation; schemes that cannot be served become findings. */
export function compileSecurity(
  document: OpenApiDocument,
  operation: Operation,
  strategies: Strategies,
): Authenticate {
  const alternatives = operation.security.map((alternative) =>
    alternative.flatMap((required) => compileScheme(document, operation, required, strategies) ?? []),
  );
  const anonymous = operation.security.length === 0 || operation.security.some(({ length }) => length === 0);

  return async (request) => {
    const refusals: Refusal[] = [];
    for (const alternative of alternatives) {
      const principals: Record<string, unknown> = {};
      let satisfied = alternative.length > 0;
      for (const scheme of alternative) {
        const found = scheme.find(request);
        if (typeof found !== 'object') {
          refusals.push({ scheme, kind: found ? 'badCredentials' : 'noCredentials' });
          satisfied = false;
          break;
        }
        const asked = scheme.ask(found, scheme.scopes);
        const verdict = asked instanceof Promise ? await asked : asked;
        if ('principal' in verdict && holds(verdict.principal, scheme.scopes)) {
          principals[scheme.name] = verdict.principal;
          continue;
        }
        const refused = 'kind' in verdict ? verdict : ({ kind: 'forbidden', insufficient: true } as const);
        refusals.push({ scheme, ...refused });
        satisfied = false;
        break;
      }
      if (satisfied) return principals;
    }
    if (anonymous) return {};
    throw await refuse(alternatives.flat(), refusals);
  };
}

function compileScheme(
  document: OpenApiDocument,
  { operationId }: Operation,
  { scheme: name, scopes }: SecurityAlternative[number],
  strategies: Strategies,
): Scheme | undefined {
  const { pointer, value } = document.follow(joinPointer('/components/securitySchemes', name));
  const find = finder(value);
  if (!find) document.addFinding(pointer, 'this kind of security scheme cannot be served');
  const strategy = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  if (!strategy) {
    const known = Object.keys(strategies).join(', ') || 'none';
    document.addFinding(
      pointer,
      `${operationId} demands the security scheme ${name}: expected a strategy for it in the option strategies, got ${known}`,
    );
  }
  if (!strategy || !find) return undefined;
  return { name, scopes, find, ask: attemptsOf(name, strategy), challenge: challengeOf(value) };
}

/**
 * The best of the refusals: who is known need not be asked who it is. A 401 challenges for each scheme of the operation
 * (RFC 9110 section 11.6.1), a 403 tells the scopes it takes.
 */
async function refuse(schemes: readonly Scheme[], refusals: readonly Refusal[]): Promise<Problem> {
  const forbidden = refusals.filter(({ kind }) => kind === 'forbidden');
  const bad = refusals.some(({ kind }) => kind === 'badCredentials');
  const kind = forbidden.length > 0 ? 'forbidden' : bad ? 'badCredentials' : 'noCredentials';
  const told = forbidden.length > 0 ? forbidden : schemes.map((scheme) => refusalOf(scheme, refusals));
  const failures: unknown[] = [];
  const challenges = await Promise.all(
    told.map((refusal) => challengeFor(refusal, (error) => failures.push(error))),
  );
  const insufficient = forbidden.find((refusal) => refusal.insufficient);
  const message = insufficient
    ? `${MESSAGES.forbidden}, which demands ${insufficient.scheme.scopes.join(', ')}`
    : MESSAGES[kind];
  const [cause] = failures;
  return new Problem(kind, message, { 'WWW-Authenticate': distinct(challenges).join(', ') }, { cause });
}

/** How a scheme has refused a request; those that were not asked have been given no credentials. */
function refusalOf(scheme: Scheme, refusals: readonly Refusal[]): Refusal {
  const own = refusals.filter((refusal) => refusal.scheme.name === scheme.name);
  return own.find(({ kind }) => kind === 'badCredentials') ?? { scheme, kind: 'noCredentials' };
}

type Failed = (error: unknown) => void;

async function challengeFor(
  { scheme, kind, challenge, insufficient }: Refusal,
  failed: Failed,
): Promise<string> {
  if (challenge !== undefined) return challenge;
  const plain = await plainChallenge(scheme, failed);
  const isBearer = /^bearer\b/i.test(plain);
  const reason = insufficient
    ? insufficientScope(scheme.scopes)
    : kind === 'badCredentials' && isBearer && !plain.includes('error=')
      ? 'error="invalid_token"' // RFC 6750 section 3.1: a malformed token is an invalid one
      : '';
  if (reason === '') return plain;
  return plain.includes(' ') ? `${plain}, ${reason}` : `${plain} ${reason}`;
}

/** The challenge of a scheme's strategy to a request without credentials; if it fails, that of the scheme. */
async function plainChallenge({ ask, scopes, challenge }: Scheme, failed: Failed): Promise<string> {
  try {
    const verdict = await ask({ headers: {} }, scopes);
    if ('kind' in verdict && verdict.challenge !== undefined) return verdict.challenge;
  } catch (error) {
    failed(error);
  }
  return challenge;
}

/** Each challenge once; one that says no more than the beginning of another is left out. */
function distinct(challenges: readonly string[]): string[] {
  const each = [...new Set(challenges)];
  return each.filter((one) => !each.some((other) => other !== one && /^[ ,]/.test(rest(other, one))));
}

const rest = (text: string, beginning: string) =>
  text.startsWith(beginning) ? text.slice(beginning.length) : '';

function challengeOf(scheme: JsonObject): string {
  if (scheme['type'] === 'apiKey') return 'ApiKey';
  const basic = String(scheme['scheme']).toLowerCase() === 'basic'; // to which RFC 7617 section 2 demands a realm
  return basic ? 'Basic realm="api", charset="UTF-8"' : 'Bearer';
}
