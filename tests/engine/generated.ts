import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { admitted, authorised, type Case, type Context } from './cases/case';
import { brief, invalidRequest } from './cases/values';
import { codec, fits, slots, type Inputs, type Slot } from './request';
import { sites, trials } from './walk';
import { arbitrary } from './values';
import { print, type JsonObject, type Value } from './json';

/** Sends and judges one case; resolves with what was wrong. */
export type Try = (made: Case) => Promise<readonly string[]>;

export interface Counterexample {
  /** Undefined where no request could be made that is worth sending. */
  readonly case: Case | undefined;
  readonly problems: readonly string[];
  readonly seed: number;
  /** fast-check's way to the shrunk request. */
  readonly path: string;
}

/** A seed that changes when the document does, and only then. */
export const seedOf = (document: JsonObject): number =>
  createHash('sha256').update(JSON.stringify(document)).digest().readInt32BE(0);

/**
 * Requests nobody thought of: valid ones, and ones with one fault at a place and of a kind that chance picks. The first
 * one that is answered wrongly is shrunk.
 */
export async function generated(
  context: Context,
  attempt: Try,
  options: { seed: number; runs: number },
): Promise<Counterexample[]> {
  const found: Counterexample[] = [];
  const valid = validCases(context);
  for (const made of [valid, faultyCases(context)]) {
    if (!made) continue;
    const outcome = await fc.check(
      fc.asyncProperty(made, async (drawn) => {
        fc.pre(drawn !== undefined);
        const problems = await attempt(drawn);
        if (problems.length > 0) throw new Error(problems.join('\n'));
      }),
      { seed: options.seed, numRuns: options.runs, maxSkipsPerRun: 20, interruptAfterTimeLimit: 8000 },
    );
    const [drawn] = outcome.counterexample ?? [];
    const { errorInstance, seed, counterexamplePath, numRuns } = outcome;
    const replay = { seed, path: counterexamplePath ?? '' };
    if (drawn) {
      const problem = errorInstance instanceof Error ? errorInstance.message : 'failed';
      found.push({ case: drawn, problems: [problem], ...replay });
    } else if (numRuns === 0 && made === valid) {
      // Nothing need be wrong with a schema that no value breaks; one that no value fits has not been tested.
      found.push({
        case: undefined,
        problems: ['expected chance to make a valid request, it made none'],
        ...replay,
      });
    }
  }
  return found;
}

/** Any value that a slot may carry, or undefined where chance made one that does not fit. */
function fitting({ document, oracle }: Context, slot: Slot): fc.Arbitrary<Value | undefined> {
  // Of strings that chance makes a header carries few: every other value is a plain one.
  const modes = (['any', 'all'] as const).map((mode) =>
    arbitrary(document.requests, [{ pointer: slot.schema, certain: true }], mode),
  );
  return fc.oneof(...modes).map((value) => (fits(oracle, slot, value) ? value : undefined));
}

function validCases(context: Context): fc.Arbitrary<Case | undefined> | undefined {
  const { document, operation, base } = context;
  const parts = slots(document, operation).filter(({ body }) => !body || codec(body.name) !== 'binary');
  if (parts.length === 0) return undefined;
  const bodies = parts.filter(({ body }) => body);
  const values = fc.tuple(...parts.map((slot) => fitting(context, slot)));
  const omitted = fc.tuple(...parts.map((slot) => (slot.required ? fc.constant(false) : fc.boolean())));
  return fc.tuple(values, omitted, fc.nat(Math.max(0, bodies.length - 1))).map(([drawn, left, body]) => {
    let inputs: Inputs = base;
    for (const [index, slot] of parts.entries()) {
      if (left[index] === true || (slot.body && slot !== bodies[body])) continue;
      const value = drawn[index];
      if (value !== undefined) inputs = slot.fill(inputs, value);
      else if (slot.required) return undefined;
    }
    const title = `${operation.id} with ${drawn.map((value) => (value === undefined ? '' : brief(value))).join(', ')}`;
    return {
      family: 'generated',
      title,
      operation,
      request: authorised(context, inputs),
      expect: admitted(context),
      proves: [],
    };
  });
}

function faultyCases(context: Context): fc.Arbitrary<Case | undefined> | undefined {
  const { document, oracle, operation, base } = context;
  const parts = slots(document, operation).filter(({ body }) => !body || codec(body.name) !== 'binary');
  if (parts.length === 0) return undefined;
  const drawn = fc.oneof(...parts.map((slot) => fitting(context, slot).map((value) => ({ slot, value }))));
  return fc.tuple(drawn, fc.nat()).map(([{ slot, value }, number]): Case | undefined => {
    if (value === undefined) return undefined;
    const faults = trials(sites(document.requests, oracle, slot.schema, value)).filter(
      ({ side }) => side === 'violates',
    );
    const fault = faults[number % Math.max(1, faults.length)];
    const read = fault && slot.read(fault.value);
    if (!fault || read === undefined || !oracle.decides(slot.schema, read)) return undefined;
    if (oracle.valid(slot.schema, read)) return undefined;
    const title = `${slot.label}${fault.site.place} violates ${fault.keyword}: ${print(value)} became ${brief(fault.value)}`;
    const request = authorised(context, slot.fill(base, fault.value));
    return { family: 'generated', title, operation, request, expect: invalidRequest(fault.put), proves: [] };
  });
}
