import { ReadableStream } from 'node:stream/web';
import { isFileLike } from '../http/fault';
import { FileBody } from '../http/files';
import { isSequential, isTextual } from '../http/media-type';
import { isStreamed, isUntouched, OutgoingBody } from '../http/send';
import { Unservable } from '../parameters/parts';
import { type Codec, type DescribedBody, isOpaque, type ReadBody, type ReadPieces } from './codec';
import { instead } from './text';

const read: ReadBody = (bytes, envelope) => {
  envelope['body'] = bytes;
};

/** Nothing is read before the handler reads, and no more than it reads. */
const readStream: ReadPieces = {
  judged: undefined,
  items: undefined,
  read(body, envelope) {
    envelope['body'] = ReadableStream.from(body);
  },
};

/** Unchanged bytes. It carries all media types that no other codec carries. */
export const binary: Codec = {
  name: 'binary',
  mediaType: 'application/octet-stream',
  isText: false,
  isJudged: false,
  writesFiles: true,
  carries: () => true,
  reader(body) {
    assertOpaque(body);
    return body.isStream ? readStream : read;
  },
  writer(body) {
    assertOpaque(body);
    const isText = isSequential(body.type.essence); // without a schema
    return (value) => {
      if (value instanceof Uint8Array) return value;
      if (isText && typeof value === 'string' && value.isWellFormed()) return value;
      if (isFileLike(value)) return FileBody.of(value);
      if (isStreamed(value) && isUntouched(value)) return new OutgoingBody(value, bytesOnly);
      throw new TypeError(
        `expected bytes for ${body.key}: a Uint8Array, a Blob, a FileHandle, or an unread stream of bytes`,
      );
    };
  },
};

async function* bytesOnly(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const bytes of items) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('a piece of the stream is not a Uint8Array');
    yield bytes;
  }
}

function assertOpaque(body: DescribedBody): void {
  if (isOpaque(body)) return;
  const advice =
    isTextual(body.type.essence) && !body.isStream ? 'type string' : 'type string and format binary';
  throw new Unservable(
    `a body of ${body.key} cannot be validated by a schema: use ${advice}, or ${instead(body)}`,
  );
}
