import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Text that is safe in a log line and in a header. */
const WELL_FORMED = /^[\w.~+/=:-]{1,128}$/;
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-|$)/;

/** The id of a request: its well-formed X-Request-Id, otherwise its W3C trace id, otherwise a new UUID. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && WELL_FORMED.test(given)) return given;
  const trace = headers['traceparent'];
  if (typeof trace === 'string') return TRACEPARENT.exec(trace)?.[1] ?? randomUUID();
  return randomUUID();
}
