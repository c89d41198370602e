import { type Logger, pino } from 'pino';

/** JSON on standard output, an object a line; on a terminal, lines for people. */
export function createLog(level: string): Logger {
  const options = { level, base: null };
  if (process.stdout.isTTY) return pino({ ...options, transport: { target: 'pino-pretty' } });
  return pino({ ...options, formatters: { level: (label) => ({ level: label }) } }, standardOutput());
}

/** Writes what one turn of the event loop has to say at its end, all at once: a write for each line costs more than it. */
function standardOutput() {
  let lines = '';
  const flush = () => {
    process.stdout.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  // Nobody reads them any more: that must not end the server.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return {
    write(line: string) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
