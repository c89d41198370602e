import { ADVICE } from './advice';
import { establishBaseline } from './baseline';
import type { Case, Family, OperationContext, RunContext, ValueCases } from './cases/case';
import { type Search, searchGenerated, seedOf } from './cases/generated';
import { lastCases, operationCases, situationCases } from './cases/operation';
import { assertScenarios, scenarioCases } from './cases/scenarios';
import { causesOf } from './cause';
import { type Document, isSafe, type Operation } from './document/document';
import { readDocument } from './document/read';
import { type Failure, failureOf, failureWithoutRequest, type Replay, type WaivedFailure } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import { asObject, asString } from './json/json';
import type { Obligation } from './obligation';
import { summarize, type Summary } from './report/summary';
import { usableAlternative } from './request/credentials';
import { createOracle, type Oracle } from './schema/oracle';
import {
  type Attempt,
  type LeftOut,
  type Observation,
  OF_STUBS,
  openSession,
  type Progress,
  type Session,
} from './session';
import { shrinkCase } from './shrink';
import type { Server, Target, Waiver } from './target';
import { resourcesOf, sourcesOf } from './state/sources';
import { reasonOf } from './untestable';
import { openWaivers, type Waivers } from './waivers';

/** The result of a run. */
export interface Result {
  readonly document: Document;
  readonly seed: number;
  readonly obligations: readonly Obligation[];
  readonly failures: readonly Failure[];
  /** Answers that the standards leave to the server, though they recommend others. They do not fail the run. */
  readonly warnings: readonly Failure[];
  /** Examples that the document itself contradicts. */
  readonly documentFaults: readonly string[];
  /** What the run created in a black box and could not remove: a sentence for each kind of resource. */
  readonly leftBehind: readonly string[];
  /** Why the run ended early. */
  readonly stopped?: string;
  /** Requests that a budget left out. */
  readonly leftOut: readonly LeftOut[];
  /** Failures that the target waives. */
  readonly waived: readonly WaivedFailure[];
  readonly observations: readonly Observation[];
  readonly requests: number;
  /** The number of requests of each family. */
  readonly families: ReadonlyMap<Family, number>;
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
  readonly generated?: number;
  /** Replaces the oracle of both directions, to prove that the run detects a wrong one. */
  readonly oracle?: Oracle;
  /** The day on which waivers must hold: today by default. */
  readonly today?: Date;
  /** Tests only these operations; all by default. */
  readonly only?: readonly string[];
  /** Replaces the seed of the generated requests, which is a digest of the document. */
  readonly seed?: number;
  /** Sends only this generated case. */
  readonly replay?: Replay;
  /** Whether to shrink the examples of the report; true by default. */
  readonly shrink?: boolean;
  /** Called before each request. */
  readonly onRequest?: (progress: Progress) => void;
  /** Ends the run, with the result so far. */
  readonly signal?: AbortSignal;
  /** Called before each operation and each request, with a function that makes the result of what was proven so far. */
  readonly onStep?: (resultSoFar: () => Result) => void;
}

/** Generated requests for each operation, valid and faulty each. */
const GENERATED = 100;
const GENERATED_OF_STUB = 2;

const METHOD_ORDER = ['POST', 'PUT', 'GET'];

/** The operations of a black box: those on resources after those that create them, those that remove them last. */
function inOrder(operations: readonly Operation[]): Operation[] {
  const depth = ({ path }: Operation): number => path.split('{').length;
  const rank = ({ method }: Operation): number =>
    METHOD_ORDER.includes(method) ? METHOD_ORDER.indexOf(method) : METHOD_ORDER.length;
  const removes = ({ method }: Operation): boolean => method === 'DELETE';
  return [
    ...operations.filter((one) => !removes(one)).sort((a, b) => depth(a) - depth(b) || rank(a) - rank(b)),
    ...operations.filter(removes).sort((a, b) => depth(b) - depth(a)),
  ];
}

/** The operations of a black box that name resources, if they are not among those to test. */
function supporting(document: Document, operations: readonly Operation[], target: Target): Operation[] {
  if (!target.blackBox || operations.length === document.operations.length) return [];
  const resources = new Set(document.operations.flatMap(resourcesOf));
  const sources = new Set([...resources].flatMap((resource) => sourcesOf(document, resource)));
  const named = new Set([...sources].map(({ operation }) => operation));
  return inOrder([...named]).filter(
    (operation) => !operations.includes(operation) && !obstacleTo(operation, document, target),
  );
}

