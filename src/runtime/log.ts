import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Logger, pino } from 'pino';

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

/** Logs to standard output: one JSON object a line, or readable lines on a terminal. */
export function createLog(level: string): Logger {
  const options = { level, base: null };
  if (process.stdout.isTTY) return pino({ ...options, transport: { target: 'pino-pretty' } });
  return pino({ ...options, formatters: { level: (label) => ({ level: label }) } }, standardOutput());
}

/** Collects the lines of one turn of the event loop into a single write: a write costs more than a line. */
function standardOutput() {
  let lines = '';
  const flush = () => {
    process.stdout.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  // A closed pipe must not end the server.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return {
    write(line: string) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
