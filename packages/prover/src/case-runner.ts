import type { Case, Family, RunContext } from './cases/case';
import { ADVICE } from './advice';
import { loggedText } from './logged';
import { type Failure, failureOf, type WaivedFailure } from './failure';
import { openLedger } from './ledger';
import { ruleKey } from './obligation';
import { keyOf, withFreshKey } from './request/idempotency-key';
import { createOracle } from './schema/oracle';
import { createServiceRejections } from './state/service-rejections';
import { openState } from './state/state';
import type { Server } from './target';
import { reasonOf } from './untestable';
import type { Waivers } from './waivers';
import { openClient } from './wire/client';
import type { Outcome } from './wire/message';
import type { Operation } from './document/model';
import { createCheck, type CheckResult } from './check/check';
import { checkReceived } from './check/received';

/** The number of correct instances of a documented response with one kind of credentials. */
interface Observation {
  readonly operation: string;
  readonly status: string;
  readonly media: string;
  readonly credentials: string;
  readonly count: number;
}

/** Requests that a budget left out. */
export interface LeftOut {
  readonly operation: string;
  readonly family: Family;
  /** Which budget, or why the run ended. */
  readonly reason: string;
  readonly requests: number;
}

/** What a runner has counted so far. */
export interface Counts {
  readonly observations: readonly Observation[];
  /** Answers that the standards leave to the server, though they recommend others. They do not fail the run. */
  readonly warnings: readonly Failure[];
  /** Failures that the target waives. */
  readonly waived: readonly WaivedFailure[];
  /** The number of requests of each family. */
  readonly families: ReadonlyMap<Family, number>;
  /** Requests that a budget left out. */
  readonly leftOut: readonly LeftOut[];
  readonly requests: number;
}

/** The result of sending a case. */
export interface Attempt {
  readonly problems: readonly string[];
  /** Undefined if the run must end: the case was not sent. */
  readonly outcome: Outcome | undefined;
  /** The case as it was sent. */
  readonly actual?: Case;
}

/** An answer, checked. */
interface Probed {
  readonly actual: Case;
  readonly outcome: Outcome;
  readonly result: CheckResult;
  /** What the input of the handler proves. */
  readonly proves: readonly string[];
  readonly problems: readonly string[];
}

/** A stub says nothing about its service: one request for each of its promises is enough until its handler is written. */
export const OF_STUBS = 'the handler is a stub, which is asked once for each promise';

/** Milliseconds for which streams of an operation are read after their heads, once one of them has been left. */
const LISTENING_MS = 100;

export type CaseRunner = ReturnType<typeof openCaseRunner>;

/** What a run does now. */
export interface Progress {
  readonly operation: string;
  readonly family: Family;
  /** The number of requests so far. */
  readonly requests: number;
}

interface CaseRunnerOptions extends RunContext {
  readonly waivers: Waivers;
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
  /** The operations whose obligations the runner must prove. */
  readonly operations: readonly Operation[];
  readonly onRequest?: ((progress: Progress) => void) | undefined;
}

