import { isUtf8 } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose' with {
  'resolution-mode': 'import',
};
import { parseJson } from '../../contract/tools';
import { Problem, type Verify } from '../../contract';
import { resource } from './audience';
import type { Client } from './secrets';
import { discover, type Discovered, fetchJson } from './discovery';
import type { JwtIssuer } from './issuers';
import { KeysUnavailable, remoteKeys } from './jwks';
import { loadJose } from './jose';
import { ALGORITHMS } from './usable-keys';

/** Seconds by which the clocks of the issuer and of this machine may differ. */
const CLOCK_TOLERANCE = 5;
/** The error codes of jose for a bad token. */
const REFUSED = /^ERR_(JWT|JWS|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE|JOSE_ALG|JOSE_NOT_SUPPORTED)/;

/** The accepted values of `typ`: access tokens (RFC 9068 section 2.1) and untyped JWTs (RFC 8725 section 3.11). */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

type Is = (value: unknown) => boolean;
const isText: Is = (value) => typeof value === 'string' && value !== '';
const isString: Is = (value) => typeof value === 'string';
const isTime: Is = (value) => Number.isFinite(value);
const isTexts: Is = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);

type Forms = Readonly<Record<string, Is>>;

/** The valid form of header parameters (RFC 7515 section 4.1, RFC 7519 section 5). jose checks `alg` and `crit`. */
const HEADER = {
  typ: (value) => typeof value === 'string' && ACCESS_TOKEN.test(value),
  cty: isText,
  kid: isText,
  jku: isText,
  jwk: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  x5u: isText,
  x5c: isTexts,
  x5t: isText,
  'x5t#S256': isText,
} satisfies Forms;

/** The valid form of the claims of RFC 7519 section 4.1 and of the scope claims. */
const CLAIMS = {
  iss: isText,
  sub: isText,
  aud: (value) => isText(value) || isTexts(value),
  exp: isTime,
  nbf: isTime,
  iat: isTime,
  jti: isText,
  scope: isString, // RFC 8693 section 4.2; some issuers send an empty string
  scp: (value) => isString(value) || (Array.isArray(value) && value.every(isString)),
} satisfies Forms;

const isWellFormed = (given: object, forms: Forms) =>
  Object.entries(forms).every(([name, is]) => !Object.hasOwn(given, name) || is(Reflect.get(given, name)));

/**
 * Whether a token is written in the one way that all programs read alike: three parts of canonical base64url without padding (RFC 7515
 * section 2, RFC 4648 section 3.5), whose header and claims are UTF-8 without a byte order mark, and JSON without repeated
 * names (RFC 7519 section 4).
 */
function isCanonical(token: string): boolean {
  const texts = token.split('.', 4);
  if (texts.length !== 3) return false; // RFC 7515 section 3.1
  const parts = texts.map((text) => ({ text, bytes: Buffer.from(text, 'base64url') }));
  if (parts.some(({ text, bytes }) => bytes.toString('base64url') !== text)) return false;
  return parts.slice(0, 2).every(({ bytes }) => {
    if (!isUtf8(bytes)) return false;
    try {
      parseJson(bytes.toString(), {}, 'part');
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Verifies a JWT (RFC 7519) that has a subject and an expiration time.
 *
 * @param key that of all tokens, or the function that finds it
 * @param options the accepted algorithms, and what the claims must be
 * @throws what the function throws
 */
export async function verifyJwt(
  token: string,
  key: KeyObject | JWTVerifyGetKey,
  options: JWTVerifyOptions & { readonly algorithms: string[] },
): Promise<Client | false> {
  if (!isCanonical(token)) return false;
  const { jwtVerify } = await loadJose();
  const find: JWTVerifyGetKey = typeof key === 'function' ? key : () => key;
  const demands = { requiredClaims: ['sub', 'exp'], currentDate: new Date(), ...options };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, find, demands);
    return clientOf(protectedHeader, payload);
  } catch (error) {
    if (REFUSED.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Creates the verifier of the JWTs that an issuer has signed for this service. Its promise rejects with a `Problem`
 * (`unavailable`) if the keys of the issuer are not available.
 *
 * @param warn receives what is wrong with a key of the issuer, once
 * @param onDiscovery receives what the issuer publishes about itself, each time that it is fetched
 * @throws {InvalidConfig} if the issuer publishes another name than its URL has
 */
export async function jwtVerifier(
  { source, audience }: JwtIssuer,
  warn: (message: string) => void,
  onDiscovery: (discovered: Discovered) => void = () => undefined,
): Promise<Verify<[token: string], Client>> {
  const { createLocalJWKSet, errors } = await loadJose();
  // jose reads the list after it has the key of a token, so that the list has the issuer which was discovered with that key.
  const issuer = 'issuer' in source ? [source.issuer] : [];
  const locate = async (signal: AbortSignal) => {
    if ('jwksUrl' in source) return source.jwksUrl;
    const discovered = await discover(source.discoveryUrl, signal);
    issuer[0] = discovered.issuer;
    onDiscovery(discovered);
    return discovered.jwksUrl;
  };
  const fetchSet = async (signal: AbortSignal) =>
    fetchJson(await locate(signal), 'application/jwk-set+json, application/json', signal);
  const keys = await remoteKeys(fetchSet, createLocalJWKSet, errors.JWKSNoMatchingKey, warn);
  const options = { issuer, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE };
  return async (token) => {
    try {
      const accepted = [audience, resource.getStore() ?? []].flat();
      return await verifyJwt(token, keys, { ...options, audience: accepted });
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
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
