import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import type { Replay } from '../failure';
import { abbreviate, print, type Value } from '../json/value';
import { constraintKey } from '../obligation';
import { fitsSlot, type Inputs, type Slot, slots, slotValidity } from '../request/slots';
import { instanceLocations, probes } from '../schema/probes';
import { arbitrary, type Mode } from '../schema/samples';
import { anyValueOf } from '../schema/locations';
import { reasonOf } from '../untestable';
import { expectSuccessOrOwnRefusal, inputCase, type Case, type OperationContext } from './case';
import { withAcceptedValues } from './bases';
import { limitRule } from './limits';
import { expectInvalid, fault as faultOf } from './keyword-cases';
import { type JsonObject, textOf } from '../json/tree';

/** Sends one case and judges the answer; resolves with its problems, or with undefined if the run must end. */
type SendCase = (sent: Case) => Promise<readonly string[] | undefined>;

/** The place of a generated case: what fast-check needs to make it again. */
type Place = Pick<Replay, 'kind' | 'seed' | 'path'>;

/** A generated case that failed, shrunk. */
interface Counterexample extends Place {
  /** Undefined if no valid request could be generated. */
  readonly case: Case | undefined;
  readonly problems: readonly string[];
}

interface GeneratedOptions {
  readonly seed: number;
  /** The number of requests of each kind. */
  readonly runs: number;
  /** Sends only this case. */
  readonly replay?: Place | undefined;
}

/** The result of the generated requests of one kind. */
export interface Search {
  readonly kind: Place['kind'];
  readonly counterexample?: Counterexample;
  /** The requests that were not sent, because no more were found within the draws, or because the run ended. */
  readonly leftOut: number;
}

/** Draws of a value for each request: most values may not fit, and a schema may have no invalid one. */
const DRAWS_PER_REQUEST = 20;

/** Requests that make one generated case smaller. */
const SHRINKING_REQUESTS = 100;

/** Ends the draws because the run must end. */
class Ended extends Error {}

/** Ends the draws, and begins to make the case smaller. */
class WrongAnswer extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
  }
}

/** A digest of the document: a run generates the same requests until the document changes. */
export const seedOf = (document: JsonObject): number =>
  createHash('sha256').update(textOf(document)).digest().readInt32BE(0);

/**
 * Sends generated requests: valid ones, and ones with one random fault. Shrinks the first request of each kind whose
 * answer is wrong. The budgets are numbers of draws and requests, and each request is awaited: a limit of time would test
 * less of a slow server, and leave a request under way that enters the service during the next case.
 */
export async function searchGenerated(
  context: OperationContext,
  attempt: SendCase,
  { seed, runs, replay }: GeneratedOptions,
): Promise<Search[]> {
  const found: Search[] = [];
  const kinds = { valid: validCases, faulty: faultyCases };
  for (const kind of ['valid', 'faulty'] as const) {
    const cases = !replay || replay.kind === kind ? kinds[kind](context) : undefined;
    if (!cases) continue;
    if (replay) {
      const again = replayCase(cases, replay);
      const problems = again ? await attempt(again) : ['expected to generate the case again, got none'];
      const isWrong = problems !== undefined && problems.length > 0;
      found.push({
        kind,
        leftOut: problems ? 0 : 1,
        ...(isWrong && { counterexample: { case: again, problems, ...replay } }),
      });
    } else if (runs > 0) found.push({ kind, ...(await search(kind, cases, attempt, seed, runs)) });
  }
  return found;
}

async function search(
  kind: Search['kind'],
  cases: fc.Arbitrary<Case | undefined>,
  attempt: SendCase,
  seed: number,
  runs: number,
): Promise<Omit<Search, 'kind'>> {
  /** Requests that are left; after a failure, those to make it smaller. */
  let budget = Infinity;
  let sent = 0;
  const property = fc.asyncProperty(cases, async (drawn) => {
    fc.pre(drawn !== undefined);
    if (budget <= 0) return;
    budget -= 1;
    const isSearching = budget === Infinity;
    const problems = await attempt(drawn);
    if (problems === undefined) {
      budget = 0;
      if (isSearching) throw new Ended();
    } else if (problems.length > 0) {
      budget = Math.min(budget, SHRINKING_REQUESTS);
      throw new WrongAnswer(problems);
    } else if (isSearching) sent += 1;
  });
  const outcome = await fc.check(property, { seed, numRuns: runs, maxSkipsPerRun: DRAWS_PER_REQUEST });
  const { errorInstance: error, counterexamplePath, numRuns } = outcome;
  const [drawn] = outcome.counterexample ?? [];
  const place = { kind, seed: outcome.seed, path: counterexamplePath ?? '' };
  if (error instanceof Ended) return { leftOut: runs - sent };
  if (drawn) {
    const problems = error instanceof WrongAnswer ? error.problems : [reasonOf(error)];
    return { leftOut: 0, counterexample: { case: drawn, problems, ...place } };
  }
  // A schema may have no invalid value. A schema without a valid value has not been tested.
  if (numRuns > 0 || kind === 'faulty') return { leftOut: numRuns > 0 ? runs - sent : 0 };
  const problems = ['expected to generate a valid request, got none'];
  return { leftOut: 0, counterexample: { case: undefined, problems, ...place } };
}

