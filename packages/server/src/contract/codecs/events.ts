import type { Holder } from '../json/values';
import { Unservable } from '../parameters/parts';
import type { Codec, JudgeItem } from './codec';
import { eventSchema } from '../operations/event-schema';
import { judgeCopy, writeItems } from './items';

const FIELDS = new Set(['event', 'data', 'id', 'retry']);

/**
 * Event streams whose events have a schema (https://html.spec.whatwg.org/multipage/server-sent-events.html). An event is
 * `{ event?, data, id?, retry? }`, with `retry` in milliseconds. Other properties are left out.
 */
export const events: Codec = {
  name: 'event stream',
  mediaType: 'text/event-stream',
  isText: true,
  isJudged: true,
  isItems: true,
  carries: (essence, body) => body?.items !== undefined && essence === 'text/event-stream',
  reader({ key }) {
    throw new Unservable(`a body of ${key} can only be sent, except as text: use type string`);
  },
  writer(body) {
    const { items, data } = eventSchema(body.document, body.items ?? '');
    return writeItems(
      body,
      items,
      (item, each, index) => {
        const judge: JudgeItem = (holder, at) => {
          if (data !== 'json') joinLines(holder['body'] as Holder);
          each(holder, at);
        };
        const { holder, toJson } = judgeCopy(eventOf(item), judge, index);
        const event = holder['body'] as Holder;
        if (event['data'] === undefined)
          throw new TypeError('the data of an event is missing, or its schema does not list it');
        const text = typeof event['data'] === 'string' && data !== 'json' ? event['data'] : undefined;
        if (text === undefined && data === 'text') throw new TypeError('the data of an event is not text');
        return `${fieldsOf(event)}${linesOf(text ?? toJson(event, 'data'))}\n`;
      },
      { heartbeat: ':\n\n', atStop: 'end' },
    );
  },
};

/** The fields of an event. */
function eventOf(item: unknown): Holder {
  if (typeof item !== 'object' || item === null) throw new TypeError('an event is not an object');
  const event: Holder = {};
  for (const name of FIELDS) {
    const value = (item as Holder)[name]; // once: it may be a getter
    if (value !== undefined) event[name] = value;
  }
  return event;
}

/** Makes a text of the copy what a client decodes from it, whoever has made it: every end of a line is a line feed. */
function joinLines(event: Holder): void {
  const { data } = event;
  if (typeof data === 'string') event['data'] = data.replace(/\r\n?/g, '\n');
}

function fieldsOf({ event, id, retry }: Holder): string {
  let fields = '';
  for (const [name, value] of Object.entries({ event, id })) {
    if (value === undefined) continue;
    if (typeof value !== 'string' || /[\r\n\0]/.test(value))
      throw new TypeError(`the ${name} of an event must be text without line breaks or NUL`);
    fields += `${name}: ${value}\n`;
  }
  if (retry === undefined) return fields;
  if (!Number.isSafeInteger(retry) || Number(retry) < 0)
    throw new TypeError('the retry of an event is not a number of milliseconds');
  return `${fields}retry: ${Number(retry)}\n`;
}

const linesOf = (data: string): string =>
  data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('');
