/**
 * Adapts the codecs of a service that read and write bodies piece by piece. The validator judges a copy of each value or
 * item. That the bytes say the same is left to the codec.
 */
import { joinPointer } from '../document/document';
import type { IncomingBody } from '../http/body';
import type { MediaType } from '../http/media-type';
import { DescribedValue } from '../operations/described-value';
import { Unservable } from '../parameters/parts';
import { type Codec, type DescribedBody, isOpaque, type ReadPieces, type WritePieces } from './codec';
import { judgeCopy, mapItems, readItems } from './items';
import { decodeInto, describeOwn, malformed, onlyReceived, type Own, plain } from './own';

/**
 * Decodes and encodes one body piece by piece. A piece must not change once it is yielded. Where its schema describes bytes
 * (it has none, or `type: string` and annotations), nothing judges the items. Where it describes an array by `items` alone,
 * each item is judged by that.
 */
export interface StreamCoder {
  /**
   * Reads a request body to one value, which its whole schema judges.
   *
   * @param body the client waits while nobody reads; `body.whenOver` releases what the value holds
   * @throws {Problem} `malformed`; what the body throws ends the request: the limit, a client that leaves
   */
  readonly collect?: (body: ReceivedBody, type: MediaType) => Promise<unknown>;
  /** Reads a request body to a stream of items, which the handler receives at once. */
  readonly decode?: (body: ReceivedBody, type: MediaType) => AsyncIterable<unknown>;
  /** Writes the stream that a handler returns: an `AsyncIterable` or a `ReadableStream`. */
  readonly encode?: (items: AsyncIterable<unknown>) => AsyncIterable<string | Uint8Array>;
}

/** The body of a request, piece by piece. */
export type ReceivedBody = Pick<IncomingBody, typeof Symbol.asyncIterator | 'whenOver'>;

/** A codec of a service for bodies that are read and written piece by piece. It comes before the built-in codecs, too. */
export interface OwnStreamCodec extends Omit<Own<boolean, never>, 'compile'> {
  readonly isStream: true;
  readonly compile: (value: DescribedValue) => StreamCoder;
}

/**
 * Adapts a codec of a service.
 *
 * @throws {TypeError} if it does not name media types
 */
export const adaptStream = (own: OwnStreamCodec): Codec => ({
  ...describeOwn(own),
  isItems: true,
  reader: (body) => readerOf(own, body),
  writer: (body) => writerOf(own, body),
});

function readerOf({ name, compile }: OwnStreamCodec, body: DescribedBody): ReadPieces {
  const { collect, decode } = compile(DescribedValue.at(body.document, body.schema));
  const made = async <T>(make: () => T | Promise<T>): Promise<T> => {
    try {
      return await make();
    } catch (error) {
      throw malformed(name, error);
    }
  };
  if (collect)
    return {
      judged: body.schema,
      items: undefined,
      async read(pieces, envelope, type) {
        const value = await made(() => collect(pieces, type));
        decodeInto(name, () => value, envelope);
      },
    };
  if (!decode)
    throw new Unservable(`a body of ${body.key} can only be sent: its codec has no collect() or decode()`);
  return readItems(
    name,
    itemsOf(body),
    (pieces, type) => made(() => decode(pieces, type)),
    (item, holder) => {
      decodeInto(name, () => item, holder);
    },
  );
}

function writerOf({ compile }: OwnStreamCodec, body: DescribedBody): WritePieces {
  const { encode } = compile(DescribedValue.at(body.document, body.schema));
  if (!encode) throw onlyReceived(body);
  const items = itemsOf(body);
  if (items === undefined) return { items, write: (values) => encode(values) };
  return {
    items,
    atStop: 'break',
    write: (values, each) =>
      encode(mapItems(values, (item, index) => plain(judgeCopy(item, each, index).holder, 'body'))),
  };
}

const ARRAY_KEYWORD = /^(\$ref|type|items|description|title|deprecated|examples?|x-.*)$/;

/** The pointer of the schema of each item; undefined if the schema of the body describes bytes. */
function itemsOf(body: DescribedBody): string | undefined {
  const { document, schema, key } = body;
  if (body.items !== undefined) return body.items;
  if (schema === undefined || isOpaque(body)) return undefined;
  const places = document.subschemas.certain(schema);
  const lists = places.filter(({ value }) => 'items' in value);
  const isPlain = places.every(({ value }) => Object.keys(value).every((name) => ARRAY_KEYWORD.test(name)));
  const isArray = DescribedValue.at(document, schema).types()?.join() === 'array';
  if (isPlain && isArray && lists.length === 1 && lists[0]) return joinPointer(lists[0].pointer, 'items');
  throw new Unservable(
    `a body of ${key} is validated item by item: use type array with items and no other keyword, or type string and format binary`,
  );
}
