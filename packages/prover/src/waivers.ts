import type { Failure } from './failure';
import type { Target, Waiver } from './target';
import { asArray, asObject, asString, type Json } from './json/tree';

/** The waivers of a run: those that hold today. */
export interface Waivers {
  /** The waiver of an obligation with this key. */
  readonly ofObligation: (key: string) => Waiver | undefined;
  /** The waiver of a failure: for the case, or for each of its causes. */
  readonly ofFailure: (failure: Failure) => Waiver | undefined;
  /** They hold no longer, and fail the run. */
  readonly expired: readonly Waiver[];
  /** Those that have matched nothing so far: the failure is mended, or the text is wrong. */
  readonly unused: () => readonly Waiver[];
}

/**
 * @param stubs operations whose waivers may match nothing
 * @param today an ISO date (UTC): `2026-12-31`. A waiver holds until the end of the day of its `expires`.
 */
export function openWaivers(
  { waivers = [], stubs = [] }: Pick<Target, 'waivers' | 'stubs'>,
  today: string,
): Waivers {
  const isExpired = ({ expires }: Waiver): boolean => expires !== undefined && expires < today;
  const current = waivers.filter((waiver) => !isExpired(waiver));
  const used = new Set<Waiver>();
  const find = (matches: (waiver: Waiver) => boolean): Waiver | undefined => {
    const found = current.find(matches);
    if (found) used.add(found);
    return found;
  };
  return {
    ofObligation: (key) => find((one) => 'obligation' in one && matchesText(one.obligation, key)),
    ofFailure: ({ operation, family, title, causes }) =>
      find((one) => {
        const matches = (text: string): boolean =>
          'failure' in one && matchesText(one.failure, `${operation} | ${text}`);
        return matches(`${family} | ${title}`) || causes.every(({ sentence }) => matches(sentence));
      }),
    expired: waivers.filter(isExpired),
    unused: () =>
      current.filter((waiver) => !used.has(waiver) && !stubs.some((operation) => isOf(operation, waiver))),
  };
}

const patternOf = (waiver: Waiver): RegExp | string =>
  'obligation' in waiver ? waiver.obligation : waiver.failure;

/** Whether a waiver is of one operation only. */
const isOf = (operation: string, waiver: Waiver): boolean => {
  const pattern = patternOf(waiver);
  return typeof pattern === 'string' && pattern.startsWith(`${operation} | `);
};

/** A waiver in words: what it matches, why, and until when. */
export function describeWaiver(waiver: Waiver): string {
  return `${String(patternOf(waiver))} (${waiver.reason}${waiver.expires === undefined ? '' : `, until ${waiver.expires}`})`;
}

/** Whether a pattern matches: a regular expression anywhere, a text as a whole. `*` in it stands for any text. */
function matchesText(pattern: RegExp | string, text: string): boolean {
  if (typeof pattern !== 'string') return pattern.test(text);
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(text);
}

const ISO_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/**
 * The waivers of a JSON or YAML file: a list of objects with `failure` or `obligation`, `reason` and `expires`.
 *
 * @throws {Error} with everything that is wrong, and its place
 */
export function readWaivers(json: Json): Waiver[] {
  const problems: string[] = Array.isArray(json) ? [] : ['expected a list of waivers'];
  const waivers = asArray(json).flatMap((entry, index): Waiver[] => {
    const { failure, obligation, reason, expires, ...others } = asObject(entry);
    const found = [
      ...(typeof failure === 'string' || typeof obligation === 'string'
        ? []
        : ['a text `failure` or `obligation`']),
      ...(failure === undefined || obligation === undefined
        ? []
        : ['only one of `failure` and `obligation`']),
      ...(typeof reason === 'string' && reason.trim() !== '' ? [] : ['a `reason`']),
      ...(isDate(expires) || (expires === undefined && failure === undefined)
        ? []
        : ['`expires`, a date such as "2026-12-31"']),
      ...Object.keys(others).map((name) => `no member ${name}`),
    ];
    problems.push(...found.map((expected) => `waiver ${index + 1}: expected ${expected}`));
    const common = { reason: asString(reason), ...(isDate(expires) && { expires }) };
    if (typeof failure === 'string') return [{ failure, ...common }];
    return typeof obligation === 'string' ? [{ obligation, ...common }] : [];
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return waivers;
}

const isDate = (json: Json | undefined): json is string =>
  typeof json === 'string' && ISO_DATE.test(json) && new Date(json).toISOString().startsWith(json);