/** Why no request of an operation is sent to a black box; undefined if they are. */
function obstacleTo(
  { method, security, untestable }: Operation,
  { schemes }: Document,
  target: Target,
): { state: 'BLOCKED' | 'OUT OF REACH'; reason: string } | undefined {
  if (untestable !== undefined) return { state: 'OUT OF REACH', reason: untestable };
  if (!target.blackBox) return undefined;
  if (!target.blackBox.write && !isSafe(method))
    return { state: 'OUT OF REACH', reason: ADVICE.allowWrites() };
  if (usableAlternative(security, target)) return undefined;
  const isOther = (name: string): boolean => schemes[name]?.['type'] === 'mutualTLS';
  if (security.every((alternative) => alternative.some(isOther)))
    return {
      state: 'OUT OF REACH',
      reason: 'it takes a certificate of the client, which the engine cannot present',
    };
  const missing = (security[0] ?? []).filter((name) => target.credentials[name] === undefined);
  return { state: 'BLOCKED', reason: ADVICE.addCredentials(missing) };
}

/**
 * Tests a server against its document. What fails after the start of the target ends the run, with the result so far.
 *
 * @throws {Error} if the document, the target or the options cannot be used, or the target does not start
 */
export async function run(target: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
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
  const session = openSession({ ...common, waivers, operations, onRequest, signal });
  const { ledger, failures, client } = session;
  const documentFaults: string[] = [...document.unread];
  let groups: readonly FailureGroup[] = [];

  function conclude(holding: Waivers, stopped: string | undefined): Result {
    const obligations = replay ? [] : ledger.settled(holding, stopped);
    const seconds = (performance.now() - began) / 1000;
    const counts = session.counts();
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
      leftBehind: session.state?.leftBehind() ?? [],
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
      await establishBaseline(common, operation, server, session);
      failures.splice(judged);
    }
    for (const operation of target.blackBox ? inOrder(operations) : operations) {
      const obstacle = obstacleTo(operation, document, target);
      if (obstacle) {
        ledger.block(operation.id, obstacle.reason, obstacle.state);
        continue;
      }
      const over = client.isOver();
      if (over !== undefined) {
        client.stop(over);
        continue;
      }
      step();
      const context = await establishBaseline(common, operation, server, session);
      if (!context) continue;
      contexts.push(context);
      const usual = session.isStub(operation) ? GENERATED_OF_STUB : GENERATED;
      const generated = { seed, runs: options.generated ?? usual, ...(replay && { replay }) };
      if (!replay) documentFaults.push(...(await attemptEnumerated(context, server, session)));
      step();
      await attemptGenerated(context, server, session, generated);
    }
    for (const steps of replay ? [] : scenarioCases(target, contexts))
      await session.runScenario(server, steps);
    for (const context of replay ? [] : contexts) await attemptLast(context, server, session);
    for (const [status, start] of replay ? [] : Object.entries(target.situations ?? {}))
      await attemptSituation(contexts, session, Number(status), start);
    if (options.shrink !== false && client.isOver() === undefined)
      groups = await shrinkGroups(common, server, session);
  } catch (error) {
    client.stop(messageOf(error));
  } finally {
    await session.state?.cleanUp(server, signal);
    await server.close();
  }
  return conclude(waivers, client.stopped());
}

/** Sends the enumerated cases of an operation. Resolves with the examples that the document contradicts. */
async function attemptEnumerated(
  context: OperationContext,
  server: Server,
  { failures, attemptAll, giveUp }: Session,
): Promise<readonly string[]> {
  let made: ValueCases;
  try {
    made = operationCases(context);
  } catch (error) {
    giveUp(context.operation, reasonOf(error));
    return [];
  }
  const { cases, contradictions, documentFaults } = made;
  await attemptAll(server, cases);
  for (const problem of contradictions)
    failures.push(failureWithoutRequest('oracle', context.operation, problem, 'generator against oracle'));
  return documentFaults;
}

async function attemptLast(
  context: OperationContext,
  server: Server,
  { attemptAll, leaveOut }: Session,
): Promise<void> {
  let cases: readonly Case[] = [];
  try {
    cases = lastCases(context);
  } catch (error) {
    leaveOut(context.operation, 'valid', reasonOf(error), 1);
  }
  await attemptAll(server, cases);
}

