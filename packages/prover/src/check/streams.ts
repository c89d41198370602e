import { JSON_DATA } from '../document/events';
import type { Sequence } from '../document/media';
import type { Document, MediaType } from '../document/model';
import { conjuncts } from '../document/direction';
import { nodeAt, asObject, textOf } from '../json/tree';
import type { Value } from '../json/value';
import type { Finding } from '../profile';
import { quoted, type RawResponse } from '../wire/message';
import { bodyFindings, type ResponseOracles, valueFindings } from './body';
import { type Item, itemsOf } from './items';

/** Items that are judged, from the first on. */
const MAX_ITEMS = 1000;

/** The items of a stream that have come, and the findings about its encoding. */
export function readStream(sequence: Sequence, { body, cut }: RawResponse) {
  let text: string;
  const findings: Finding[] = [];
  try {
    // The last character of a start may be incomplete.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body, {
      stream: cut !== undefined,
    });
  } catch {
    text = body.toString();
    findings.push({ rule: 'JSON encoding', message: 'expected a stream in UTF-8, got other bytes' });
  }
  const { items, faults } = itemsOf(sequence, text, cut === undefined);
  const [fault] = faults;
  if (fault !== undefined)
    findings.push({
      rule: 'stream format',
      message: `expected a stream that clients can read, got ${fault}`,
    });
  return { text, items, findings };
}

/** The findings about a stream: its end, its format, and each item by its schema. */
export function streamFindings(
  document: Document,
  oracles: ResponseOracles,
  media: MediaType,
  sequence: Sequence,
  outcome: RawResponse,
): Finding[] {
  const { text, items, findings } = readStream(sequence, outcome);
  const { schema, items: itemSchema } = media;
  if (outcome.cut?.by === 'server') {
    const { reason } = outcome.cut;
    const message = `expected a stream that goes on or ends, got one that broke after ${items.length} items had come: ${reason}`;
    findings.push({ rule: 'broken stream', message });
  }
  if (itemSchema !== undefined) {
    const isExpanded = textOf(nodeAt(document.json, itemSchema)).includes(JSON_DATA);
    for (const [index, item] of items.slice(0, MAX_ITEMS).entries()) {
      const about = itemFindings(document, oracles, { pointer: itemSchema, isExpanded }, item, index);
      if (about.length > 0) return [...findings, ...about];
    }
  }
  return schema === undefined || outcome.cut
    ? findings
    : [...findings, ...wholeFindings(document, oracles, schema, text, items, outcome)];
}

/**
 * The findings about one item by its schema.
 *
 * @param isExpanded whether the schema judges the JSON text in the `data` of an event
 */
function itemFindings(
  document: Document,
  oracles: ResponseOracles,
  { pointer, isExpanded }: { readonly pointer: string; readonly isExpanded: boolean },
  { text, value, json }: Item,
  index: number,
): Finding[] {
  const judged = {
    rule: 'stream item',
    expected: 'each item of the stream to fit',
    got: `${quoted(text)} as item ${index}${value === undefined ? ': # is not JSON' : ''}`,
    place: ` in item ${index}`,
  } as const;
  const findingsOf = (item: Value | undefined) => valueFindings(document, oracles, pointer, item, judged);
  if (!(value instanceof Map) || json === undefined) return findingsOf(value);
  const found = findingsOf(isExpanded ? new Map(value).set(JSON_DATA, json) : value);
  // Many documents describe the JSON in the place of the text.
  if (found.length === 0 || isExpanded || findingsOf(new Map(value).set('data', json)).length > 0)
    return found;
  const message = `expected a schema of data as a string, got ${pointer}, which describes what it contains (item ${index})`;
  return [{ rule: 'event data', message }];
}

/** The findings about a stream whose schema describes the whole: a text, or the list of its items. */
function wholeFindings(
  document: Document,
  oracles: ResponseOracles,
  schema: string,
  text: string,
  items: readonly Item[],
  outcome: RawResponse,
): Finding[] {
  const asText = bodyFindings(document, oracles, schema, text, outcome);
  if (asText.length === 0) return [];
  const values = items.flatMap(({ value }) => (value === undefined ? [] : [value]));
  if (values.length === items.length && bodyFindings(document, oracles, schema, values, outcome).length === 0)
    return [];
  const parts = conjuncts(document.json, asObject(nodeAt(document.json, schema)));
  if (parts.some(({ type }) => [type].flat().includes('string'))) return asText;
  return [
    {
      rule: 'stream without an item schema',
      message: `expected a schema of the items (itemSchema or x-item-schema), got ${schema}, which says nothing of a stream`,
    },
  ];
}
