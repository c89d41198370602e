import type { Json, JsonObject, Value } from './json';

/** A server under test, listening. */
export interface Server {
  readonly host: string;
  readonly port: number;
  /** How often a handler, or anything behind it, has been entered since the start. */
  entered(): number;
  /** Forgets what earlier requests have left behind, so that every positive case meets a fresh service. */
  reset(): void | Promise<void>;
  close(): Promise<void>;
}

/** Why a request is turned away. What status that is, the target says. */
export type Refusal =
  | 'unknown path'
  | 'unknown method'
  | 'no credentials'
  | 'bad credentials'
  | 'insufficient scope'
  | 'unsupported media type'
  | 'not acceptable'
  | 'too large'
  | 'malformed'
  | 'invalid request';

export interface RefusalRule {
  readonly status: number;
  /** Members that the body of such a refusal must have, beside fitting its schema. */
  readonly body?: JsonObject;
}

/** A server may disregard what a request accepts (RFC 9110 section 12.4.1): then it has no rule for it. */
export type Refusals = Readonly<
  Record<Exclude<Refusal, 'not acceptable'>, RefusalRule> & { readonly 'not acceptable'?: RefusalRule }
>;

/** How the service itself, not the contract, turns a request away: for what it holds, such as no book of that number. */
export interface OwnRefusal extends RefusalRule {
  /** Operations that any request may meet so which has other parameters or another body than their plainest one. */
  readonly operations: readonly string[];
}

/** Requests that only a person can think of, because they are about what the service means. */
export interface Scenario {
  readonly title: string;
  /** Sent one after the other to a fresh service, until one is answered wrongly. */
  readonly steps: readonly Step[];
}

/** The plainest request of an operation, but for what is said here. */
export interface Step {
  readonly operation: string;
  /** By name, beside those of the plainest request or in their place. */
  readonly parameters?: Said<Values>;
  /** A JSON body, to the byte. */
  readonly body?: Said<string>;
  /** `success`, or a name in `ownRefusals`. */
  readonly expect: string;
  /** What the JSON body of the answer must have, beside fitting its schema. */
  readonly answer?: Said<Members>;
}

/** By name. */
export type Values = Readonly<Record<string, Json | Value>>;

/**
 * What a JSON body has, by the name of a member or by a JSON pointer (`/books/0/title`; of a list, `/0`): a value, or what
 * is true of it, where nothing there is undefined.
 */
export type Members = Readonly<Record<string, Json | Value | ((value: Value | undefined) => boolean)>>;

/** Said at once, or only when earlier steps, counted from 1, have been answered: say, for an id that the service makes. */
export type Said<T> = T | ((answerTo: (step: number) => Answer) => T);

export interface Answer {
  /**
   * The value at a JSON pointer in its body, to the digit; `print` makes JSON text of it.
   *
   * @throws {Error} if there is none
   */
  readonly at: (pointer: string) => Value;
  /** @throws {Error} if there is none of this name */
  readonly header: (name: string) => string;
}

/** What need not be proven, or what is known to be wrong. */
export type Waiver = { readonly reason: string } & (
  | {
      /** Matches the key of each obligation that is waived. */
      readonly obligation: RegExp;
    }
  | {
      /** Matches `operation | family | title` of each failure that is waived; it speaks against no obligation. */
      readonly failure: RegExp;
    }
);

/** What a handler was given of a request, as it holds it. */
export interface Received {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Secrets of a security scheme. */
export interface Secrets {
  /** Is accepted, and holds every scope that the document demands of it. */
  readonly valid: string;
  /** Is of the right form, and not accepted. */
  readonly invalid: string;
  /** Some that are accepted, and do not hold all of these scopes; needed where the document demands any. */
  insufficient?(scopes: readonly string[]): readonly string[];
}

/** Everything the engine is told about a service; the rest it reads in the document. */
export interface Target {
  /** An OpenAPI 3.1 document whose references all point into itself. */
  readonly document: JsonObject;
  /**
   * Starts a server in which the plainest request of each operation succeeds: what the examples of its parameters name
   * is there, as it is again after each reset.
   */
  start(): Promise<Server>;
  /** Per security scheme. */
  readonly credentials: Readonly<Record<string, Secrets>>;
  /** Most bytes of a request body. */
  readonly bodyLimit: number;
  readonly refusals: Refusals;
  /** By a name of your own. */
  readonly ownRefusals?: Readonly<Record<string, OwnRefusal>>;
  /** Pointer of the schema that the body of every refusal fits, also where its status is not documented. */
  readonly refusalSchema?: string;
  /** For each status that no request alone brings about: a server that really answers it to a valid request. */
  readonly situations: Readonly<Record<string, () => Promise<Server>>>;
  readonly scenarios?: readonly Scenario[];
  /** What the handler was given that was entered last, where that can be seen: then it is judged too. */
  received?(): Received | undefined;
  /** The one list of what need not be proven. */
  readonly waivers: readonly Waiver[];
}
