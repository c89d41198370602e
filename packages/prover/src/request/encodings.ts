import type { Schemas } from '../document/direction';
import { type Codec, codecOf, essenceOf } from '../document/media';
import type { Document, MediaType } from '../document/model';
import { print, type Value } from '../json/value';
import { anyValueOf } from '../schema/locations';
import { fieldsOf } from './fields';
import { boundaryOf, multipartBody, multipartOf } from './multipart';
import { carried, ownCodec } from './own-codec';
import { decodeText, primitiveText } from './serialize';

/** How a body is encoded; `own` is by a codec of the target. */
export type BodyCodec = Codec | 'own';

/** A body and its media type. */
export interface Body {
  readonly type: string;
  readonly bytes: Buffer;
}

/** How a body or a whole query string carries the values of a schema. */
export interface Encoding<Encoded> {
  /** Of a value without an unambiguous form, any. */
  readonly encode: (value: Value) => Encoded;
  /** The value that the receiver decodes, or undefined if the value has no unambiguous form. */
  readonly decode: (value: Value) => Value | undefined;
}

/** The form (`application/x-www-form-urlencoded`) of the values of a schema. */
export function formOf(schemas: Schemas, schema: string): Encoding<string> {
  const { encode, decode } = fieldsOf(schemas, schema, false);
  return {
    decode,
    encode: (value) =>
      (encode(value) ?? [])
        .map(({ name, text }) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
        .join('&'),
  };
}

/** The codec of a body in a media type. */
export const codecOfBody = ({ encoders }: Document, { name, type }: MediaType): BodyCodec =>
  encoders[name] ? 'own' : codecOf(type);

/** The pointer to the schema of the whole body: that of a sequence has the items. */
export function schemaOfBody({ items, schema, type }: MediaType): string | undefined {
  const isSequence = codecOf(type) === 'lines' || (codecOf(type) === 'multipart' && schema === undefined);
  return items !== undefined && isSequence ? items.replace(/[^/]*$/, 'sequence') : schema;
}

/** @param schema pointer to the schema of the body */
export function bodyEncoding(document: Document, media: MediaType, schema: string): Encoding<Body> {
  const { encode, decode } = bytesOf(document, media, schema);
  return {
    decode,
    encode: (value) => {
      const encoded = encode(value);
      return Buffer.isBuffer(encoded) ? { type: media.type, bytes: encoded } : encoded;
    },
  };
}

const asIs = (value: Value): Value => value;

function bytesOf(document: Document, media: MediaType, schema: string): Encoding<Buffer | Body> {
  const { requests, encoders } = document;
  const { type } = media;
  const encoder = encoders[media.name];
  if (encoder) {
    const codec = ownCodec(encoder);
    return { encode: codec.encode, decode: (value) => carried(codec, value) };
  }
  switch (codecOf(type)) {
    case 'json':
      return { encode: (value) => Buffer.from(print(value)), decode: asIs };
    case 'form': {
      const { encode, decode } = formOf(requests, schema);
      return { encode: (value) => Buffer.from(encode(value)), decode };
    }
    case 'multipart': {
      const multipart = multipartOf(requests, schema, essenceOf(type));
      return {
        encode: (value) => {
          const parts = multipart?.encode(value) ?? [];
          const boundary = boundaryOf(parts);
          return { type: `${type}; boundary=${boundary}`, bytes: multipartBody(parts, boundary) };
        },
        decode: (value) => multipart?.decode(value),
      };
    }
    case 'lines':
      return {
        encode: (value) => linesOf(type, Array.isArray(value) ? value.map(print) : []),
        decode: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined),
      };
    case 'text':
    case 'binary':
      return {
        encode: (value) => Buffer.from(primitiveText(value) ?? print(value)),
        decode: (value) => {
          // A decoder of text removes U+FEFF at the start as a byte order mark; a JSON parser does not.
          const text = primitiveText(value);
          const isCarried = text?.isWellFormed() === true && !/^(?:\ufeff|$)/.test(text);
          return isCarried ? decodeText(requests, anyValueOf(schema), value) : undefined;
        },
      };
  }
}

/** The lines of a sequence, or its records, which begin with a separator (RFC 7464 section 2.2). */
export const linesOf = (type: string, texts: readonly string[]): Buffer => {
  const start = essenceOf(type).endsWith('json-seq') ? '\u001e' : '';
  return Buffer.from(texts.map((text) => `${start}${text}\n`).join(''));
};
