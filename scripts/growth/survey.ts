import type { JsonObject } from 'contract-first-server';
import type { Subject } from './adversary';
import { growing } from './documents';
import { type Cost, Meter, SIZE } from './measure';
import { PLANT_STORE } from './plants';
import { subjects } from './subjects';

/** What a subject has shown. */
export interface Row {
  readonly about: string;
  readonly direction: 'in' | 'out' | 'start';
  readonly inputs: number;
  /** Milliseconds for the innocent request of {@link SIZE} bytes, at least {@link LEAST}. */
  readonly innocent?: number;
  /** The input that cost most. */
  readonly worst?: string;
  /** CPU milliseconds of the worst input, by size; `Infinity` where the limit ended it. */
  readonly costs: ReadonlyMap<number, number>;
  /** Worst by innocent, at {@link SIZE}. */
  readonly ratio?: number;
  /** What the ratio may be. */
  readonly most?: number;
  /** The power of the size with which the cost grows, between the greatest two sizes that say something. */
  readonly exponent?: number;
  /** Milliseconds that the event loop stood still at {@link SIZE}. */
  readonly blocked?: number;
  /** Why no request was made: the document is refused at start, as it may be. */
  readonly refusal?: string;
  /** What is too much of it, in words. */
  readonly problems: readonly string[];
}

export interface Bounds {
  /**
   * Most that a hostile request of {@link SIZE} bytes may cost, by an innocent one of the same size. Where a document puts
   * several schemas to one value, each of them may cost {@link EACH} times as much as that one besides.
   */
  readonly ratio: number;
  readonly exponent: number;
  /** Milliseconds that a request may hold the event loop of the plant store; undefined where the machine is too busy to tell. */
  readonly blocked?: number;
}

export interface Plan {
  readonly bounds: Bounds;
  /** CPU milliseconds after which a request is given up, and its process ended. */
  readonly limit: number;
  /** Most inputs of a subject that are tried, evenly spread. */
  readonly inputs: number;
  /** Sizes at which the worst input is measured, {@link SIZE} among them. */
  readonly sizes: readonly [number, number, ...number[]];
  /** Whether a subject ends once no more measurements could make a problem of it: its row is not complete then. */
  readonly brief?: boolean;
}

/** Costs below these milliseconds say more of the machine than of the growth. */
const TELLING = 8;
/** Milliseconds that a body of {@link SIZE} bytes costs at least; a header of so many costs less, being one text. */
const LEAST = 1;
const RUNS = 3;
/** A list of 100 kB can have ten times as many items as the innocent one, and each schema is put to each of them. */
const EACH = 4;
/**
 * The power of the size with which a start may grow. One that is fine grows with up to 1.6 between 100 and 400: ajv and V8
 * take more than linear time for a long function. Squared growth that dominates the start at 400 shows 1.8 or more.
 */
const START_EXPONENT = 1.75;
/** What a server may refuse at start instead of bounding it. */
const REFUSABLE = /^pattern |^cookie form, exploded: object$/;

/** Tries every subject whose name fits; the rows come as they are known. */
export async function* survey(
  plan: Plan,
  wanted: (about: string) => boolean = () => true,
): AsyncGenerator<Row> {
  const meter = new Meter(plan.limit);
  try {
    for (const [number, subject] of subjects().entries()) {
      if (wanted(subject.about)) yield await trySubject(meter, number, subject, plan);
    }
    for (const [number, { about }] of growing.entries()) {
      if (wanted(`document: ${about}`)) yield await tryDocument(meter, number, about);
    }
  } finally {
    await meter.end();
  }
}

