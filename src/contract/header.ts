import { stringifyJson } from './json';

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
