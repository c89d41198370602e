/** The ways in which the core ends a request without the answer of its handler. A service may add kinds of its own. */
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

/** One violation of the document by a request. */
export interface Violation {
  /**
   * A JSON pointer (RFC 6901) whose first step is the part of the request: `/body/name`, `/query/limit`. Where it would be
   * longer than 200 characters, it is that of the value around.
   */
  readonly pointer: string;
  /** The keyword of JSON Schema or the field of OpenAPI that the request violates, such as `maxLength`. */
  readonly keyword: string;
  /** With the place before it, a sentence: `must be string`. */
  readonly message: string;
}

export interface ProblemOptions extends ErrorOptions {
  readonly violations?: readonly Violation[];
}

/**
 * A refusal. Its message is sent to the client: it names what was wrong and where, and never repeats a secret. Half of a
 * surrogate pair in it becomes U+FFFD, because JSON text cannot carry it (RFC 8259 section 8.2).
 *
 * A service with kinds of its own names them: `new Problem<OwnKind>('rateLimited', ...)`.
 */
export class Problem<Kind extends string = ProblemKind> extends Error {
  override name = 'Problem';
  readonly kind: Kind;
  /** Of the kind `invalidRequest`: the first ten violations. Others have none. */
  readonly violations: readonly Violation[];

  /** @param kind is not inferred, so that a misspelt one does not compile */
  constructor(
    kind: NoInfer<Kind>,
    message: string,
    readonly headers: Headers = {},
    options: ProblemOptions = {},
  ) {
    super(message.toWellFormed(), options);
    this.kind = kind;
    this.violations = options.violations ?? [];
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
