import { InvalidConfig } from '../config';

/** What an issuer publishes about itself (OpenID Connect Discovery 1.0 section 3). */
export interface Discovered {
  readonly issuer: string;
  readonly jwksUrl: URL;
  /** Where clients exchange a code for a token; undefined if it publishes no URL. */
  readonly tokenUrl: URL | undefined;
}

/** Bytes. A key set with certificates has some ten thousand. */
const MAX_SIZE = 262_144;
/** The end of the URL of an OpenID configuration (OpenID Connect Discovery 1.0 section 4), after the name of the issuer. */
const CONFIGURATION = /^(https?:\/\/[^?#]*)\/\.well-known\/openid-configuration(?:\?[^#]*)?$/;

/**
 * What is wrong with a URL from which keys, or the URL of keys, are fetched.
 *
 * @returns the expectation and what a message may show in place of the URL; undefined if nothing is wrong
 */
export function urlFault(text: string): readonly [expected: string, got?: string] | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // fetch() rejects URLs with credentials, and they must not reach the log.
  if (url && url.username + url.password !== '') return ['a URL without credentials', 'one with credentials'];
  // An attacker on the network can replace what is fetched without TLS.
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname));
  return isSafe ? undefined : ['an https:// URL (http:// on this machine only)'];
}

/** The same for the URL of an OpenID configuration, which begins with the name of its issuer. */
export const discoveryFault = (text: string): ReturnType<typeof urlFault> =>
  urlFault(text) ??
  (CONFIGURATION.test(text) ? undefined : ['a URL that ends in /.well-known/openid-configuration']);

/** The name of the issuer in the URL of its configuration. */
export const issuerOf = (url: string): string => CONFIGURATION.exec(url)?.[1] ?? url;

/**
 * Fetches the configuration of an issuer.
 *
 * @param url one without a `discoveryFault`
 * @throws {InvalidConfig} if the issuer is another one than the URL names, or its keys have no safe URL
 * @throws {Error} if the issuer is not available
 */
export async function discover(url: string, signal: AbortSignal): Promise<Discovered> {
  const fetched = await fetchJson(new URL(url), 'application/json', signal);
  if (typeof fetched !== 'object' || fetched === null || Array.isArray(fetched))
    throw new Error(`${url}: expected a JSON object`);
  const { issuer, jwks_uri: keys, token_endpoint: token } = fetched as Readonly<Record<string, unknown>>;
  const name = CONFIGURATION.exec(url)?.[1];
  // A slash at the end of the name is not in the URL (section 4.1). Otherwise they are identical (section 4.3).
  if (typeof issuer !== 'string' || issuer.replace(/\/$/, '') !== name)
    throw new InvalidConfig(
      `${url}: expected the issuer ${JSON.stringify(name)}, got ${shown(issuer)}; only its own name and keys can be discovered`,
    );
  const fault = typeof keys === 'string' ? urlFault(keys) : ['a text'];
  const isWeaker = typeof keys === 'string' && /^https:/i.test(url) && !/^https:/i.test(keys);
  if (typeof keys !== 'string' || fault || isWeaker)
    throw new InvalidConfig(
      `${url}: expected the jwks_uri to be ${fault?.[0] ?? 'an https:// URL'}, got ${fault?.[1] ?? shown(keys)}`,
    );
  const tokenUrl = typeof token === 'string' && !urlFault(token) ? new URL(token) : undefined;
  return { issuer, jwksUrl: new URL(keys), tokenUrl };
}

const shown = (value: unknown): string =>
  value === undefined ? 'none' : JSON.stringify(value).slice(0, 300);

/** @throws {Error} if the response is not JSON, is late, redirects, or is too large */
export async function fetchJson(url: URL, accept: string, signal: AbortSignal): Promise<unknown> {
  const options = { headers: { Accept: accept }, redirect: 'error', signal } as const;
  const response = await fetch(url, options).catch((error: unknown) => {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`${url.href}: ${reason instanceof Error ? reason.message : String(reason)}`);
  });
  if (!response.ok) throw new Error(`${url.href}: expected success, got status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    // Leaving the loop cancels the rest of the download.
    if (size > MAX_SIZE) throw new Error(`${url.href}: expected at most ${MAX_SIZE} bytes, got more`);
    chunks.push(bytes);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
