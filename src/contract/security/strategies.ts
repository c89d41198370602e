import { Strategy } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { OpenApiDocument } from '../document/document';
import { type Credentials, type DocumentedScheme, type SchemeKind, securitySchemes } from './credentials';
import type { StrategyOf, Verified, Verify } from './principals';
import type { Strategies } from './requirements';

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

  constructor(private readonly challenge: string) {
    super();
  }

  /** Returns the verdict on the credentials; false if there are none. */
  protected abstract verified(credentials: Credentials): Verified<P>;

  override authenticate(credentials: object): void {
    // The core judges promises and invalid values: see passport.ts.
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

/** Creates a strategy for a kind of security scheme. `verify` receives the token, the API key, or `user:password`. */
export function strategyFor<P extends object>(
  kind: SchemeKind,
  verify: Verify<[secret: string], P>,
): StrategyOf<P> {
  if (kind === 'apiKey') return new ApiKeyStrategy(verify);
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
