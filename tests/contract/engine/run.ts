import { createJudge } from './judge';
import { readDocument, type Document, type Operation } from './document';
import { bodyCases } from './cases/bodies';
import { accepted, authorised, type Case, type Context, type Family } from './cases/case';
import { methodAndPathCases } from './cases/paths';
import { securityCases } from './cases/security';
import { scenarioCases, type PendingCase } from './cases/scenarios';
import { situationCases } from './cases/situations';
import { valueCases } from './cases/values';
import { generated, seedOf } from './generated';
import { openLedger, responseKey, type Obligation } from './ledger';
import { createOracle, type Oracle } from './oracle';
import { baseInputs } from './request';
import type { Server, Target } from './target';
import { curl, send, type Outcome, type RawResponse } from './wire';

/** A request that was answered wrongly, with all it takes to send it again. */
export interface Failure {
  readonly family: Family;
  readonly operation: string;
  readonly title: string;
  readonly problems: readonly string[];
  /** Shell lines, empty where no request could be made. */
  readonly curl: string;
  /** For a generated request: what fast-check needs to find it again. */
  readonly replay?: { readonly seed: number; readonly path: string };
}

/** How often a documented response was seen, and rightly so, under some credentials. */
export interface Observation {
  readonly operation: string;
  readonly status: string;
  readonly media: string;
  readonly credentials: string;
  readonly count: number;
}

/** Everything a run has shown. */
export interface Result {
  readonly document: Document;
  readonly seed: number;
  readonly obligations: readonly Obligation[];
  readonly failures: readonly Failure[];
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
  /** Another oracle, to prove that a wrong one does not go unnoticed. */
  readonly oracle?: Oracle;
}

/** Tests a server against its document. Rejects only if the target cannot be started or told to reset. */
export async function run(target: Target, options: RunOptions = {}): Promise<Result> {
  const began = performance.now();
  const document = readDocument(target.document);
  const oracle = options.oracle ?? createOracle(target.document);
  const common = { document, oracle, target };
  const session = openSession(common);
  const { ledger, failures, attempt, attemptAll, tell } = session;
  const seed = seedOf(target.document);

  const contexts: Context[] = [];
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
        failures.push({ ...nothingSent('oracle', operation, problem), title: 'generator against oracle' });
      }
      const alone = async (made: Case): Promise<readonly string[]> => {
        await server.reset();
        return (await attempt(server, made)).problems;
      };
      for (const found of await generated(context, alone, { seed, runs: options.generated ?? 100 })) {
        const [problem = ''] = found.problems;
        const replay = { seed: found.seed, path: found.path };
        const told = found.case
          ? failure(found.case, found.problems)
          : nothingSent('generated', operation, problem);
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

/** What came of a case. */
interface Attempt {
  readonly problems: readonly string[];
  readonly outcome: Outcome;
}

type Common = Pick<Context, 'document' | 'oracle' | 'target'>;
type Session = ReturnType<typeof openSession>;

/** Sends cases and keeps count of what came of them. */
function openSession({ document, oracle, target }: Common) {
  const ledger = openLedger(document, target);
  const judge = createJudge(document, oracle, target);
  const failures: Failure[] = [];
  const families = new Map<Family, number>();
  const observations = new Map<string, Observation>();

  const observe = (row: Omit<Observation, 'count'>): void => {
    const key = Object.values(row).join('|');
    observations.set(key, { ...row, count: (observations.get(key)?.count ?? 0) + 1 });
  };
  const attempt = async (server: Server, made: Case): Promise<Attempt> => {
    families.set(made.family, (families.get(made.family) ?? 0) + 1);
    const before = server.entered();
    const outcome = await send(server.host, server.port, made.request);
    const { problems, response } = judge(made, outcome, server.entered() - before);
    ledger.record(made.proves, problems.length === 0);
    if (response && problems.length === 0) {
      ledger.record([responseKey(made.operation, response.status, response.media)], true);
      observe({ operation: made.operation.id, ...response, credentials: made.credentials ?? 'good' });
    }
    return { problems, outcome };
  };
  /** Sends each case to a service that has forgotten everything before it. */
  const attemptAll = async (server: Server, cases: readonly Case[]): Promise<void> => {
    for (const made of cases) {
      await server.reset();
      const { problems } = await attempt(server, made);
      if (problems.length > 0) failures.push(failure(made, problems));
    }
  };
  /** Sends the steps of a scenario to a service that has forgotten everything before the first, until one goes wrong. */
  const tell = async (server: Server, steps: readonly PendingCase[]): Promise<void> => {
    await server.reset();
    const sent: Case[] = [];
    const answers: RawResponse[] = [];
    for (const { title, operation, make } of steps) {
      let made: Case;
      try {
        made = make(answers);
      } catch (error) {
        failures.push({ ...nothingSent('scenarios', operation, (error as Error).message), title });
        return;
      }
      const { problems, outcome } = await attempt(server, made);
      if (problems.length > 0 || 'silence' in outcome) {
        failures.push(failure(made, problems, sent));
        return;
      }
      sent.push(made);
      answers.push(outcome);
    }
  };
  const counts = (): Pick<Result, 'observations' | 'families' | 'requests'> => ({
    observations: [...observations.values()],
    families,
    requests: [...families.values()].reduce((sum, count) => sum + count, 0),
  });
  return { ledger, failures, attempt, attemptAll, tell, counts };
}

/** @param before what has to be sent before the case, in this order */
function failure(made: Case, problems: readonly string[], before: readonly Case[] = []): Failure {
  const { family, operation, title } = made;
  const lines = [...before, made].map(({ request }) => curl(request));
  return { family, operation: operation.id, title, problems, curl: lines.join('\n') };
}

/** Why the plainest request, which comes from the document alone, may not succeed: for what its path names. */
function likelyCause({ parameters }: Operation): string[] {
  const path = parameters.filter((parameter) => parameter.in === 'path');
  const unnamed = path.filter(({ examples }) => examples.length === 0).map(({ name }) => name);
  const named = path.map(({ name, examples: [example] }) => `${name} = ${JSON.stringify(example)}`);
  if (path.length === 0) return [];
  return unnamed.length > 0
    ? [`the document gives no example of path ${unnamed.join(', ')}, so that a value was made up`]
    : [`the service must hold what the examples of the document name: path ${named.join(', ')}`];
}

const nothingSent = (family: Family, operation: Operation, problem: string): Failure => ({
  ...{ family, operation: operation.id, title: 'no request could be made', problems: [problem], curl: '' },
});

/** The plainest valid request of an operation, once it has been accepted; without it the operation is blocked. */
async function startingPoint(
  common: Common,
  operation: Operation,
  server: Server,
  { ledger, failures, attempt }: Session,
): Promise<Context | undefined> {
  try {
    const context = { ...common, operation, base: baseInputs(common.document, common.oracle, operation) };
    const title = 'the plainest valid request';
    const request = authorised(context);
    const made: Case = { family: 'baseline', title, operation, request, expect: accepted, proves: [] };
    await server.reset();
    const { problems } = await attempt(server, made);
    if (problems.length === 0) return context;
    const all = [...problems, ...likelyCause(operation)];
    ledger.block(operation.id, all.join('; '));
    failures.push(failure(made, all));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    ledger.block(operation.id, problem);
    failures.push(nothingSent('baseline', operation, problem));
  }
  return undefined;
}
