import { DescribedValue } from '../operations/described-value';
import { isObject, joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { decodeText } from '../http/body';
import { essenceOf, isJson } from '../http/media-type';
import { parseJson } from '../json/parse';
import {
  addReader,
  compilePairs,
  MalformedParameter,
  type Pairs,
  type PairsReader,
  readAll,
  readRest,
  splitPairs,
} from '../parameters/pairs';
import {
  compileArray,
  compileParts,
  compileWhole,
  type Decode,
  decodePercent,
  jsonText,
  kindOf,
  type ArrayReader,
  type PrimitiveReader,
  primitiveText,
  servable,
  unlisted,
  Unservable,
} from '../parameters/parts';
import type { Codec } from './codec';

/** Forms (https://url.spec.whatwg.org/#application/x-www-form-urlencoded). They are read only. */
export const form: Codec = {
  name: 'form',
  mediaType: 'application/x-www-form-urlencoded',
  isText: true,
  isJudged: true,
  carries: (essence) => essence === 'application/x-www-form-urlencoded',
  reader({ document, schema }) {
    const readForm = compileForm(document, schema);
    return (bytes, envelope) => {
      envelope['body'] = readForm(decodeText(bytes));
    };
  },
  writer() {
    throw new Unservable('a form cannot be served as a response');
  },
};

/**
 * Reads the text of a form. The validator judges whether it conforms.
 *
 * @throws {MalformedParameter} if a property is not written as the document describes
 */
export type ReadForm = (text: string) => Record<string, unknown>;

/** Parses a form (https://url.spec.whatwg.org/#urlencoded-parsing), but refuses text that is not percent-encoded UTF-8. */
const decodeForm: Decode = (text) => decodePercent(text.replaceAll('+', ' '));

/**
 * Compiles the reader of forms. Each property is a pair, an array has a pair for each item, and an object is JSON, unless
 * its `encoding` gives it a style (OpenAPI 3.1 section 4.8.15). A property that cannot be read becomes a finding.
 *
 * @param schema pointer to the schema of the media type, beside `encoding`; without one, all values are strings
 * @param place of the form in a request
 * @param decode decodes a name or a value
 */
export function compileForm(
  document: OpenApiDocument,
  schema: string | undefined,
  place: Place = 'body',
  decode = decodeForm,
): ReadForm {
  const at = schema?.replace(/schema$/, 'encoding');
  const encodings = at === undefined ? undefined : document.at(at);
  for (const [name, encoding] of members(encodings)) {
    if (!isObject(encoding) || encoding['headers'] === undefined) continue;
    const message = 'is not enforced: only parts of multipart bodies have headers';
    document.addRemark({
      pointer: joinPointer(at ?? '', name, 'headers'),
      message,
      keyword: 'Encoding headers',
    });
  }
  const encodingOf = (name: string) => {
    const encoding = members(encodings).find(([key]) => key === name)?.[1];
    return isObject(encoding) ? encoding : {};
  };
  const read = compileFields(document, schema, { encodingOf, decode, place });
  return (text) => read(splitPairs(place, text, '&', decode));
}

/** Where a form stands in a request. */
type Place = 'body' | 'query';

/** How the properties of a form are written. */
interface FieldOptions {
  /** The Encoding Object of a property. */
  readonly encodingOf: (name: string) => JsonObject;
  readonly decode: Decode;
  /** Decodes the values of properties that have a style, if they are written otherwise. */
  readonly decodeStyled?: Decode;
  readonly place: Place;
  /** The properties that are no text. */
  readonly except?: ReadonlySet<string>;
}

/** Reads the properties of a form, by their texts. */
export interface ReadFields {
  (pairs: Pairs): Record<string, unknown>;
  /** Whether a name is that of a property, or of a part of one. */
  readonly reads: (name: string) => boolean;
}

/** Compiles the reader of the properties of a form. */
export function compileFields(
  document: OpenApiDocument,
  schema: string | undefined,
  { encodingOf, decode, decodeStyled = decode, place, except }: FieldOptions,
): ReadFields {
  const pointer = schema ?? '';
  const form = DescribedValue.at(document, schema);
  if (form.types()?.includes('object') === false) document.addFinding(pointer, 'a form is an object');
  const readers: PairsReader[] = [];
  for (const name of form.propertyNames()) {
    if (except?.has(name) === true) continue;
    servable(document, pointer, name, () => {
      const encoding = encodingOf(name);
      const decodeValue = isStyled(encoding) ? decodeStyled : decode;
      addReader(readers, propertyReader(name, form.property(name), encoding, decodeValue));
    });
  }
  const others = servable(document, pointer, '*', () => unstyledParts(unlisted(form), decode));

  const read = (pairs: Pairs) => {
    const body = readAll(place, readers, pairs);
    if (!others || pairs.size === 0) return body;
    if (pairs.has('__proto__'))
      throw new MalformedParameter(`${place} has the name "__proto__", which is not accepted`, `/${place}`);
    readRest(place, others, pairs, body);
    return body;
  };
  const reads = (name: string) =>
    readers.some(
      (one) => one.names.includes(name) || (one.others === 'prefixed' && name.startsWith(`${one.name}[`)),
    );
  return Object.assign(read, { reads });
}

const UNSTYLED = { style: 'form', explode: true };

/** Whether a property has the style of a query parameter (OpenAPI 3.1 section 4.8.15.1). */
export const isStyled = ({ style, explode, allowReserved }: JsonObject): boolean =>
  [style, explode, allowReserved].some((field) => field !== undefined);

function propertyReader(
  name: string,
  value: DescribedValue,
  encoding: JsonObject,
  decode: Decode,
): PairsReader {
  const { style = 'form', explode = style === 'form', contentType } = encoding;
  if (!isStyled(encoding)) {
    const parts = unstyledParts(value, decode, typeof contentType === 'string' ? contentType : undefined);
    return compilePairs({ name, ...UNSTYLED }, parts, decode);
  }
  const written = { name, style: String(style), explode: explode === true };
  const reader = compilePairs(written, compileParts(value, decode), decode);
  if (reader.others === 'any')
    throw new Unservable('its properties cannot be distinguished from those of the form');
  return reader;
}

/** An object is JSON text, as the whole value or as an item of an array. Any other value is plain text. */
function unstyledParts(
  value: DescribedValue,
  decode: Decode,
  contentType?: string,
): PrimitiveReader | ArrayReader {
  const json = contentType === undefined ? undefined : isJson(essenceOf(contentType));
  const usual = (part: DescribedValue) => {
    if (json === true) return jsonText(part);
    const isObject = kindOf(part) === 'object';
    if (isObject && json === false) throw new Unservable('expected application/json as its contentType');
    return isObject ? jsonText(part) : primitiveText(part);
  };
  return kindOf(value) === 'array'
    ? compileArray(value, decode, usual, json === true ? parseJson : undefined)
    : compileWhole(value, decode, usual);
}
