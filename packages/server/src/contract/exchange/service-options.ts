import type { IncomingMessage } from 'node:http';
import type { OwnCodec } from '../codecs/own';
import type { OwnStreamCodec } from '../codecs/own-stream';
import type { JsonObject, OpenApiDocument, Remark } from '../document/document';
import type { ReportFault } from '../http/fault';
import type { StreamTimes } from '../http/send';
import type { UploadOptions } from '../http/uploads';
import type { Operation } from '../operations/operations';
import type { Answer, Headers, Problem, ProblemKind } from '../problem';
import type { OwnFormats } from '../schema/formats';
import type { Strategies } from '../security/requirements';
import type { Hooks } from './hooks';
import type { LoggerFor, Outcome } from './exchange';

/** Formats and codecs that a service adds to the built-in ones. */
export interface Extensions {
  /**
   * Tests of formats, by the name of the format. They replace those of the same name in schema/formats.ts. Each must take
   * time linear in the text.
   */
  readonly formats?: OwnFormats;
  /** Codecs for further media types, or in place of the built-in codecs. The first that carries a media type is used. */
  readonly codecs?: readonly (OwnCodec | OwnStreamCodec)[];
}

/** Bounds on responses that are streams. By default: 1,000 streams, 600,000 and 15,000 milliseconds. */
export interface Streams extends StreamTimes {
  /** How many may be open, those of anonymous clients apart. Further ones are rejected with `unavailable`. */
  readonly most: number;
  /** Aborted when the server stops: streams of items end, and no further one begins. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * The options of `createService`.
 *
 * @typeParam Own the kinds of problems that the service adds to those of the core
 */
export interface ServiceOptions<Own extends string = never> extends Extensions, Hooks<Own> {
  /** One OpenAPI document of 3.1 or 3.2 in one piece: as JSON, or as it was read. Several services may share what was read. */
  readonly document: JsonObject | OpenApiDocument;
  /** By operationId. handler-types.ts has their types. */
  readonly handlers: Readonly<Record<string, (request: never) => Promise<Answer>>>;
  /** By the name of the security scheme. */
  readonly strategies: Strategies;
  /** Converts any error to a problem. `received` is what the handler got, if it was called; `operation` as for `render`. */
  readonly toProblem: (
    error: unknown,
    received?: object,
    operation?: Operation,
  ) => Problem<ProblemKind | Own>;
  /**
   * Converts a problem to a response with the error body of the contract. `operation` is undefined if none matches.
   * `language` is the field Accept-Language, if the operation has that parameter.
   */
  readonly render: (problem: Problem<ProblemKind | Own>, operation?: Operation, language?: string) => Answer;
  /** One problem of each kind that the service adds, with its headers. Their responses are checked at start. */
  readonly ownProblems?: readonly Problem<Own>[] | undefined;
  /**
   * Whether a problem of a hook or a handler whose status its operation does not document becomes `unexpected`. By default its
   * response is sent as `render` returns it.
   */
  readonly onlyDocumented?: boolean | undefined;
  /** The maximum size of a request body in bytes, where its operation has no `x-body-limit`. */
  readonly bodyLimit: number;
  /** Where files of multipart bodies lie until their exchange ends. By default below the system's folder, at most 1 GiB. */
  readonly uploads?: UploadOptions | undefined;
  /**
   * The maximum number of concurrent handlers; admission.ts has the other bounds that depend on it. Further requests are
   * rejected with `unavailable`.
   */
  readonly maxRequests: number;
  /** Milliseconds from the head of a request to its response; then it is rejected with `unavailable`. 40,000 by default. */
  readonly deadline?: number | undefined;
  /**
   * Milliseconds without a byte after which a long body is rejected with `requestTimeout`: one that is read piece by piece, or
   * whose operation has `x-body-limit`. While it arrives, neither the time of a whole request nor `deadline` ends it. 30,000
   * by default.
   */
  readonly uploadTimeout?: number | undefined;
  /** The bounds on responses that are streams. */
  readonly streams?: Partial<Streams> | undefined;
  /** Whether responses of 1,024 bytes and more are compressed for clients that accept it. Default: false. */
  readonly compression?: boolean | undefined;
  /** Headers of every response, documented or not. */
  readonly headers: Headers;
  /**
   * Identifies a request in logs and in the X-Request-Id header of its response. By default: its well-formed X-Request-Id,
   * otherwise its W3C trace id, otherwise a new UUID.
   */
  readonly requestIdOf?: ((request: IncomingMessage) => string) | undefined;
  /** Whether handlers may be stubs, which answer from the document. */
  readonly stubs: boolean;
  /** The prefix of the paths that `next` serves. No operation may have such a path. */
  readonly reserved: string;
  /** Called once for each request, after its response. */
  readonly report: (outcome: Outcome<Own>) => void;
  /** Receives the failures that no outcome reports: see `ReportFault`. By default they go to standard error. */
  readonly reportFault?: ReportFault | undefined;
  /** Creates the logger of a request, at its first use. The default logger writes to the console. */
  readonly loggerFor?: LoggerFor | undefined;
  /** Receives the parts of the document that the server does not enforce. Called once, at start. */
  readonly onRemarks?: ((remarks: readonly Remark[]) => void) | undefined;
}
