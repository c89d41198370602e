/** Sends a request again, where that cannot do its work twice. */
import type { Operation } from './plan';
import type { Written } from './request';
import { NoAnswer, UnwritableRequest } from './types';

/** RFC 9110 section 9.2.2, and QUERY. */
const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const KEY = 'idempotency-key';
const TRANSIENT = [429, 502, 503, 504];
/** In milliseconds: a server may ask for a longer wait, and gets no retry then. */
const LONGEST_WAIT = 60_000;

/**
 * How often a request may be sent again. If the operation has a key, the headers get one, which all attempts share.
 *
 * @throws {UnwritableRequest}
 */
export function retriesOf({ method, parameters }: Operation, { headers, body }: Written, retries = 0) {
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= 10))
    throw new UnwritableRequest(`retries: expected 0 to 10, got ${retries}`);
  const hasKey = parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === KEY);
  const isSafe = hasKey || IDEMPOTENT.includes(method);
  // A stream is read once.
  if (retries === 0 || !isSafe || body instanceof ReadableStream) return { most: 0, hasKey };
  if (hasKey && !headers.has(KEY)) headers.set(KEY, crypto.randomUUID());
  return { most: retries, hasKey };
}

export async function sendAgain<T>(
  { most, hasKey }: ReturnType<typeof retriesOf>,
  deadline: number,
  signal: AbortSignal,
  send: () => Promise<Response>,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    let wait = Math.min(10_000, 250 * 2 ** retry) * (0.5 + Math.random() / 2);
    try {
      const response = await send();
      wait = Math.max(wait, retryAfter(response));
      // To a retry, 409 says that the first attempt is in progress.
      const isTransient =
        TRANSIENT.includes(response.status) || (response.status === 409 && hasKey && retry > 0);
      const isTooLong = wait > Math.min(LONGEST_WAIT, deadline - Date.now());
      if (retry === most || isTooLong || !isTransient) return await read(response);
      await response.body?.cancel().catch(() => undefined);
    } catch (error) {
      if (retry === most || !(error instanceof NoAnswer) || signal.aborted) throw error;
    }
    await pause(wait, signal);
  }
}

/** Milliseconds until the time of Retry-After (RFC 9110 section 10.2.3); 0 without one. */
function retryAfter({ headers }: Response): number {
  const field = headers.get('Retry-After') ?? '';
  return (/^\d+$/.test(field) ? Number(field) * 1_000 : Date.parse(field) - Date.now()) || 0;
}

/** Never ends if the signal is aborted: the call has ended then. */
const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
    });
  });
