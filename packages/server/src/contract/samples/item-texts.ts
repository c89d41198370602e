/** Examples of streams that are texts, as a client receives them. */
import type { EventSchema } from '../operations/event-schema';

/**
 * The items of a text; undefined if it is not well-formed.
 *
 * @param data what the data of events is; undefined for JSON lines and JSON text sequences
 */
export function itemsOf(text: string, data: EventSchema['data'] | undefined): unknown[] | undefined {
  try {
    return data === undefined
      ? text.split(/[\n\x1e]+/).flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as unknown]))
      : eventsOf(text).map((event) => ({ ...event, data: dataOf(event.data, data) }));
  } catch {
    return undefined;
  }
}

/** Reads an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation). */
export function eventsOf(text: string): { data: string }[] {
  const lines = text.replace(/\r\n?/g, '\n');
  return lines.split('\n\n').flatMap((block) => {
    const fields: Record<string, unknown> = {};
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'data') data.push(value);
      else if (name === 'retry') fields[name] = Number(value);
      else if (name === 'event' || name === 'id') fields[name] = value;
    }
    return data.length > 0 ? [{ ...fields, data: data.join('\n') }] : [];
  });
}

function dataOf(text: string, data: EventSchema['data']): unknown {
  if (data === 'text') return text;
  try {
    const value: unknown = JSON.parse(text);
    return data === 'both' && typeof value === 'string' ? text : value;
  } catch (error) {
    if (data === 'both') return text;
    throw error;
  }
}
