import { establishBaseline } from './baseline';
import type { Case, Family, OperationContext } from './cases/case';
import { findCounterexamples, seedOf } from './cases/generated';
import { operationCases } from './cases/operation';
import { scenarioCases } from './cases/scenarios';
import { situationCases } from './cases/situations';
import { type Document, isSafe, type Operation } from './document/document';
import { readDocument } from './document/read';
import { type Failure, failureOf, failureWithoutRequest, type WaivedFailure } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import type { Obligation, State } from './obligation';
import { usableAlternative } from './request/credentials';
import { createOracle, type Oracle } from './schema/oracle';
import { type Observation, openSession, type Session } from './session';
import type { Server, Target, Waiver } from './target';
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
  /**
   * Whether nothing failed, no obligation is unproven or blocked, some are proven, and no waiver has expired.
   */
  readonly passed: boolean;
}

export interface RunOptions {
  /** Generated requests for each operation, valid and faulty each; 100 by default. */
  readonly generated?: number;
  /** Replaces the oracle of both directions, to prove that the run detects a wrong one. */
  readonly oracle?: Oracle;
  /** The day on which waivers must hold: today by default. */
  readonly today?: Date;
}

/** Why no request of an operation is sent to a black box; undefined if they are. */
function obstacleTo(
  { method, security }: Operation,
  target: Target,
): { state: 'BLOCKED' | 'OUT OF REACH'; reason: string } | undefined {
  if (!target.blackBox) return undefined;
  if (!target.blackBox.write && !isSafe(method))
    return { state: 'OUT OF REACH', reason: 'its requests may change something: they are sent with WRITE=1' };
  if (usableAlternative(security, target)) return undefined;
  const missing = (security[0] ?? []).filter((name) => target.credentials[name] === undefined);
  const example = missing.map((name) => `"${name}": {"valid": "...", "invalid": "..."}`).join(', ');
  return { state: 'BLOCKED', reason: `it takes credentials: add {${example}} (CREDENTIALS=file)` };
}

/** Tests a server against its document. Rejects only if the target fails to start or to reset. */
export async function run(target: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
  const document = readDocument(target.document);
  const oracle = options.oracle ?? createOracle(document.requests);
  const responseOracle = options.oracle ?? createOracle(document.responses);
  const lenientOracle = createOracle(document.lenient.requests);
  const common = { document, oracle, responseOracle, lenientOracle, target };
  const waivers = openWaivers(target.waivers ?? [], isoDate(options.today ?? new Date()));
  const session = openSession({ ...common, waivers });
  const { ledger, failures } = session;
  const seed = seedOf(target.document);

  const contexts: OperationContext[] = [];
  const documentFaults: string[] = [];
  const server = await target.start();
  try {
    for (const operation of document.operations) {
      const obstacle = obstacleTo(operation, target);
      if (obstacle) {
        ledger.block(operation.id, obstacle.reason, obstacle.state);
        continue;
      }
      const context = await establishBaseline(common, operation, server, session);
      if (!context) continue;
      contexts.push(context);
      const { cases, contradictions, documentFaults: faults } = operationCases(context);
      documentFaults.push(...faults);
      await session.attemptAll(server, cases);
      for (const problem of contradictions) {
        failures.push(failureWithoutRequest('oracle', operation, problem, 'generator against oracle'));
      }
      await attemptGenerated(context, server, session, { seed, runs: options.generated ?? 100 });
    }
    for (const steps of scenarioCases(document, target, contexts)) {
      await session.runScenario(server, steps);
    }
  } finally {
    await server.close();
  }
  for (const [status, start] of Object.entries(target.situations ?? {})) {
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
  const { obligations } = ledger;
  const count = (...states: State[]): number =>
    obligations.filter(({ state }) => states.includes(state)).length;
  const isSettled = count('UNPROVEN', 'BLOCKED') === 0 && (count('PROVEN') > 0 || !target.blackBox);
  return {
    document,
    seed,
    obligations,
    failures,
    groups: groupFailures(failures),
    expiredWaivers: waivers.expired,
    unusedWaivers: waivers.unused(),
    ...session.counts(),
    documentFaults,
    ...(stopped !== undefined && { stopped }),
    seconds: (performance.now() - began) / 1000,
    passed: isSettled && failures.length === 0 && obligations.length > 0 && waivers.expired.length === 0,
  };
}

async function attemptGenerated(
  context: OperationContext,
  server: Server,
  { failures, attempt }: Session,
  options: { seed: number; runs: number },
): Promise<void> {
  const attemptAlone = async (sent: Case): Promise<readonly string[]> => {
    await server.reset?.();
    return (await attempt(server, sent)).problems;
  };
  for (const found of await findCounterexamples(context, attemptAlone, options)) {
    const failure = found.case
      ? failureOf(found.case, found.problems, [], context.target.curl)
      : failureWithoutRequest('generated', context.operation, found.problems.join('; '));
    failures.push({ ...failure, replay: { seed: found.seed, path: found.path } });
  }
}

const isoDate = (date: Date): string => date.toISOString().slice(0, 10);
