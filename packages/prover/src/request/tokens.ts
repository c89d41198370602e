import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { asObject, asString, type Json, type JsonObject } from '../json/tree';

/** Milliseconds that a token may take; after which one is renewed that does not say when it expires; and between renewals. */
const TIMEOUT = 30_000;
const UNKNOWN_LIFETIME = 60_000;
const PAUSE = 1000;

/** A token that is fetched when a run begins, and again before it expires. */
export interface Token {
  /** The security scheme. */
  readonly scheme: string;
  /** That of the begin, which requests are made with. */
  readonly first: string;
  /** @throws {Error} if there is none */
  readonly current: () => Promise<string>;
}

/** Whether the credentials of a scheme are those of a source of tokens. */
export const isSource = ({ command, clientCredentials }: JsonObject): boolean =>
  command !== undefined || clientCredentials !== undefined;

/** @throws {Error} with what went wrong, without a value of the source */
export async function openToken(source: JsonObject, scheme: string): Promise<Token> {
  const { command, clientCredentials } = source;
  let renewAt = 0;
  const fetchToken = async () => {
    const [token, seconds] =
      command === undefined
        ? await byClient(asObject(clientCredentials))
        : [await byCommand(asString(command))];
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('expected a token and nothing else');
    const lifetime = seconds === undefined ? (lifetimeOf(token) ?? UNKNOWN_LIFETIME) : seconds * 1000;
    renewAt = performance.now() + Math.max(PAUSE, lifetime - Math.min(30_000, lifetime / 4));
    return token;
  };
  const renew = () =>
    fetchToken().catch((error: unknown) => {
      throw new Error(`credentials of ${scheme}: ${error instanceof Error ? error.message : String(error)}`);
    });
  let last = renew();
  const current = () => (performance.now() < renewAt ? last : (last = renew()));
  return { scheme, first: await last, current };
}

async function byCommand(command: string): Promise<string> {
  // The message of the error would have the command.
  const run = promisify(execFile)('sh', ['-c', command], { timeout: TIMEOUT }).catch(() => undefined);
  const ended = await run;
  if (!ended) throw new Error('the command failed');
  return ended.stdout.trim();
}

/** The client credentials grant (RFC 6749 section 4.4), with the client in the header (section 2.3.1). */
async function byClient(source: JsonObject): Promise<[token: string, seconds: number | undefined]> {
  const { tokenUrl, clientId, clientSecret, ...parameters } = source as Record<string, string>;
  const client = [clientId, clientSecret].map((text) => encodeURIComponent(text ?? '')).join(':');
  const response = await fetch(tokenUrl ?? '', {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(client)}`, Accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const answer = asObject((await response.json().catch(() => null)) as Json);
  const { access_token: token, expires_in: seconds, error } = answer;
  if (response.ok && typeof token === 'string')
    return [token, Number(seconds) > 0 ? Number(seconds) : undefined];
  throw new Error(`expected a token at tokenUrl, got status ${response.status} ${asString(error)}`);
}

/** The milliseconds in which a JWT expires (RFC 7519 section 4.1.4). */
function lifetimeOf(token: string): number | undefined {
  try {
    const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    const { exp } = asObject(JSON.parse(claims) as Json);
    return typeof exp === 'number' ? exp * 1000 - Date.now() : undefined;
  } catch {
    return undefined;
  }
}
