import { DescribedValue } from '../operations/described-value';
import { isObject, joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { decodeText } from '../http/body';
import { essenceOf, isJson, type MediaTypeObject } from '../http/media-type';
import { excerpt } from '../json/excerpt';
import { parseJson } from '../json/parse';
import { stringifyJson } from '../json/stringify';
import type { Parameter } from '../operations/operations';
import { compileBrackets, compileBracketsReader, lacksBrackets, readOthers } from '../parameters/brackets';
import {
  addReader,
  beforeBrackets,
  compilePairs,
  MalformedParameter,
  type Pairs,
  type PairsReader,
  readAll,
  splitPairs,
} from '../parameters/pairs';
import {
  compileArray,
  compileParts,
  compileWhole,
  type Decode,
  decodePercent,
  jsonText,
  isOpen,
  kindOf,
  type ArrayReader,
  type PrimitiveReader,
  primitiveText,
  servable,
  unlisted,
  Unservable,
} from '../parameters/parts';
import { halves } from '../parameters/styles';
import { writeParameter } from '../parameters/write';
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

/** Parses a form (https://url.spec.whatwg.org/#urlencoded-parsing), but rejects text that is not percent-encoded UTF-8. */
const decodeForm: Decode = (text) => decodePercent(text.replaceAll('+', ' '));

/**
 * Compiles the reader of forms. Each property is a pair, an array has a pair for each item, and an object is JSON, or the names
 * of both continue in brackets (parameters/brackets.ts), unless its `encoding` says otherwise (OpenAPI 3.1 section 4.8.15). A
 * property that cannot be read becomes a finding.
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
}

/** Reads the properties of a form, by their texts. */
export interface ReadFields {
  (pairs: Pairs): Record<string, unknown>;
  /** The property to which a name belongs. */
  readonly ownerOf: (name: string) => string;
}

/** Compiles the reader of the properties of a form. */
export function compileFields(
  document: OpenApiDocument,
  schema: string | undefined,
  { encodingOf, decode, decodeStyled = decode, place }: FieldOptions,
): ReadFields {
  const pointer = schema ?? '';
  const form = DescribedValue.at(document, schema);
  if (form.types()?.includes('object') === false) document.addFinding(pointer, 'a form is an object');
  const listed = new Set(form.propertyNames());
  const readers: PairsReader[] = [];
  for (const name of listed) {
    servable(document, pointer, name, () => {
      const encoding = encodingOf(name);
      const decodeValue = isStyled(encoding) ? decodeStyled : decode;
      addReader(readers, propertyReader(name, form.property(name), encoding, decodeValue));
    });
  }
  const others = servable(document, pointer, '*', () => compileBrackets(unlisted(form), 'form', decode));
  const isClosed = !isOpen(form);

  const read = (pairs: Pairs) => {
    const body = readAll(place, readers, pairs);
    if (!others || pairs.size === 0) return body;
    for (const key of pairs.keys()) {
      const name = beforeBrackets(key);
      if (name === '__proto__')
        throw new MalformedParameter(`${place} has the name "__proto__", which is not accepted`, `/${place}`);
      const fault = listed.has(name)
        ? (lacksBrackets(readers, key) ?? `is written differently in the document: ${excerpt(name)}`)
        : isClosed && /^\[|^[^[]*\]/.test(key)
          ? 'has brackets without a name before them'
          : undefined;
      if (fault !== undefined)
        throw new MalformedParameter(`${place}/${excerpt(key)} ${fault}`, joinPointer(`/${place}`, key));
    }
    readOthers(place, others, pairs, body);
    return body;
  };
  const ownerOf = (name: string) => {
    const base = beforeBrackets(name);
    if (listed.has(name)) return name;
    if (listed.has(base)) return base;
    const reader = readers.find(
      (one) => one.names.includes(name) || (one.others === 'prefixed' && name.startsWith(`${one.name}[`)),
    );
    return reader?.name ?? (others?.isNested === true ? base : name);
  };
  return Object.assign(read, { ownerOf });
}

/** Whether a property has the style of a query parameter (OpenAPI 3.1 section 4.8.15.1). */
export const isStyled = ({ style, explode, allowReserved }: JsonObject): boolean =>
  [style, explode, allowReserved].some((field) => field !== undefined);

/**
 * The style in which a property is written; undefined if it is JSON, a text, or a pair for each item of a list. A text that may
 * be the value itself is no JSON, so an object has brackets then.
 */
export function styleOf(
  value: DescribedValue,
  encoding: JsonObject,
): Pick<Parameter, 'style' | 'explode'> | undefined {
  const { style = 'form', explode = style === 'form', contentType } = encoding;
  if (isStyled(encoding)) return { style: String(style), explode: explode === true };
  const types = value.types() ?? [];
  const isUnion = types.includes('object') && types.some((type) => !/^(object|array|null)$/.test(type));
  return isUnion && contentType === undefined ? { style: 'deepObject', explode: true } : undefined;
}

/** The pairs of a form, not encoded. */
export function writePairs(
  document: OpenApiDocument,
  { pointer, schema }: MediaTypeObject,
  value: JsonObject,
): [name: string, part: unknown][] {
  const form = DescribedValue.at(document, schema);
  const encodings = new Map(members(document.at(joinPointer(pointer, 'encoding'))));
  return members(value).flatMap(([name, all]): [string, unknown][] => {
    const encoding = encodings.get(name);
    const style = styleOf(form.property(name), isObject(encoding) ? encoding : {});
    if (!style) return [all].flat().map((part: unknown) => [name, part]);
    const written = writeParameter(
      { ...style, name, in: 'query', required: false, json: false, pointer, schemaPointer: undefined },
      all,
    );
    return (written ?? '')
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key, text] = halves(pair).map(decodeURIComponent);
        return [key ?? '', text];
      });
  });
}

/** The text of a form. */
export const writeForm = (document: OpenApiDocument, media: MediaTypeObject, value: JsonObject): string =>
  new URLSearchParams(
    writePairs(document, media, value).map(([name, part]): [string, string] => [
      name,
      typeof part === 'string' ? part : stringifyJson(part),
    ]),
  ).toString();

function propertyReader(
  name: string,
  value: DescribedValue,
  encoding: JsonObject,
  decode: Decode,
): PairsReader {
  const { style = 'form', explode = style === 'form', contentType } = encoding;
  const written = { name, style: String(style), explode: explode === true };
  if (style === 'deepObject') return compileBracketsReader(name, value, style, decode);
  if (!isStyled(encoding))
    return typeof contentType === 'string'
      ? compilePairs(written, typedParts(value, decode, contentType), decode)
      : compileBracketsReader(name, value, 'form', decode);
  const reader = compilePairs(written, compileParts(value, decode), decode);
  if (reader.others === 'any')
    throw new Unservable('its properties cannot be distinguished from those of the form');
  return reader;
}

/** The parts of a property with a `contentType`: JSON text, as the whole value or as an item of an array, or plain text. */
function typedParts(
  value: DescribedValue,
  decode: Decode,
  contentType: string,
): PrimitiveReader | ArrayReader {
  const json = isJson(essenceOf(contentType));
  const textOf = (part: DescribedValue) => {
    if (json) return jsonText(part);
    if (kindOf(part) === 'object') throw new Unservable('expected application/json as its contentType');
    return primitiveText(part);
  };
  return kindOf(value) === 'array'
    ? compileArray(value, decode, textOf, json ? parseJson : undefined)
    : compileWhole(value, decode, textOf);
}
