import { setTimeout as sleep } from 'node:timers/promises';
import type { createLocalJWKSet, JSONWebKeySet } from 'jose' with { 'resolution-mode': 'import' };

/** Finds the key of a token, by its header. */
type Keys = ReturnType<typeof createLocalJWKSet>;

/** Milliseconds. */
const TIMEOUT = 2000;
/** Between two requests for the keys, if the first of them failed; and if it did not. */
const PAUSE = 1000;
const COOLDOWN = 30_000;
/** The age at which keys are fetched anew, in the background, and at which they are not trusted any longer. */
const REFRESH = 300_000;
const MAX_AGE = 600_000;
/** Bytes. Sets of keys, with certificates, have some ten thousand. */
const MAX_SIZE = 262_144;
/** Tokens that may wait for keys: anybody can send one of a key that nobody knows, and each holds a place of a request. */
const MAX_WAITING = 4;

/**
 * The public keys of an issuer (RFC 7517), which are fetched at once, when they are old, and when a token names another
 * one. Tokens of a known key never wait.
 *
 * @param url of the set
 * @param createKeys reads a set
 * @param NoSuchKey what it throws for a token whose key is not in the set
 * @returns a function that rejects with `NoSuchKey`, or with another error if the keys cannot be had now
 */
export async function remoteKeys(
  url: URL,
  createKeys: (set: JSONWebKeySet) => Keys,
  NoSuchKey: new () => Error,
): Promise<(...token: Parameters<Keys>) => ReturnType<Keys>> {
  let current: { readonly keys: Keys; readonly since: number } | undefined;
  let failedAt = -Infinity;
  let fetching: Promise<Keys> | undefined;
  let waiting = 0;

  const fetchKeys = async () => {
    try {
      await sleep(Math.max(0, failedAt + PAUSE - performance.now()));
      const keys = createKeys((await fetchJson(url)) as JSONWebKeySet);
      current = { keys, since: performance.now() };
      return keys;
    } catch (error) {
      failedAt = performance.now();
      throw error;
    } finally {
      fetching = undefined;
    }
  };
  const refresh = () => (fetching ??= fetchKeys());

  async function fetched(): Promise<Keys> {
    if (waiting >= MAX_WAITING)
      throw new Error(`${MAX_WAITING} tokens wait for the keys of the issuer already`);
    waiting++;
    try {
      return await refresh();
    } finally {
      waiting--;
    }
  }

  await refresh().catch(() => undefined); // whoever needs them tries again
  return async (...token) => {
    const age = current ? performance.now() - current.since : Infinity;
    if (!current || age > MAX_AGE) return (await fetched())(...token);
    if (age > REFRESH) refresh().catch(() => undefined);
    try {
      return await current.keys(...token);
    } catch (error) {
      if (!(error instanceof NoSuchKey) || age < COOLDOWN) throw error;
    }
    return (await fetched())(...token);
  };
}

/** @throws {Error} unless the answer is JSON, in time and of the permitted size */
async function fetchJson(url: URL): Promise<unknown> {
  const headers = { Accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`expected the keys of the issuer, got status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    // Leaving the loop cancels the rest.
    if (size > MAX_SIZE) throw new Error(`expected keys of at most ${MAX_SIZE} bytes, got more`);
    chunks.push(bytes);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