/** The case at fast-check's path; undefined if the document no longer leads to one. */
function replayCase(cases: fc.Arbitrary<Case | undefined>, { seed, path }: Place): Case | undefined {
  // fast-check continues with the neighbors of the case, so only the first one counts.
  const drawn: (Case | undefined)[] = [];
  const property = fc.property(cases, (next) => {
    drawn.push(next);
  });
  try {
    fc.check(property, { seed, path, numRuns: 1 });
  } catch {
    return undefined; // The path leads nowhere.
  }
  return drawn[0];
}

/** Valid values of a slot; undefined for a generated value that is invalid. */
function slotValues(context: OperationContext, slot: Slot): fc.Arbitrary<Value | undefined> {
  const { document, oracle } = context;
  // A header cannot carry most random strings, so every other value is a simple one.
  const values = (mode: Mode) => arbitrary(document.requests, anyValueOf(slot.schema), mode);
  return fc
    .oneof(values('any'), values('all'))
    .map((value) =>
      fitsSlot(oracle, slot, value) ? withAcceptedValues(context, slot, value, 'references') : undefined,
    );
}

/** Requests with random values in all slots, some optional ones left out. */
function validCases(context: OperationContext): fc.Arbitrary<Case | undefined> | undefined {
  const { operation, base, target } = context;
  // A path to another resource of a black box may name nothing, or something that does not belong to the run.
  const parts = textualSlots(context).filter(({ parameter }) => !target.blackBox || parameter?.in !== 'path');
  if (parts.length === 0) return undefined;
  const bodies = parts.filter(({ body }) => body);
  const values = fc.tuple(...parts.map((slot) => slotValues(context, slot)));
  const omissions = fc.tuple(...parts.map((slot) => (slot.required ? fc.constant(false) : fc.boolean())));
  return fc.tuple(values, omissions, fc.nat(Math.max(0, bodies.length - 1))).map(([drawn, omitted, body]) => {
    let inputs: Inputs = base;
    let limit: Pick<Case, 'rule'> = {};
    for (const [index, slot] of parts.entries()) {
      if (omitted[index] === true || (slot.body && slot !== bodies[body])) continue;
      const value = drawn[index];
      if (value !== undefined) {
        inputs = slot.fill(inputs, value);
        limit = { ...limit, ...limitRule(context, slot, value) };
      } else if (slot.required) return undefined;
    }
    const title = `${operation.id} with ${drawn.map((value) => (value === undefined ? '' : abbreviate(value))).join(', ')}`;
    return inputCase(context, 'generated', title, inputs, {
      ...limit,
      expect: expectSuccessOrOwnRefusal(context),
    });
  });
}

/** Requests with one random fault. */
function faultyCases(context: OperationContext): fc.Arbitrary<Case | undefined> | undefined {
  const { document, oracle, operation, base } = context;
  const parts = textualSlots(context);
  if (parts.length === 0) return undefined;
  const drawn = fc.oneof(...parts.map((slot) => slotValues(context, slot).map((value) => ({ slot, value }))));
  return fc.tuple(drawn, fc.nat()).map(([{ slot, value }, number]): Case | undefined => {
    if (value === undefined) return undefined;
    const faults = probes(instanceLocations(document.requests, oracle, slot.schema, value)).filter(
      ({ side }) => side === 'violates',
    );
    const fault = faults[number % Math.max(1, faults.length)];
    if (!fault || slotValidity(oracle, slot, fault.value) !== 'invalid') return undefined;
    const title = `${slot.label}${fault.location.instancePointer} violates ${fault.keyword}: ${print(value)} became ${abbreviate(fault.value)}`;
    return inputCase(context, 'generated', title, slot.fill(base, fault.value), {
      expect: expectInvalid(fault.replacement),
      ...faultOf(context, slot, fault.value),
      about: constraintKey(operation, slot.label, fault.subschema.pointer, fault.keyword, 'violates'),
    });
  });
}

const textualSlots = ({ document, operation }: OperationContext): Slot[] =>
  slots(document, operation).filter(({ codec }) => codec !== 'binary');
