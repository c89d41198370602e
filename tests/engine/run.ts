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
import type { Document, Operation } from './document/document';
import { readDocument } from './document/read';
import { type Failure, failureOf, failureWithoutRequest, type WaivedFailure } from './failure';
import { type FailureGroup, groupFailures } from './groups';
import type { Obligation } from './obligation';
import { minimalInputs } from './request/request';
import { createOracle, type Oracle } from './schema/oracle';
import { type Observation, openSession } from './session';
import type { Server, Target, Waiver } from './target';
import { openWaivers } from './waivers';

/** The result of a run. */
export interface Result {
  readonly document: Document;
  readonly seed: number;
  readonly obligations: readonly Obligation[];
  readonly failures: readonly Failure[];
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
  /** Whether nothing failed, every obligation is proven or waived, and no waiver has expired. */
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

type Session = ReturnType<typeof openSession>;
type RunContext = Omit<OperationContext, 'operation' | 'base'>;

/** Tests a server against its document. Rejects only if the target fails to start or to reset. */
export async function run(target: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
  const document = readDocument(target.document);
  const oracle = options.oracle ?? createOracle(document.requests);
  const responseOracle = options.oracle ?? createOracle(document.responses);
  const common = { document, oracle, responseOracle, target };
  const waivers = openWaivers(target.waivers, isoDate(options.today ?? new Date()));
  const session = openSession({ ...common, waivers });
  const { ledger, failures } = session;
  const seed = seedOf(target.document);

  const contexts: OperationContext[] = [];
  const server = await target.start();
  try {
    for (const operation of document.operations) {
      const context = await establishBaseline(common, operation, server, session);
      if (!context) continue;
      contexts.push(context);
      const { cases, contradictions } = operationCases(context);
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
  for (const [status, start] of Object.entries(target.situations)) {
    const failing = await start();
    try {
      for (const context of contexts) {
        await session.attemptAll(failing, situationCases(context, Number(status)));
      }
    } finally {
      await failing.close();
    }
  }
  ledger.close();
  const { obligations } = ledger;
  const isSettled = obligations.every(({ state }) => state === 'PROVEN' || state === 'WAIVED');
  return {
    document,
    seed,
    obligations,
    failures,
    groups: groupFailures(failures),
    expiredWaivers: waivers.expired,
    unusedWaivers: waivers.unused(),
    ...session.counts(),
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
    await server.reset();
    const { problems } = await attempt(server, baseline);
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
    await server.reset();
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
