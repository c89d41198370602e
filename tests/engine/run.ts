import {
  authorizedRequest,
  type Case,
  expectSuccess,
  type Family,
  type OperationContext,
} from './cases/case';
import { findCounterexamples, seedOf } from './cases/generated';
import { operationCases } from './cases/operation';
import { scenarioCases } from './cases/scenarios';
import { situationCases } from './cases/situations';
import { type Document, isSafe, type Operation } from './document/document';
import { readDocument } from './document/read';
import { type Failure, failureOf, failureWithoutRequest, type WaivedFailure } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import type { Obligation, State } from './obligation';
import { minimalInputs } from './request/request';
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

type RunContext = Omit<OperationContext, 'operation' | 'base'>;

/** Why an operation is not tested. */
const NOT_WRITING = 'its requests may change something: they are only sent with WRITE=1';

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
      if (target.blackBox?.write === false && !isSafe(operation.method)) {
        ledger.block(operation.id, NOT_WRITING, 'OUT OF REACH');
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

/** Sends the minimal valid request of an operation. If the server does not accept it, blocks the operation. */
async function establishBaseline(
  common: RunContext,
  operation: Operation,
  server: Server,
  { ledger, failures, attempt }: Session,
): Promise<OperationContext | undefined> {
  try {
    const base = minimalInputs(common.document, common.oracle, operation);
    const context = { ...common, operation, base };
    const baseline: Case = {
      family: 'baseline',
      title: 'the minimal valid request',
      operation,
      request: authorizedRequest(context),
      expect: expectSuccess,
      handlerInput: { inputs: base },
      proves: [],
    };
    await server.reset?.();
    const { problems, outcome } = await attempt(server, baseline);
    if (!outcome) return undefined;
    if (problems.length === 0) return context;
    const explained = [...problems, ...likelyCause(operation)];
    ledger.block(operation.id, explained.join('; '));
    failures.push(failureOf(baseline, explained, [], common.target.curl));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    ledger.block(operation.id, problem);
    failures.push(failureWithoutRequest('baseline', operation, problem));
  }
  return undefined;
}

/** A likely cause if the minimal request fails: the service lacks the resource that its path names. */
function likelyCause({ parameters }: Operation): string[] {
  const examples = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, examples: [first], schemaExamples: [second] }) => [name, first ?? second] as const);
  if (examples.length === 0) return [];
  const missing = examples.flatMap(([name, example]) => (example === undefined ? [name] : []));
  const named = examples.map(([name, example]) => `${name} = ${JSON.stringify(example)}`);
  return missing.length > 0
    ? [`the document has no example for path ${missing.join(', ')}, so a generated value was sent`]
    : [`the service must hold the resource that the examples of the document name: path ${named.join(', ')}`];
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
