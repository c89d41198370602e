import type { Document, Operation } from '../document/document';
import type { Value } from '../json/value';
import type { HandlerInput } from '../judge/received';
import { authorize } from '../request/credentials';
import { composeRequest } from '../request/request';
import type { Inputs, Slot } from '../request/slots';
import type { Oracle } from '../schema/oracle';
import type { ExpectedMembers, Refusal, Target } from '../target';
import type { RawRequest } from '../wire/message';

export type Family =
  | 'baseline'
  | 'examples'
  | 'valid'
  | 'constraints'
  | 'security'
  | 'methods and paths'
  | 'media types'
  | 'bodies'
  | 'scenarios'
  | 'situations'
  | 'generated'
  | 'oracle';

export type Expectation =
  /** Answered by the service itself: with `success`, or with one of the target's own refusals; with these members. */
  | {
      readonly kind: 'answered';
      readonly as: readonly string[];
      readonly members?: ExpectedMembers;
      /** The documented media type that must be chosen. */
      readonly media?: string;
    }
  /** Turned away for one of these reasons; nothing behind the contract is entered. */
  | { readonly kind: 'refused'; readonly as: readonly Refusal[] }
  | { readonly kind: 'status'; readonly status: number };

/** One request with exactly one fault or none, and what it would prove. */
export interface Case {
  readonly family: Family;
  readonly title: string;
  readonly operation: Operation;
  readonly request: RawRequest;
  readonly expect: Expectation;
  /** What is presented as credentials; absent where they are simply good. */
  readonly credentials?: string;
  /** What the handler must be given, where the case is sure of it. */
  readonly delivers?: HandlerInput;
  /** Keys of the obligations that it speaks for. */
  readonly proves: readonly string[];
}

/** What every family starts from: an operation and the plainest request that it must accept. */
export interface OperationContext {
  readonly document: Document;
  /** Judges requests. */
  readonly oracle: Oracle;
  /** Judges responses. */
  readonly responseOracle: Oracle;
  readonly target: Target;
  readonly operation: Operation;
  readonly base: Inputs;
}

export const expectAnswer = (...as: string[]): Extract<Expectation, { kind: 'answered' }> => ({
  kind: 'answered',
  as,
});
export const expectSuccess = expectAnswer('success');

/** What becomes of a request without a fault whose inputs the service need not know anything of. */
export function expectSuccessOrOwnRefusal({ target, operation }: OperationContext): Expectation {
  const own = Object.entries(target.ownRefusals ?? {});
  const possible = own.filter(([, { operations }]) => operations.includes(operation.id));
  return expectAnswer('success', ...possible.map(([name]) => name));
}

export const expectRefusal = (...as: Refusal[]): Expectation => ({ kind: 'refused', as });

/** The request with these inputs and with credentials that open the first alternative. */
export const authorizedRequest = (
  { document, target, operation, base }: OperationContext,
  inputs: Inputs = base,
): RawRequest => authorize(document, target, operation.security[0] ?? [], composeRequest(operation, inputs));

/** The same request with a header set (its others of that name gone), or without it. */
export function withHeader(request: RawRequest, name: string, value: string | undefined): RawRequest {
  const others = request.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** The same request without a body and without the header that describes one. */
export const withoutBody = (request: RawRequest): RawRequest => ({
  method: request.method,
  target: request.target,
  headers: withHeader(request, 'Content-Type', undefined).headers,
});

/** What the cases about values find: the cases, and where generator and oracle contradict each other. */
export interface ValueCases {
  readonly cases: Case[];
  readonly contradictions: string[];
}

export function handlerInput({ base }: OperationContext, slot: Slot, value: Value): Pick<Case, 'delivers'> {
  const read = slot.decode(value);
  return read === undefined
    ? {}
    : { delivers: { inputs: slot.fill(base, value), sent: { slot, value: read } } };
}

export type MakeCase = (
  family: Case['family'],
  scenario: string,
  title: string,
  changed: RawRequest,
  expect: Expectation,
) => Case;
