/** Bodies that are sequences of items. Each item is judged by itself: before its bytes leave, or before its handler has it. */
import type { IncomingBody } from '../http/body';
import type { MediaType } from '../http/media-type';
import { isStreamed, turnAfter } from '../http/send';
import { parseJson } from '../json/parse';
import { stringifyJson } from '../json/stringify';
import { copyPlain, exactNumber, type Holder } from '../json/values';
import { Unservable } from '../parameters/parts';
import {
  type DescribedBody,
  isOpaque,
  type JudgeItem,
  type ReadPieces,
  type WriteItem,
  type WritePieces,
} from './codec';
import { malformed } from './own';
import { describesText, text } from './text';

/** Maps each item, with its index from 0. */
export async function* mapItems<T>(
  items: AsyncIterable<unknown>,
  map: (item: unknown, index: number) => T,
): AsyncGenerator<T> {
  let index = 0;
  for await (const item of items) yield map(item, index++);
}

/**
 * Reads a body to a stream of items, which its handler receives at once and reads once. What fails an item is the failure of
 * the request, even if the handler catches it.
 *
 * @param name of the codec, for messages
 * @param items the pointer of the schema of each item
 * @param decode makes the items of the bytes
 * @param copy sets `holder.body` to the value of an item
 */
export function readItems(
  name: string,
  items: string | undefined,
  decode: (body: IncomingBody, type: MediaType) => unknown,
  copy: (item: unknown, holder: Holder, index: number) => void,
): ReadPieces {
  return {
    judged: undefined,
    items,
    async read(body, envelope, type, each) {
      const decoded = await decode(body, type);
      if (!isStreamed(decoded)) throw new TypeError(`${name}: decode() did not return an AsyncIterable`);
      const judge = (item: unknown, index: number) => {
        const holder: Holder = {};
        copy(item, holder, index);
        each(holder, index);
        return holder['body'];
      };
      const received = receive(name, items === undefined ? decoded : mapItems(decoded, judge), body);
      let isRead = false;
      envelope['body'] = {
        [Symbol.asyncIterator]() {
          if (isRead) throw new TypeError('the body of a request can be read only once');
          isRead = true;
          return received;
        },
      };
    },
  };
}

async function* receive(name: string, items: AsyncIterable<unknown>, body: IncomingBody): AsyncGenerator {
  let count = 0;
  try {
    for await (const item of items) {
      await turnAfter(++count);
      yield item;
    }
  } catch (error) {
    const failure = malformed(name, error);
    if (failure instanceof Error) body.failure ??= failure;
    throw failure;
  }
}

/**
 * Writes a body item by item. Where its schema describes a text, it may be a text that is known at once, too.
 *
 * @param items the pointer of the schema of each item
 * @throws {Unservable} if its schema describes something else
 */
export function writeItems(
  body: DescribedBody,
  items: string,
  writeItem: WriteItem,
  more: Pick<WritePieces, 'heartbeat' | 'atStop'>,
): WritePieces {
  const isText = describesText(body);
  if (!isText && !isOpaque(body))
    throw new Unservable(
      `beside the schema of its items, the schema of ${body.key} describes a whole text: use type string, or leave it out`,
    );
  const whole = isText ? text.writer(body) : undefined;
  return {
    ...more,
    items,
    judged: isText ? body.schema : undefined,
    writeText: typeof whole === 'function' ? whole : undefined,
    writeItem,
    write: (values, each) => mapItems(values, (item, index) => writeItem(item, each, index)),
  };
}

/**
 * Copies a value to `holder.body`, and judges the copy. Returns what writes a value of the copy as JSON.
 *
 * @throws {TypeError} with the place of a value that JSON does not have
 */
export function judgeCopy(
  value: unknown,
  each: JudgeItem,
  index: number,
): { readonly holder: Holder; readonly toJson: (holder: Holder, key: string) => string } {
  const holder: Holder = {};
  const way = copyPlain(value, holder, 'body');
  if (way === undefined) parseJson(stringifyJson(value), holder, 'body');
  each(holder, index);
  const toJson = (at: Holder, key: string) =>
    way === 'native' ? JSON.stringify(at[key]) : stringifyJson(exactNumber(at, key) ?? at[key]);
  return { holder, toJson };
}
