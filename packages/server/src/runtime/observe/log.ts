import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { type Logger, pino, stdSerializers } from 'pino';
import type * as PinoPretty from 'pino-pretty';

/**
 * Logs to standard output: one JSON object a line, or readable lines on a terminal.
 *
 * @param worker its number, which is in each line
 */
export function createLog(level: string, worker?: number): Logger {
  const options = { level, base: worker === undefined ? null : { worker }, serializers: { err: serialize } };
  if (process.stdout.isTTY) {
    // Loaded on demand. Not as a transport: its thread would print lines after those of later events.
    const { prettyFactory } = createRequire(__filename)('pino-pretty') as typeof PinoPretty;
    const pretty = prettyFactory({ colorize: true });
    return pino(options, { write: (line: string) => process.stdout.write(pretty(line)) });
  }
  output ??= standardOutput();
  return pino({ ...options, formatters: { level: (label) => ({ level: label }) } }, output);
}

/** Pino appends the messages of all causes, which ours say already. Its stack has them. */
const serialize = (error: unknown): unknown =>
  error instanceof Error ? { ...stdSerializers.err(error), message: error.message } : error;

/** That of all logs of the process. */
let output: ReturnType<typeof standardOutput> | undefined;

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

/** The longest part of a line that is held back until the rest of it comes, in bytes. */
const LONGEST_LINE = 1_048_576;

/** Copies the output of a process in whole lines, so that those of several processes do not mix. */
export function copyLines(from: Readable | null, to: Writable): void {
  let held: Buffer[] = [];
  let length = 0;
  from?.on('data', (chunk: Buffer) => {
    const end = length + chunk.length > LONGEST_LINE ? chunk.length : chunk.lastIndexOf('\n') + 1;
    if (end > 0) {
      to.write(Buffer.concat([...held, chunk.subarray(0, end)]));
      [held, length] = [[], 0];
    }
    if (end === chunk.length) return;
    held.push(chunk.subarray(end));
    length += chunk.length - end;
  });
  from?.on('end', () => {
    if (length > 0) to.write(Buffer.concat([...held, Buffer.from('\n')]));
  });
}
