import type { IncomingMessage } from 'node:http';
import { fieldValue, headerEntries } from '../http/header-field';
import type { Headers } from '../problem';
import type { HookContext } from './context';
import type { ValidRequest } from './request';
import type { Outcome } from './outcome';

export type { HookContext } from './context';

type MaybePromise<T> = T | Promise<T>;

export type BeforeHandler = (context: HookContext, valid: ValidRequest) => MaybePromise<void>;

/**
 * Functions of the service that the pipeline calls at the stages of the same names. The first two refuse a request by
 * throwing a Problem. Any other error becomes the problem `unexpected`. The deadline of the request applies to them.
 */
export interface Hooks<Own extends string = never> {
  /**
   * Called after the credentials are accepted, before the body is read. Returns headers to add to the response, documented
   * or not. They replace the headers of the same name in a response of the handler, but not those of a problem.
   */
  readonly afterAuthentication?: ((context: HookContext) => MaybePromise<Headers | undefined>) | undefined;
  /** Called with the valid request before the handler. Must not change the request. Returns nothing. */
  readonly beforeHandler?: BeforeHandler | undefined;
  /**
   * Called once for each request, after the response and after `report`. Its errors and rejections go to `reportFault`.
   */
  readonly afterResponse?:
    ((outcome: Outcome<Own>, request: IncomingMessage) => MaybePromise<void>) | undefined;
}

/**
 * Reads the headers that a hook returned.
 *
 * @param returned has the returned value first; the values of its properties are added to this list
 * @throws {TypeError} if the value is neither undefined nor an object of valid headers
 */
export function headersOf(returned: unknown[]): Headers | undefined {
  const [headers] = returned;
  if (headers === undefined) return undefined;
  if (headers === null) throw new TypeError('afterAuthentication: expected headers or undefined, got null');
  const entries = headerEntries(headers);
  for (const [, value] of entries) returned.push(value);
  return Object.fromEntries(entries.map(([name, value]) => [name, fieldValue(name, value)] as const));
}

/**
 * Checks the result of a hook that must return nothing. Its author may expect `false` to refuse the request.
 *
 * @throws {TypeError} unless the result is undefined
 */
export function assertNothing(returned: unknown): void {
  if (returned === undefined) return;
  throw new TypeError('beforeHandler: expected undefined or a thrown Problem, got a value');
}
