import { type Logger, pino } from 'pino';

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
