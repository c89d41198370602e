import type { Document, Operation, Parameter } from '../document/model';
import type { Value } from '../json/value';
import type { HandlerInput } from '../check/received';
import { ruleKey, type ProtocolScenario } from '../obligation';
import type { Finding, RuleName } from '../profile';
import { authorize, usableAlternative, composeRequest } from '../request/compose';
import type { Inputs, Slot } from '../request/slots';
import type { Oracle } from '../schema/oracle';
import type { ExpectedBytes, ExpectedMembers, Refusal, Target } from '../target';
import type { RawRequest, RawResponse } from '../wire/message';

/** The groups of cases. */
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
  | 'stored'
  | 'representations'
  | 'situations'
  | 'generated'
  | 'oracle'
  | 'shrinking';

/** What is wrong with an answer, or why it proves nothing. */
export interface Comparison {
  readonly findings: readonly Finding[];
  readonly inconclusive?: string | undefined;
}

/** The expected answer to a case. */
export type Expectation =
  /** The service answers: with `success`, or with one of its own refusals. */
  | {
      readonly kind: 'answered';
      readonly outcomes: readonly string[];
      /** Whether its inputs are others than those of the minimal request, so that the service may refuse it by a rule of its own. */
      readonly isVaried?: true;
      readonly members?: ExpectedMembers;
      readonly bytes?: ExpectedBytes;
      /** The documented media type that the server must choose. */
      readonly mediaType?: string;
    }
  /** The server refuses the request for one of these reasons, before it enters the service. */
  | { readonly kind: 'refused'; readonly reasons: readonly Refusal[] }
  | { readonly kind: 'status'; readonly status: number }
  /** The server answers as another answer to the operation implies. */
  | { readonly kind: 'compared'; readonly compare: (outcome: RawResponse) => Comparison }
  /** The service answers or refuses, as it likes; it does not fail. */
  | { readonly kind: 'handled' };

/** A request with one fault or none, the expected answer, and the obligations that it proves. */
export interface Case {
  readonly family: Family;
  readonly title: string;
  readonly operation: Operation;
  readonly request: RawRequest;
  readonly expect: Expectation;
  /** The rule that another answer breaks; by default `valid request` or `invalid request`. */
  readonly rule?: RuleName;
  /** Where the fault is that the server must refuse, if it is a value. */
  readonly location?: Parameter['in'] | 'body';
  /** The kind of credentials, for the report; absent if they are valid. */
  readonly credentials?: string;
  /** The input that the handler must receive, if the case determines it. */
  readonly handlerInput?: HandlerInput;
  /** The key of the obligation that the case tests, if it is a certain one. It may test it without proving it. */
  readonly about?: string;
  /** Keys of obligations. */
  readonly proves: readonly string[];
}

/** The input of every family of cases. */
export interface OperationContext {
  readonly document: Document;
  /** Judges requests. */
  readonly oracle: Oracle;
  /** Judges responses. */
  readonly responseOracle: Oracle;
  /** Judges requests without the annotations that the other one asserts. */
  readonly lenientOracle: Oracle;
  readonly target: Target;
  readonly operation: Operation;
  /** The inputs of the minimal valid request. */
  readonly base: Inputs;
}

/** What all operations of a run share. */
export type RunContext = Omit<OperationContext, 'operation' | 'base'>;

export const expectAnswer = (...outcomes: string[]): Extract<Expectation, { kind: 'answered' }> => ({
  kind: 'answered',
  outcomes,
});

export const expectSuccess = expectAnswer('success');

/** For a valid request whose inputs the service may not have: the target lists the operations that may refuse it. */
export function expectSuccessOrOwnRefusal({ target, operation }: OperationContext): Expectation {
  const refusals = Object.entries(target.ownRefusals ?? {});
  const possible = refusals.filter(([, { operations }]) => operations.includes(operation.id));
  return { ...expectAnswer('success', ...possible.map(([name]) => name)), isVaried: true };
}

export const expectRefusal = (...reasons: Refusal[]): Expectation => ({ kind: 'refused', reasons });

/** Makes the cases of a family for the obligations of kind `protocol`. */
export const protocolCases =
  ({ operation }: OperationContext, family: Family) =>
  (
    scenario: ProtocolScenario,
    title: string,
    request: RawRequest,
    expect: Expectation,
    rule: RuleName = scenario,
  ): Case => {
    const proves = [ruleKey(operation, 'protocol', scenario)];
    return { family, title, operation, request, expect, rule, proves };
  };

/** The authorized request with these inputs. It proves nothing unless it says so. */
export const inputCase = (
  context: OperationContext,
  family: Family,
  title: string,
  inputs: Inputs,
  fields: Pick<Case, 'expect'> & Partial<Case>,
): Case => ({
  family,
  title,
  operation: context.operation,
  request: authorizedRequest(context, inputs),
  proves: [],
  ...fields,
});

/** The request with these inputs, and with valid credentials for a security alternative, or else for the first one. */
export const authorizedRequest = (
  { document, target, operation, base }: OperationContext,
  inputs: Inputs = base,
  alternative = usableAlternative(operation.security, target) ?? operation.security[0] ?? [],
): RawRequest => authorize(document, target, alternative, composeRequest(operation, inputs));

/** Cases about values. */
export interface ValueCases {
  readonly cases: Case[];
  /** The values on which generator and oracle disagree. */
  readonly contradictions: string[];
  /** The examples that the document contradicts. */
  readonly documentFaults: string[];
}

/**
 * The input that the handler must receive for a value in a slot; nothing if the receiver may decode it in several ways.
 */
export function handlerInput(
  { base }: OperationContext,
  slot: Slot,
  value: Value,
): Pick<Case, 'handlerInput'> {
  const decoded = slot.decode(value);
  if (decoded === undefined) return {};
  return { handlerInput: { inputs: slot.fill(base, value), sent: { slot, value: decoded } } };
}
