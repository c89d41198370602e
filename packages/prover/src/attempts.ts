import type { Case, OperationContext, RunContext } from './cases/case';
import { type Search, searchGenerated } from './cases/search';
import { lastCases, operationCases, situationCases } from './cases/operation';
import type { ScenarioStep } from './cases/scenarios';
import { failureWithoutRequest, type Replay } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import { type Attempt, type CaseRunner, OF_STUBS } from './case-runner';
import { shrinkCase } from './shrink';
import type { Server } from './target';
import { reasonOf } from './untestable';
import type { RawResponse } from './wire/message';

/** Generated requests for each operation, valid and faulty each. */
const GENERATED = 100;
const GENERATED_OF_STUB = 2;

/** The descriptions of obligations that need a valid body. */
const OF_BODIES =
  /^(?:body |received \| body |protocol \| (?:unsupported media types|equivalent media types|body limit)$)/;

/** Sends the enumerated cases of an operation. Resolves with the examples that the document contradicts. */
export async function attemptEnumerated(
  context: OperationContext,
  server: Server,
  { failures, attemptAll, giveUp, leaveOut, ledger }: CaseRunner,
): Promise<readonly string[]> {
  const made = makeOr(
    () => operationCases(context),
    (reason) => {
      giveUp(context.operation, reason);
    },
  );
  if (!made) return [];
  // First: what a case shows replaces it.
  for (const { family, reason, about } of made.unsent) {
    leaveOut(context.operation, family, reason, 1);
    ledger.undecide(about, { state: 'OUT OF REACH', reason });
  }
  if (context.operation.body && !context.base.body) {
    const reason = 'the body is optional, and no valid value of it can be sent';
    ledger.undecide(
      ledger.obligations
        .filter((one) => one.operation === context.operation.id && OF_BODIES.test(one.description))
        .map(({ key }) => key),
      { state: 'OUT OF REACH', reason },
    );
  }
  await attemptAll(server, made.cases);
  for (const problem of made.contradictions)
    failures.push(failureWithoutRequest('oracle', context.operation, problem, 'generator against oracle'));
  return made.documentFaults;
}

/** Sends the cases of an operation that come after those of all others. */
export async function attemptLast(
  context: OperationContext,
  server: Server,
  { attemptAll, leaveOut }: CaseRunner,
): Promise<void> {
  const made = makeOr(
    () => lastCases(context),
    (reason) => {
      leaveOut(context.operation, 'valid', reason, 1);
    },
  );
  await attemptAll(server, made ?? []);
}

/** What a function makes; undefined if it fails, by a fault of the prover. */
function makeOr<T>(make: () => T, giveUp: (reason: string) => void): T | undefined {
  try {
    return make();
  } catch (error) {
    giveUp(reasonOf(error));
    return undefined;
  }
}

/** Resets the service, then sends the steps of a scenario in order. Stops at the first failure. */
export async function attemptScenario(
  steps: readonly ScenarioStep[],
  server: Server,
  { failures, describe, reset, attempt }: CaseRunner,
): Promise<void> {
  await reset(server);
  const before: Case[] = [];
  const answers: RawResponse[] = [];
  for (const { title, operation, make } of steps) {
    let step: Case;
    try {
      step = make(answers);
    } catch (error) {
      failures.push(failureWithoutRequest('scenarios', operation, messageOf(error), title));
      return;
    }
    const { problems, outcome, actual = step } = await attempt(server, step);
    if (!outcome) return;
    if (problems.length > 0 || 'noResponse' in outcome) {
      failures.push(describe(actual, problems, before));
      return;
    }
    before.push(actual);
    answers.push(outcome);
  }
}

