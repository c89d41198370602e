import type { Case, OperationContext, Family } from './cases/case';
import type { ScenarioStep } from './cases/scenarios';
import { type Failure, failureOf, failureWithoutRequest, type WaivedFailure } from './failure';
import { createJudge } from './judge/judge';
import { judgeReceived } from './judge/received';
import { openLedger } from './ledger';
import { responseKey } from './obligations';
import type { Server, Target, Waiver } from './target';
import type { Outcome, RawResponse } from './wire/message';
import { send } from './wire/send';

const waiverOf = ({ waivers }: Target, { operation, family, title }: Case): Waiver | undefined =>
  waivers.find((one) => 'failure' in one && one.failure.test(`${operation.id} | ${family} | ${title}`));

/** How often a documented response was seen, and rightly so, under some credentials. */
export interface Observation {
  readonly operation: string;
  readonly status: string;
  readonly media: string;
  readonly credentials: string;
  readonly count: number;
}

/** What came of a case. */
interface Attempt {
  readonly problems: readonly string[];
  readonly outcome: Outcome;
}

/** Sends cases and keeps count of what came of them. */
export function openSession({
  document,
  oracle,
  responseOracle,
  target,
}: Pick<OperationContext, 'document' | 'oracle' | 'responseOracle' | 'target'>) {
  const ledger = openLedger(document, target);
  const judge = createJudge(document, responseOracle, target);
  const failures: Failure[] = [];
  const waived: WaivedFailure[] = [];
  const families = new Map<Family, number>();
  const observations = new Map<string, Observation>();

  const countResponse = (row: Omit<Observation, 'count'>): void => {
    const key = Object.values(row).join('|');
    observations.set(key, { ...row, count: (observations.get(key)?.count ?? 0) + 1 });
  };
  const attempt = async (server: Server, made: Case): Promise<Attempt> => {
    families.set(made.family, (families.get(made.family) ?? 0) + 1);
    const before = server.entered();
    const outcome = await send(server.host, server.port, made.request);
    const entered = server.entered() - before;
    const { problems: answered, response } = judge(made, outcome, entered);
    const received = entered > 0 && made.delivers ? target.received?.() : undefined;
    const given =
      received && made.delivers
        ? judgeReceived({ document, oracle, operation: made.operation }, made.delivers, received)
        : { problems: [], proves: [] };
    const problems = [...answered, ...given.problems];
    const waiver = problems.length === 0 ? undefined : waiverOf(target, made);
    if (waiver) {
      waived.push({ ...failureOf(made, problems), reason: waiver.reason });
      return { problems: [], outcome };
    }
    ledger.record([...made.proves, ...given.proves], problems.length === 0);
    if (response && problems.length === 0) {
      ledger.record([responseKey(made.operation, response.status, response.media)], true);
      countResponse({ operation: made.operation.id, ...response, credentials: made.credentials ?? 'good' });
    }
    return { problems, outcome };
  };
  /** Sends each case to a service that has forgotten everything before it. */
  const attemptAll = async (server: Server, cases: readonly Case[]): Promise<void> => {
    for (const made of cases) {
      await server.reset();
      const { problems } = await attempt(server, made);
      if (problems.length > 0) failures.push(failureOf(made, problems));
    }
  };
  /** Sends the steps of a scenario to a service that has forgotten everything before the first, until one goes wrong. */
  const runScenario = async (server: Server, steps: readonly ScenarioStep[]): Promise<void> => {
    await server.reset();
    const sent: Case[] = [];
    const answers: RawResponse[] = [];
    for (const { title, operation, make } of steps) {
      let made: Case;
      try {
        made = make(answers);
      } catch (error) {
        failures.push({ ...failureWithoutRequest('scenarios', operation, (error as Error).message), title });
        return;
      }
      const { problems, outcome } = await attempt(server, made);
      if (problems.length > 0 || 'silence' in outcome) {
        failures.push(failureOf(made, problems, sent));
        return;
      }
      sent.push(made);
      answers.push(outcome);
    }
  };
  const counts = () => ({
    observations: [...observations.values()],
    waived,
    families,
    requests: [...families.values()].reduce((sum, count) => sum + count, 0),
  });
  return { ledger, failures, attempt, attemptAll, tell: runScenario, counts };
}
