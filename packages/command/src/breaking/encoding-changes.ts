import { type Direction, isObject, members } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { essenceOf, keywordMessage } from './decisions';

/**
 * Compares how the parts of a form are encoded: the media types that a part may have one by one, everything else as a whole.
 *
 * @param report the name of the part, the sentence, and whether it breaks a client
 */
export function compareEncodings(
  was: JsonObject,
  is: JsonObject,
  direction: Direction,
  report: (name: string, message: string, breaking: boolean) => void,
): void {
  const [old, now] = [was, is].map(({ encoding }) => new Map(members(encoding)));
  for (const name of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const [{ contentType: before, ...rest }, { contentType: after, ...later }] = [old, now].map((all) => {
      const own = all?.get(name);
      return isObject(own) ? own : {};
    }) as [JsonObject, JsonObject];
    const [a, b] = [essenceOf('Encoding', rest), essenceOf('Encoding', later)];
    if (a !== b) report(name, keywordMessage('its encoding', a, b), true);
    if (typeof before !== 'string' || typeof after !== 'string') {
      // Without one, what a part may have depends on its schema.
      if (before !== after) report(name, keywordMessage('contentType', textOf(before), textOf(after)), true);
      continue;
    }
    const [types, others] = [typesIn(before), typesIn(after)];
    for (const type of types.filter((one) => !isCovered(one, others)))
      report(name, `its contentType has ${type} no longer`, direction === 'request');
    for (const type of others.filter((one) => !isCovered(one, types)))
      report(name, `its contentType has ${type} now`, direction === 'response');
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const typesIn = (contentType: string): string[] =>
  contentType.split(',').map((type) => type.trim().toLowerCase());

/** Whether one of these media types and ranges covers another. */
const isCovered = (type: string, by: readonly string[]): boolean =>
  by.some(
    (one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
