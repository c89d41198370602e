import type { Extensions } from './document/model';
import type { Json, JsonObject } from './json/tree';
import type { Value } from './json/value';
import type { Profile } from './profile';
import type { Address } from './wire/address';
import type { CurlServer } from './wire/curl';

/** A listening server under test. */
export interface Server extends Address {
  /** The number of requests that have entered a handler since the start. Without it, the prover does not judge it. */
  entered?(): number;
  /**
   * The error for which the service has answered with 5xx or not at all since the last call, as it logs it; undefined if
   * there was none. Without it, the report says where to look.
   */
  failed?(): unknown;
  /** Restores the state of the service at its start. If present, the prover calls it before each case. */
  reset?(): void | Promise<void>;
  close(): Promise<void>;
}

/** Why the server refuses a request before it enters the service. The target maps each reason to a status. */
export type Refusal =
  | 'not found'
  | 'method not allowed'
  | 'missing credentials'
  | 'invalid credentials'
  | 'insufficient scope'
  | 'unsupported media type'
  | 'not acceptable'
  | 'content too large'
  | 'malformed'
  | 'invalid request';

/** How the server refuses a request. */
export interface RefusalRule {
  readonly status: number;
  /** Members that the body must have. It must also fit its schema. */
  readonly body?: JsonObject;
}

/** RFC 9110 section 12.4.1 allows a server to ignore Accept. Such a server has no rule for it. */
export type Refusals = Readonly<
  Record<Exclude<Refusal, 'not acceptable'>, RefusalRule> & { readonly 'not acceptable'?: RefusalRule }
>;

/** The status of each refusal that RFC 9110 defines. */
const DEFAULT_REFUSALS: Refusals = {
  'not found': { status: 404 },
  'method not allowed': { status: 405 },
  'missing credentials': { status: 401 },
  'invalid credentials': { status: 401 },
  'insufficient scope': { status: 403 },
  'unsupported media type': { status: 415 },
  'not acceptable': { status: 406 },
  'content too large': { status: 413 },
  malformed: { status: 400 },
  'invalid request': { status: 400 },
};

/** How the server refuses requests to an operation, by default with the statuses that RFC 9110 defines for each reason. */
export const refusalsFor = ({ refusals = DEFAULT_REFUSALS }: Target, operationId: string): Refusals =>
  typeof refusals === 'function' ? refusals(operationId) : refusals;

/** A refusal by the service itself, because of its state: for example, it holds no book with that number. */
export interface OwnRefusal extends RefusalRule {
  /** Operations that may refuse any valid request in this way, except the minimal one. */
  readonly operations: readonly string[];
}

/** Requests in an order that has a meaning for the service. The document does not describe it. */
export interface Scenario {
  readonly title: string;
  /** The prover resets the service, sends the steps in order, and stops at the first wrong answer. */
  readonly steps: readonly Step[];
}

/**
 * A scenario whose operations and parameters are those of the document, or it does not compile.
 *
 * @typeParam Operations `operations` of generated/openapi.d.ts
 */
export interface ScenarioOf<Operations> extends Scenario {
  readonly steps: readonly {
    [Id in keyof Operations & string]: Step<Id, NamesOf<Operations[Id]>>;
  }[keyof Operations & string][];
}

/** The names of the parameters of an operation. */
type NamesOf<Operation> = Operation extends { parameters: infer Locations }
  ? {
      [Location in keyof Locations]-?: [NonNullable<Locations[Location]>] extends [never]
        ? never
        : keyof NonNullable<Locations[Location]> & string;
    }[keyof Locations]
  : never;

/** The minimal request of an operation, with these changes. */
export interface Step<Id extends string = string, Name extends string = string> {
  readonly operation: Id;
  /** Parameters by name. They add to those of the minimal request, or replace them. */
  readonly parameters?: Resolvable<ParameterValues<Name>>;
  /** The bytes of a JSON body. */
  readonly body?: Resolvable<string>;
  /**
   * The security schemes of the alternative whose valid credentials it sends; `[]`: none. By default the first alternative that
   * the target has credentials for.
   */
  readonly security?: readonly string[];
  /** `success`, or a name in `ownRefusals`. */
  readonly expect: string;
  /** Members that the body of the answer must have. It must also fit its schema. */
  readonly answer?: Resolvable<ExpectedMembers>;
  /** The exact body of the answer, or a predicate: for a file, an image, or another answer that is not JSON. */
  readonly bytes?: ExpectedBytes;
}

/** Parameters by name; undefined is none. */
export type ParameterValues<Name extends string = string> = Readonly<
  Partial<Record<Name, Json | Value | undefined>>
>;

/**
 * The expected members of a JSON body, by name or by JSON pointer (`/books/0/title`; `/0` in an array). A member is a
 * value, or a predicate that receives the value, or undefined if there is none. The pointer `` is the whole body: for
 * `text/*` it is a string.
 */
