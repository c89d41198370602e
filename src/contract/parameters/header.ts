import { DescribedValue } from './described-value';
import type { OpenApiDocument } from '../document';
import type { Holder } from '../json';
import { stringifyJson } from '../json-text';
import type { Parameter } from '../operations';
import { compileParts, compileWhole, jsonText, MalformedText, servable } from './parts';
import { compileText } from './styles';

/**
 * The text of a value in a documented response header; what a client will read in it is put at `holder[name]`.
 *
 * @throws {TypeError} with the place of what a header cannot say
 */
export type WriteHeader = (value: unknown, holder: Holder) => string;

/** Compiles the writer of a response header; what cannot be written becomes a finding of the document. */
export function compileHeader(document: OpenApiDocument, header: Parameter, pointer: string): WriteHeader {
  const { name, explode, json, schema } = header;
  const read = servable(document, schema ?? pointer, name, () => {
    const value = DescribedValue.at(document, schema);
    const asIs = (text: string) => text;
    return compileText(header, json ? compileWhole(value, asIs, jsonText) : compileParts(value, asIs), asIs);
  });
  return (value, holder) => {
    const text = json ? stringifyJson(value, name) : formatHeader(value, explode, name);
    try {
      read?.(text, holder, name);
    } catch (error) {
      if (!(error instanceof MalformedText)) throw error;
      throw new TypeError(`${name} ${error.message}`);
    }
    return text;
  };
}

/** All that Node sends in a header. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The text of a response header in the style `simple` (OpenAPI 3.1 section 4.8.21). Nothing is percent-encoded.
 *
 * @throws {TypeError} with the place of what could not be sent or would not be read back as it is
 */
export function formatHeader(value: unknown, explode: boolean, place = 'header'): string {
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
  if (parts.length === 0) throw new TypeError(`${place} is empty, which a header cannot say: leave it out`);
  return parts.join();
}

function formatPart(value: unknown, place: string, delimiters?: RegExp): string {
  if (typeof value === 'object') {
    throw new TypeError(`${place} is ${value ? 'of several parts' : 'null'}, which a header cannot say`);
  }
  const text = typeof value === 'string' ? value : stringifyJson(value, place);
  if (!HEADER_TEXT.test(text)) throw new TypeError(`${place} has a character that a header cannot carry`);
  if (delimiters?.test(text)) throw new TypeError(`${place} has a delimiter of the style simple in it`);
  return text;
}
