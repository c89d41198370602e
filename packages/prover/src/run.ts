import {
  attemptEnumerated,
  attemptGenerated,
  attemptLast,
  attemptScenario,
  attemptSituation,
  messageOf,
  shrinkGroups,
} from './attempts';
import { establishBaseline, leftOutByMock } from './baseline';
import type { OperationContext } from './cases/case';
import { seedOf } from './cases/search';
import { assertScenarios, scenarioCases } from './cases/scenarios';
import type { Failure, Replay } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import type { Obligation } from './obligation';
import { inOrder, obstacleTo, selectOperations, supporting } from './order';
import { summarize, type Summary } from './report/summary';
import { createOracle, type Oracle } from './schema/oracle';
import { type Counts, openCaseRunner, type Progress } from './case-runner';
import type { Target, Waiver } from './target';
import { openWaivers, type Waivers } from './waivers';
import type { Document } from './document/model';
import { readDocument } from './document/reader';
import { attemptPreconditions, attemptRepresentation } from './representations/attempt';
import { attemptRetries } from './stored/retries';
import { attemptStored } from './stored/attempt';
import { attemptLists } from './stored/lists';
import { asObject, asString } from './json/tree';

/** The result of a run. */
export interface Result extends Counts {
  readonly document: Document;
  readonly seed: number;
  readonly obligations: readonly Obligation[];
  readonly failures: readonly Failure[];
  /** Examples that the document itself contradicts. */
  readonly documentFaults: readonly string[];
  /** What the run created in a black box and could not remove: a sentence for each kind of resource. */
  readonly leftBehind: readonly string[];
  /** Why the run ended early. */
  readonly stopped?: string;
  readonly seconds: number;
  /** The failures by cause, the most frequent first. */
  readonly groups: readonly FailureGroup[];
  /** Waivers that hold no longer. They fail the run. */
  readonly expiredWaivers: readonly Waiver[];
  /** Waivers that matched nothing. */
  readonly unusedWaivers: readonly Waiver[];
  /** Set if the run sent one generated case only. It then proves no obligation. */
  readonly replay?: Replay;
  /** The sentences and figures of every report. */
  readonly summary: Summary;
  readonly passed: boolean;
}

export interface RunOptions {
  /** Generated requests for each operation, valid and faulty each; 100 by default, 2 for a stub. */
  readonly generated?: number | undefined;
  /** Replaces the oracle of both directions, to prove that the run detects a wrong one. */
  readonly oracle?: Oracle | undefined;
  /** The day on which waivers must hold: today by default. */
  readonly today?: Date | undefined;
  /** Tests only these operations; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Replaces the seed of the generated requests, which is a digest of the document. */
  readonly seed?: number | undefined;
  /** Sends only this generated case. */
  readonly replay?: Replay | undefined;
  /** Whether to shrink the examples of the report; true by default. */
  readonly shrink?: boolean | undefined;
  /** Called before each request. */
  readonly onRequest?: ((progress: Progress) => void) | undefined;
  /** Ends the run, with the result so far. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each operation and each request, with a function that makes the result of what was proven so far. */
  readonly onStep?: ((resultSoFar: () => Result) => void) | undefined;
}

/**
 * Tests a server against its document. What fails after the start of the target ends the run, with the result so far.
 *
 * @throws {Error} if the document, the target or the options cannot be used, or the target does not start
 */
