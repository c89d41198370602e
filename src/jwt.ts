import type { JWTHeaderParameters, JWTPayload } from 'jose' with { 'resolution-mode': 'import' };
import type { Client, Verify } from './auth';
import { Problem } from './contract';
import { remoteKeys } from './jwks';

export interface JwtIssuer {
  /** Where its public keys are (RFC 7517). */
  readonly jwksUrl: URL;
  readonly issuer: string;
  /** This service, as the issuer calls it. */
  readonly audience: string;
}

/** Seconds that the clocks of the issuer and of this machine may be apart. */
const CLOCK_TOLERANCE = 5;
/** Asymmetric signatures (RFC 7518 section 3.1, RFC 8037): a public key must never serve as a shared secret. */
const ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`));
ALGORITHMS.push('EdDSA', 'Ed25519');
/** What makes a token bad, by the codes of jose; anything else means that the keys cannot be had. */
const REFUSED = /^ERR_(JWT|JWS|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE|JOSE_ALG|JOSE_NOT_SUPPORTED)/;

/** Access tokens (RFC 9068 section 2.1) or JWTs that do not say what for (RFC 8725 section 3.11), and no others. */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

type Is = (value: unknown) => boolean;
const isText: Is = (value) => typeof value === 'string' && value !== '';
const isString: Is = (value) => typeof value === 'string';
const isTime: Is = (value) => Number.isFinite(value);
const isTexts: Is = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);

/** The form of what a header may hold (RFC 7515 section 4.1, RFC 7519 section 5); `alg` and `crit` are left to jose. */
const HEADER: Readonly<Record<string, Is>> = {
  typ: (value) => typeof value === 'string' && ACCESS_TOKEN.test(value),
  cty: isText,
  kid: isText,
  jku: isText,
  jwk: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  x5u: isText,
  x5c: isTexts,
  x5t: isText,
  'x5t#S256': isText,
};

/** The form of the claims that RFC 7519 section 4.1 registers, and of those that hold scopes. */
const CLAIMS: Readonly<Record<string, Is>> = {
  iss: isText,
  sub: isText,
  aud: (value) => isText(value) || isTexts(value),
  exp: isTime,
  nbf: isTime,
  iat: isTime,
  jti: isText,
  scope: isString, // RFC 8693 section 4.2; some issuers write an empty one
  scp: (value) => isString(value) || (Array.isArray(value) && value.every(isString)),
};

const isWellFormed = (given: object, forms: Readonly<Record<string, Is>>) =>
  Object.entries(forms).every(([name, is]) => !Object.hasOwn(given, name) || is(Reflect.get(given, name)));

/**
 * Verifies JWTs (RFC 7519) that an issuer has signed for this service and that tell their subject and their expiry. The
 * promise rejects with a `Problem` (`unavailable`) where the keys of the issuer cannot be had.
 */
export async function jwtVerifier({ jwksUrl, issuer, audience }: JwtIssuer): Promise<Verify> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose'); // an ES module, loaded only where it is used
  const keys = await remoteKeys(jwksUrl, createLocalJWKSet, errors.JWKSNoMatchingKey);
  const options = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['sub', 'exp'],
    clockTolerance: CLOCK_TOLERANCE,
  };
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, options);
      return clientOf(protectedHeader, payload);
    } catch (error) {
      if (REFUSED.test((error as NodeJS.ErrnoException).code ?? '')) return false;
      const retry = { 'Retry-After': '1' };
      throw new Problem('unavailable', 'tokens cannot be verified now', retry, { cause: error });
    }
  };
}

function clientOf(header: Partial<JWTHeaderParameters>, payload: JWTPayload): Client | false {
  const { sub } = payload;
  if (sub === undefined || !isWellFormed(header, HEADER) || !isWellFormed(payload, CLAIMS)) return false;
  const given = (payload['scope'] ?? payload['scp'] ?? []) as string | readonly string[];
  const scopes = [given].flat().flatMap((text) => text.split(' '));
  return { id: sub, scopes: scopes.filter((scope) => scope !== '') };
}
