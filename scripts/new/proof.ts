/** Decides whether the contract tests of a new service pass, with the waivers that are added to it. */

/** The parts of reports/contract/contract.json that this file reads. */
export interface Report {
  readonly obligations: readonly Obligation[];
  readonly failures: readonly unknown[];
  /** Requests that were not sent. */
  readonly leftOut?: readonly {
    readonly operation: string;
    readonly family: string;
    readonly reason: string;
  }[];
  /** Why the run ended early. */
  readonly stopped?: string;
}

export interface Obligation {
  readonly key: string;
  readonly state: string;
  /** The number of cases that disproved it. */
  readonly failed: number;
  readonly reason?: string;
}

/** The result of the contract tests of a new service, with the added waivers. */
export interface Proof {
  /** Whether the tests pass now. */
  readonly green: boolean;
  readonly summary: string;
}

export const SERVICE = 'tests/contract/service.ts';

/** The promises without a case for or against them. */
export const waivable = ({ obligations, stopped }: Report): Obligation[] =>
  stopped === undefined
    ? obligations.filter(({ state, failed }) => state === 'UNPROVEN' && failed === 0)
    : [];

/** The figures with the added waivers, and what is not green. */
export function proofOf(report: Report): Proof {
  const { obligations, failures, leftOut = [], stopped } = report;
  const added = waivable(report).length;
  const count = (state: string) => obligations.filter((one) => one.state === state).length;
  const stubs = count('STUB');
  const rest = obligations.filter(
    ({ state, failed }) =>
      state === 'BLOCKED' || state === 'LEFT OUT' || (state === 'UNPROVEN' && failed > 0),
  );
  const news =
    added > 0
      ? `; ${added} ${added === 1 ? 'waiver is' : 'waivers are'} added to ${SERVICE} for what no request can show`
      : '';
  const summary = [
    `contract tests: ${stubs > 0 ? `STUB ${stubs}, ` : ''}PROVEN ${count('PROVEN')}/${obligations.length}`,
    `WAIVED ${count('WAIVED') + added}`,
    `UNPROVEN ${count('UNPROVEN') - added}`,
    `BLOCKED ${count('BLOCKED')}${news}`,
  ].join(', ');
  const reasons = [
    ...(stopped === undefined ? [] : [`the run ended early: ${stopped}`]),
    ...(failures.length > 0
      ? [`${failures.length} ${failures.length === 1 ? 'case' : 'cases'} failed: make contract`]
      : []),
    ...new Set(
      rest.map(({ key, state, reason = 'a case failed' }) => `${state} ${key.split(' | ')[0]}: ${reason}`),
    ),
  ];
  // No case of a stub could be made. That is no fault of the service.
  const unmade = leftOut
    .filter(({ family }) => family === 'baseline')
    .map(({ operation, reason }) => `no request can be made for the stub ${operation}: ${reason}`);
  return { green: reasons.length === 0, summary: [summary, ...reasons, ...unmade].join('\n  ') };
}