async function trySubject(meter: Meter, number: number, subject: Subject, plan: Plan): Promise<Row> {
  const { about, direction, adversaries } = subject;
  const most = plan.bounds.ratio + EACH * widthOf(subject.document);
  const measure = (adversary: number, size: number, runs: number, innocent = false, enough = 0) =>
    meter.measure({ subject: number, adversary, size, innocent, runs, enough });
  const common = { about, direction, costs: new Map<number, number>() };
  // In brief, an innocent request is taken to cost least, until an input costs enough to be compared with it.
  const harmless = plan.brief ? harmlessCost(plan, most) : 0;
  let innocent = await measure(0, plan.brief ? plan.sizes[0] : SIZE, plan.brief ? 1 : 2 * RUNS, true);
  if (innocent === 'stopped')
    return { ...common, inputs: 0, problems: ['the innocent request is not answered'] };
  if ('refusal' in innocent) {
    const problems = REFUSABLE.test(about) ? [] : [`is refused at start: ${innocent.refusal}`];
    return { ...common, inputs: 0, refusal: innocent.refusal, problems };
  }
  const doubtful = plan.brief ? harmless : (Math.max(innocent.cpu, LEAST) * most) / 2;

  const step = Math.max(1, adversaries.length / plan.inputs);
  const tried = [
    ...new Set(Array.from({ length: Math.ceil(adversaries.length / step) }, (_, i) => Math.floor(i * step))),
  ];
  let worst = { adversary: 0, cost: { cpu: 0, blocked: 0, status: 0 } as Cost };
  let inputs = 0;
  for (const adversary of tried) {
    inputs++;
    let cost = costOf(await measure(adversary, SIZE, 1));
    const suspicious = cost.cpu > doubtful || cost.blocked > (plan.bounds.blocked ?? Infinity) / 2;
    if (Number.isFinite(cost.cpu) && suspicious)
      cost = costOf(await measure(adversary, SIZE, RUNS, false, harmless));
    if (cost.cpu > worst.cost.cpu) worst = { adversary, cost };
    if (cost.cpu === Infinity) break; // one is enough, and each costs the limit
  }
  const { costs } = common;
  const stopped = worst.cost.cpu === Infinity;
  if (worst.cost.cpu < harmless) return { ...common, inputs, problems: [] };
  if (plan.brief && !stopped) innocent = costOf(await measure(0, SIZE, 2 * RUNS, true));
  for (const size of stopped ? [] : plan.sizes) {
    const { cpu } = costOf(await measure(worst.adversary, size, RUNS));
    costs.set(size, cpu);
    if (cpu === Infinity) break;
  }
  if (stopped) costs.set(SIZE, Infinity);
  let ruler = Math.max(innocent.cpu, LEAST);
  const ratioOf = () => (costs.get(SIZE) ?? Infinity) / ruler;
  await confirm(
    costs,
    () => ratioOf() > most || (exponentOf(costs) ?? 0) > plan.bounds.exponent,
    async (size) => {
      // Both at the same time: on a machine that has become busy since, the innocent request costs more, too.
      if (size === SIZE) ruler = Math.max(ruler, costOf(await measure(0, SIZE, 2 * RUNS, true)).cpu);
      return costOf(await measure(worst.adversary, size, RUNS)).cpu;
    },
  );
  const ratio = ratioOf();
  const exponent = exponentOf(costs);
  const { blocked } = worst.cost;
  return {
    ...{ ...common, inputs, innocent: ruler, ratio, most, blocked },
    ...(exponent !== undefined && { exponent }),
    worst: adversaries[worst.adversary]?.name ?? '',
    problems: [
      ...(ratio > most ? [`${times(ratio)} an innocent request`] : []),
      ...((exponent ?? 0) > plan.bounds.exponent
        ? [`grows with the power ${exponent?.toFixed(1) ?? ''}`]
        : []),
      ...(about.startsWith(PLANT_STORE) && blocked > (plan.bounds.blocked ?? Infinity)
        ? [`holds the event loop for ${blocked.toFixed(0)} ms`]
        : []),
    ],
  };
}

