import type { IncomingMessage } from 'node:http';
import { fieldValue, headerEntries } from '../http/header-field';
import type { Headers } from '../problem';
import type { HookContext, Outcome, Stage } from './exchange';
import type { ValidRequest } from './read-request';

export type { HookContext } from './exchange';

type MaybePromise<T> = T | Promise<T>;

type AfterAuthentication = (context: HookContext) => MaybePromise<Headers | undefined>;
type AfterRejection = (context: HookContext) => MaybePromise<void>;
type BeforeHandler = (context: HookContext, valid: ValidRequest) => MaybePromise<void>;
type AfterResponse<Own extends string> = (
  outcome: Outcome<Own>,
  request: IncomingMessage,
) => MaybePromise<void>;

/** A function, or a list of functions that are called in order. */
type OneOrMore<F> = F | readonly F[] | undefined;

/**
 * Functions of the service that the pipeline calls at the stages of the same names, in the order of each list. All but the last
 * reject a request by throwing a Problem: then no later hook of the request is called. Any other error becomes the problem
 * `unexpected`. The deadline of the request applies to them. Logs and traces name a hook by the name of its function.
 */
export interface Hooks<Own extends string = never> {
  /**
   * Called after the credentials are accepted, before the body is read. Returns headers to add to the response, documented
   * or not. They replace the headers of the same name of earlier hooks and in a response of the handler, but not those of a
   * problem.
   */
  readonly afterAuthentication?: OneOrMore<AfterAuthentication>;
  /**
   * Called when credentials are rejected as invalid (401), which no request with accepted credentials is. Returns nothing, and may
   * throw another Problem instead, such as 429.
   */
  readonly afterRejection?: OneOrMore<AfterRejection>;
  /**
   * Called with the valid request before the handler. Must not change the request. Returns nothing. `valid.body` is what the
   * handler receives: a stream can be read once, so it is left to the handler.
   */
  readonly beforeHandler?: OneOrMore<BeforeHandler>;
  /**
   * Called once for each request, after the response (a stream: after its end) and after `report`. Its errors and rejections
   * go to `reportFault`, and the next hook is called.
   */
  readonly afterResponse?: OneOrMore<AfterResponse<Own>>;
}

/** A hook with its name in logs and traces: `beforeHandler checkTenant`. */
export interface NamedHook<F> {
  readonly name: string;
  readonly call: F;
}

/** The hooks of a service, as lists. Untyped code may return any value from all but the last. */
export interface HookLists<Own extends string> {
  readonly afterAuthentication: readonly NamedHook<(...given: Parameters<AfterAuthentication>) => unknown>[];
  readonly afterRejection: readonly NamedHook<(...given: Parameters<AfterRejection>) => unknown>[];
  readonly beforeHandler: readonly NamedHook<(...given: Parameters<BeforeHandler>) => unknown>[];
  readonly afterResponse: readonly NamedHook<AfterResponse<Own>>[];
}

/** @throws {TypeError} if a hook is not a function */
export const hookLists = <Own extends string>(hooks: Hooks<Own>): HookLists<Own> => ({
  afterAuthentication: named('afterAuthentication', hooks.afterAuthentication),
  afterRejection: named('authenticate', hooks.afterRejection),
  beforeHandler: named('beforeHandler', hooks.beforeHandler),
  afterResponse: named('afterResponse', hooks.afterResponse),
});

/** The name of a hook is that of its stage and of its function; its position stands for a name that tells nothing. */
function named<F extends (...given: never[]) => unknown>(stage: Stage, given: OneOrMore<F>): NamedHook<F>[] {
  const all = [given ?? []].flat() as readonly F[];
  return all.map((call, i) => {
    const at = `#${i + 1}`;
    if (typeof call !== 'function')
      throw new TypeError(`${stage} ${at}: expected a function, got ${typeof call}`);
    const own = call.name === '' || call.name === stage ? [] : [call.name];
    const isUnique =
      all.length === 1 || (own.length > 0 && all.every((other, j) => j === i || other.name !== call.name));
    return { name: [stage, ...own, ...(isUnique ? [] : [at])].join(' '), call };
  });
}

/**
 * Reads the headers that a hook returned, beside those of the hooks before it.
 *
 * @param returned has the returned value first; the values of its properties are added to this list
 * @throws {TypeError} if the value is neither undefined nor an object of valid headers
 */
export function headersOf(
  name: string,
  returned: unknown[],
  earlier: Headers | undefined,
): Headers | undefined {
  const [headers] = returned;
  if (headers === undefined) return earlier;
  if (headers === null) throw new TypeError(`${name}: expected headers or undefined, got null`);
  const entries = headerEntries(headers);
  for (const [, value] of entries) returned.push(value);
  const own = Object.fromEntries(entries.map(([key, value]) => [key, fieldValue(key, value)] as const));
  return earlier ? { ...without(earlier, own), ...own } : own;
}

/** The headers whose names `others` lacks, in any case (RFC 9110 section 5.1). */
export function without(headers: Headers, others: Headers): Headers {
  const names = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
}

/**
 * Checks the result of a hook that must return nothing. Its author may expect `false` to reject the request.
 *
 * @throws {TypeError} unless the result is undefined
 */
export function assertNothing(name: string, returned: unknown): void {
  if (returned === undefined) return;
  throw new TypeError(`${name}: expected undefined or a thrown Problem, got a value`);
}