export type ExpectedMembers = Readonly<
  Record<string, Json | Value | ((value: Value | undefined) => boolean)>
>;

export type ExpectedBytes = Buffer | string | ((body: Buffer) => boolean);

/**
 * A value, or a function of the answers to earlier steps, such as an id that the service assigned. Steps start at 1.
 */
export type Resolvable<T> = T | ((answerTo: (step: number) => Answer) => T);

/** The answer to an earlier step. */
export interface Answer {
  /**
   * The value at a JSON pointer in the body. Numbers keep their digits; `print` converts the value to JSON text.
   *
   * @throws {Error} if there is none
   */
  readonly at: (pointer: string) => Value;
  /** @throws {Error} if there is no header of this name */
  readonly header: (name: string) => string;
  readonly body: Buffer;
}

/**
 * An obligation that needs no proof, or a known failure. A pattern is a regular expression, or the whole text, where `*`
 * stands for any text.
 */
export type Waiver = {
  readonly reason: string;
  /** The last day (ISO 8601, UTC) on which it holds. After it, the waiver fails the run. */
  readonly expires?: string;
} & (
  | {
      /** Matches the keys of the waived obligations. */
      readonly obligation: RegExp | string;
    }
  | {
      /**
       * Matches `operation | family | title` of the waived cases, or `operation | cause` of all causes of a case. They
       * disprove no obligation.
       */
      readonly failure: RegExp | string;
    }
);

/** The input that a handler received. */
export interface Received {
  readonly path?: Readonly<Record<string, unknown>>;
  /** The values by their names, or that of the whole query string. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Whether the body was a stream, which has been read. */
  readonly isStream?: true;
}

/** Credentials for a security scheme. */
export interface CredentialValues {
  /** Accepted, with every scope that the document requires of the scheme. */
  readonly valid: string;
  /** Well-formed, and not accepted. */
  readonly invalid: string;
  /** Accepted, and each without some of these scopes. Needed if the document requires scopes. */
  insufficient?(scopes: readonly string[]): readonly string[];
}

/** The bounds for tests of a server that the prover neither starts nor resets. */
export interface BlackBox {
  /** Whether to send requests that may change something: all but the safe methods of RFC 9110 section 9.2.1. */
  readonly write: boolean;
  /** Whether these may change what the run did not create: false by default. */
  readonly writeAll?: boolean;
  readonly requestsPerSecond: number;
  /** For the whole run. The requests that remove what the run created come on top. */
  readonly maxRequests: number;
}

/** A service as the prover sees it. The prover reads everything else in the document. */
export interface Target extends Extensions {
  /** Where a person adds scenarios and waivers, for the remedies in the report: `tests/contract/service.ts`. */
  readonly source?: string;
  /** An OpenAPI document (3.1 or 3.2) without references to other documents. */
  readonly document: JsonObject;
  /** The rules that the server must keep; `strict` by default. */
  readonly profile?: Profile;
  /**
   * Starts a server that accepts the minimal request of each operation: after the start, and after each reset, it holds
   * the resources that the examples of its parameters name. With `blackBox` the prover finds or creates them itself.
   */
  start(): Promise<Server>;
  /** Set if the prover has no access to the service but by requests. */
  readonly blackBox?: BlackBox;
  /** By the name of the security scheme. */
  readonly credentials: Readonly<Record<string, CredentialValues>>;
  /** The largest request body, in bytes. Without it, the limit is not tested. */
  readonly bodyLimit?: number | undefined;
  /** The refusals of the profile `strict`. By default, the statuses that RFC 9110 defines for each reason. */
  readonly refusals?: Refusals | ((operationId: string) => Refusals);
  /** By a name that scenarios use. */
  readonly ownRefusals?: Readonly<Record<string, OwnRefusal>> | undefined;
  /** Pointer to the schema of the body of every refusal, including those with an undocumented status. */
  readonly refusalSchema?: string | undefined;
  /** For each status that no request causes alone: starts a server that answers every valid request with it. */
  readonly situations?: Readonly<Record<string, () => Promise<Server>>>;
  readonly scenarios?: readonly Scenario[] | undefined;
  /** The input of the last handler call. If present, the prover judges it too. */
  received?(): Received | undefined;
  /** The address and the secrets of the server, for the curl lines of the report. */
  readonly curl?: CurlServer;
  /**
   * Operations that have no handler yet. The responses that only a handler gives are waived for them, and a waiver of one
   * of them may match nothing.
   */
  readonly stubs?: readonly string[];
  /** The only other list of exceptions. */
  readonly waivers?: readonly Waiver[] | undefined;
  /** Resolves to what only the opened service can say, which stands for what the target has. Called once, before a run. */
  inspect?(): Promise<Pick<Target, 'credentials' | 'curl' | 'scenarios' | 'stubs'>>;
}
