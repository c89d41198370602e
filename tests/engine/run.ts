import { bodyCases } from './cases/bodies';
import {
  expectSuccess,
  authorizedRequest,
  type Case,
  type OperationContext,
  type Family,
} from './cases/case';
import { findCounterexamples, seedOf } from './cases/generated';
import { methodAndPathCases } from './cases/paths';
import { scenarioCases } from './cases/scenarios';
import { securityCases } from './cases/security';
import { situationCases } from './cases/situations';
import { valueCases } from './cases/values';
import type { Document, Operation } from './document/document';
import { readDocument } from './document/read';
import { failureOf, type Failure, failureWithoutRequest, type WaivedFailure } from './failure';
import type { Obligation } from './obligations';
import { minimalInputs } from './request/request';
import { createOracle, type Oracle } from './schema/oracle';
import { type Observation, openSession } from './session';
import type { Server, Target } from './target';

/** Everything a run has shown. */
export interface Result {
  readonly document: Document;
  readonly seed: number;
  readonly obligations: readonly Obligation[];
  readonly failures: readonly Failure[];
  /** Failures that the target knows of. */
  readonly waived: readonly WaivedFailure[];
  readonly observations: readonly Observation[];
  readonly requests: number;
  /** How many cases of each family were sent. */
  readonly families: ReadonlyMap<Family, number>;
  readonly seconds: number;
  /** Nothing failed, and every obligation is proven or waived. */
  readonly passed: boolean;
}

export interface RunOptions {
  /** Generated requests per operation, valid and faulty each. */
  readonly generated?: number;
  /** Another oracle for both directions, to prove that a wrong one does not go unnoticed. */
  readonly oracle?: Oracle;
}

/** Tests a server against its document. Rejects only if the target cannot be started or told to reset. */
export async function run(target: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
  const document = readDocument(target.document);
  const oracle = options.oracle ?? createOracle(document.requests);
  const responseOracle = options.oracle ?? createOracle(document.responses);
  const common = { document, oracle, responseOracle, target };
  const session = openSession(common);
  const { ledger, failures, attempt, attemptAll, tell } = session;
  const seed = seedOf(target.document);

  const contexts: OperationContext[] = [];
  const server = await target.start();
  try {
    for (const operation of document.operations) {
      const context = await startingPoint(common, operation, server, session);
      if (!context) continue;
      contexts.push(context);
      const { cases, contradictions } = valueCases(context);
      const families = [cases, methodAndPathCases(context), securityCases(context), bodyCases(context)];
      await attemptAll(server, families.flat());
      for (const problem of contradictions) {
        failures.push({
          ...failureWithoutRequest('oracle', operation, problem),
          title: 'generator against oracle',
        });
      }
      const alone = async (made: Case): Promise<readonly string[]> => {
        await server.reset();
        return (await attempt(server, made)).problems;
      };
      for (const found of await findCounterexamples(context, alone, {
        seed,
        runs: options.generated ?? 100,
      })) {
        const [problem = ''] = found.problems;
        const replay = { seed: found.seed, path: found.path };
        const told = found.case
          ? failureOf(found.case, found.problems)
          : failureWithoutRequest('generated', operation, problem);
        failures.push({ ...told, replay });
      }
    }
    for (const steps of scenarioCases(document, target, contexts)) await tell(server, steps);
  } finally {
    await server.close();
  }
  for (const [status, start] of Object.entries(target.situations)) {
    const broken = await start();
    try {
      for (const context of contexts) await attemptAll(broken, situationCases(context, Number(status)));
    } finally {
      await broken.close();
    }
  }
  ledger.close();
  const { obligations } = ledger;
  const done = obligations.every(({ state }) => state === 'PROVEN' || state === 'WAIVED');
  return {
    document,
    seed,
    obligations,
    failures,
    ...session.counts(),
    seconds: (performance.now() - began) / 1000,
    passed: done && failures.length === 0 && obligations.length > 0,
  };
}

type Common = Omit<OperationContext, 'operation' | 'base'>;

/** Why the plainest request, which comes from the document alone, may not succeed: for what its path names. */
function likelyCause({ parameters }: Operation): string[] {
  const path = parameters.filter((parameter) => parameter.in === 'path');
  const shown = path.map(
    ({ name, examples, schemaExamples: [last] }) => [name, examples[0] ?? last] as const,
  );
  const unnamed = shown.flatMap(([name, example]) => (example === undefined ? [name] : []));
  const named = shown.map(([name, example]) => `${name} = ${JSON.stringify(example)}`);
  if (path.length === 0) return [];
  return unnamed.length > 0
    ? [`the document gives no example of path ${unnamed.join(', ')}, so that a value was made up`]
    : [`the service must hold what the examples of the document name: path ${named.join(', ')}`];
}

/** The plainest valid request of an operation, once it has been accepted; without it the operation is blocked. */
async function startingPoint(
  common: Common,
  operation: Operation,
  server: Server,
  { ledger, failures, attempt }: ReturnType<typeof openSession>,
): Promise<OperationContext | undefined> {
  try {
    const context = { ...common, operation, base: minimalInputs(common.document, common.oracle, operation) };
    const title = 'the plainest valid request';
    const request = authorizedRequest(context);
    const delivers = { inputs: context.base };
    const made: Case = {
      family: 'baseline',
      title,
      operation,
      request,
      expect: expectSuccess,
      delivers,
      proves: [],
    };
    await server.reset();
    const { problems } = await attempt(server, made);
    if (problems.length === 0) return context;
    const all = [...problems, ...likelyCause(operation)];
    ledger.block(operation.id, all.join('; '));
    failures.push(failureOf(made, all));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    ledger.block(operation.id, problem);
    failures.push(failureWithoutRequest('baseline', operation, problem));
  }
  return undefined;
}
