import { decodeText, type IncomingBody } from '../http/body';
import { append } from '../http/buffers';
import { isSequential } from '../http/media-type';
import { MalformedJson } from '../json/parse';
import { readJson } from '../json/read';
import type { Codec } from './codec';
import { judgeCopy, readItems, writeItems } from './items';

/** Line feed, and the record separator in front of each item of a JSON text sequence. */
const [LF, RS] = [0x0a, 0x1e];
const isSequence = (essence: string): boolean => /[/+]json-seq$/.test(essence);

/**
 * Sequences of JSON values, whose items have a schema: a value a line (https://jsonlines.org, https://github.com/ndjson), or
 * JSON text sequences (RFC 7464). Lines of white space are ignored.
 */
export const lines: Codec = {
  name: 'lines of JSON',
  mediaType: 'application/jsonl',
  isText: true,
  isJudged: true,
  isItems: true,
  carries: (essence, body) => body?.items !== undefined && isSequential(essence),
  reader({ type: { essence }, items }) {
    return readItems(
      isSequence(essence) ? 'JSON text sequence' : 'JSON lines',
      items,
      (body) => (isSequence(essence) ? records(body) : texts(body)),
      (item, holder, index) => {
        const bytes = item as Buffer;
        try {
          readJson(bytes, decodeText(bytes), holder, 'body');
        } catch (error) {
          if (!(error instanceof MalformedJson)) throw error;
          throw new MalformedJson(`item ${index}: ${error.message}`);
        }
      },
    );
  },
  writer(body) {
    const start = isSequence(body.type.essence) ? '\x1e' : '';
    return writeItems(
      body,
      body.items ?? '',
      (item, each, index) => {
        const { holder, toJson } = judgeCopy(item, each, index);
        return `${start}${toJson(holder, 'body')}\n`;
      },
      { atStop: 'break' },
    );
  },
};

/** The parts of a body between delimiters. The client chooses how many pieces a part has: one buffer takes them all. */
async function* split(body: IncomingBody, delimiter: number): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  let size = 0;
  const add = (part: Buffer) => {
    body.assertItem(size + part.length);
    held = append(held, size, part);
    size += part.length;
    return held.subarray(0, size);
  };
  for await (const piece of body) {
    let start = 0;
    for (let end = piece.indexOf(delimiter); end >= 0; end = piece.indexOf(delimiter, start)) {
      yield add(piece.subarray(start, end));
      size = 0;
      start = end + 1;
    }
    if (start < piece.length) add(piece.subarray(start));
  }
  yield held.subarray(0, size);
}

/** The lines that have more than white space. */
async function* texts(body: IncomingBody): AsyncGenerator<Buffer> {
  for await (const line of split(body, LF)) if (!isBlank(line)) yield line;
}

/** The items behind record separators. A number or literal without white space behind it may be cut (RFC 7464 section 2.4). */
async function* records(body: IncomingBody): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const record of split(body, RS)) {
    const isPadding = isBlank(record);
    if (isFirst && !isPadding) throw new MalformedJson('expected a record separator before each item');
    isFirst = false;
    if (isPadding) continue;
    if (/[^\]\s}"]/.test(String.fromCharCode(record.at(-1) ?? 0)))
      throw new MalformedJson('expected a line feed after each item');
    yield record;
  }
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === LF);
