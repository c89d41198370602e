import type { Schemas } from '../document/direction';
import { codecOf, concreteType } from '../document/media';
import type { Parameter } from '../document/model';
import { asObject, asString, type JsonObject, nodeAt, objectAt } from '../json/tree';
import { print, type Value } from '../json/value';
import { Memo } from '../memo';
import {
  admittedTypes,
  anyValueOf,
  branchCombinations,
  itemLocations,
  propertyLocations,
  type SchemaLocations,
  type Type,
} from '../schema/locations';
import {
  admitsText,
  all,
  decodeBrackets,
  decodeText,
  isScalarToo,
  mapMembers,
  primitiveText,
  serializeParameter,
} from './serialize';

/** A pair of a form, or a part of a multipart body. */
export interface Field {
  readonly name: string;
  readonly text: string;
  /** Whether it is a file, and not text. */
  readonly isBytes: boolean;
  /** The media type of a part; undefined for a text, whose default it is (RFC 7578 section 4.4). */
  readonly type?: string;
}

/** How a body of named fields carries the values of a schema. */
export interface Fields {
  /** @returns undefined if the value has no unambiguous form */
  readonly encode: (value: Value) => Field[] | undefined;
  /** The value that the receiver decodes, or undefined if the value has no unambiguous form. */
  readonly decode: (value: Value) => Value | undefined;
}

/**
 * Whether a schema describes bytes in a multipart body: `format: binary`, or a `contentMediaType` that is neither JSON nor text,
 * without `contentEncoding`.
 */
export function describesBytes(schema: JsonObject): boolean {
  const { format, contentMediaType: type, contentEncoding } = schema;
  if (contentEncoding !== undefined) return false;
  return format === 'binary' || (typeof type === 'string' && !['json', 'text'].includes(codecOf(type)));
}

/** A single value in a field. */
interface Piece {
  readonly isJson: boolean;
  readonly encode: (value: Value) => Omit<Field, 'name'> | undefined;
  readonly decode: (value: Value) => Value | undefined;
}

/**
 * How a single value is carried. An object is JSON, and so is what `encoding` says is; in a multipart body, bytes are a file;
 * the rest is text.
 */
export function pieceOf(
  schemas: Schemas,
  locations: SchemaLocations,
  { contentType, ...style }: JsonObject,
  isMultipart: boolean,
): Piece {
  const combinations = branchCombinations(schemas, locations);
  const types = combinations.flatMap(admittedTypes);
  const isObject = types.includes('object') && types.every((type) => type === 'object' || type === 'null');
  const [given = ''] = asString(contentType).split(',');
  const isGivenJson = codecOf(given) === 'json';
  const isJson =
    (isMultipart && isGivenJson) ||
    (isObject && (given === '' || isGivenJson) && (isMultipart || Object.keys(style).length === 0));
  const schemasOfPart = combinations.flat().map(({ schema }) => schema);
  // A part whose schema says nothing is what its media types say.
  const isOpaque =
    given !== '' &&
    schemasOfPart.every(({ type }) => type === undefined) &&
    asString(contentType)
      .split(',')
      .every((type) => codecOf(type.trim()) === 'binary');
  const isBytes = isMultipart && !isJson && (isOpaque || schemasOfPart.some(describesBytes));
  const isMeasured = schemasOfPart.some(({ minLength, maxLength }) => (minLength ?? maxLength) !== undefined);
  const named = schemasOfPart.map((one) => asString(one['contentMediaType'])).find((name) => name !== '');
  const usual = isJson ? 'application/json' : isBytes ? (named ?? 'application/octet-stream') : undefined;
  const type = given === '' ? usual : concreteType(given.trim(), isJson);
  const textOf = (value: Value): string | undefined =>
    isJson ? print(value) : isBytes && typeof value !== 'string' ? undefined : primitiveText(value);
  return {
    isJson,
    encode: (value) => {
      const text = textOf(value);
      return text?.isWellFormed() ? { text, isBytes, ...(type !== undefined && { type }) } : undefined;
    },
    decode: (value) => {
      if (isJson) return value;
      // The length of a file is that of its bytes (OpenAPI 3.1 section 4.8.14.2), which a text has only in ASCII.
      if (isBytes)
        return typeof value === 'string' && (!isMeasured || Buffer.byteLength(value) === value.length)
          ? value
          : undefined;
      // A decoder of text may remove U+FEFF at the start.
      const isMarked = isMultipart && typeof value === 'string' && value.startsWith('\ufeff');
      return isMarked ? undefined : decodeText(schemas, locations, value);
    },
  };
}

