import { establishBaseline } from './baseline';
import type { Case, Family, OperationContext, RunContext } from './cases/case';
import { findCounterexamples, seedOf } from './cases/generated';
import { operationCases } from './cases/operation';
import { scenarioCases } from './cases/scenarios';
import { situationCases } from './cases/situations';
import { causesOf } from './cause';
import { type Document, isSafe, type Operation } from './document/document';
import { readDocument } from './document/read';
import { type Failure, failureOf, failureWithoutRequest, type Replay, type WaivedFailure } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import type { Obligation } from './obligation';
import { usableAlternative } from './request/credentials';
import { createOracle, type Oracle } from './schema/oracle';
import { type Observation, openSession, type Progress, type Attempt, type Session } from './session';
import { shrinkCase } from './shrink';
import type { Server, Target, Waiver } from './target';
import { resourcesOf, sourcesOf } from './state/sources';
import { reasonOf } from './untestable';
import { openWaivers } from './waivers';

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
  /** Whether nothing failed, no obligation is unproven or blocked, some are proven, and no waiver has expired. */
  readonly passed: boolean;
}

export interface RunOptions {
  /** Generated requests for each operation, valid and faulty each; 100 by default. */
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
}

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
    return { state: 'OUT OF REACH', reason: 'its requests may change something: they are sent with WRITE=1' };
  if (usableAlternative(security, target)) return undefined;
  const isOther = (name: string): boolean => schemes[name]?.['type'] === 'mutualTLS';
  if (security.every((alternative) => alternative.some(isOther)))
    return {
      state: 'OUT OF REACH',
      reason: 'it takes a certificate of the client, which the engine cannot present',
    };
  const missing = (security[0] ?? []).filter((name) => target.credentials[name] === undefined);
  const example = missing.map((name) => `"${name}": {"valid": "...", "invalid": "..."}`).join(', ');
  return { state: 'BLOCKED', reason: `it takes credentials: add {${example}} (CREDENTIALS=file)` };
}

/** Tests a server against its document. Rejects only if the target fails to start or to reset. */
export async function run(target: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
  const document = readDocument(target.document, target);
  const oracle = options.oracle ?? createOracle(document.requests);
  const responseOracle = options.oracle ?? createOracle(document.responses);
  const lenientOracle = createOracle(document.lenient.requests);
  const common = { document, oracle, responseOracle, lenientOracle, target };
  const waivers = openWaivers(target, isoDate(options.today ?? new Date()));
  const operations = selectOperations(document, options);
  const session = openSession({ ...common, waivers, operations, onRequest: options.onRequest });
  const { ledger, failures } = session;
  const { seed = seedOf(target.document), replay } = options;

  const contexts: OperationContext[] = [];
  const documentFaults: string[] = [...document.unread];
  let leftBehind: readonly string[] = [];
  let groups: readonly FailureGroup[] = [];
  const server = await target.start();
  try {
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
      const context = await establishBaseline(common, operation, server, session);
      if (!context) continue;
      contexts.push(context);
      const generated = { seed, runs: options.generated ?? 100, ...(replay && { replay }) };
      if (replay) {
        await attemptGenerated(context, server, session, generated);
        continue;
      }
      const made = attemptToMake(() => operationCases(context));
      if ('reason' in made) {
        ledger.block(operation.id, made.reason);
        continue;
      }
      const { cases, contradictions, documentFaults: faults } = made;
      documentFaults.push(...faults);
      await session.attemptAll(server, cases);
      for (const problem of contradictions) {
        failures.push(failureWithoutRequest('oracle', operation, problem, 'generator against oracle'));
      }
      await attemptGenerated(context, server, session, generated);
    }
    for (const steps of replay ? [] : scenarioCases(document, target, contexts)) {
      await session.runScenario(server, steps);
    }
    if (options.shrink !== false) groups = await shrinkGroups(common, server, session);
    leftBehind = (await session.state?.cleanUp(server)) ?? [];
  } finally {
    await server.close();
  }
  for (const [status, start] of replay ? [] : Object.entries(target.situations ?? {})) {
    const failing = await start();
    try {
      for (const context of contexts) {
        await session.attemptAll(failing, situationCases(context, Number(status)));
      }
    } finally {
      await failing.close();
    }
  }
  const stopped = session.client.stopped();
  ledger.close(stopped);
  const obligations = replay ? [] : ledger.obligations;
  const isSettled = obligations.every(({ state }) => state !== 'UNPROVEN' && state !== 'BLOCKED');
  const isVacuous = !replay && !obligations.some(({ state }) => state === 'PROVEN' || state === 'WAIVED');
  return {
    document,
    seed,
    obligations,
    failures,
    groups: withExamples(groupFailures(failures), groups),
    expiredWaivers: waivers.expired,
    unusedWaivers: options.only || replay ? [] : waivers.unused(),
    ...(replay && { replay }),
    ...session.counts(),
    documentFaults,
    leftBehind,
    ...(stopped !== undefined && { stopped }),
    seconds: (performance.now() - began) / 1000,
    passed: isSettled && !isVacuous && failures.length === 0 && waivers.expired.length === 0,
  };
}

/** What `make` makes, or a sentence about why it fails. */
function attemptToMake<T extends object>(make: () => T): T | { readonly reason: string } {
  try {
    return make();
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

async function attemptGenerated(
  context: OperationContext,
  server: Server,
  { failures, fail, attempt }: Session,
  options: { seed: number; runs: number; replay?: Replay },
): Promise<void> {
  const attempts = new Map<Case, Attempt>();
  const attemptAlone = async (sent: Case): Promise<readonly string[]> => {
    await server.reset?.();
    const attempted = await attempt(server, sent);
    if (attempted.problems.length > 0) attempts.set(sent, attempted);
    return attempted.problems;
  };
  for (const found of await findCounterexamples(context, attemptAlone, options)) {
    const { kind, seed, path } = found;
    const replay = { operation: context.operation.id, kind, seed, path };
    if (found.case) fail(found.case, attempts.get(found.case) ?? found, { replay });
    else failures.push(failureWithoutRequest('generated', context.operation, found.problems.join('; ')));
  }
}

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
      await server.reset?.();
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
