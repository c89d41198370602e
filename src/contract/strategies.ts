import { Strategy } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { Credentials } from './security';

/** Who the credentials are of, or false, or a promise of either, which rejects if that cannot be found out. */
type Verify<Parts extends unknown[]> = (...parts: Parts) => unknown;

/** A strategy of passport for bearer tokens (RFC 6750), of whichever kind of security scheme. */
export function bearerStrategy(verify: Verify<[token: string]>): Strategy {
  return new BearerStrategy(
    { realm: 'api' },
    (token: string, done: (error: unknown, who?: unknown) => void) => {
      const who = verify(token);
      // Most tokens are known at once, and a promise costs.
      if (!(who instanceof Promise)) done(null, who);
      else {
        who.then((known: unknown) => {
          done(null, known);
        }, done);
      }
    },
  );
}

abstract class VerifyingStrategy extends Strategy {
  constructor(private readonly challenge: string) {
    super();
  }

  /** Who sent the credentials, false for nobody, or a promise of either. */
  protected abstract verified(credentials: Credentials): unknown;

  override authenticate(credentials: object): void {
    // Whether it throws or rejects, it could not be found out.
    const verified = new Promise((resolve) => {
      resolve(this.verified(credentials as Credentials));
    });
    verified.then(
      (principal) => {
        if (principal === false) this.fail(this.challenge);
        else this.success(principal as Express.User);
      },
      (error: unknown) => {
        this.error(error);
      },
    );
  }
}

/** A strategy of passport for API keys (OpenAPI 3.1 section 4.8.27). */
export class ApiKeyStrategy extends VerifyingStrategy {
  constructor(private readonly verify: Verify<[apiKey: string]>) {
    super('ApiKey');
  }

  protected override verified({ apiKey }: Credentials): unknown {
    return apiKey === undefined ? false : this.verify(apiKey);
  }
}

/** A strategy of passport for HTTP basic authentication (RFC 7617), user and password in UTF-8. */
export class BasicStrategy extends VerifyingStrategy {
  constructor(private readonly verify: Verify<[user: string, password: string]>) {
    super('Basic realm="api", charset="UTF-8"');
  }

  protected override verified({ headers: { authorization = '' } }: Credentials): unknown {
    const pair = Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString();
    const colon = pair.indexOf(':');
    return colon < 0 ? false : this.verify(pair.slice(0, colon), pair.slice(colon + 1));
  }
}
