import type { Encoder } from '../document/model';
import { fromJavaScript, isSame, toJavaScript, type Value } from '../json/value';

/** How a codec of the target carries values. */
export interface OwnCodec {
  readonly encode: (value: Value) => Buffer;
  /** The value that the receiver reads; undefined if it cannot be sent. Without a decoder it is the value itself. */
  readonly received: (value: Value) => Value | undefined;
}

/** The codec of an encoder of the target. An encoder or decoder that throws does not carry the value. */
export function ownCodec(encoder: Encoder): OwnCodec {
  const { encode, decode } = typeof encoder === 'function' ? { encode: encoder, decode: undefined } : encoder;
  return {
    encode: (value) => Buffer.from(encode(toJavaScript(value))),
    received: (value) => {
      try {
        const bytes = encode(toJavaScript(value));
        return decode ? fromJavaScript(decode(bytes)) : value;
      } catch {
        return undefined;
      }
    },
  };
}

/** The value, if the codec carries it unchanged. */
export const carried = ({ received }: OwnCodec, value: Value): Value | undefined => {
  const arrived = received(value);
  return arrived !== undefined && isSame(arrived, value) ? value : undefined;
};