/** Starts a server in the situation that causes a status, and sends its cases. */
export async function attemptSituation(
  contexts: readonly OperationContext[],
  { attemptAll, client }: CaseRunner,
  status: number,
  start: () => Promise<Server>,
): Promise<void> {
  const cases = contexts.flatMap((context) => situationCases(context, status));
  if (cases.length === 0 || client.isOver() !== undefined) return;
  const server = await start().catch((error: unknown) => {
    throw new Error(`the target failed to start for the status ${status}: ${messageOf(error)}`);
  });
  try {
    await attemptAll(server, cases);
  } finally {
    await server.close();
  }
}

/**
 * Sends the generated requests of an operation.
 *
 * @param generated requests of each kind; 100 by default, 2 for a stub
 */
export async function attemptGenerated(
  context: OperationContext,
  server: Server,
  { failures, fail, isStub, leaveOut, attempt, reset, client }: CaseRunner,
  { seed, generated, replay }: { seed: number; generated?: number | undefined; replay?: Replay | undefined },
): Promise<void> {
  const { operation } = context;
  const isOfStub = isStub(operation);
  const runs = generated ?? (isOfStub ? GENERATED_OF_STUB : GENERATED);
  const attempts = new Map<Case, Attempt>();
  const attemptAlone = async (sent: Case): Promise<readonly string[] | undefined> => {
    if (client.mustEnd() !== undefined) return undefined;
    await reset(server);
    const attempted = await attempt(server, sent);
    if (attempted.problems.length > 0) attempts.set(sent, attempted);
    return attempted.outcome && attempted.problems;
  };
  let searches: readonly Search[] = [];
  try {
    searches = await searchGenerated(context, attemptAlone, { seed, runs, replay });
  } catch (error) {
    leaveOut(operation, 'generated', reasonOf(error), 2 * runs);
  }
  for (const { kind, counterexample, leftOut } of searches) {
    leaveOut(operation, 'generated', client.isOver() ?? `no more ${kind} values were found`, leftOut);
    if (isOfStub && !replay) leaveOut(operation, 'generated', OF_STUBS, Math.max(0, GENERATED - runs));
    if (!counterexample) continue;
    const { case: failed, problems, ...place } = counterexample;
    const problem = problems.join('; ');
    if (failed)
      fail(failed, attempts.get(failed) ?? { problems }, { replay: { operation: operation.id, ...place } });
    else if (isOfStub) leaveOut(operation, 'generated', problem, runs);
    else failures.push(failureWithoutRequest('generated', operation, problem));
  }
}

/** The number of groups whose example is shrunk, and the requests for each. */
const SHRUNK_GROUPS = 8;
const REQUESTS_PER_GROUP = 30;

/** Shrinks the example of the largest groups. Their causes stay the same. */
export async function shrinkGroups(
  { document, oracle }: RunContext,
  server: Server,
  runner: CaseRunner,
): Promise<FailureGroup[]> {
  const shrunk: FailureGroup[] = [];
  for (const group of groupFailures(runner.failures).slice(0, SHRUNK_GROUPS)) {
    const failed = runner.failedCases.get(group.example);
    if (!failed) continue;
    /** The failure of a case, if it has the cause of the group. */
    const failureAgain = async (sent: Case) => {
      await runner.reset(server);
      const { actual = sent, problems = [] } = (await runner.probe(server, sent)) ?? {};
      const failure = runner.describe(actual, problems);
      const isSame = problems.length > 0 && failure.causes.some(({ key }) => key === group.cause.key);
      return isSame ? failure : undefined;
    };
    if (!(await failureAgain(failed))) {
      shrunk.push({ ...group, isRepeatable: false });
      continue;
    }
    const fails = async (sent: Case): Promise<boolean> => (await failureAgain(sent)) !== undefined;
    // Without a smaller one the case is shown as it is.
    const smallest = await shrinkCase({ document, oracle, fails, budget: REQUESTS_PER_GROUP }, failed).catch(
      () => failed,
    );
    const smaller = smallest === failed ? undefined : await failureAgain(smallest);
    if (!smaller) continue;
    const { problems, curl } = smaller;
    shrunk.push({ ...group, example: { ...group.example, problems, curl } });
  }
  return shrunk;
}

/** The message of an error of a target. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
