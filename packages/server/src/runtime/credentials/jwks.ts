import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The keys of the issuer are not available: they could not be fetched, or are no key set. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}

/** Milliseconds that one fetch may take. */
const TIMEOUT = 2000;
/** Milliseconds between two fetches: after a failure, and after a success. */
const PAUSE = 1000;
const COOLDOWN = 30_000;
/** Milliseconds after which keys are refreshed in the background, and after which they are no longer trusted. */
const REFRESH = 300_000;
const MAX_AGE = 600_000;
/** Bytes. A key set with certificates has some ten thousand. */
const MAX_SIZE = 262_144;
/** Sentences about keys that are remembered, so that each is reported once. */
const MAX_TOLD = 1000;
/** Tokens with an unknown key that may wait for keys: anyone can send one, and each holds a request slot. */
const MAX_WAITING = 4;

/**
 * The public keys of an issuer (RFC 7517). They are fetched at the start, when they are old, and when a token names an
 * unknown key. A token with a known key waits only where the keys are too old.
 *
 * @param url the URL of the key set
 * @param createKeys reads a key set
 * @param NoSuchKey the error that `createKeys`'s result throws if the key set lacks the key of a token
 * @param warn receives what is wrong with a key, once
 * @returns a function that rejects with `NoSuchKey`, or with `KeysUnavailable`
 */
export async function remoteKeys(
  url: URL,
  createKeys: CreateKeys,
  NoSuchKey: new () => Error,
  warn: (message: string) => void,
): Promise<(...token: Parameters<Keys>) => ReturnType<Keys>> {
  let current: { readonly keys: Keys; readonly since: number } | undefined;
  let failedAt = -Infinity;
  let fetching: Promise<Keys> | undefined;
  let waiting = 0;
  const told = new Set<string>();
  const warnOnce = (message: string) => {
    if (told.has(message)) return;
    if (told.size === MAX_TOLD) told.clear();
    told.add(message);
    warn(message);
  };

  const fetchKeys = async () => {
    try {
      await sleep(Math.max(0, failedAt + PAUSE - performance.now()));
      const usable = await usableKeys(await fetchJson(url), createKeys, warnOnce);
      const keys = createKeys(usable as JSONWebKeySet);
      current = { keys, since: performance.now() };
      return keys;
    } catch (error) {
      failedAt = performance.now();
      throw new KeysUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
    } finally {
      fetching = undefined;
    }
  };
  const refresh = () => (fetching ??= fetchKeys());

  async function fetched(): Promise<Keys> {
    if (waiting >= MAX_WAITING)
      throw new KeysUnavailable(`${MAX_WAITING} tokens are already waiting for the keys of the issuer`);
    waiting++;
    try {
      return await refresh();
    } finally {
      waiting--;
    }
  }

  await refresh().catch(() => undefined); // the next token tries again
  return async (...token) => {
    const age = current ? performance.now() - current.since : Infinity;
    if (!current) return (await fetched())(...token);
    if (age > MAX_AGE) {
      // The key that a token names was one of the issuer's: such tokens wait, however many, for the one fetch.
      const wasKnown = await current.keys(...token).then(
        () => true,
        () => false,
      );
      return (await (wasKnown ? refresh() : fetched()))(...token);
    }
    if (age > REFRESH) refresh().catch(() => undefined);
    try {
      return await current.keys(...token);
    } catch (error) {
      if (!(error instanceof NoSuchKey) || age < COOLDOWN) throw error;
    }
    return (await fetched())(...token);
  };
}

/** @throws {Error} if the response is not JSON, is late, or is too large */
async function fetchJson(url: URL): Promise<unknown> {
  const headers = { Accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`expected the keys of the issuer, got status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    // Leaving the loop cancels the rest of the download.
    if (size > MAX_SIZE) throw new Error(`expected keys of at most ${MAX_SIZE} bytes, got more`);
    chunks.push(bytes);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
