import { branded } from './brand';

/** The kinds of problems that the core raises. A service may add its own kinds. */
export type ProblemKind =
  | 'malformed' // the bytes are not well-formed: HTTP, UTF-8 or JSON
  | 'invalidRequest' // the request does not match the document
  | 'noCredentials'
  | 'badCredentials'
  | 'forbidden' // authenticated, but not authorized
  | 'notFound'
  | 'methodNotAllowed'
  | 'notAcceptable'
  | 'requestTimeout'
  | 'keyInUse' // draft-ietf-httpapi-idempotency-key-header-07 section 2.7, as is the next
  | 'keyReused'
  | 'preconditionFailed' // RFC 9110 section 13.1
  | 'tooLarge'
  | 'unsupportedMediaType'
  | 'rangeNotSatisfiable'
  | 'headersTooLarge'
  | 'unexpected' // an error of the server; only the log has the cause
  | 'notImplemented'
  | 'unknownTransferCoding' // of a request; RFC 9112 section 6.1
  | 'unavailable'
  | 'versionNotSupported'; // a later major version of HTTP than 1

/** Headers of a response, by name in any case. */
export type Headers = Readonly<Record<string, string>>;

/** What a keyword demands, in the terms of ajv: `limit` of `maxLength`, `allowedValues` of `enum`. Integers beyond 2^53 are bigints or texts. */
export interface ViolationParams {
  readonly limit?: number | bigint;
  readonly multipleOf?: number | string;
  readonly pattern?: string;
  readonly format?: string;
  readonly type?: string | readonly string[];
  readonly missingProperty?: string;
  /** The property whose presence demands the missing one. */
  readonly property?: string;
  readonly allowedValue?: unknown;
  readonly allowedValues?: readonly unknown[];
  readonly minContains?: number;
  readonly maxContains?: number;
}

/** One violation of the document by a request. */
export interface Violation {
  /**
   * A JSON pointer (RFC 6901) whose first step is the part of the request: `/body/name`, `/query/limit`. If it is longer
   * than 200 UTF-16 code units, it is cut to the pointer of an enclosing value.
   */
  readonly pointer: string;
  /** The keyword of JSON Schema or the field of OpenAPI that the request violates, such as `maxLength`. */
  readonly keyword: string;
  /** What the document demands there, to phrase the rule in words of your own. They have nothing of the request. */
  readonly params?: ViolationParams;
  /** The rule, as the predicate of a sentence: `must be string`. At most 300 UTF-16 code units. */
  readonly message: string;
}

export interface ProblemOptions extends ErrorOptions {
  readonly violations?: readonly Violation[];
}

/**
 * Why a request is rejected. The client receives the message: it names the fault and its place, and never a secret. U+FFFD
 * replaces half of a surrogate pair in it, because JSON text cannot carry it (RFC 8259 section 8.2).
 *
 * A service names its own kinds by the type argument: `new Problem<OwnKind>('rateLimited', ...)`.
 */
export class Problem<Kind extends string = ProblemKind> extends Error {
  override name = 'Problem';
  readonly kind: Kind;
  /** At most ten violations for the kind `invalidRequest`; empty for other kinds. */
  readonly violations: readonly Violation[];

  /**
   * @param kind is not inferred, so that a misspelled kind is a compile error
   * @param headers are sent with the error body
   */
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
branded(Problem, 'Problem');

/**
 * A problem that the server itself finds in a request. It says where in the request the fault is, so it has no stack: capturing
 * one took a fifth of the CPU of a 404.
 */
export class RequestProblem extends Problem {
  constructor(...given: ConstructorParameters<typeof Problem<ProblemKind>>) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      super(...given);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

/** A response before its encoding. */
export interface Answer {
  /** From 200 to 599. */
  readonly status: number;
  /** Documented headers, with values of the types in the document. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /**
   * A documented media type. By default the one that the client prefers, or `application/json` for a status that the
   * operation does not document.
   */
  readonly contentType?: string | undefined;
  /**
   * A value of the types in the document; properties that it does not list are removed. For a codec of streams: an
   * `AsyncIterable`, or a `ReadableStream` that nobody reads. For bytes: a `Uint8Array`, a `Blob`, a `FileHandle` of
   * node:fs/promises, which the server closes, or a stream of bytes.
   */
  readonly body?: unknown;
}
