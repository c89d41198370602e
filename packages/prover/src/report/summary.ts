import { isOpen, type Obligation, type State, STATES } from '../obligation';

/** What a run has shown. Every report takes its sentences and figures from here. */
export interface Summary {
  /** Whether nothing failed, nothing is open, something is proven, waived or answered by a stub, and no waiver has expired. */
  readonly passed: boolean;
  /** The result in sentences. */
  readonly verdict: string;
  /** The figures in a line. */
  readonly headline: string;
  readonly obligations: number;
  /** The number of obligations in each state. */
  readonly states: Readonly<Record<State, number>>;
  readonly operations: readonly OperationSummary[];
}

/** The obligations of an operation by state: `proven + open + apart` are all of them. */
interface OperationSummary {
  readonly operation: string;
  readonly obligations: number;
  readonly proven: number;
  /** Those that fail the run. */
  readonly open: number;
  /** Those without a proof that do not fail the run, and what a stub proves. */
  readonly apart: number;
  /** Failed cases. */
  readonly failures: number;
}

/** The end of a run. */
export interface Facts {
  /** The title of the document. */
  readonly title: string;
  readonly obligations: readonly Obligation[];
  /** The operation of each failed case. */
  readonly failures: readonly { readonly operation: string }[];
  readonly causes: number;
  readonly stubs: readonly string[];
  /** Operations of the document that the run was not to test. */
  readonly unselected: number;
  /** Requests that a budget left out. */
  readonly requestsLeftOut: number;
  readonly expiredWaivers: number;
  readonly stopped: string | undefined;
  readonly requests: number;
  readonly seconds: number;
}

export function summarize(facts: Facts): Summary {
  const { obligations, failures, expiredWaivers, stopped } = facts;
  const numberOf = (state: State): number => obligations.filter((one) => one.state === state).length;
  const states = Object.fromEntries(STATES.map((state) => [state, numberOf(state)])) as Record<State, number>;
  const isVacuous = states.PROVEN + states.STUB + states.WAIVED === 0;
  return {
    passed:
      !isVacuous &&
      failures.length + expiredWaivers === 0 &&
      stopped === undefined &&
      !obligations.some(({ state }) => isOpen(state)),
    verdict: verdict(facts, states),
    headline: headline(facts, states),
    obligations: obligations.length,
    states,
    operations: [...Map.groupBy(obligations, ({ operation }) => operation)].map(([operation, own]) => {
      const proven = own.filter(({ state }) => state === 'PROVEN').length;
      const open = own.filter(({ state }) => isOpen(state)).length;
      const failed = failures.filter((failure) => failure.operation === operation).length;
      const apart = own.length - proven - open;
      return { operation, obligations: own.length, proven, open, apart, failures: failed };
    }),
  };
}

/** How a sentence names the obligations in a state. */
const PHRASES: Readonly<Record<State, string>> = {
  PROVEN: 'proven',
  STUB: 'kept by stubs only',
  WAIVED: 'waived',
  WARNED: 'answered otherwise than a standard recommends',
  'OUT OF REACH': 'out of reach of requests',
  'LEFT OUT': 'left out',
  UNPROVEN: 'not proven',
  BLOCKED: 'blocked',
};

function verdict(facts: Facts, states: Record<State, number>): string {
  const { obligations, failures, expiredWaivers, stopped, unselected, requestsLeftOut } = facts;
  const present = STATES.filter((state) => states[state] > 0);
  const isAll =
    states.PROVEN === obligations.length &&
    failures.length + expiredWaivers + unselected + requestsLeftOut === 0 &&
    stopped === undefined;
  const parts = present.map((state) => `${are(states[state])} ${PHRASES[state]}`);
  return [
    stubSentence(facts, states.PROVEN),
    resultSentence(facts, states, isAll),
    isAll || parts.length === 0 ? '' : `Of ${count(obligations.length, 'obligation')}, ${parts.join(', ')}.`,
    expiredWaivers > 0 ? `${count(expiredWaivers, 'waiver')} expired.` : '',
    unselected > 0 ? `Not selected: ${count(unselected, 'operation')} of the document.` : '',
    requestsLeftOut > 0 ? `Left out: ${count(requestsLeftOut, 'request')}.` : '',
    stopped === undefined ? '' : `The run ended early: ${stopped}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** Stubs come first: their answers are made from the document, and say nothing about the service. */
function stubSentence({ title, stubs, obligations, failures }: Facts, proven: number): string {
  const tested = new Set(obligations.map(({ operation }) => operation));
  const named = stubs.filter((operation) => tested.has(operation));
  if (named.length === 0) return '';
  const names = named.length > 4 ? [...named.slice(0, 3), `${named.length - 3} more`] : named;
  const list =
    names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}` : names.join('');
  if (proven === 0 && failures.length === 0)
    return `Nothing of ${title} is proven yet: ${count(named.length, 'stub')} (${list}).`;
  return `${named.length} of ${count(tested.size, 'operation')} ${named.length === 1 ? 'is a stub, which answers' : 'are stubs, which answer'} from the document: ${list}.`;
}

function resultSentence(
  { title, obligations, failures, causes }: Facts,
  states: Record<State, number>,
  isAll: boolean,
): string {
  if (failures.length > 0)
    return `${title} breaks its contract: ${count(failures.length, 'case')} failed, with ${count(causes, 'cause')}.`;
  if (obligations.length === 0) return `${title} has no operation, so nothing is proven.`;
  if (states.PROVEN === 0) return states.STUB > 0 ? '' : `Nothing of ${title} is proven.`;
  return isAll ? `${title} keeps its contract: everything is proven.` : `No case of ${title} failed.`;
}

const are = (number: number): string => `${number} ${number === 1 ? 'is' : 'are'}`;

/** `STUB 5, PROVEN 30/42, WAIVED 1, UNPROVEN 0, BLOCKED 0, OUT OF REACH 6, 424 requests, 0.8 s` */
function headline({ obligations, requests, seconds }: Facts, states: Record<State, number>): string {
  const figure = (state: State): string => `${state} ${states[state]}`;
  const shown = (['WARNED', 'OUT OF REACH', 'LEFT OUT'] as const).filter((state) => states[state] > 0);
  return [
    ...(states.STUB > 0 ? [figure('STUB')] : []),
    `PROVEN ${states.PROVEN}/${obligations.length}`,
    ...(['WAIVED', 'UNPROVEN', 'BLOCKED'] as const).map(figure),
    ...shown.map(figure),
    count(requests, 'request'),
    `${seconds.toFixed(1)} s`,
  ].join(', ');
}

/** `1 case`, `2 cases`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
