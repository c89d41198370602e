import type { Operation } from './document/model';

/**
 * `PROVEN`: some cases passed, none failed. `STUB`: the same, but the handler is a stub, which answers from the document;
 * or the prover cannot make its requests. `WAIVED`: the target excuses the missing proof. `WARNED`: the server answers
 * otherwise, and the standards leave that to it. `OUT OF REACH`: requests alone cannot prove it. `LEFT OUT`: the run ended
 * before a case could prove it. `UNPROVEN`: no case passed, or one failed. `BLOCKED`: the server does not accept the minimal
 * request of the operation.
 */
export type State = (typeof STATES)[number];

export const STATES = [
  ...(['PROVEN', 'STUB', 'WAIVED', 'WARNED', 'OUT OF REACH'] as const),
  ...(['LEFT OUT', 'UNPROVEN', 'BLOCKED'] as const),
] as const;

/** Whether a state fails a run. */
export const isOpen = (state: State): boolean =>
  state === 'LEFT OUT' || state === 'UNPROVEN' || state === 'BLOCKED';

/** The side of a keyword's bound: requests that satisfy it, or requests that violate it. */
export const SIDES = ['holds', 'violates'] as const;
export type Side = (typeof SIDES)[number];

/** A rule of the document that the server must keep, and the state of its proof. */
export interface Obligation {
  /** Identifies it; waivers match it. */
  readonly key: string;
  readonly operation: string;
  readonly kind: 'constraint' | 'response' | 'security' | 'protocol' | 'received' | 'stored';
  /** The key without the operation. */
  readonly description: string;
  /** The label of the slot, for a constraint. */
  readonly slot?: string;
  /** JSON pointer to the schema object, for a constraint. */
  readonly pointer?: string;
  readonly keyword?: string;
  readonly side?: Side;
  /** Cases that prove it. */
  passed: number;
  /** Cases that disprove it. */
  failed: number;
  /** Cases that neither prove nor disprove it, and the reason of the last. */
  undecided?: Undecided;
  state: State;
  /** Why it is not proven. */
  reason?: string;
}

/** Why a case proves nothing: a warning, a waived failure, or an answer that may have another reason. */
export interface Undecided {
  readonly state: 'WARNED' | 'WAIVED' | 'OUT OF REACH' | 'UNPROVEN';
  readonly reason: string;
}

/** A rule for the input of a handler: the value, the defaults of absent values, no unlisted properties. */
export type ReceivedRule = 'as sent' | 'default' | 'unlisted left out';

/** The kinds of credentials that a security alternative must accept or refuse. */
export type SecurityScenario =
  'accepted' | 'missing' | 'wrong' | 'malformed' | 'doubled' | 'misplaced' | 'insufficient scope';

/** The rules of HTTP and OpenAPI that apply to an operation independent of its schemas. */
export type ProtocolScenario =
  | 'undocumented methods'
  | 'near-miss paths'
  | 'unknown path'
  | 'unlisted query parameter'
  | 'HEAD of GET'
  | 'streamed items'
  | 'ranges'
  | 'conditional requests'
  | 'preconditions'
  | 'idempotency keys'
  | 'content codings'
  | 'content negotiation'
  | 'unsupported media types'
  | 'equivalent media types'
  | 'body limit'
  | 'absent body'
  | 'malformed JSON'
  | 'unusual JSON'
  | 'arriving body'
  | 'malformed multipart'
  | 'unusual multipart'
  | 'part media types'
  | 'part headers'
  | 'malformed items'
  | 'unusual items';

export const constraintKey = (
  operation: Operation,
  slot: string,
  pointer: string,
  keyword: string,
  side: Side,
): string => `${operation.id} | ${slot} | ${pointer} ${keyword} | ${side}`;

/** The parts of a key after the operation, for every kind but constraints; the first is the kind. */
export type RuleParts =
  | [kind: 'received', slot: string, rule: ReceivedRule]
  | [kind: 'response', status: string, mediaType: string]
  | [kind: 'stored', reader: string]
  | [kind: 'security', schemes: string, scenario: SecurityScenario]
  | [kind: 'protocol', scenario: ProtocolScenario];

export const ruleKey = ({ id }: Operation, ...parts: RuleParts): string => [id, ...parts].join(' | ');

/** The name of a security alternative: `oauth and key`. */
export const nameOfAlternative = (schemes: readonly string[]): string => schemes.join(' and ') || 'anonymous';
