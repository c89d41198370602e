import type { Sequence } from '../document/media';
import { NumberLiteral, parseOrUndefined, type Value } from '../json/value';
import { quoted } from '../wire/message';

/** The items of a body, as a client reads them. */
export interface Items {
  readonly items: readonly Item[];
  /** What clients drop, ignore or cannot read beside the items: sentences that complete `got`. */
  readonly faults: readonly string[];
}

/** A value, or the text in its place. */
export interface Item {
  readonly text: string;
  /** An event, or the JSON value of the text; absent if it is not JSON. */
  readonly value?: Value;
  /** The JSON value that the data of an event contains. */
  readonly json?: Value;
}

/**
 * The items of a body. An item whose end is missing counts only where the body is complete.
 *
 * @param isComplete whether the body is all that the server sends
 */
export const itemsOf = (sequence: Sequence, text: string, isComplete: boolean): Items =>
  READERS[sequence](text, isComplete);

const READERS: Readonly<Record<Sequence, (text: string, isComplete: boolean) => Items>> = {
  events: readEvents,
  lines: readLines,
  records: readRecords,
};

const jsonItem = (text: string): Item => {
  const value = parseOrUndefined(text);
  return { text, ...(value !== undefined && { value }) };
};

/** A JSON text on each line (jsonlines.org). Empty lines keep a connection alive. */
function readLines(text: string, isComplete: boolean): Items {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  if (isComplete) lines.push(last);
  return { items: lines.filter((line) => !/^[ \t\r]*$/.test(line)).map(jsonItem), faults: [] };
}

/** Each JSON text is after a record separator and before a line feed (RFC 7464 section 2). */
function readRecords(text: string, isComplete: boolean): Items {
  const [before = '', ...records] = text.split('\x1e');
  const faults = before === '' ? [] : [`${quoted(before)} before the first record separator`];
  const last = records.at(-1) ?? '\n';
  if (isComplete && !last.endsWith('\n'))
    faults.push(`${quoted(last)} at the end, without a line feed after it`);
  if (!isComplete && (!last.endsWith('\n') || parseOrUndefined(last) === undefined)) records.pop();
  return { items: records.filter((record) => record.trim() !== '').map(jsonItem), faults };
}

/** Server-sent events (HTML section 9.2.6). */
function readEvents(text: string, isComplete: boolean): Items {
  const items: Item[] = [];
  const faults: string[] = [];
  let fields = new Map<string, Value>();
  let block: string[] = [];
  let data: string[] = [];
  const dispatch = (): void => {
    if (data.length > 0) {
      const joined = data.join('\n');
      const json = parseOrUndefined(joined);
      items.push({
        text: block.join('\n'),
        value: fields.set('data', joined),
        ...(json !== undefined && { json }),
      });
    } else if (fields.has('event'))
      faults.push(`${quoted(block.join('\n'))} without data, an event that clients drop`);
    fields = new Map();
    block = [];
    data = [];
  };
  const take = (line: string): void => {
    const [, name = '', value = ''] = /^([^:]*)(?::[ ]?([^]*))?$/.exec(line) ?? [];
    if (name === '') return; // a comment
    block.push(line);
    if (name === 'data') data.push(value);
    else if (name === 'event') fields.set(name, value);
    else if (name === 'id' && !value.includes('\0')) fields.set(name, value);
    else if (name === 'retry' && /^\d+$/.test(value))
      fields.set(name, new NumberLiteral(value.replace(/^0+(?=\d)/, '')));
    else faults.push(`${quoted(line)}, a line that clients ignore`);
  };
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const last = lines.pop() ?? '';
  for (const line of lines) {
    if (line === '') dispatch();
    else take(line);
  }
  if (isComplete && (last !== '' || block.length > 0))
    faults.push(
      `${quoted([...block, last].join('\n'))} at the end, an event without the empty line after it, which clients drop`,
    );
  return { items, faults };
}
