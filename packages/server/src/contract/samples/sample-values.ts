/** Generates numbers and strings that match a schema. The results are deterministic. */
import { type Lengths, textsMatching } from '../pattern/texts';
import type { Bound, SchemaView } from '../schema/schema-view';

/** No sample of a schema exists, or none was found. */
export class Unsampled extends Error {}

/** The least or greatest number that a bound admits. For an exclusive bound: `inwards` away from it. */
const edge = (bound: Bound | undefined, inwards: number) =>
  bound && Number(bound.value) + (bound.exclusive ? inwards : 0);

/** @param nth selects one of several different samples of a schema */
export function sampleNumber(view: SchemaView, integer: boolean, nth: number): number | bigint {
  const { least, most, multiples } = view;
  const [lower, upper] = [least.get('imum'), most.get('imum')];
  if ([lower?.value, upper?.value, ...multiples].some((value) => typeof value === 'bigint')) {
    return sampleLarge(lower, upper, [...multiples], nth);
  }
  const width = Number(upper?.value ?? Infinity) - Number(lower?.value ?? 0);
  const step = [...multiples].map(Number).reduce((a, b) => a * b, 1);
  const inwards = integer || width >= 2 ? 1 : width / 2;
  const lowest = edge(lower, inwards);
  const highest = edge(upper, -inwards);
  const start = lowest ?? Math.min(1, highest ?? 1);
  const first = multiples.size > 0 || integer ? Math.ceil(start / step) * step : start;
  const sample = first + nth * (multiples.size > 0 || integer ? step : Math.min(1, width / 1_000));
  // A quotient or product of doubles may be beyond them.
  if (!Number.isFinite(sample)) throw new Unsampled('no sample of a number of this size is found');
  return sample;
}

/** An integer beyond the doubles: the lowest that the bounds admit, otherwise the highest. */
function sampleLarge(
  lower: Bound | undefined,
  upper: Bound | undefined,
  multiples: readonly (number | bigint)[],
  nth: number,
): number | bigint {
  const whole = (value: number | bigint) => BigInt(typeof value === 'bigint' ? value : Math.ceil(value));
  const step = multiples.filter((value) => typeof value === 'bigint' || Number.isInteger(value)).map(whole);
  const width = step.reduce((a, b) => a * b, 1n);
  const lowest = lower && whole(lower.value) + (lower.exclusive ? 1n : 0n);
  const highest = upper && whole(upper.value) - (upper.exclusive ? 1n : 0n);
  const beyond = (value: bigint) => ((value % width) + width) % width;
  const downwards = lowest === undefined && highest !== undefined && highest < 1n;
  const start = lowest ?? 1n;
  const first = downwards ? highest - beyond(highest) : start + beyond(-start);
  const value = first + (downwards ? -1n : 1n) * BigInt(nth) * width;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const FORMATS = new Map<string, (nth: number) => string>(
  Object.entries({
    date: (nth) => `2024-01-${String((nth % 28) + 1).padStart(2, '0')}`,
    time: (nth) => `12:00:${String(nth % 60).padStart(2, '0')}Z`,
    'date-time': (nth) => `2024-01-01T12:${String(nth % 60).padStart(2, '0')}:00Z`,
    duration: (nth) => `PT${nth + 1}H`,
    email: (nth) => `person${nth + 1}@example.com`,
    hostname: (nth) => `host${nth + 1}.example.com`,
    ipv4: (nth) => `192.0.2.${(nth % 254) + 1}`,
    ipv6: (nth) => `2001:db8::${nth + 1}`,
    uri: (nth) => `https://example.com/${nth + 1}`,
    url: (nth) => `https://example.com/${nth + 1}`,
    'uri-reference': (nth) => `/${nth + 1}`,
    'uri-template': (nth) => `/{a}/${nth + 1}`,
    uuid: (nth) => `00000000-0000-4000-8000-${String(nth + 1).padStart(12, '0')}`,
    'json-pointer': (nth) => `/${nth + 1}`,
    'relative-json-pointer': (nth) => `${nth + 1}`,
    regex: (nth) => `a{${nth + 1}}`,
    base64url: (nth) => Buffer.from(`bytes ${nth + 1}`).toString('base64url'),
    byte: (nth) => Buffer.from(`bytes ${nth + 1}`).toString('base64'),
  }),
);

/** @param nth selects one of several different samples of a schema */
export function sampleString({ least, most, patterns, formats }: SchemaView, nth: number): string {
  const [shortest, longest] = [
    Number(least.get('Length')?.value ?? 0),
    Number(most.get('Length')?.value ?? Infinity),
  ];
  if (patterns.size > 0) {
    const found = textsLike([...patterns], { least: shortest, most: longest });
    const text = found[nth % Math.max(found.length, 1)];
    if (text === undefined)
      throw new Unsampled(`no sample matches the pattern ${[...patterns].join(' and ')}`);
    return text;
  }
  const formatted = [...formats]
    .map((format) => FORMATS.get(format)?.(nth))
    .find((text) => text !== undefined);
  if (formatted !== undefined) return formatted;
  const plain = nth === 0 ? 'text' : `text ${nth + 1}`;
  if (longest === 0) return '';
  return plain.padEnd(Math.min(shortest, 100_000), '.').slice(-Math.min(longest, 100_000));
}

/** How many different texts a search finds at most. */
const ENOUGH = 24;
/** A cache, because a search may take milliseconds. */
const searches = new Map<string, readonly string[]>();

function textsLike(patterns: readonly string[], lengths: Lengths): readonly string[] {
  const key = JSON.stringify([patterns, lengths.least, String(lengths.most)]);
  const found = searches.get(key) ?? textsMatching(patterns, lengths, ENOUGH);
  searches.set(key, found);
  return found;
}
