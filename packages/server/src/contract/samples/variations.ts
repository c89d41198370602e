import { isObject } from '../document/document';
import { stringifyJson } from '../json/stringify';

/** Bounds of the search: variations, the changes that one has, and the text of all. */
const MAX_VARIATIONS = 500;
const MAX_CHANGES = 2;
const MAX_TEXT = 500_000;

/** A value of each type: one of the wrong type decides that a branch does not apply. */
const OTHERS: readonly unknown[] = [null, true, 'text', 1, [], {}];

/**
 * The samples, and then these with one or two members left out, of another type, or of another sample. Where the absence or
 * the fault of a member decides which branch applies, one of them may conform though no sample does.
 */
export function* withVariations(samples: Iterable<unknown>): Generator {
  const seen = new Map<string, unknown>();
  for (const sample of samples) {
    seen.set(stringifyJson(sample), sample);
    yield sample;
  }
  let level = [...seen.values()].filter(isObject);
  const members = Map.groupBy(level.flatMap(Object.entries<unknown>), ([name]) => name);
  const known = new Map([...members].map(([name, all]) => [name, all.map(([, member]) => member)]));
  const most = seen.size + MAX_VARIATIONS;
  let length = 0;
  for (let changes = 0; changes < MAX_CHANGES; changes++) {
    const next: Record<string, unknown>[] = [];
    for (const value of level)
      for (const changed of neighbors(value, known)) {
        const text = stringifyJson(changed);
        if (seen.has(text)) continue;
        if (seen.size >= most || length > MAX_TEXT) return;
        seen.set(text, changed);
        length += text.length;
        next.push(changed);
        yield changed;
      }
    level = next;
  }
}

/**
 * The object with one change: of a member, or within it.
 *
 * @param known the members of the samples by name
 */
function* neighbors(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, readonly unknown[]>,
): Generator<Record<string, unknown>> {
  for (const name of new Set([...Object.keys(value), ...known.keys()])) {
    const { [name]: member, ...others } = value;
    if (Object.hasOwn(value, name)) yield others;
    for (const other of [...OTHERS, ...(known.get(name) ?? [])]) yield { ...value, [name]: other };
    if (isObject(member))
      for (const changed of neighbors(member, new Map())) yield { ...value, [name]: changed };
  }
}