export async function run(given: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
  const target: Target = given.inspect ? { ...given, ...(await given.inspect()) } : given;
  const document = readDocument(target.document, target);
  const oracle = options.oracle ?? createOracle(document.requests);
  const responseOracle = options.oracle ?? createOracle(document.responses);
  const lenientOracle = createOracle(document.lenient.requests);
  const common = { document, oracle, responseOracle, lenientOracle, target };
  const { seed = seedOf(target.document), replay, signal, onStep } = options;
  const operations = selectOperations(document, options);
  assertScenarios(document, target);
  const openAllWaivers = () => openWaivers(target, isoDate(options.today ?? new Date()));
  const waivers = openAllWaivers();
  const step = (): void => onStep?.(() => conclude(openAllWaivers(), 'it was interrupted'));
  const onRequest = (progress: Progress): void => {
    options.onRequest?.(progress);
    step();
  };
  const runner = openCaseRunner({ ...common, waivers, operations, onRequest, signal });
  const { ledger, failures, client } = runner;
  const documentFaults: string[] = [...document.unread];
  let groups: readonly FailureGroup[] = [];

  function conclude(holding: Waivers, stopped: string | undefined): Result {
    const obligations = replay ? [] : ledger.settled(holding, stopped);
    const seconds = (performance.now() - began) / 1000;
    const counts = runner.counts();
    const found = withExamples(groupFailures(failures), groups);
    const summary = summarize({
      title: asString(asObject(document.json['info'])['title']) || 'The service',
      obligations,
      failures,
      causes: found.length,
      stubs: target.stubs ?? [],
      unselected: document.operations.length - operations.length,
      requestsLeftOut: counts.leftOut.reduce((sum, { requests }) => sum + requests, 0),
      expiredWaivers: holding.expired.length,
      stopped,
      requests: counts.requests,
      seconds,
    });
    return {
      document,
      seed,
      obligations,
      failures: [...failures],
      groups: found,
      expiredWaivers: holding.expired,
      // A waiver may match what the run did not reach.
      unusedWaivers: options.only || replay || stopped !== undefined ? [] : holding.unused(),
      ...(replay && { replay }),
      ...counts,
      documentFaults: [...documentFaults],
      leftBehind: runner.state?.leftBehind() ?? [],
      ...(stopped !== undefined && { stopped }),
      seconds,
      summary,
      passed: replay ? failures.length === 0 && stopped === undefined : summary.passed,
    };
  }

  step();
  const server = await target.start();
  try {
    const contexts: OperationContext[] = [];
    for (const operation of supporting(document, operations, target)) {
      // Its resources are needed; its answers are not judged.
      const judged = failures.length;
      await establishBaseline(common, operation, server, runner);
      failures.splice(judged);
    }
    for (const operation of target.blackBox ? inOrder(operations) : operations) {
      const obstacle = obstacleTo(operation, document, target);
      if (obstacle) {
        const { reason, state } = obstacle;
        const left = state === 'BLOCKED' ? await leftOutByMock(operation, server, client) : undefined;
        ledger.block(operation.id, left ?? reason, left === undefined ? state : 'OUT OF REACH');
        continue;
      }
      if (client.mustEnd() !== undefined) continue;
      step();
      const context = await establishBaseline(common, operation, server, runner);
      if (!context) continue;
      contexts.push(context);
      if (!replay) documentFaults.push(...(await attemptEnumerated(context, server, runner)));
      if (!replay) await attemptRepresentation(context, server, runner);
      step();
      await attemptGenerated(context, server, runner, { ...options, seed });
    }
    if (!replay) {
      for (const steps of scenarioCases(target, contexts)) await attemptScenario(steps, server, runner);
      for (const context of contexts) {
        const { path } = context.operation;
        const reader = contexts.find(
          ({ operation }) => operation.method === 'GET' && operation.path === path,
        );
        await attemptPreconditions(context, reader, server, runner);
      }
      for (const context of contexts) await attemptRetries(context, server, runner);
      await attemptStored(contexts, server, runner);
      await attemptLists(contexts, server, runner);
      for (const context of contexts) await attemptLast(context, server, runner);
      for (const [status, start] of Object.entries(target.situations ?? {}))
        await attemptSituation(contexts, runner, Number(status), start);
    }
    if (options.shrink !== false && client.isOver() === undefined)
      groups = await shrinkGroups(common, server, runner);
  } catch (error) {
    client.stop(messageOf(error));
  } finally {
    await runner.state?.cleanUp(server, signal);
    await server.close();
  }
  return conclude(waivers, client.stopped());
}

const isoDate = (date: Date): string => date.toISOString().slice(0, 10);

/** The groups with the shrunk examples of some of them. */
const withExamples = (groups: readonly FailureGroup[], shrunk: readonly FailureGroup[]): FailureGroup[] =>
  groups.map((group) => {
    const found = shrunk.find(({ cause }) => cause.key === group.cause.key);
    return found ? { ...found, cases: group.cases, operations: group.operations, rules: group.rules } : group;
  });
