/** Reads answers that are sequences of items, as they arrive. */
import type { Media } from './plan';
import type { Reader } from './read';
import { MalformedAnswer } from './types';

/** The most characters of an item. */
const MOST = 16 * 2 ** 20;
const SEPARATORS = { lines: '\n', records: '\x1e', events: /\r\n|\r|\n/ };

/** @throws {MalformedAnswer} for an item that would take all the memory */
function assertSize(characters: number): void {
  if (characters > MOST) throw new MalformedAnswer(`an item has more than ${MOST} characters`);
}

/** The texts between separators. Whoever stops to read ends the answer. */
async function* split(
  body: ReadableStream<Uint8Array>,
  separator: string | RegExp,
  failed: (error: unknown) => unknown,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held: string[] = [];
  let size = 0;
  let isReturn = false;
  try {
    for (let isDone = false; !isDone;) {
      const piece = await reader.read().catch((error: unknown) => {
        throw failed(error);
      });
      isDone = piece.done;
      let text = piece.value ? decoder.decode(piece.value, { stream: true }) : decoder.decode();
      // A carriage return and its line feed may arrive apart.
      if (isReturn && text.startsWith('\n')) text = text.slice(1);
      if (text !== '') isReturn = separator instanceof RegExp && text.endsWith('\r');
      const [first = '', ...others] = text.split(separator);
      held.push(first);
      size += first.length;
      for (const other of others) {
        yield held.join('');
        held = [other];
        size = other.length;
      }
      assertSize(size);
    }
    yield held.join('');
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new MalformedAnswer('the response is not UTF-8', { cause: error });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The items of an answer. */
export async function* readItems(
  body: ReadableStream<Uint8Array>,
  { kind, shape }: Media,
  reader: Reader,
  failed: (error: unknown) => unknown,
): AsyncGenerator {
  if (kind === 'events') {
    yield* readEvents(split(body, SEPARATORS.events, failed), shape, reader);
    return;
  }
  const separator = kind === 'records' ? SEPARATORS.records : SEPARATORS.lines;
  for await (const text of split(body, separator, failed))
    if (text.trim() !== '') yield reader.json(text, shape);
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
async function* readEvents(
  lines: AsyncIterable<string>,
  shape: number | undefined,
  reader: Reader,
): AsyncGenerator {
  let event: Record<string, unknown> = {};
  let data: string[] = [];
  let size = 0;
  for await (const line of lines) {
    const [, name = '', text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === '') {
      if (data.length > 0) yield reader.event({ ...event, data: data.join('\n') }, shape);
      [event, data, size] = [{}, [], 0];
    } else if (name === 'data') {
      size += text.length + 1;
      assertSize(size);
      data.push(text);
    } else if (name === 'event' || (name === 'id' && !text.includes('\0'))) event[name] = text;
    else if (name === 'retry' && /^\d+$/.test(text)) event[name] = Number(text);
  }
}