/**
 * A body has a field for each property, and for each item of an array. An object is JSON text, as the whole value or as an
 * item, unless the `encoding` of the property states otherwise.
 *
 * @param schema pointer to the schema of the media type, beside `encoding`
 * @see https://spec.openapis.org/oas/v3.1.0#fixed-fields-12, contentType
 */
export function fieldsOf(schemas: Schemas, schema: string, isMultipart: boolean): Fields {
  const root = anyValueOf(schema);
  const subschemas = branchCombinations(schemas, root).flat();
  const encodings = asObject(objectAt(schemas.json, schema.replace(/\/schema$/, ''))['encoding']);
  const find = (name: string) => {
    const encoding = asObject(encodings[name]);
    const whole = propertyLocations(subschemas, name);
    const combinations = branchCombinations(schemas, whole);
    const types = new Set(combinations.flatMap(admittedTypes));
    const at = (locations: SchemaLocations) => pieceOf(schemas, locations, encoding, isMultipart);
    // What the schema forbids is text.
    const isForbidden =
      whole.length > 0 && whole.every(({ pointer }) => nodeAt(schemas.json, pointer) === false);
    return {
      whole,
      isForbidden,
      style: isForbidden ? undefined : styleOf(name, encoding, types),
      types,
      piece: at(whole),
      item: (index: number) => at(itemLocations(combinations.flat(), index)),
    };
  };
  const found = new Memo<JsonObject, ReturnType<typeof find>>();
  const locate = (name: string) => found.get(encodings, name, () => find(name));
  const fieldsOfMember = (name: string, member: Value): (Field | undefined)[] => {
    const { style, types, piece, item } = locate(name);
    if (style) return pairsOf(style, member);
    const pieces =
      Array.isArray(member) && (types.has('array') || !piece.isJson)
        ? member.map((entry, index) => item(index).encode(entry))
        : [piece.encode(member)];
    return pieces.length === 0 ? [undefined] : pieces.map((one) => one && { name, ...one });
  };
  const encode = (value: Value): Field[] | undefined => {
    if (!(value instanceof Map) || value.size === 0) return undefined;
    return all([...value].flatMap(([name, member]) => fieldsOfMember(name, member)));
  };
  const decodeMember = (name: string, member: Value): Value | undefined => {
    const { whole, isForbidden, style, types, piece, item } = locate(name);
    if (isForbidden) return primitiveText(member);
    if (style) return (style.style === 'deepObject' ? decodeBrackets : decodeText)(schemas, whole, member);
    if (!types.has('array') || !Array.isArray(member)) return piece.decode(member);
    if (isScalarToo(types, member)) return undefined;
    return all(member.map((entry, index) => item(index).decode(entry)));
  };
  const decode = (value: Value): Value | undefined => {
    if (!(value instanceof Map) || encode(value) === undefined) return undefined;
    if (decodeText(schemas, root, new Map()) === undefined) return undefined;
    return mapMembers(value, decodeMember);
  };
  return { encode, decode };
}

/**
 * The query parameter in whose style a property is written; undefined if it has none (OpenAPI 3.1 section 4.8.15.1). An object
 * whose schema also admits texts is no JSON text, so its name continues in brackets.
 */
function styleOf(name: string, encoding: JsonObject, types: ReadonlySet<Type>): Parameter | undefined {
  const isUnion = types.has('object') && admitsText(types) && encoding['contentType'] === undefined;
  const isStyled = ['style', 'explode', 'allowReserved'].some((field) => encoding[field] !== undefined);
  if (!isStyled && !isUnion) return undefined;
  const { style = isStyled ? 'form' : 'deepObject', explode = style === 'form' } = encoding;
  const written = { name, style: asString(style), explode: explode === true };
  return { ...written, in: 'query', required: false, schema: '', examples: [], schemaExamples: [] };
}

function pairsOf(style: Parameter, member: Value): (Field | undefined)[] {
  const pairs = serializeParameter(style, member)?.split('&');
  if (!pairs) return [undefined];
  return pairs.map((pair) => {
    const [name = '', text = ''] = pair.split('=').map(decodeURIComponent);
    return { name, text, isBytes: false };
  });
}
