/** Calls operations by `fetch`. */
import { readAnswer } from './answer';
import type { Operation, Plans, Scheme } from './plan';
import { Reader } from './read';
import { type AnyRequest, type Written, writeRequest } from './request';
import { retriesOf, sendAgain } from './retry';
import { type ClientOptions, NoAnswer, type Secret, UnwritableRequest } from './types';

interface User {
  readonly username: string;
  readonly password: string;
}

/** By the name of the security scheme. */
type AnyCredentials = Readonly<Record<string, Secret<string | User> | undefined>>;

/** In milliseconds: the default timeout, and the longest that a timer takes. */
const [TIMEOUT, LONGEST_TIMEOUT] = [60_000, 2 ** 31 - 1];

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
      const timeout = timeoutOf(given, options);
      const deadline = Date.now() + timeout;
      const ended = new AbortController();
      const end = () => {
        ended.abort(new NoAnswer(`${operation.id}: no response within ${timeout} ms`));
      };
      const timer = timeout === Infinity ? undefined : setTimeout(end, timeout);
      const signal = AbortSignal.any([ended.signal, ...(given.signal ? [given.signal] : [])]);
      const failed = (error: unknown): unknown =>
        signal.aborted
          ? signal.reason
          : new NoAnswer(`${operation.id}: ${base} sent no complete response`, { cause: error });
      const answered = async () => {
        const secrets = await secretsOf(operation, schemes, (options.credentials ?? {}) as AnyCredentials);
        const written = await writeRequest(operation, base, request, secrets);
        const retries = retriesOf(operation, written, given.retries ?? options.retries);
        const sendOnce = async () => {
          const sent = requestOf(operation.id, written, signal);
          try {
            return await send(sent);
          } catch (error) {
            throw failed(error);
          }
        };
        return sendAgain(retries, deadline, signal, sendOnce, (response) =>
          readAnswer(operation, response, reader, failed),
        );
      };
      // A function of the caller, such as its own fetch, may not know the signal.
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
      try {
        signal.throwIfAborted();
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
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new UnwritableRequest(
    `baseUrl: expected a URL such as https://api.example.org, got ${JSON.stringify(url)}`,
  );
}

/** @throws {UnwritableRequest} */
function timeoutOf(given: AnyRequest, options: AnyRequest): number {
  const timeout = given.timeout ?? options.timeout ?? TIMEOUT;
  if (timeout > 0 && (timeout <= LONGEST_TIMEOUT || timeout === Infinity)) return timeout;
  throw new UnwritableRequest(`timeout: expected 1 to ${LONGEST_TIMEOUT} ms or Infinity, got ${timeout}`);
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
  if (username.includes(':')) throw new UnwritableRequest('credentials: a user name cannot contain a colon');
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
}

/** Redirects are answers: to follow one would send credentials elsewhere. */
function requestOf(id: string, { method, url, headers, body }: Written, signal: AbortSignal): Request {
  let request: Request;
  try {
    const init = { method, headers, signal, redirect: 'manual', duplex: 'half', body: body ?? null } as const;
    request = new Request(url, init);
  } catch (error) {
    const what = body === undefined ? method : `${method} with a body`;
    throw new UnwritableRequest(`${id}: this platform cannot send ${what}`, { cause: error });
  }
  for (const name of headers.keys())
    if (!request.headers.has(name))
      throw new UnwritableRequest(`${id}: browsers do not let programs set the header ${name}`);
  return request;
}