/** CPU milliseconds for {@link SIZE} bytes that break no bound, whatever an innocent request and a smaller size cost. */
function harmlessCost({ bounds, sizes }: Plan, most: number): number {
  const [last, before] = [...sizes].sort((a, b) => b - a) as [number, number];
  const telling = last === SIZE ? (TELLING / 2) * (last / before) ** bounds.exponent : 0;
  return Math.min(LEAST * most, telling);
}

/** How many schemas of a document are put to one value; those that are left over by others ask these again. */
function widthOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const schema = node as JsonObject;
  const own = ['anyOf', 'oneOf', 'allOf', 'patternProperties', 'dependentSchemas'].reduce(
    (sum, keyword) => sum + Object.keys(schema[keyword] ?? {}).length,
    0,
  );
  const again = 'unevaluatedProperties' in node || 'unevaluatedItems' in node ? 2 : 1;
  return Math.max(own > 1 ? own * again : 0, ...Object.values(node).map(widthOf));
}

/** Documents are compared with themselves: one four times as large may cost four times as much. */
async function tryDocument(meter: Meter, number: number, about: string): Promise<Row> {
  const costs = new Map<number, number>();
  let refusal: string | undefined;
  // The small ones twice: a start that costs them too much would hide the growth. That of the greatest cannot.
  for (const size of [25, 100, 100, 400]) {
    const answer = await meter.measure({ document: number, size });
    if (typeof answer === 'object' && 'refusal' in answer) {
      refusal = answer.refusal;
      break;
    }
    costs.set(size, Math.min(costOf(answer).cpu, costs.get(size) ?? Infinity));
    if (answer === 'stopped') break;
  }
  const stopped = [...costs.values()].includes(Infinity);
  await confirm(
    costs,
    () => (exponentOf(costs) ?? 0) > START_EXPONENT,
    async (size) => costOf(await meter.measure({ document: number, size })).cpu,
  );
  const exponent = stopped ? Infinity : exponentOf(costs);
  return {
    about: `document: ${about}`,
    direction: 'start',
    inputs: 1,
    costs,
    ...(exponent !== undefined && { exponent }),
    ...(refusal !== undefined && { refusal }),
    problems: [
      ...((exponent ?? 0) > START_EXPONENT ? [`grows with the power ${exponent?.toFixed(1) ?? ''}`] : []),
      ...(refusal === undefined ? [] : [`is refused at start: ${refusal}`]),
    ],
  };
}

/**
 * Measures costs that are too much again, and keeps the least of each size. The compiler of V8, its garbage and a busy
 * machine may be in between; what costs too much by itself does so each time.
 */
async function confirm(
  costs: Map<number, number>,
  areTooMuch: () => boolean,
  measure: (size: number) => Promise<number>,
): Promise<void> {
  for (let again = 0; again < RUNS && areTooMuch(); again++) {
    for (const [size, cost] of costs) {
      if (cost === Infinity) return; // the limit ended it, as it would again
      costs.set(size, Math.min(cost, await measure(size)));
    }
  }
}

const STOPPED: Cost = { cpu: Infinity, blocked: Infinity, status: 0 };

function costOf(answer: Cost | 'stopped' | { readonly refusal: string }): Cost {
  if (answer === 'stopped') return STOPPED;
  if ('refusal' in answer) throw new Error(`expected a request that can be made, got ${answer.refusal}`);
  return answer;
}

function exponentOf(costs: ReadonlyMap<number, number>): number | undefined {
  const [[size, cost] = [0, 0], [before, less] = [0, 0]] = [...costs].reverse();
  if (before === 0 || cost < TELLING) return undefined;
  // Of a cost too small to be measured well, the least that is measured well is the most that it can have been.
  return Math.log(cost / Math.max(less, TELLING / 2)) / Math.log(size / before);
}

const times = (ratio: number): string =>
  ratio === Infinity ? 'the limit ended it, many times' : `${ratio.toFixed(0)} times`;
