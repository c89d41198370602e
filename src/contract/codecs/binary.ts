import { ReadableStream } from 'node:stream/web';
import { isTextual } from '../http/media-type';
import { Unservable } from '../parameters/parts';
import { type Codec, type DescribedBody, isOpaque, type ReadBody, type ReadPieces } from './codec';

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
  carries: () => true,
  reader(body) {
    assertOpaque(body);
    return body.isStream ? readStream : read;
  },
  writer(body) {
    assertOpaque(body);
    return (value) => {
      if (!(value instanceof Uint8Array)) throw new TypeError(`expected a Uint8Array for ${body.key}`);
      return value;
    };
  },
};

function assertOpaque(body: DescribedBody): void {
  if (isOpaque(body)) return;
  const advice =
    isTextual(body.type.essence) && !body.isStream ? 'type string' : 'type string and format binary';
  throw new Unservable(
    `a body of ${body.key} cannot be judged by a schema: use ${advice}, or application/json`,
  );
}