/** Sends cases, judges their answers, and records them in the ledger. */
export function openCaseRunner({ waivers, operations, onRequest, signal, ...common }: CaseRunnerOptions) {
  const { document, oracle, responseOracle, target } = common;
  const { profile = 'strict' } = target;
  const ledger = openLedger({ ...document, operations }, target);
  const lenient = document.lenient.responses.map((schemas) => createOracle(schemas));
  const ownRefusals = target.blackBox && createServiceRejections();
  const client = openClient(target.blackBox, signal);
  const state = target.blackBox && openState(common, client, target.blackBox);
  const check = createCheck(
    document,
    { strict: responseOracle, lenient },
    target,
    (sent, outcome) => state?.repetition(sent, outcome) ?? ownRefusals?.reason(sent, outcome),
  );
  const failures: Failure[] = [];
  const failedCases = new Map<Failure, Case>();
  /** What the service has logged of the failure of a case. */
  const logs = new WeakMap<Case, string>();
  const warnings: Failure[] = [];
  const waived: WaivedFailure[] = [];
  const families = new Map<Family, number>();
  const observations = new Map<string, Observation>();
  /** The operations of whose streams the prover has left one. */
  const left = new Set<Operation>();
  /** The number of requests that a budget left out, by operation, family and reason. */
  const leftOut = new Map<string, LeftOut>();

  const leaveOut = (operation: Operation, family: Family, reason: string, requests: number): void => {
    const key = [operation.id, family, reason].join('|');
    const known = leftOut.get(key)?.requests ?? 0;
    if (requests > 0)
      leftOut.set(key, { operation: operation.id, family, reason, requests: known + requests });
  };

  const isStub = ({ id }: Operation): boolean => target.stubs?.includes(id) === true;

  /** Blocks an operation, since the prover cannot make its requests. A stub is at no fault for that. */
  const giveUp = (operation: Operation, reason: string): void => {
    ledger.block(operation.id, reason, isStub(operation) ? 'STUB' : 'BLOCKED');
    if (isStub(operation)) leaveOut(operation, 'baseline', reason, 1);
  };

  const describe = (sent: Case, problems: readonly string[], before: readonly Case[] = []): Failure =>
    failureOf(sent, problems, before, target.curl, logs.get(sent));

  /** Reports a failure. A later step can shrink its case. */
  const fail = (
    sent: Case,
    { problems, actual = sent }: Pick<Attempt, 'problems' | 'actual'>,
    found: Partial<Failure> = {},
  ): void => {
    const failure = { ...describe(actual, problems), ...found };
    failures.push(failure);
    failedCases.set(failure, sent);
  };

  const observe = (row: Omit<Observation, 'count'>): void => {
    const key = Object.values(row).join('|');
    observations.set(key, { ...row, count: (observations.get(key)?.count ?? 0) + 1 });
  };

  /** Whether a case repeats its key, or tests it, or what a handler must receive is compared with its request. */
  const isAboutKey = ({ operation, expect, about, handlerInput }: Case): boolean =>
    expect.kind === 'compared' ||
    about?.includes(` | header ${keyOf(operation)?.name} | `) === true ||
    (target.received !== undefined && handlerInput !== undefined);
  const freshKey = ({ operation, request }: Case) => withFreshKey({ document, oracle }, operation, request);

  /** Sends one case and judges the answer, without a record in the ledger. Undefined if the run must end. */
  const probe = async (
    server: Server,
    sent: Case,
    family: Family = 'shrinking',
  ): Promise<Probed | undefined> => {
    onRequest?.({ operation: sent.operation.id, family, requests: client.sent() + 1 });
    const before = server.entered?.() ?? 0;
    server.failed?.(); // that of an earlier request
    const keyed = { ...sent, request: isAboutKey(sent) ? sent.request : freshKey(sent) };
    let actual = state ? { ...keyed, request: await state.prepare(server, keyed) } : keyed;
    const listening = left.has(sent.operation) ? LISTENING_MS : undefined;
    let outcome = await client.exchange(server, actual.request, listening);
    const renewed = outcome && (await state?.renew(server, actual, outcome));
    if (renewed) {
      actual = { ...sent, request: renewed };
      outcome = await client.exchange(server, renewed, listening);
    }
    if (!outcome) return undefined;
    if ('cut' in outcome && outcome.cut.by === 'prover') left.add(sent.operation);
    state?.observe(sent.operation, actual.request, outcome);
    const logged = whatWasLogged(server, actual, outcome);
    if (logged !== undefined) logs.set(actual, logged);
    families.set(family, (families.get(family) ?? 0) + 1);
    const entered = server.entered && server.entered() - before;
    if (!('noResponse' in outcome)) ownRefusals?.learn(sent, outcome);
    const result = checked(actual, outcome, entered);
    const received = (entered ?? 0) > 0 && sent.handlerInput ? target.received?.() : undefined;
    const input =
      received && sent.handlerInput
        ? checkReceived({ document, oracle, operation: sent.operation }, sent.handlerInput, received)
        : { problems: [], proves: [] };
    const problems = [...result.problems, ...input.problems];
    return { actual, outcome, result, proves: input.proves, problems };
  };

  /** What the service has logged of its failure, or where to look. */
  const whatWasLogged = (server: Server, sent: Case, outcome: Outcome): string | undefined => {
    if (!('noResponse' in outcome) && outcome.status < 500 && outcome.cut?.by !== 'server') return undefined;
    if (!server.failed) return 'noResponse' in outcome ? undefined : ADVICE.readItsLog();
    const error = server.failed();
    return error === undefined ? undefined : loggedText(error, target, sent);
  };

  const checked: typeof check = (...answer) => {
    try {
      return check(...answer);
    } catch (error) {
      return { problems: [], warnings: [], inconclusive: reasonOf(error) };
    }
  };

  /** Sends one case. A failure is for the caller to report, unless the target waives it. */
  const attempt = async (server: Server, sent: Case): Promise<Attempt> => {
    const probed = await probe(server, sent, sent.family);
    if (probed) return record(probed);
    leaveOut(sent.operation, sent.family, client.stopped() ?? '', 1);
    return { problems: [], outcome: undefined };
  };

  /** Records an answer in the ledger. */
  const record = ({ actual: sent, outcome, result, proves, problems }: Probed): Attempt => {
    const { response, warnings: found, inconclusive } = result;
    const passed = problems.length === 0;
    const instance = response && ruleKey(sent.operation, 'response', response.status, response.media);
    const failure = passed ? undefined : describe(sent, problems);
    const waiver = failure && waivers.ofFailure(failure);
    if (failure && waiver) {
      const { reason } = waiver;
      waived.push({ ...failure, reason });
      const keys = [...sent.proves, sent.about, instance].filter((key) => key !== undefined);
      ledger.undecide(keys, { state: 'WAIVED', reason });
      return { problems: [], outcome };
    }
    if (found.length > 0) warnings.push(describe(sent, found));
    if (passed && result.isWarned === true)
      ledger.undecide(sent.proves, { state: 'WARNED', reason: found[0] ?? '' });
    else if (passed && inconclusive !== undefined) {
      const state = sent.expect.kind === 'refused' ? 'UNPROVEN' : 'OUT OF REACH';
      ledger.undecide(sent.proves, { state, reason: inconclusive });
    } else ledger.record([...sent.proves, ...proves], passed);
    if (result.hasItems === true)
      ledger.record([ruleKey(sent.operation, 'protocol', 'streamed items')], passed);
    if (response && instance !== undefined && passed) {
      ledger.record([instance], true);
      observe({ operation: sent.operation.id, ...response, credentials: sent.credentials ?? 'valid' });
    }
    return { problems, outcome, actual: sent };
  };

  /** Restores the state of the service if it can. A target that fails to ends the run. */
  const reset = async (server: Server): Promise<void> => {
    try {
      if (client.isOver() === undefined) await server.reset?.();
    } catch (error) {
      client.stop(`the target failed to reset: ${(error as Error).message}`);
    }
  };

  /** Resets the service before each case, so that no case depends on another. */
  const attemptAll = async (server: Server, cases: readonly Case[]): Promise<void> => {
    for (const sent of cases) {
      if (isStub(sent.operation) && ledger.isKnown(sent)) {
        leaveOut(sent.operation, sent.family, OF_STUBS, 1);
        continue;
      }
      await reset(server);
      const attempted = await attempt(server, sent);
      if (attempted.problems.length > 0) fail(sent, attempted);
    }
  };

  const counts = (): Counts => ({
    observations: [...observations.values()],
    warnings,
    waived,
    families,
    leftOut: [...leftOut.values()],
    requests: client.sent(),
  });
  const sending = { client, state, probe, record, reset, attempt, attemptAll };
  return {
    ledger,
    profile,
    failures,
    failedCases,
    describe,
    fail,
    isStub,
    giveUp,
    leaveOut,
    counts,
    ...sending,
  };
}
