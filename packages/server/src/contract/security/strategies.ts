import { types } from 'node:util';
import { Strategy } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { OpenApiDocument } from '../document/document';
import { TOKEN } from '../http/head';
import { isFieldValue } from '../http/header-field';
import { opaqueKind } from '../json/values';
import type { SchemeKind } from '../operations/alternatives';
import { type Credentials, type DocumentedScheme, securitySchemes } from './schemes';
import type { StrategyOf, Verified, Verify } from './principals';

/** The passport strategies that verify credentials, by the name of the security scheme. */
export type Strategies = Readonly<Record<string, Pick<Strategy, 'authenticate'>>>;

/** The verdict of a strategy. */
export type Verdict =
  | { readonly principal: object }
  | { readonly kind: 'badCredentials' | 'forbidden'; readonly challenge: string | undefined };

/** One run of a strategy, for one request. */
interface StrategyRun {
  end: End;
  authenticate(credentials: Credentials, options: { readonly scope: readonly string[] }): unknown;
}

/**
 * Runs a strategy on credentials. The strategy receives the demanded scopes as its option `scope`. The verdict comes at once, or
 * later if the strategy waits for something. An error is always a promise that rejects.
 */
export type RunStrategy = (credentials: Credentials, scopes: readonly string[]) => Verdict | Promise<Verdict>;

/** The end of a run: a verdict or an error, whichever comes first. */
class End {
  private verdict: Verdict | undefined;
  private failure: { readonly error: Error } | undefined;
  private isClaimed = false;
  private wake: (() => void) | undefined;

  /** Whether this is the first call of a method: it counts, even while the promise that it was given is pending. */
  claim(): boolean {
    const isFirst = !this.isClaimed;
    this.isClaimed = true;
    return isFirst;
  }

  with(verdict: Verdict): void {
    if (!this.failure) this.verdict ??= verdict;
    this.wake?.();
  }

  withError(error: unknown): void {
    if (!this.verdict) this.failure ??= { error: error as Error }; // or any other value: it is handed on as it is
    this.wake?.();
  }

  outcome(): Verdict | Promise<Verdict> {
    if (this.verdict) return this.verdict;
    return new Promise((resolve, reject) => {
      this.wake = () => {
        if (this.verdict) resolve(this.verdict);
        else if (this.failure) reject(this.failure.error);
      };
      this.wake();
    });
  }
}

/**
 * Creates the function that runs a passport strategy. A strategy ends by calling one of these methods on itself
 * (https://www.passportjs.org/packages/passport-strategy); the first call counts. All strategies end here, those of other
 * packages too: only a principal is a success.
 *
 * @param name the name of the security scheme, for messages
 * @returns a function whose promise rejects if the strategy gives no verdict
 */
export function strategyRunner(name: string, strategy: Strategies[string]): RunStrategy {
  const failure = (what: string, cause?: unknown) =>
    new Error(`the strategy of the security scheme ${name} ${what}`, { cause });
  const judge = (given: unknown, end: End): void => {
    try {
      if (isPrincipal(given)) end.with({ principal: given });
      else if (given === false) end.with({ kind: 'badCredentials', challenge: undefined });
      else if (isThenable(given)) {
        Promise.resolve(given).then(
          (verified) => {
            judge(verified, end);
          },
          (error: unknown) => {
            end.withError(error ?? failure('rejects without a reason'));
          },
        );
      } else {
        const cause = Error.isError(given) ? given : undefined; // another value may be a secret
        end.withError(failure(`expected a principal (an object) or false, got ${kindOf(given)}`, cause));
      }
    } catch (error) {
      end.withError(error); // a getter threw it
    }
  };
  const methods = Object.assign(Object.create(strategy) as Pick<StrategyRun, 'authenticate'>, {
    success(this: StrategyRun, given: unknown) {
      // A later call does not count, but the promise that it gives may reject.
      judge(given, this.end.claim() ? this.end : new End());
    },
    fail(this: StrategyRun, challenge?: unknown, status?: number) {
      const forbidden = status === 403 || challenge === 403;
      const isSendable = typeof challenge === 'string' && challenge !== '' && isFieldValue(challenge);
      if (this.end.claim())
        this.end.with({
          kind: forbidden ? 'forbidden' : 'badCredentials',
          challenge: isSendable ? challenge : undefined,
        });
    },
    error(this: StrategyRun, error: unknown) {
      if (this.end.claim()) this.end.withError(error ?? failure('reports an error without a reason'));
    },
    pass(this: StrategyRun) {
      if (this.end.claim()) this.end.withError(failure('ends without a verdict'));
    },
    redirect(this: StrategyRun) {
      if (this.end.claim()) this.end.withError(failure('redirects, which a contract does not document'));
    },
  });

  return (credentials, scope) => {
    const run = Object.create(methods) as StrategyRun;
    const end = (run.end = new End());
    try {
      const returned = run.authenticate(credentials, { scope });
      // An asynchronous strategy reports its verdict by the same methods. Only its rejection is handled here.
      if (returned !== undefined)
        Promise.resolve(returned).catch((error: unknown) => {
          end.withError(error);
        });
    } catch (error) {
      end.withError(error);
    }
    return end.outcome();
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'then' in value &&
    typeof value.then === 'function'
  );
}

/** Whether a value is a principal: an object, but no array of rows, no caught error and no `Response` of a fetch. */
function isPrincipal(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !isThenable(value) &&
    opaqueKind(value) === undefined
  );
}

