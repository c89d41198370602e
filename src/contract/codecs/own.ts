/**
 * Codecs of a team's own. Nothing is trusted but what they are given: the value that is judged is plain data decoded from
 * the bytes that came or that leave, whatever the codec does.
 */
import { decodeText } from '../http/body';
import { settle, settleWithin } from '../http/fault';
import { coverage, isRange, type MediaType, parseMediaType } from '../http/media-type';
import { exactNumber, type Holder, MalformedJson, MAX_DEPTH, parseJson } from '../json/parse';
import { stringifyJson } from '../json/stringify';
import { DescribedValue } from '../operations/described-value';
import { Unservable } from '../parameters/parts';
import { Problem } from '../problem';
import { type Codec, cut, type DescribedBody } from './codec';

/**
 * Decodes and encodes the values of one body. Both functions are synchronous, and take time linear in what they are given.
 * Values are plain data: null, booleans, numbers, bigints (integers that a double cannot hold), strings, arrays, objects.
 */
export interface Coder<Encoded> {
  /**
   * @param type the media type that the client names, or the documented one of a response
   * @throws {Problem} `malformed`, or what parseJson() throws; any other error is one of the server
   */
  readonly decode: (encoded: Encoded, type: MediaType) => unknown;
  /** Without it, bodies are received only. */
  readonly encode?: (value: unknown) => Encoded;
}

interface Own<IsText, Encoded> {
  /** For messages: `CSV`. */
  readonly name: string;
  /** Media types and ranges, without parameters: `text/csv`, `application/*+cbor`. */
  readonly mediaTypes: readonly string[];
  /** Bodies are text in UTF-8. */
  readonly isText: IsText;
  /**
   * Called at start for each body that has one of the media types.
   *
   * @param value the types that its schema gives to the value and its parts
   * @throws {Unservable} with the reason why values of the schema cannot be carried, and what to do
   */
  readonly compile: (value: DescribedValue) => Coder<Encoded>;
}

/** A codec of a team's own. It comes before the built-in ones. */
export type OwnCodec = Own<true, string> | Own<false, Uint8Array>;

/** @throws {TypeError} unless it names media types */
export function adapt(own: OwnCodec): Codec {
  const { name, isText } = own;
  const types = own.mediaTypes.map((field) => {
    const type = parseMediaType(field);
    if (type?.parameters.size === 0) return type.essence;
    throw new TypeError(
      `codecs: ${name}: expected media types without parameters, got ${JSON.stringify(field)}`,
    );
  });
  return {
    name,
    mediaType: types.find((type) => !isRange(type)) ?? 'application/octet-stream',
    isText,
    isJudged: true,
    carries: (essence) => types.some((type) => coverage(type, essence) > 0),
    reader(body) {
      const { decode } = compileBytes(own, body);
      return (bytes, envelope, type) => {
        put(name, () => decode(bytes, type), envelope);
      };
    },
    writer(body) {
      const { decode, encode } = compileBytes(own, body);
      if (!encode)
        throw new Unservable(`a body of ${body.key} can only be received: its codec has no encode()`);
      return (value, envelope, shape) => {
        const given: Holder = {};
        parseJson(stringifyJson(value), given, 'body');
        cut(given, shape);
        let bytes: Buffer;
        try {
          bytes = encode(plain(given, 'body'));
          const copy = Buffer.from(bytes); // decode() may change what it is given
          put(name, () => decode(copy, body.type), envelope);
        } catch (error) {
          settle(error, () => undefined);
          const reason = error instanceof Error ? error.message : 'no Error was thrown';
          throw new TypeError(`the codec of ${body.key} failed: ${reason}`, { cause: error });
        }
        if (cut(envelope, shape)) throw new TypeError(`the codec of ${body.key} adds properties`);
        return bytes;
      };
    },
  };
}

/** The coder of a body, its text as bytes. */
function compileBytes(own: OwnCodec, { document, schema }: DescribedBody) {
  const value = DescribedValue.at(document, schema);
  if (own.isText) {
    const { decode, encode } = own.compile(value);
    return {
      decode: (bytes: Buffer, type: MediaType) => decode(decodeText(bytes), type),
      encode: encode && ((data: unknown) => bytesOf(encode(data))),
    };
  }
  const { decode, encode } = own.compile(value);
  return { decode, encode: encode && ((data: unknown) => bytesOf(encode(data))) };
}

/** A copy: the codec cannot change it after it was judged. */
function bytesOf(encoded: unknown): Buffer {
  if (encoded instanceof Uint8Array) return Buffer.from(encoded);
  if (typeof encoded === 'string' && encoded.isWellFormed()) return Buffer.from(encoded);
  settleWithin(encoded, () => undefined);
  throw new TypeError('encode() returned neither well-formed text nor a Uint8Array');
}

/** Puts a decoded value into the envelope, as JSON would have brought it. */
function put(name: string, decode: () => unknown, envelope: Holder): void {
  let value: unknown;
  try {
    value = decode();
    assertTree(value);
    parseJson(stringifyJson(value), envelope, 'body');
  } catch (error) {
    settleWithin(value, () => undefined);
    if (!(error instanceof MalformedJson)) throw error;
    throw new Problem('malformed', `the body is not well-formed ${name}: ${error.message}`);
  }
}

/** Refuses values that a client can have decoded and JSON does not have. The walk ends, whatever it is given. */
function assertTree(root: unknown): void {
  const seen = new Set<object>();
  const places: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (const { value, depth } of places) {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new MalformedJson(`it has a number ${value}`);
    if (typeof value === 'string' && !value.isWellFormed())
      throw new MalformedJson('a string has half of a surrogate pair');
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (seen.has(value)) throw new MalformedJson('one object stands in two places');
    if (depth === MAX_DEPTH) throw new MalformedJson(`nested more than ${MAX_DEPTH} deep`);
    seen.add(value);
    for (const part of Object.values(value)) places.push({ value: part, depth: depth + 1 });
  }
}

/** The value at `holder[key]` as plain data: an integer that its double does not represent is a bigint. */
function plain(holder: Holder, key: string | number): unknown {
  const value = holder[key];
  if (typeof value !== 'object' || value === null) return exactNumber(holder, key) ?? value;
  const parts = value as Holder;
  if (Array.isArray(value)) return value.map((_, i) => plain(parts, i));
  return Object.fromEntries(Object.keys(parts).map((name) => [name, plain(parts, name)]));
}
