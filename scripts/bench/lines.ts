import type { Goal } from './matrix';

/** The median of all rounds, and how sure that is: the half of an interval that has it in nine of ten runs. */
export interface Figure {
  readonly value: number;
  readonly spread: number;
}

/** What was measured of several servers, ours first, by their names: one number for each round. */
export type Rounds = ReadonlyMap<string, readonly number[]>;

/** A line of the table. */
export interface Line {
  readonly title: string;
  /** Digits after the point. */
  readonly digits: number;
  /** By name of the server. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** Ours, of each of the others. */
  readonly ratios: Readonly<Record<string, Figure>>;
  readonly goals: readonly Goal[];
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return below + (above - below) * (at % 1);
}

function figureOf(values: readonly number[]): Figure {
  // How many of n values lie below their median is binomial, of standard deviation sqrt(n) / 2.
  const share = Math.min(0.5, 1.645 / (2 * Math.sqrt(values.length)));
  return {
    value: quantile(values, 0.5),
    spread: (quantile(values, 0.5 + share) - quantile(values, 0.5 - share)) / 2,
  };
}

/** The ratios are those of each round, because rounds are not equally quiet. */
export function lineOf(title: string, digits: number, rounds: Rounds, goals: readonly Goal[]): Line {
  const [ours = [], ...others] = rounds.values();
  const names = [...rounds.keys()].slice(1);
  const ratios = others.map((other) => figureOf(ours.map((value, round) => value / (other[round] ?? NaN))));
  return {
    title,
    digits,
    figures: Object.fromEntries([...rounds].map(([name, values]) => [name, figureOf(values)])),
    ratios: Object.fromEntries(names.map((name, index) => [name, ratios[index] ?? figureOf([])])),
    goals,
  };
}

/**
 * What one more item costs from 100 to 1,000, of what it costs from 10 to 100: it is 1 where the cost grows with the
 * bytes and nothing else.
 */
export function growthOf(lists: readonly Line[], goals: readonly Goal[]): Line {
  const growth = Object.keys(lists[0]?.figures ?? {}).map((name) => {
    const [ten = NaN, hundred = NaN, thousand = NaN] = lists.map(({ figures }) => figures[name]?.value);
    return [name, [(thousand - hundred) / 900 / ((hundred - ten) / 90)]] as const;
  });
  return lineOf('GET a list: one more of 1,000, of one more of 100', 2, new Map(growth), goals);
}

/** Goals that a line misses, each with its figure; a figure that is missing misses its goal. */
export const missed = ({ figures, ratios, goals }: Line): readonly (Goal & { readonly is: number })[] =>
  goals
    .map((goal) => ({ ...goal, is: (goal.of === 'ours' ? figures : ratios)[goal.of]?.value ?? NaN }))
    .filter(({ is, limit, least }) => !(least ? is >= limit : is <= limit));
