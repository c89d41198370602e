/** The intended breaks of a contract: openapi/accepted-breaks.yaml. */
import { isObject } from 'contract-first-server/tools';
import { type Change, changeText } from './changes';
import { isClass, isOf } from './classes';
import { ACCEPTED } from '../paths';
import { placeIn } from '../document/source/read-file';
import { TextError } from '../document/source/source-text';
import { readYaml } from '../document/source/yaml-text';

/** An intended break, or a class of them. */
interface Accepted {
  /** The change as `make breaking` prints it. */
  readonly change: string;
  /** Why, for reviewers. */
  readonly reason: string;
  /** The last version of the document (`info.version`) for which the entry holds. */
  readonly until: string;
  /** The most changes of a class. */
  readonly places?: number;
}

/** Breaking changes, apart from the accepted ones, and what is wrong with the entries of the file. */
export interface Judged {
  readonly breaking: readonly Change[];
  readonly accepted: readonly (Accepted & { readonly of: readonly Change[] })[];
  /** Sentences about entries whose changes the base has already. */
  readonly spent: readonly string[];
  readonly wrong: readonly string[];
}

const KEYS = ['change', 'reason', 'until'] as const;

/**
 * Separates accepted changes.
 *
 * @param text of the file; empty if there is none
 * @param version of the document
 * @param earlier the text of the file in the base
 */
export function judgeBreaks(changes: readonly Change[], text: string, version: string, earlier = ''): Judged {
  const wrong: string[] = [];
  const spent: string[] = [];
  const accepted: Judged['accepted'][number][] = [];
  const before = new Set(readEntries(earlier, []).map(([, { change }]) => change));
  for (const [place, entry] of readEntries(text, wrong)) {
    const of = changes.filter((change) => isOf(entry.change, change));
    const passed = isAfter(version, entry.until);
    if (of.length === 0 && before.has(entry.change))
      spent.push(`${place}: the base already contains this change: you can delete the entry`);
    else if (of.length === 0) wrong.push(`${place}: ${unmatched(entry, changes)}`);
    else if (passed === undefined)
      wrong.push(
        `${place}/until: expected a version like 2.0.0 here and in info.version, got ${entry.until} and ${version}`,
      );
    else if (passed)
      wrong.push(
        `${place}: expired with version ${entry.until}; the document has version ${version}: undo the change, or accept it until ${version}`,
      );
    else if (isClass(entry.change) && of.length > (entry.places ?? 0))
      wrong.push(
        `${place}/places: the entry matches ${of.length} changes, but places is ${entry.places ?? 'missing'}: review each change, then write places: ${of.length}`,
      );
    else accepted.push({ ...entry, of });
  }
  const isAccepted = new Set(accepted.flatMap(({ of }) => of));
  return { breaking: changes.filter((change) => !isAccepted.has(change)), accepted, spent, wrong };
}

/** Why an entry accepts nothing, with the change that it may mean. */
function unmatched({ change }: Accepted, changes: readonly Change[]): string {
  const texts = changes.map(changeText);
  const [pointer = '', ...message] = change.split(': ');
  const near = texts.find((one) => one.startsWith(`${pointer}: `) || one.endsWith(`: ${message.join(': ')}`));
  const advice = near === undefined ? 'delete the entry' : `did you mean ${JSON.stringify(near)}?`;
  return `no breaking change matches ${JSON.stringify(change)}: ${advice}`;
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
    const { places, ...given } = isObject(entry) ? entry : {};
    const faults = [
      ...KEYS.filter((key) => typeof given[key] !== 'string' || given[key].trim() === '').map(
        (key) =>
          `${place}/${key}: expected a non-blank string${key === 'until' ? ", such as '2.0.0'" : ''}, got ${JSON.stringify(given[key] ?? null)}`,
      ),
      ...Object.keys(given)
        .filter((key) => !KEYS.some((known) => known === key))
        .map((key) => `${place}/${key}: expected only ${KEYS.join(', ')} and places`),
    ];
    if (places !== undefined && !(Number.isInteger(places) && Number(places) > 0))
      faults.push(`${place}/places: expected the number of changes, got ${JSON.stringify(places)}`);
    wrong.push(...faults);
    const { change, reason, until } = given;
    const read = { change: String(change), reason: String(reason), until: String(until) };
    return faults.length > 0
      ? []
      : [[place, places === undefined ? read : { ...read, places: Number(places) }] as const];
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