async function attemptSituation(
  contexts: readonly OperationContext[],
  { attemptAll, client }: Session,
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

async function attemptGenerated(
  context: OperationContext,
  server: Server,
  { failures, fail, isStub, leaveOut, attempt, reset, client }: Session,
  options: { seed: number; runs: number; replay?: Replay },
): Promise<void> {
  const { operation } = context;
  const over = client.isOver();
  if (over !== undefined) {
    client.stop(over);
    leaveOut(operation, 'generated', over, options.replay ? 1 : 2 * options.runs);
    return;
  }
  const attempts = new Map<Case, Attempt>();
  const attemptAlone = async (sent: Case): Promise<readonly string[] | undefined> => {
    if (client.isOver() !== undefined) return undefined;
    await reset(server);
    const attempted = await attempt(server, sent);
    if (attempted.problems.length > 0) attempts.set(sent, attempted);
    return attempted.outcome && attempted.problems;
  };
  let searches: readonly Search[] = [];
  try {
    searches = await searchGenerated(context, attemptAlone, options);
  } catch (error) {
    leaveOut(operation, 'generated', reasonOf(error), 2 * options.runs);
  }
  for (const { kind, counterexample, leftOut } of searches) {
    const reason = client.isOver() ?? `no more ${kind} values were found`;
    leaveOut(operation, 'generated', reason, leftOut);
    if (isStub(operation) && !options.replay)
      leaveOut(operation, 'generated', OF_STUBS, Math.max(0, GENERATED - options.runs));
    if (!counterexample) continue;
    const { case: failed, problems, seed, path } = counterexample;
    const replay = { operation: operation.id, kind, seed, path };
    if (failed) fail(failed, attempts.get(failed) ?? { problems }, { replay });
    else if (isStub(operation)) leaveOut(operation, 'generated', problems.join('; '), options.runs);
    else failures.push(failureWithoutRequest('generated', operation, problems.join('; ')));
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isoDate = (date: Date): string => date.toISOString().slice(0, 10);

/** @throws {Error} if an operation is unknown */
function selectOperations({ operations }: Document, { only, replay }: RunOptions): readonly Operation[] {
  const names = replay ? [replay.operation] : only;
  const unknown = names?.find((name) => operations.every(({ id }) => id !== name));
  if (unknown !== undefined)
    throw new Error(
      `expected one of the operations ${operations.map(({ id }) => id).join(', ')}, got ${unknown}`,
    );
  return names ? operations.filter(({ id }) => names.includes(id)) : operations;
}

/** The number of groups whose example is shrunk, and the requests for each. */
const SHRUNK_GROUPS = 8;
const REQUESTS_PER_GROUP = 30;

/** Shrinks the example of the largest groups. Their causes stay the same. */
async function shrinkGroups(common: RunContext, server: Server, session: Session): Promise<FailureGroup[]> {
  const { document, oracle, target } = common;
  const shrunk: FailureGroup[] = [];
  for (const group of groupFailures(session.failures).slice(0, SHRUNK_GROUPS)) {
    const { cause, example } = group;
    const failed = session.failedCases.get(example);
    if (!failed) continue;
    const repeat = async (sent: Case) => {
      await session.reset(server);
      const probed = await session.probe(server, sent);
      const causes = probed && probed.problems.length > 0 ? causesOf(sent, probed.problems) : [];
      return { probed, fails: causes.some(({ key }) => key === cause.key) };
    };
    if (!(await repeat(failed)).fails) {
      shrunk.push({ ...group, isRepeatable: false });
      continue;
    }
    const fails = async (sent: Case): Promise<boolean> => (await repeat(sent)).fails;
    // Without a smaller one the case is shown as it is.
    const smallest = await shrinkCase({ document, oracle, fails, budget: REQUESTS_PER_GROUP }, failed).catch(
      () => failed,
    );
    const { probed, fails: stillFails } = smallest === failed ? { fails: false } : await repeat(smallest);
    if (!probed || !stillFails) continue;
    const smaller = failureOf(probed.actual, probed.problems, [], target.curl);
    shrunk.push({ ...group, example: { ...example, problems: smaller.problems, curl: smaller.curl } });
  }
  return shrunk;
}

/** The groups with the shrunk examples of some of them. */
const withExamples = (groups: readonly FailureGroup[], shrunk: readonly FailureGroup[]): FailureGroup[] =>
  groups.map((group) => {
    const found = shrunk.find(({ cause }) => cause.key === group.cause.key);
    return found ? { ...found, cases: group.cases, operations: group.operations, rules: group.rules } : group;
  });
