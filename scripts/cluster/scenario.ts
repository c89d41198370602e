/** What a scenario has seen, over all its rounds. */
export interface Outcome {
  readonly rounds: number;
  /** Writes that were answered with success. */
  readonly acknowledged: number;
  /** Answers that no longer hold. */
  readonly lost: number;
  /** Answers that no fault explains, and rows that nobody has sent. */
  readonly wrong: number;
  /** Requests of a rolling deployment that were not answered with success; undefined: clients repeat them. */
  readonly failed?: number;
  /** Milliseconds of the longest time without a write, by the way to the database, one for each round. */
  readonly silences: Readonly<Record<string, readonly number[]>>;
}

export const NOTHING: Outcome = { rounds: 0, acknowledged: 0, lost: 0, wrong: 0, silences: {} };

/** Adds what one round has seen. */
export function add(total: Outcome, round: Outcome): Outcome {
  const silences = { ...total.silences };
  for (const [way, more] of Object.entries(round.silences))
    silences[way] = [...(silences[way] ?? []), ...more];
  const failed = total.failed ?? round.failed;
  return {
    rounds: total.rounds + round.rounds,
    acknowledged: total.acknowledged + round.acknowledged,
    lost: total.lost + round.lost,
    wrong: total.wrong + round.wrong,
    ...(failed !== undefined && { failed: (total.failed ?? 0) + (round.failed ?? 0) }),
    silences,
  };
}

/**
 * A scenario of `make cluster`. It runs in a process of its own, beside others.
 *
 * @throws {Error} if something does not come back, or a promise beside those of the table is broken
 */
export interface Scenario {
  /**
   * What its configuration promises: that no answer is lost, or nothing; or `some`, of a server with an injected fault, that the
   * scenario must notice.
   */
  readonly lost: 'none' | 'any' | 'some';
  /** Whether requests must fail, of servers with an injected fault; otherwise none may where they are counted. */
  readonly fails?: boolean;
  /** @param report receives what each round has seen */
  run(rounds: number, seed: number, report: (round: Outcome) => void): Promise<void>;
}

/** Whether what was seen keeps what is promised. */
export const isKept = (
  { lost: promise, fails = false }: Scenario,
  { rounds, acknowledged, lost, wrong, failed = 0 }: Outcome,
) =>
  rounds > 0 &&
  acknowledged > 0 &&
  wrong === 0 &&
  failed > 0 === fails &&
  (promise === 'any' || lost > 0 === (promise === 'some'));
