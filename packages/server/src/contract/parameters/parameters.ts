import { DescribedValue } from '../operations/described-value';
import { joinPointer, type OpenApiDocument } from '../document/document';
import { fieldLines, isFieldName, isListField } from '../http/header-field';
import { type MediaTypeObject, trimSpace } from '../http/media-type';
import { excerpt } from '../json/excerpt';
import type { Operation, Parameter, ParameterLocation } from '../operations/operations';
import {
  addReader,
  compilePairs,
  MalformedParameter,
  type PairsReader,
  readAll,
  type Reader,
  splitPairs,
} from './pairs';
import {
  compileParts,
  compileWhole,
  type Decode,
  decodePercent,
  jsonText,
  MalformedText,
  type Read,
  servable,
  Unservable,
} from './parts';
import { compileText } from './styles';
import { compileBracketsReader, lacksBrackets } from './brackets';

export { MalformedParameter };

/** The parts of a request that carry parameters, not decoded. */
export interface RawParameters {
  /** The text of each template expression, by name, percent-encoded. */
  readonly path: ReadonlyMap<string, string>;
  /** The query without its question mark; empty if there is none. */
  readonly query: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
}

/** The parameters of a request by location and name, without absent parameters and locations without parameters. */
export type ParameterValues = Partial<Record<Located, Record<string, unknown>>>;

/** The locations that have parameters by name. In `querystring`, one parameter is the whole query (codecs/querystring.ts). */
type Located = Exclude<ParameterLocation, 'querystring'>;

/**
 * Reads the parameters of a request. A text becomes a number or a boolean only if its schema has that type and the text is
 * exactly one. The validator judges the values.
 *
 * @throws {MalformedParameter} if a text is not in the style of its parameter
 */
export type ReadParameters = (raw: RawParameters) => ParameterValues;

/** A request target and a cookie are ASCII (RFC 3986 section 2, RFC 6265 section 4.1.1). */
export const decodeAscii: Decode = (text) => {
  if (/[\u0080-\uffff]/.test(text)) throw new MalformedText('is not percent-encoded UTF-8');
  return decodePercent(text);
};

/** Values of the style `cookie` are not percent-encoded (OpenAPI 3.2 section 4.12.3). */
const literalCookie: Decode = (text) => {
  if (/[\u0080-\uffff]/.test(text)) throw new MalformedText('is not ASCII, as cookies must be');
  return text;
};

const DECODE: Readonly<Record<Located, Decode>> = {
  path: decodeAscii,
  query: (text) => decodeAscii(text.replaceAll('+', ' ')),
  header: (text) => trimSpace(text, 0, text.length),
  cookie: decodeAscii,
};

/** A cookie's name in a request: visible ASCII, without the delimiters of cookies (RFC 6265 section 4.2.1). */
const COOKIE_NAME = /^[!-:<>-~]*$/;

/** The readers of an operation's parameters, by location. */
interface Readers {
  readonly path: Reader<RawParameters>[];
  readonly query: PairsReader[];
  readonly header: Reader<RawParameters>[];
  readonly cookie: PairsReader[];
}

/** Compiles the reader of a text in a media type; undefined if only the core reads it. */
type TextOf = (media: MediaTypeObject & { readonly document: OpenApiDocument }) => Read<string> | undefined;

/** Compiles the reader of an operation's parameters. A parameter that cannot be read becomes a finding of the document. */
export function compileParameters(
  document: OpenApiDocument,
  operation: Pick<Operation, 'parameters' | 'security' | 'pointer'>,
  textOf: TextOf = () => undefined,
): ReadParameters {
  const readers: Readers = { path: [], query: [], header: [], cookie: [] };
  const isWhole = operation.parameters.some((parameter) => parameter.in === 'querystring');
  for (const parameter of operation.parameters) {
    servable(document, parameter.schemaPointer ?? operation.pointer, parameter.name, () => {
      compileParameter(document, parameter, readers, textOf);
    });
  }
  const { path, query, header, cookie } = readers;
  const readQuery = compileQuery(query, credentialsInQuery(document, operation));
  return (raw) => {
    const values: ParameterValues = {};
    if (path.length > 0) values.path = readAll('path', path, raw);
    if (query.length > 0) values.query = readQuery(raw.query);
    else if (raw.query !== '' && !isWhole) readQuery(raw.query);
    if (header.length > 0) values.header = readAll('header', header, raw);
    if (cookie.length > 0) {
      // A proxy joins the lines into which HTTP/2 splits them in the same way (RFC 9113 section 8.2.3).
      const cookies = fieldLines(raw, 'cookie').join('; ');
      const pairs = splitPairs('cookie', cookies, /;[ \t]*/, (name) => name);
      values.cookie = readAll('cookie', cookie, pairs);
    }
    return values;
  };
}

