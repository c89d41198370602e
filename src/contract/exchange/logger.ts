/** A method of a logger. The fields are for machines, the message for people. */
interface Log {
  (message: string): void;
  (fields: object, message: string): void;
}

/** What a handler and a hook log with; the loggers of pino and bunyan are such. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

/** Makes the logger of one request. */
export type LoggerFor = (requestId: string, operationId: string) => Logger;

/** Writes to the console: for a service that sets no logger. */
export const consoleLogger: LoggerFor = (requestId, operationId) => {
  const to = (level: keyof Logger) => (first: object | string, message?: string) => {
    const fields = { requestId, operationId, ...(typeof first === 'object' && first) };
    console[level](message ?? first, fields);
  };
  return { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
};
