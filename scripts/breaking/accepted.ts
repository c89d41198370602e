/** The intended breaks of a contract: openapi/accepted-breaks.yaml. */
import { isObject } from '../../src/contract';
import { type Change, changeText } from './changes';
import { ACCEPTED } from '../paths';
import { placeIn } from '../source/read-file';
import { TextError } from '../source/source-text';
import { readYaml } from '../source/yaml-text';

/** An intended break. */
interface Accepted {
  /** The change as `make breaking` prints it. */
  readonly change: string;
  /** Why, for reviewers. */
  readonly reason: string;
  /** The last version of the document (`info.version`) for which the entry holds. */
  readonly until: string;
}

/** Breaking changes, apart from the accepted ones, and what is wrong with the entries of the file. */
export interface Judged {
  readonly breaking: readonly Change[];
  readonly accepted: readonly (Accepted & { readonly of: Change })[];
  readonly wrong: readonly string[];
}

const KEYS = ['change', 'reason', 'until'] as const;

/**
 * Separates accepted changes.
 *
 * @param text of the file; empty if there is none
 * @param version of the document
 */
export function judgeBreaks(changes: readonly Change[], text: string, version: string): Judged {
  const wrong: string[] = [];
  const entries = readEntries(text, wrong);
  const accepted: Judged['accepted'][number][] = [];
  for (const [place, entry] of entries) {
    const passed = isAfter(version, entry.until);
    const matching = changes.filter((change) => changeText(change) === entry.change);
    if (passed === undefined)
      wrong.push(
        `${place}/until: expected a version like 2.0.0 here and in info.version, got ${entry.until} and ${version}`,
      );
    else if (passed)
      wrong.push(
        `${place}: expired with version ${entry.until}, the document has version ${version}: delete the entry`,
      );
    else if (matching.length === 0)
      wrong.push(
        `${place}: matches no breaking change, expected one of the lines above: delete the entry, or correct ${JSON.stringify(entry.change)}`,
      );
    else accepted.push(...matching.map((of) => ({ ...entry, of })));
  }
  const isAccepted = new Set(accepted.map(({ of }) => of));
  return { breaking: changes.filter((change) => !isAccepted.has(change)), accepted, wrong };
}

function readEntries(text: string, wrong: string[]): (readonly [place: string, entry: Accepted])[] {
  let list: unknown;
  try {
    list = readYaml(text).value ?? [];
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    wrong.push(`${placeIn(ACCEPTED, text, error.offset)}: ${error.message}`);
    return [];
  }
  if (!Array.isArray(list)) {
    wrong.push(`${ACCEPTED}: expected a list of entries with ${KEYS.join(', ')}`);
    return [];
  }
  return list.flatMap((entry: unknown, i) => {
    const place = `${ACCEPTED}#/${i}`;
    const given = isObject(entry) ? entry : {};
    const faults = [
      ...KEYS.filter((key) => typeof given[key] !== 'string' || given[key].trim() === '').map(
        (key) =>
          `${place}/${key}: expected a text${key === 'until' ? ", such as '2.0.0'" : ''}, got ${JSON.stringify(given[key] ?? null)}`,
      ),
      ...Object.keys(given)
        .filter((key) => !KEYS.some((known) => known === key))
        .map((key) => `${place}/${key}: expected only ${KEYS.join(', ')}`),
    ];
    wrong.push(...faults);
    const { change, reason, until } = given;
    return faults.length > 0
      ? []
      : [[place, { change: String(change), reason: String(reason), until: String(until) }] as const];
  });
}

const VERSION = /^(\d+)\.(\d+)(?:\.|(?=$|[^\d.]))(\d*)/;

/** Whether a version is later than another one; undefined if one of them is no version. */
function isAfter(version: string, other: string): boolean | undefined {
  const [one, two] = [version, other].map((text) => VERSION.exec(text)?.slice(1).map(Number));
  if (!one || !two) return undefined;
  const differing = one.findIndex((part, i) => part !== two[i]);
  return differing >= 0 && (one[differing] ?? 0) > (two[differing] ?? 0);
}
