import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONWebKeySet } from 'jose' with { 'resolution-mode': 'import' };
import { InvalidConfig } from '../config';
import { type CreateKeys, type Keys, usableKeys } from './usable-keys';

/** The keys of the issuer are not available: they could not be fetched, or are no key set. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}

/** Milliseconds that a fetch of keys may take, with that of the configuration of their issuer before it. */
const TIMEOUT = 2000;
/** Milliseconds between two fetches: after a failure, and after a success. */
const PAUSE = 1000;
const COOLDOWN = 5000;
/** Milliseconds after which keys are refreshed in the background, and after which they are no longer trusted. */
const REFRESH = 60_000;
const MAX_AGE = 600_000;
/** Sentences about keys that are remembered, so that each is reported once. */
const MAX_TOLD = 1000;
/** Tokens that may wait for keys: anyone can send one, and each holds a request slot. */
const MAX_WAITING = 4;

/**
 * The public keys of an issuer (RFC 7517). They are fetched at the start, when they are old, and when a token names an
 * unknown key. A token with a known key does not wait, while the issuer is away either. Strangers who name unknown keys cannot
 * keep a new key of the issuer out: what they cause is a fetch, at most one each `COOLDOWN`.
 *
 * `createRemoteJWKSet` of jose does not bound the tokens that wait, fetches for each unknown key while the issuer is away, and
 * fetches known keys only when they are too old to serve meanwhile.
 *
 * @param fetchSet fetches the key set; that it rejects with an `InvalidConfig` at the start is not for later
 * @param createKeys reads a key set
 * @param NoSuchKey the error that `createKeys`'s result throws if the key set lacks the key of a token
 * @param warn receives what is wrong with a key, once
 * @returns a function that rejects with `NoSuchKey`, or with `KeysUnavailable`
 * @throws {InvalidConfig} if `fetchSet` does at the start
 */
export async function remoteKeys(
  fetchSet: (signal: AbortSignal) => Promise<unknown>,
  createKeys: CreateKeys,
  NoSuchKey: new () => Error,
  warn: (message: string) => void,
): Promise<(...token: Parameters<Keys>) => ReturnType<Keys>> {
  let current: { readonly keys: Keys; readonly since: number } | undefined;
  let failedAt: number | undefined;
  let fetching: Promise<Keys> | undefined;
  let waiting = 0;
  const warnOnce = once(warn);

  const fetchKeys = async () => {
    try {
      if (failedAt !== undefined) await sleep(Math.max(0, failedAt + PAUSE - performance.now()));
      const usable = await usableKeys(await fetchSet(AbortSignal.timeout(TIMEOUT)), createKeys, warnOnce);
      const keys = createKeys(usable as JSONWebKeySet);
      current = { keys, since: performance.now() };
      failedAt = undefined;
      return keys;
    } catch (error) {
      failedAt = performance.now();
      throw new KeysUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
    } finally {
      fetching = undefined;
    }
  };
  const refresh = () => (fetching ??= fetchKeys());

  /** The same for few tokens at a time. */
  async function refreshForFew(): Promise<Keys> {
    if (waiting >= MAX_WAITING)
      throw new KeysUnavailable(`${MAX_WAITING} tokens are already waiting for the keys of the issuer`);
    waiting++;
    try {
      return await refresh();
    } finally {
      waiting--;
    }
  }

  /** Whether the key that a token names was one of the issuer's. */
  const wasKnown = async (keys: Keys, token: Parameters<Keys>) => {
    try {
      await keys(...token);
      return true;
    } catch {
      return false;
    }
  };

  await refresh().catch((error: unknown) => {
    if (error instanceof KeysUnavailable && error.cause instanceof InvalidConfig) throw error.cause;
    const reason = error instanceof Error ? error.message : String(error);
    warn(`requests with JWTs get 503 until the keys of their issuer can be fetched: ${reason}`); // the next one tries again
  });
  return async (...token) => {
    if (!current) return (await refreshForFew())(...token);
    const age = performance.now() - current.since;
    if (age > MAX_AGE) {
      // After idle minutes the tokens of the issuer wait, however many; but not while it is away.
      const isFirst = failedAt === undefined && (await wasKnown(current.keys, token));
      return (await (isFirst ? refresh() : refreshForFew()))(...token);
    }
    if (age > REFRESH) refresh().catch(() => undefined);
    try {
      return await current.keys(...token);
    } catch (error) {
      if (!(error instanceof NoSuchKey) || age < COOLDOWN) throw error;
    }
    return (await refreshForFew())(...token);
  };
}

/** Tells each message once, as far as it remembers. */
function once(tell: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    if (told.size === MAX_TOLD) told.clear();
    told.add(message);
    tell(message);
  };
}
