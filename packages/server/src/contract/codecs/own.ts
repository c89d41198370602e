/**
 * Adapts the codecs of a service. The core does not trust their results: the validator judges plain data that is decoded
 * from the bytes of the request or response.
 */
import { decodeText } from '../http/body';
import { settle, settleWithin } from '../http/fault';
import { bytesOf } from '../http/send';
import { coverage, isRange, type MediaType, parseMediaType } from '../http/media-type';
import { MalformedJson, parseJson } from '../json/parse';
import { stringifyJson } from '../json/stringify';
import { exactNumber, type Holder, MAX_DEPTH } from '../json/values';
import { DescribedValue } from '../operations/described-value';
import { MalformedText, type Read, Unservable } from '../parameters/parts';
import { Problem } from '../problem';
import { applyShape, type Codec, type DescribedBody } from './codec';

/**
 * Decodes and encodes the values of one body. Both functions are synchronous, and take time linear in their input.
 * Values are plain data: null, booleans, numbers, bigints (integers that a double cannot hold), strings, arrays, objects.
 */
export interface Coder<Encoded> {
  /**
   * @param type the media type that the client names, or the documented one of a response
   * @throws {Problem} `malformed`; any other error ends the request with the problem `unexpected`
   */
  readonly decode: (encoded: Encoded, type: MediaType) => unknown;
  /** Undefined: the codec reads requests only. */
  readonly encode?: (value: unknown) => Encoded;
}

export interface Own<IsText, Encoded> {
  /** The name in messages: `CSV`. */
  readonly name: string;
  /** Media types and ranges, without parameters: `text/csv`, `application/*+cbor`. */
  readonly mediaTypes: readonly string[];
  /** Whether bodies are text in UTF-8. */
  readonly isText: IsText;
  /**
   * Called at start for each body that has one of the media types.
   *
   * @param value the types that its schema gives to the value and its parts
   * @throws {Unservable} with the reason why the codec cannot carry values of the schema, and advice
   */
  readonly compile: (value: DescribedValue) => Coder<Encoded>;
}

/** A codec of a service. It comes before the built-in codecs. */
export type OwnCodec = Own<true, string> | Own<false, Uint8Array>;

/**
 * What a codec of a service says of itself.
 *
 * @throws {TypeError} if it does not name media types
 */
export function describeOwn({ name, isText, mediaTypes }: Omit<Own<boolean, never>, 'compile'>) {
  const types = mediaTypes.map((field) => {
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
    carries: (essence: string) => types.some((type) => coverage(type, essence) > 0),
  };
}

/** Adapts a codec of a service. */
export function adapt(own: OwnCodec): Codec {
  const { name } = own;
  return {
    ...describeOwn(own),
    reader(body) {
      const { decode } = compileBytes(own, body);
      return (bytes, envelope, type) => {
        decodeInto(name, () => decode(bytes, type), envelope);
      };
    },
    writer(body) {
      const { decode, encode } = compileBytes(own, body);
      if (!encode) throw onlyReceived(body);
      return (value, envelope, shape) => {
        const given: Holder = {};
        parseJson(stringifyJson(value), given, 'body');
        applyShape(given, shape);
        let bytes: Buffer;
        try {
          // A copy: the codec cannot change it after the validator has judged it.
          bytes = Buffer.from(bytesOf(encode(plain(given, 'body'))));
          const copy = Buffer.from(bytes); // decode() may change its argument
          decodeInto(name, () => decode(copy, body.type), envelope);
        } catch (error) {
          settle(error, () => undefined);
          const reason = error instanceof Error ? error.message : 'no Error was thrown';
          throw new TypeError(`the codec of ${body.key} failed: ${reason}`, { cause: error });
        }
        if (applyShape(envelope, shape)) throw new TypeError(`the codec of ${body.key} adds properties`);
        return bytes;
      };
    },
  };
}

export const onlyReceived = ({ key }: DescribedBody) =>
  new Unservable(`a body of ${key} can only be received: its codec has no encode()`);

/** Compiles the coder of a body, and converts its text to bytes. */
function compileBytes(own: OwnCodec, { document, schema }: DescribedBody) {
  const value = DescribedValue.at(document, schema);
  if (!own.isText) return own.compile(value);
  const { decode, encode } = own.compile(value);
  return { decode: (bytes: Buffer, type: MediaType) => decode(decodeText(bytes), type), encode };
}

/** Decodes a value to `envelope.body`, as the JSON reader would. */
export function decodeInto(name: string, decode: () => unknown, envelope: Holder): void {
  try {
    decodeTo(decode, envelope, 'body');
  } catch (error) {
    throw malformed(name, error);
  }
}

function decodeTo(decode: () => unknown, holder: Holder, key: string | number): void {
  let value: unknown;
  try {
    value = decode();
    assertTree(value);
    parseJson(stringifyJson(value), holder, key);
  } catch (error) {
    settleWithin(value, () => undefined);
    throw error;
  }
}

/** Compiles the reader of a parameter whose media type a codec carries. */
export function textReader(
  { name, compile }: Own<true, string>,
  { document, schema, type }: DescribedBody,
): Read<string> {
  const { decode } = compile(DescribedValue.at(document, schema));
  return (text, holder, key) => {
    try {
      decodeTo(() => decode(text, type), holder, key);
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      throw new MalformedText(`is not well-formed ${name}: ${error.message}`);
    }
  };
}

/** The problem of a body that is not well-formed; another error unchanged. */
export function malformed(name: string, error: unknown): unknown {
  if (!(error instanceof MalformedJson)) return error;
  return new Problem('malformed', `the body is not well-formed ${name}: ${error.message}`);
}

/** Refuses decoded values that JSON does not have. The walk ends even for cyclic values. */
function assertTree(root: unknown): void {
  const seen = new Set<object>();
  const places: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (const { value, depth } of places) {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new MalformedJson(`it has a number ${value}`);
    if (typeof value === 'string' && !value.isWellFormed())
      throw new MalformedJson('a string has half of a surrogate pair');
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (seen.has(value)) throw new MalformedJson('one object occurs in two places');
    if (depth === MAX_DEPTH) throw new MalformedJson(`nested more than ${MAX_DEPTH} deep`);
    seen.add(value);
    for (const part of Object.values(value)) places.push({ value: part, depth: depth + 1 });
  }
}

/** The value at `holder[key]` as plain data: an integer that its double does not represent is a bigint. */
export function plain(holder: Holder, key: string | number): unknown {
  const value = holder[key];
  if (typeof value !== 'object' || value === null) return exactNumber(holder, key) ?? value;
  const parts = value as Holder;
  if (Array.isArray(value)) return value.map((_, i) => plain(parts, i));
  return Object.fromEntries(Object.keys(parts).map((name) => [name, plain(parts, name)]));
}
