import { Strategy } from 'passport';
import type { Credentials } from './security';

/** Resolves with who the credentials are of, or with false; rejects if that cannot be found out. */
type Verify<Parts extends unknown[]> = (...parts: Parts) => Promise<unknown>;

abstract class VerifyingStrategy extends Strategy {
  constructor(private readonly challenge: string) {
    super();
  }

  /** Who sent the credentials, false for nobody. */
  protected abstract verified(credentials: Credentials): Promise<unknown>;

  override authenticate(credentials: object): void {
    this.verified(credentials as Credentials).then(
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

  protected override verified({ apiKey }: Credentials): Promise<unknown> {
    return apiKey === undefined ? Promise.resolve(false) : this.verify(apiKey);
  }
}

/** A strategy of passport for HTTP basic authentication (RFC 7617), user and password in UTF-8. */
export class BasicStrategy extends VerifyingStrategy {
  constructor(private readonly verify: Verify<[user: string, password: string]>) {
    super('Basic realm="api", charset="UTF-8"');
  }

  protected override verified({ headers: { authorization = '' } }: Credentials): Promise<unknown> {
    const pair = Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString();
    const colon = pair.indexOf(':');
    return colon < 0 ? Promise.resolve(false) : this.verify(pair.slice(0, colon), pair.slice(colon + 1));
  }
}
