import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { createLocalJWKSet, JSONWebKeySet } from 'jose' with { 'resolution-mode': 'import' };

/** Finds the key of a token by the header of the token. */
export type Keys = ReturnType<typeof createLocalJWKSet>;
export type CreateKeys = (set: JSONWebKeySet) => Keys;

/** Asymmetric signatures only (RFC 7518 section 3.1, RFC 8037): a public key must never serve as a shared secret. */
export const ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((family) =>
  [256, 384, 512].map((bits) => `${family}${bits}`),
);
ALGORITHMS.push('EdDSA', 'Ed25519');

/** Bits of the modulus of an RSA key (RFC 7518 section 3.3). */
const MIN_RSA = 2048;

/**
 * Leaves out the keys of a key set that cannot verify a token, as RFC 7517 section 5 recommends: anyone can name them in a
 * token.
 *
 * @param warn receives what is wrong with a key, in a sentence
 * @returns other values as they are
 */
export async function usableKeys(
  set: unknown,
  create: CreateKeys,
  warn: (message: string) => void,
): Promise<unknown> {
  if (typeof set !== 'object' || set === null || !('keys' in set) || !Array.isArray(set.keys)) return set;
  const keys: unknown[] = [];
  for (const [i, jwk] of (set.keys as unknown[]).entries()) {
    const fault = keyFault(jwk) ?? (await importFault(jwk, create));
    if (fault === undefined) keys.push(jwk);
    else warn(`the key ${nameOf(jwk, i)} of the issuer is not used: it ${fault}`);
  }
  return { ...set, keys };
}

function nameOf(jwk: unknown, index: number): string {
  const kid: unknown = typeof jwk === 'object' && jwk !== null && 'kid' in jwk ? jwk.kid : undefined;
  return typeof kid === 'string' ? JSON.stringify(kid.slice(0, 100)) : `at index ${index}`;
}

/** What is wrong with a key; undefined if nothing was found. */
function keyFault(jwk: unknown): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return 'is not a JSON object';
  const { kty, use, key_ops: uses, alg } = jwk as Readonly<Record<string, unknown>>;
  if (kty === 'oct') return 'is a shared secret';
  if ('d' in jwk) return 'is a private key, which only the issuer may have';
  if (use !== undefined && use !== 'sig') return 'is not for signatures, by its "use"';
  if (uses !== undefined && !(Array.isArray(uses) && uses.includes('verify')))
    return 'is not for the verification of signatures, by its "key_ops"';
  if (alg !== undefined && !ALGORITHMS.some((each) => each === alg))
    return `is for an algorithm other than ${ALGORITHMS.join(', ')}`;
  const bits = publicKey(jwk)?.asymmetricKeyDetails?.modulusLength;
  return bits !== undefined && bits < MIN_RSA ? `has ${bits} bits, expected ${MIN_RSA} or more` : undefined;
}

function publicKey(jwk: object): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

async function importFault(jwk: unknown, create: CreateKeys): Promise<string | undefined> {
  for (const alg of ALGORITHMS) {
    try {
      await create({ keys: [jwk] } as JSONWebKeySet)({ alg });
      return undefined;
    } catch {
      // tried with the next algorithm
    }
  }
  return 'is not a public key for any accepted algorithm';
}