/** Names the kind of a value. The value itself may be a secret. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined || value === true) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (Error.isError(value)) return 'an Error';
  if (types.isBoxedPrimitive(value)) return 'a boxed primitive';
  return `a ${(typeof value === 'object' ? opaqueKind(value) : undefined) ?? typeof value}`;
}

/** Creates a passport strategy for bearer tokens (RFC 6750), for schemes of any type that uses them. */
export function bearerStrategy<P extends object>(verify: Verify<[token: string], P>): StrategyOf<P> {
  return new BearerStrategy(
    { realm: 'api' },
    (token: string, done: (error: unknown, verified?: unknown) => void) => {
      const verified: unknown = verify(token);
      // passport-http-bearer would treat `undefined` as a rejection. The core judges other values, promises too.
      if (verified || verified === false) done(null, verified);
      else done(new TypeError('expected the verifier of bearer tokens to return a principal or false'));
    },
  );
}

abstract class VerifyingStrategy<P extends object> extends Strategy implements StrategyOf<P> {
  declare readonly principal?: P;

  constructor(private readonly challenge: string | undefined) {
    super();
  }

  /** Returns the verdict on the credentials; false if there are none. */
  protected abstract verified(credentials: Credentials): Verified<P>;

  override authenticate(credentials: object): void {
    // The core judges promises and invalid values: see strategyRunner().
    const verified = this.verified(credentials as Credentials);
    if (verified === false) this.fail(this.challenge);
    else this.success(verified);
  }
}

/** A passport strategy for API keys (OpenAPI 3.1 section 4.8.27). */
export class ApiKeyStrategy<P extends object> extends VerifyingStrategy<P> {
  constructor(private readonly verify: Verify<[apiKey: string], P>) {
    super('ApiKey');
  }

  protected override verified({ apiKey }: Credentials): Verified<P> {
    return apiKey === undefined ? false : this.verify(apiKey);
  }
}

/** How clients present a token. */
export interface TokenOptions {
  /** The word before an API key, such as `Token` of `Authorization: Token abc`. Clients may write it in any case. */
  readonly prefix?: string | undefined;
  /** The challenge of a 401. Default: `Token realm="api"` for the prefix `Token`, that of the security scheme without one. */
  readonly challenge?: string | undefined;
}

const PREFIX = new RegExp(`^${TOKEN}$`);

/**
 * A passport strategy for tokens that clients present as bearer tokens (RFC 6750) or as API keys. An API key without the
 * prefix is rejected. `verify` receives what follows the prefix.
 */
export class TokenStrategy<P extends object> extends VerifyingStrategy<P> {
  private readonly form: RegExp;

  /** @throws {TypeError} if the prefix is not one word, or no header field can carry the challenge */
  constructor(
    private readonly verify: Verify<[token: string], P>,
    { prefix, challenge = prefix && `${prefix} realm="api"` }: TokenOptions = {},
  ) {
    if (prefix !== undefined && !PREFIX.test(prefix))
      throw new TypeError(`expected a prefix of one word, got ${JSON.stringify(prefix)}`);
    if (challenge !== undefined && (challenge === '' || !isFieldValue(challenge)))
      throw new TypeError(`expected a challenge for a header field, got ${JSON.stringify(challenge)}`);
    super(challenge);
    // RFC 9110 section 11.4.
    this.form =
      prefix === undefined ? /^([^]+)$/ : new RegExp(`^${prefix.replace(/\W/g, '\\$&')} +([^ ]+)$`, 'i');
  }

  protected override verified({ headers: { authorization = '' }, apiKey }: Credentials): Verified<P> {
    const token = apiKey === undefined ? authorization.split(' ')[1] : this.form.exec(apiKey)?.[1];
    return token === undefined ? false : this.verify(token);
  }
}

/** A passport strategy for HTTP basic authentication (RFC 7617), with user and password in UTF-8. */
export class BasicStrategy<P extends object> extends VerifyingStrategy<P> {
  constructor(private readonly verify: Verify<[user: string, password: string], P>) {
    super('Basic realm="api", charset="UTF-8"');
  }

  protected override verified({ headers: { authorization = '' } }: Credentials): Verified<P> {
    const pair = Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString();
    const colon = pair.indexOf(':');
    return colon < 0 ? false : this.verify(pair.slice(0, colon), pair.slice(colon + 1));
  }
}

/**
 * Creates a strategy for a kind of security scheme. `verify` receives the token, the API key, or `user:password`.
 *
 * @param options for API keys
 */
export function strategyFor<P extends object>(
  kind: SchemeKind,
  verify: Verify<[secret: string], P>,
  options?: TokenOptions,
): StrategyOf<P> {
  if (kind === 'apiKey') return new TokenStrategy(verify, options);
  if (kind === 'bearer') return bearerStrategy(verify);
  return new BasicStrategy((user, password) => verify(`${user}:${password}`));
}

/**
 * Creates a strategy for each security scheme of a document, for servers of any document, such as a mock.
 *
 * @param verify receives the token, the API key, or `user:password`, and the scheme
 */
export const strategiesFor = (
  document: OpenApiDocument,
  verify: Verify<[secret: string, scheme: DocumentedScheme], object>,
): Strategies =>
  Object.fromEntries(
    securitySchemes(document).flatMap((scheme) =>
      scheme.kind ? [[scheme.name, strategyFor(scheme.kind, (secret) => verify(secret, scheme))]] : [],
    ),
  );
