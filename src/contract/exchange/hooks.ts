import type { IncomingMessage } from 'node:http';
import { fieldValue, headerEntries } from '../http/header-field';
import type { Headers } from '../problem';
import type { HookContext } from './context';
import type { ValidRequest } from './request';
import type { Outcome } from './outcome';

export type { HookContext } from './context';

type MayWait<T> = T | Promise<T>;

export type BeforeHandler = (context: HookContext, valid: ValidRequest) => MayWait<void>;

/**
 * Functions of the service that the pipeline calls at the stages of the same names. The first two refuse a request by
 * throwing a Problem; whatever else they throw is answered as unexpected. The deadline of the request bounds them.
 */
export interface Hooks<Own extends string = never> {
  /**
   * Called once the credentials are accepted, before anything of the body is read. Returns headers that go with the
   * answer, whichever it is, documented or not; of the headers of that answer they replace those of the same name.
   */
  readonly afterAuthentication?: ((context: HookContext) => MayWait<Headers | undefined>) | undefined;
  /** Called with the valid request, which it must not change, before the handler. Returns nothing. */
  readonly beforeHandler?: BeforeHandler | undefined;
  /**
   * Called once for each request, after its answer and after `report`; it can change nothing. What it throws or rejects
   * with is reported as a fault.
   */
  readonly afterResponse?: ((outcome: Outcome<Own>, request: IncomingMessage) => MayWait<void>) | undefined;
}

/**
 * The headers that a hook has returned.
 *
 * @param returned what it has returned; the values that were read in it are added
 * @throws {TypeError} if they are anything else than headers that can be sent
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
 * Nothing else is taken for a consent: `false` may be meant as a refusal.
 *
 * @throws {TypeError} unless a hook has returned undefined
 */
export function assertNothing(returned: unknown): void {
  if (returned === undefined) return;
  throw new TypeError('beforeHandler: expected undefined or a thrown Problem, got a value');
}
