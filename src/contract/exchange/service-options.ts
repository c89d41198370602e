import type { IncomingMessage } from 'node:http';
import type { OwnCodec } from '../codecs/own';
import type { JsonObject, Remark } from '../document/document';
import type { ReportFault } from '../http/fault';
import type { Operation } from '../operations/operations';
import type { Answer, Headers, Problem, ProblemKind } from '../problem';
import type { OwnFormats } from '../schema/formats';
import type { Strategies } from '../security/requirements';
import type { Hooks } from './hooks';
import type { LoggerFor } from './logger';
import type { Outcome } from './outcome';

/** What a team adds to the formats and the media types that the core knows. */
export interface Extensions {
  /**
   * Formats of the team's own, by name: whether a string conforms. They come before those of the same name in
   * schema/formats.ts. Each must take time linear in the text.
   */
  readonly formats?: OwnFormats;
  /** Codecs of the team's own, for media types beside the built-in ones, or in their place. The first that fits is used. */
  readonly codecs?: readonly OwnCodec[];
}

/** @typeParam Own the kinds of problems that the service has beside those of the core */
export interface ServiceOptions<Own extends string = never> extends Extensions, Hooks<Own> {
  /** One OpenAPI 3.1 document in one piece. */
  readonly document: JsonObject;
  /** By operationId; handlers.ts has the type that each must be of. */
  readonly handlers: Readonly<Record<string, (request: never) => Promise<Answer>>>;
  readonly strategies: Strategies;
  /** Takes any error for the problem that it is. */
  readonly toProblem: (error: unknown) => Problem<ProblemKind | Own>;
  /** Puts a problem into the error body of the contract; without an operation, the request was for none. */
  readonly render: (problem: Problem<ProblemKind | Own>, operation?: Operation) => Answer;
  /** One of each kind of the service's own, with its headers: at start, their answers are compared with the document. */
  readonly ownProblems?: readonly Problem<Own>[] | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  /** How many handlers may be at work at once; admission.ts says what else it bounds. More are refused with `unavailable`. */
  readonly maxRequests: number;
  /** Milliseconds from the head of a request to its answer; then it is refused with `unavailable`. 40,000 by default. */
  readonly deadline?: number | undefined;
  /** What goes with every answer, whatever the document says. */
  readonly headers: Headers;
  /** What a request is called in logs; it is sent back as X-Request-Id. */
  readonly requestIdOf: (request: IncomingMessage) => string;
  /** Whether a handler may be a stub (stub.ts). */
  readonly stubs: boolean;
  /** Paths that start so are left to others; no operation may have one. */
  readonly reserved: string;
  /** Called once for each request, after its answer. */
  readonly report: (outcome: Outcome<Own>) => void;
  /** Receives the failures that no outcome has: see `ReportFault`. Without it they go to standard error. */
  readonly reportFault?: ReportFault | undefined;
  /** Makes the logger of a request, when its handler or a hook first asks for it. By default it writes to the console. */
  readonly loggerFor?: LoggerFor | undefined;
  /** Receives what the document has and the server does not enforce, once, before the first request. */
  readonly onRemarks?: ((remarks: readonly Remark[]) => void) | undefined;
}
