import { isDeepStrictEqual } from 'node:util';
import type { Document, MediaType, Response } from '../document/document';
import { codec } from '../document/media-type';
import { at, escape, follow } from '../json/pointer';
import { parse, type Value } from '../json/value';
import { applying, isClosed, item, type Location, property, propertyNames } from '../schema/applicable';
import type { Oracle } from '../schema/oracle';
import { header, type RawResponse, told } from '../wire/message';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The media types under which documented responses have a schema. */
export function mediaOf({ json, operations }: Document, schema: string | undefined): string[] {
  if (schema === undefined) return [];
  const wanted = at(json, follow(json, schema));
  const content = operations.flatMap(({ responses }) => responses.flatMap((response) => response.content));
  const having = content.filter(
    (media) => media.schema !== undefined && isDeepStrictEqual(at(json, follow(json, media.schema)), wanted),
  );
  return [...new Set(having.map(({ name }) => name))];
}

export const otherMedia = (names: readonly string[], outcome: RawResponse): string =>
  `expected the media type ${names.join(' or ')}, got ${header(outcome, 'content-type') ?? 'none'}`;

/** Reads a JSON body, and only that: strict UTF-8, no digit lost. */
export function readBody(
  { body }: RawResponse,
  media: string | undefined,
): { value?: Value; problems: string[] } {
  if (media === undefined || codec(media) !== 'json' || body.length === 0) return { problems: [] };
  try {
    return { value: parse(utf8.decode(body)), problems: [] };
  } catch (error) {
    return {
      problems: [`expected JSON in UTF-8, got ${body.toString('latin1', 0, 100)} (${String(error)})`],
    };
  }
}

/** Media type, body and headers as the document says for this status. */
export function documented(
  document: Document,
  oracle: Oracle,
  response: Response,
  described: MediaType | undefined,
  outcome: RawResponse,
  value: Value | undefined,
  method: string,
): string[] {
  const headers = response.headers.flatMap(({ name, required, schema }) => {
    const text = header(outcome, name.toLowerCase());
    if (text === undefined) return required ? [`expected the header ${name}, got none`] : [];
    const lines = outcome.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
    if (
      schema === undefined ||
      readings(
        name,
        lines.map(([, line]) => line),
      ).some((read) => oracle.valid(schema, read))
    )
      return [];
    return [`expected the header ${name} to fit ${schema}, got ${text}`];
  });
  if (method === 'HEAD') return headers;
  if (response.content.length === 0) {
    return outcome.body.length === 0 ? headers : [...headers, `expected no body, got ${told(outcome)}`];
  }
  if (!described) {
    const names = response.content.map(({ name }) => name);
    return [...headers, otherMedia(names, outcome)];
  }
  if (described.schema === undefined || codec(described.name) === 'binary') return headers;
  const sent = codec(described.name) === 'json' ? value : outcome.body.toString();
  return [...headers, ...fitting(document, oracle, described.schema, sent, outcome)];
}

/** What a client may read in the lines of one header: a text, a JSON value, a list of either. */
function readings(name: string, lines: readonly string[]): Value[] {
  // RFC 6265 section 3: cookies folded into one line are no cookies.
  if (name.toLowerCase() === 'set-cookie') return [[...lines], ...(lines.length === 1 ? lines : [])];
  const text = lines.join(', ');
  const items = text.split(',').map((item) => item.trim());
  const each = (texts: readonly string[]): Value => texts.map((item) => asJson(item) ?? item);
  return [text, asJson(text) ?? text, [...lines], items, each(items), each(lines)];
}

export function fitting(
  document: Document,
  oracle: Oracle,
  schema: string,
  value: Value | undefined,
  outcome: RawResponse,
): string[] {
  if (value === undefined) return [`expected a body that fits ${schema}, got ${told(outcome)}`];
  const wrong = oracle.errors(schema, value);
  if (wrong.length > 0)
    return [`expected a body that fits ${schema}, got ${told(outcome)}: ${wrong[0] ?? ''}`];
  return unlisted(document, oracle, [{ pointer: schema, certain: true }], value).map(
    (place) => `expected no property that the document does not list, got ${place}`,
  );
}

/** Properties of a value that no schema lists, in objects whose schemas list some and open themselves nowhere. */
function unlisted(
  document: Document,
  oracle: Oracle,
  location: Location,
  value: Value,
  place = '',
): string[] {
  const fragments = applying(document.responses, oracle, location, value);
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) =>
      unlisted(document, oracle, item(fragments, index), entry, `${place}/${index}`),
    );
  }
  if (!(value instanceof Map)) return [];
  const { listed } = propertyNames(fragments);
  return [...value].flatMap(([name, member]) => {
    const here = `${place}/${escape(name)}`;
    if (isClosed(fragments) && !listed.includes(name)) return [here];
    return unlisted(document, oracle, property(fragments, name), member, here);
  });
}

function asJson(text: string): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
