import * as fc from 'fast-check';
import type { Schemas } from '../document/direction';
import { asArray, asObject, escapeToken, type JsonObject, objectAt, resolvePointer } from '../json/tree';
import type { Value } from '../json/value';
import { anyValueOf, branchCombinations, itemLocations } from '../schema/locations';
import { arbitrary } from '../schema/samples';
import { type Field, fieldsOf, pieceOf } from './fields';
import { all, primitiveText } from './serialize';

type Header = readonly [name: string, value: string];

/** A part of a multipart body (RFC 2046 section 5.1). */
export interface Part {
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

/** How a multipart body carries the values of a schema. */
export interface Multipart {
  /** @returns undefined if the value has no unambiguous form */
  readonly encode: (value: Value) => Part[] | undefined;
  /** The value that the receiver decodes, or undefined if the value has no unambiguous form. */
  readonly decode: (value: Value) => Value | undefined;
}

/**
 * The fields of `multipart/form-data` by their names; the parts of any other multipart type by their position (OpenAPI 3.2
 * section 4.15).
 *
 * @param schema pointer to the schema of the body
 * @returns undefined if the document does not say how the parts are encoded
 */
export function multipartOf(schemas: Schemas, schema: string, essence: string): Multipart | undefined {
  const media = mediaOf(schema);
  const { prefixEncoding, itemEncoding } = objectAt(schemas.json, media);
  if (essence !== 'multipart/form-data')
    return prefixEncoding === undefined && itemEncoding === undefined
      ? undefined
      : positionalParts(schemas, schema);
  const { encode, decode } = fieldsOf(schemas, schema, true);
  const headersOf = (name: string): Header[] => {
    const encoding = encodingOf(schemas.json, media, name);
    return encoding === undefined ? [] : requiredHeaders(schemas, encoding);
  };
  return {
    decode,
    encode: (value) =>
      encode(value)?.map((field) =>
        partOf(field, [['Content-Disposition', dispositionOf(field)], ...headersOf(field.name)]),
      ),
  };
}

/** The pointer to the Media Type Object of a schema. */
export const mediaOf = (schema: string): string => schema.replace(/\/[^/]*$/, '');

function positionalParts(schemas: Schemas, schema: string): Multipart {
  const media = mediaOf(schema);
  const subschemas = branchCombinations(schemas, anyValueOf(schema)).flat();
  const at = (index: number) => {
    const encoding = encodingOf(schemas.json, media, index);
    const node = encoding === undefined ? {} : objectAt(schemas.json, encoding);
    return {
      ...pieceOf(schemas, itemLocations(subschemas, index), node, true),
      headers: encoding === undefined ? [] : requiredHeaders(schemas, encoding),
    };
  };
  const encode = (value: Value): Part[] | undefined => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const parts = value.map((item, index): Part | undefined => {
      const { encode: encodeItem, headers } = at(index);
      const field = encodeItem(item);
      return field && partOf(field, headers);
    });
    return all(parts);
  };
  return {
    encode,
    decode: (value) =>
      encode(value) && Array.isArray(value)
        ? all(value.map((item, index) => at(index).decode(item)))
        : undefined,
  };
}

/** The pointer to the Encoding Object of a part by its name or its position; undefined if it has none. */
export function encodingOf(json: JsonObject, media: string, part: string | number): string | undefined {
  const { encoding, prefixEncoding, itemEncoding } = objectAt(json, media);
  if (typeof part === 'string')
    return Object.hasOwn(asObject(encoding), part) ? `${media}/encoding/${escapeToken(part)}` : undefined;
  if (part < asArray(prefixEncoding).length) return `${media}/prefixEncoding/${part}`;
  return itemEncoding === undefined ? undefined : `${media}/itemEncoding`;
}

/** The headers that each part of an encoding must have, with a value of their schema. */
export function requiredHeaders(schemas: Schemas, encoding: string): Header[] {
  const { headers } = objectAt(schemas.json, encoding);
  return Object.keys(asObject(headers)).flatMap((name): Header[] => {
    const pointer = resolvePointer(schemas.json, `${encoding}/headers/${escapeToken(name)}`);
    if (objectAt(schemas.json, pointer)['required'] !== true || /^content-type$/i.test(name)) return [];
    const values = fc.sample(arbitrary(schemas, anyValueOf(`${pointer}/schema`), 'required'), {
      numRuns: 1,
      seed: 1,
    });
    return values.map((value) => [name, primitiveText(value) ?? '']);
  });
}

const partOf = ({ text, type }: Omit<Field, 'name'>, headers: readonly Header[]): Part => ({
  headers: type === undefined ? headers : [...headers, ['Content-Type', type]],
  body: Buffer.from(text),
});

const dispositionOf = ({ name, isBytes }: Field): string =>
  `form-data; name="${escapeName(name)}"${isBytes ? '; filename="file.bin"' : ''}`;

/** A name as browsers write it (https://html.spec.whatwg.org/#multipart-form-data). */
export const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => encodeURIComponent(character));

/** A boundary that no part contains. */
export function boundaryOf(parts: readonly Part[]): string {
  for (let number = 0; ; number++) {
    const boundary = `part-${number}`;
    if (!parts.some(({ body }) => body.includes(`--${boundary}`))) return boundary;
  }
}

/** The bytes of the parts between their boundaries. */
export function multipartBody(parts: readonly Part[], boundary = boundaryOf(parts)): Buffer {
  const lines = parts.flatMap(({ headers, body }) => [
    `--${boundary}\r\n`,
    ...headers.map(([name, value]) => `${name}: ${value}\r\n`),
    '\r\n',
    body,
    '\r\n',
  ]);
  return Buffer.concat([...lines, `--${boundary}--\r\n`].map((line) => Buffer.from(line)));
}