/** Adds the reader of a parameter to those of its location. */
function compileParameter(
  document: OpenApiDocument,
  parameter: Parameter,
  readers: Readers,
  textOf: TextOf,
): void {
  const { name, in: location, schemaPointer, json, style, content } = parameter;
  if (location === 'querystring') return;
  const decode = style === 'cookie' ? literalCookie : DECODE[location];
  const value = DescribedValue.at(document, schemaPointer);
  if (location === 'query' && style === 'deepObject') {
    addReader(readers.query, compileBracketsReader(name, value, style, decode));
    return;
  }
  const own = content && textOf({ ...content, document });
  if (content && !json && !own)
    throw new Unservable(`${content.key} is neither JSON nor a text that a codec of the service reads`);
  const whole = own ? () => own : json ? jsonText : undefined;
  const parts = whole ? compileWhole(value, decode, whole) : compileParts(value, decode);
  switch (location) {
    case 'path':
      readers.path.push(pathReader(name, compileText(parameter, parts, decode)));
      break;
    case 'header': {
      if (!isFieldName(name))
        throw new Unservable('it is not the name of a header, which is a token (RFC 9110 section 5.6.2)');
      const isList = !whole && (parts.kind !== 'primitive' || isListField(name));
      readers.header.push(headerReader(name, compileText(parameter, parts, decode), isList));
      break;
    }
    case 'query':
      addReader(readers.query, compilePairs(parameter, parts, decode));
      break;
    case 'cookie': {
      const reader = compilePairs(parameter, parts, decode);
      if (reader.others === 'any')
        throw new Unservable('its properties cannot be distinguished from other cookies');
      const other = reader.names.find((each) => !COOKIE_NAME.test(each));
      if (other !== undefined)
        throw new Unservable(`no cookie can have the name ${JSON.stringify(excerpt(other))}`);
      addReader(readers.cookie, reader);
    }
  }
}

/** Compiles the reader of a query. It rejects names that are neither parameters nor credentials. */
function compileQuery(readers: readonly PairsReader[], credentials: readonly string[]) {
  const ignored = credentials.filter((name) => !readers.some(({ names }) => names.includes(name)));
  return (text: string): Record<string, unknown> => {
    const pairs = splitPairs('query', text, '&', DECODE.query);
    for (const name of ignored) pairs.delete(name);
    const values = readAll('query', readers, pairs);
    const [unknown] = pairs.keys();
    if (unknown === undefined) return values;
    throw new MalformedParameter(
      `query/${excerpt(unknown)} ${lacksBrackets(readers, unknown) ?? 'is not in the document'}`,
      joinPointer('/query', unknown),
    );
  };
}

function pathReader(name: string, read: Read<string>): Reader<RawParameters> {
  return {
    name,
    read: ({ path }, holder) => {
      const text = path.get(name);
      if (text !== undefined) read(text, holder, name);
    },
  };
}

/** @param isList whether several lines are one list (RFC 9110 section 5.3) */
function headerReader(name: string, read: Read<string>, isList: boolean): Reader<RawParameters> {
  const field = name.toLowerCase();
  return {
    name,
    read: (raw, holder) => {
      const lines = fieldLines(raw, field);
      const [text] = lines;
      if (text === undefined) return;
      if (lines.length > 1 && !isList) throw new MalformedText('is given more than once');
      read(lines.length > 1 ? lines.join(', ') : text, holder, name);
    },
  };
}

/** The names of API keys in the query (OpenAPI 3.1 section 4.8.27). They are documented, but not parameters. */
export function credentialsInQuery(
  document: OpenApiDocument,
  operation: Pick<Operation, 'security'>,
): string[] {
  return operation.security.flat().flatMap(({ scheme }) => {
    const { value } = document.follow(joinPointer('/components/securitySchemes', scheme));
    return value['type'] === 'apiKey' && value['in'] === 'query' ? [String(value['name'])] : [];
  });
}
