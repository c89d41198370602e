import { DescribedValue } from '../operations/described-value';
import type { OpenApiDocument } from '../document/document';
import { isFieldValue } from '../http/header-field';
import { stringifyJson } from '../json/stringify';
import type { Holder } from '../json/values';
import type { Parameter } from '../operations/operations';
import { compileParts, compileWhole, jsonText, MalformedText, servable } from './parts';
import { compileText } from './styles';

/**
 * Encodes the value of a documented response header, as a list if each text is a separate field. Sets `holder[name]` to the
 * value that a client decodes.
 *
 * @throws {TypeError} with the place of a value that a header cannot carry
 */
export type WriteHeader = (value: unknown, holder: Holder) => string | readonly string[];

/** Compiles the writer of a response header. A header that cannot be written becomes a finding of the document. */
export function compileHeader(document: OpenApiDocument, header: Parameter, pointer: string): WriteHeader {
  const { name, explode, json, schemaPointer } = header;
  const read = servable(document, schemaPointer ?? pointer, name, () => {
    const value = DescribedValue.at(document, schemaPointer);
    const asIs = (text: string) => text;
    return compileText(header, json ? compileWhole(value, asIs, jsonText) : compileParts(value, asIs), asIs);
  });
  const cookie = name.toLowerCase() === 'set-cookie';
  return (value, holder) => {
    // The only field that cannot be combined into a list (RFC 9110 section 5.3).
    if (cookie && Array.isArray(value)) return (holder[name] = writeCookies(value, name));
    const text = json ? headerText(stringifyJson(value, name), name) : formatHeader(value, explode, name);
    try {
      read?.(text, holder, name);
    } catch (error) {
      if (!(error instanceof MalformedText)) throw error;
      throw new TypeError(`${name} ${error.message}`);
    }
    if (!json && Array.isArray(holder[name]) && !Array.isArray(fromJson(value)))
      throw new TypeError(`${name} contains a delimiter of the style simple`);
    return text;
  };
}

function writeCookies(values: readonly unknown[], name: string): string[] {
  if (values.length === 0) throw new TypeError(`${name} is empty, which a header cannot carry: leave it out`);
  return values.map((value, i) => formatPart(value, `${name}/${i}`));
}

/**
 * Encodes a response header in the style `simple` (OpenAPI 3.1 section 4.8.21), without percent-encoding. An object with
 * `toJSON`, such as a Date, is replaced by its result.
 *
 * @throws {TypeError} with the place of a value that cannot be sent, or that a client cannot decode unchanged
 */
export function formatHeader(given: unknown, explode: boolean, place = 'header'): string {
  const value = fromJson(given);
  if (typeof value !== 'object' || value === null) return formatPart(value, place);
  const parts = Array.isArray(value)
    ? value.map((item, i) => formatPart(item, `${place}/${i}`, /,/))
    : Object.entries(value).flatMap(([name, item]) => {
        if (item === undefined) return [];
        const at = `${place}/${name}`;
        return (
          formatPart(name, at, explode ? /[,=]/ : /,/) + (explode ? '=' : ',') + formatPart(item, at, /,/)
        );
      });
  if (parts.length === 0) throw new TypeError(`${place} is empty, which a header cannot carry: leave it out`);
  return headerText(parts.join(), place);
}

function formatPart(given: unknown, place: string, delimiters?: RegExp): string {
  const value = fromJson(given);
  if (typeof value === 'object') {
    throw new TypeError(`${place} is ${value ? 'of several parts' : 'null'}, which a header cannot carry`);
  }
  const text = headerText(typeof value === 'string' ? value : stringifyJson(value, place), place);
  if (delimiters?.test(text)) throw new TypeError(`${place} contains a delimiter of the style simple`);
  return text;
}

function headerText(text: string, place: string): string {
  if (isFieldValue(text)) return text;
  throw new TypeError(`${place} has a character that a header cannot carry, or whitespace at an end`);
}

function fromJson(value: unknown): unknown {
  const { toJSON } = typeof value === 'object' && value !== null && 'toJSON' in value ? value : {};
  return typeof toJSON === 'function' ? (toJSON as () => unknown).call(value) : value;
}
