/** Calls operations by `fetch`. */
import { readAnswer } from './answer';
import type { Operation, Scheme, Shape } from './plan';
import { Reader } from './read';
import { type AnyRequest, type Written, writeRequest } from './request';
import { type ClientOptions, NoAnswer, type Secret, UnwritableRequest } from './types';

/** The plans of a document. */
interface Plans {
  readonly operations: readonly Operation[];
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly shapes: readonly Shape[];
}

interface User {
  readonly username: string;
  readonly password: string;
}

/** By the name of the security scheme. */
type AnyCredentials = Readonly<Record<string, Secret<string | User> | undefined>>;

const SAFE = ['GET', 'HEAD', 'OPTIONS', 'QUERY'];
const AGAIN = [429, 502, 503, 504];
/** In milliseconds: the default timeout, the longest that a timer takes, and the longest wait before a retry. */
const [TIMEOUT, LONGEST_TIMEOUT, LONGEST_WAIT] = [60_000, 2 ** 31 - 1, 30_000];
const MOST_RETRIES = 10;

/** The functions of a client, by operationId. */
export function connect(plans: Plans, options: ClientOptions<object>): object {
  const { operations, schemes } = plans;
  const base = baseOf(options.baseUrl);
  const reader = new Reader(plans.shapes);
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const callOf =
    (operation: Operation) =>
    async (given: AnyRequest = {}): Promise<unknown> => {
      const request: AnyRequest = { ...given, headers: { ...options.headers, ...given.headers } };
      const { timeout, retries } = limitsOf(given, options);
      const ended = new AbortController();
      const end = () => {
        ended.abort(new NoAnswer(`${operation.id}: no answer within ${timeout} ms`));
      };
      const timer = timeout === Infinity ? undefined : setTimeout(end, timeout);
      const signal = AbortSignal.any([ended.signal, ...(given.signal ? [given.signal] : [])]);
      const failed = (error: unknown): unknown =>
        signal.aborted
          ? signal.reason
          : new NoAnswer(`${operation.id}: ${base} did not answer, or not to the end`, { cause: error });
      const answered = async () => {
        const secrets = await secretsOf(operation, schemes, (options.credentials ?? {}) as AnyCredentials);
        const written = await writeRequest(operation, base, request, secrets);
        const response = await sendAgain(operation, written, send, signal, retries, failed);
        return readAnswer(operation, response, reader, failed);
      };
      // A function of the caller, such as its own fetch, may not know the signal.
      const aborted = new Promise<never>((_, reject) => {
        const abort = () => {
          reject(signal.reason as Error);
        };
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      });
      try {
        return await Promise.race([aborted, answered()]);
      } finally {
        clearTimeout(timer);
      }
    };
  return Object.fromEntries(operations.map((one) => [one.id, callOf(one)]));
}

/** @throws {UnwritableRequest} */
function baseOf(given: string): string {
  const { username, password, search, hash, href } = urlOf(given);
  if (`${username}${password}${search}${hash}` === '') return href.replace(/\/$/, '');
  throw new UnwritableRequest('baseUrl: expected a URL without credentials, query and fragment');
}

function urlOf(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new UnwritableRequest(
      `baseUrl: expected a URL such as https://api.example.org, got ${JSON.stringify(url)}`,
    );
  }
}

/** @throws {UnwritableRequest} */
function limitsOf(
  given: AnyRequest,
  options: AnyRequest,
): { readonly timeout: number; readonly retries: number } {
  const timeout = given.timeout ?? options.timeout ?? TIMEOUT;
  const retries = given.retries ?? options.retries ?? 0;
  if (!(timeout > 0 && (timeout <= LONGEST_TIMEOUT || timeout === Infinity)))
    throw new UnwritableRequest(`timeout: expected 1 to ${LONGEST_TIMEOUT} ms or Infinity, got ${timeout}`);
  if (!Number.isInteger(retries) || retries < 0 || retries > MOST_RETRIES)
    throw new UnwritableRequest(`retries: expected 0 to ${MOST_RETRIES}, got ${retries}`);
  return { timeout, retries };
}

/** The secrets of the first alternative of which each is there; none if there is no such alternative. */
async function secretsOf(
  { security }: Operation,
  schemes: Plans['schemes'],
  credentials: AnyCredentials,
): Promise<readonly (readonly [Scheme, string])[]> {
  for (const alternative of security) {
    const found: (readonly [Scheme, string])[] = [];
    for (const name of alternative) {
      const scheme = schemes[name];
      const given = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
      const secret = typeof given === 'function' ? await given() : given;
      if (scheme?.kind === 'connection') found.push([scheme, '']);
      else if (scheme && secret !== undefined && secret !== '')
        found.push([scheme, typeof secret === 'string' ? secret : basic(secret)]);
    }
    if (found.length > 0 && found.length === alternative.length)
      return found.filter(([{ kind }]) => kind !== 'connection');
  }
  return [];
}

/** RFC 7617 section 2, in UTF-8. */
function basic({ username, password }: User): string {
  if (username.includes(':')) throw new UnwritableRequest('credentials: no user name has a colon');
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
}

/** Sends a request, and again after what a later attempt may mend. */
async function sendAgain(
  { id }: Operation,
  written: Written,
  send: (request: Request) => Promise<Response>,
  signal: AbortSignal,
  retries: number,
  failed: (error: unknown) => unknown,
): Promise<Response> {
  const again = SAFE.includes(written.method) && !(written.body instanceof ReadableStream) ? retries : 0;
  for (let attempt = 0; ; attempt++) {
    let response: Response | undefined;
    try {
      response = await send(requestOf(id, written, signal));
    } catch (error) {
      if (error instanceof UnwritableRequest) throw error;
      if (signal.aborted || attempt >= again) throw failed(error);
    }
    const wait = waitOf(response, attempt);
    if (response && (attempt >= again || !AGAIN.includes(response.status) || wait > LONGEST_WAIT))
      return response;
    await response?.body?.cancel();
    await pause(wait, signal);
  }
}

/** Redirects are answers: to follow one would send credentials elsewhere. */
function requestOf(id: string, { method, url, headers, body }: Written, signal: AbortSignal): Request {
  let request: Request;
  try {
    const init = { method, headers, signal, redirect: 'manual', duplex: 'half', body: body ?? null } as const;
    request = new Request(url, init);
  } catch (error) {
    const what = body === undefined ? method : `${method} with a body`;
    throw new UnwritableRequest(`${id}: this platform sends no ${what}`, { cause: error });
  }
  for (const name of headers.keys())
    if (!request.headers.has(name))
      throw new UnwritableRequest(`${id}: a browser lets no program set the header ${name}`);
  return request;
}

/** The milliseconds before the next attempt: those of Retry-After (RFC 9110 section 10.2.3), or twice as many each time. */
function waitOf(response: Response | undefined, attempt: number): number {
  const field = response?.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(field)) return Number(field) * 1_000;
  const date = Date.parse(field);
  if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  return 100 * 2 ** attempt * (0.5 + Math.random() / 2);
}

/** @throws the reason of the signal */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
