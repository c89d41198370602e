/** A method of a logger. The fields are for machines, the message for people. */
interface Log {
  (message: string): void;
  (fields: object, message: string): void;
}

/** The logger of handlers and hooks. The loggers of pino and bunyan conform to it. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

/** Creates the logger of one request. */
export type LoggerFor = (requestId: string, operationId: string) => Logger;

/** The default logger: writes to the console. */
export const consoleLogger: LoggerFor = (requestId, operationId) => {
  const to = (level: keyof Logger) => (first: object | string, message?: string) => {
    const fields = { requestId, operationId, ...(typeof first === 'object' && first) };
    console[level](message ?? first, fields);
  };
  return { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
};
