/** Every way in which a request can end without the answer of its handler. */
export type ProblemKind =
  | 'malformed' // the bytes are not well-formed: HTTP, UTF-8 or JSON
  | 'invalidRequest' // the request does not match the document
  | 'noCredentials'
  | 'badCredentials'
  | 'forbidden' // known, but not allowed to do this
  | 'notFound'
  | 'methodNotAllowed'
  | 'notAcceptable'
  | 'requestTimeout'
  | 'tooLarge'
  | 'unsupportedMediaType'
  | 'headersTooLarge'
  | 'unexpected' // the cause is for the log, never for the client
  | 'notImplemented'
  | 'unavailable';

/** Headers of a response: names as they are written, values as they are sent. */
export type Headers = Readonly<Record<string, string>>;

/**
 * A refusal. Its message is sent to the client: it says what was wrong and where, and never repeats a secret. Half of a
 * surrogate pair in it becomes U+FFFD, because JSON text cannot carry it (RFC 8259 section 8.2).
 */
export class Problem extends Error {
  override name = 'Problem';
  constructor(
    readonly kind: ProblemKind,
    message: string,
    readonly headers: Headers = {},
    options?: ErrorOptions,
  ) {
    super(message.toWellFormed(), options);
  }
}

/** An answer before it is put into bytes. */
export interface Answer {
  readonly status: number;
  /** Documented headers, as the types of the document have them. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** Needed only where the document offers several media types for this status, or none and it is not plain JSON. */
  readonly contentType?: string | undefined;
  readonly body?: unknown;
}

/** Whether HTTP has it as the status of an answer (RFC 9110 section 15), which an interim one (1xx) is not. */
export function isFinalStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}
