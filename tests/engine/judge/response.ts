import { isDeepStrictEqual } from 'node:util';
import type { Document, MediaType, Response } from '../document/document';
import { codecOf } from '../document/media-type';
import { nodeAt, escapeToken, resolvePointer } from '../json/pointer';
import { parse, type Value } from '../json/value';
import {
  applicableSubschemas,
  isClosed,
  itemLocations,
  type SchemaLocations,
  propertyLocations,
  propertyNames,
} from '../schema/applicable';
import type { Oracle } from '../schema/oracle';
import { header, type RawResponse, summarize } from '../wire/message';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The media types under which documented responses have a schema. */
export function mediaTypesOfSchema({ json, operations }: Document, schema: string | undefined): string[] {
  if (schema === undefined) return [];
  const wanted = nodeAt(json, resolvePointer(json, schema));
  const content = operations.flatMap(({ responses }) => responses.flatMap((response) => response.content));
  const having = content.filter(
    (media) =>
      media.schema !== undefined &&
      isDeepStrictEqual(nodeAt(json, resolvePointer(json, media.schema)), wanted),
  );
  return [...new Set(having.map(({ name }) => name))];
}

export const mediaTypeProblem = (names: readonly string[], outcome: RawResponse): string =>
  `expected the media type ${names.join(' or ')}, got ${header(outcome, 'content-type') ?? 'none'}`;

/** Reads a JSON body, and only that: strict UTF-8, no digit lost. */
export function readBody(
  { body }: RawResponse,
  media: string | undefined,
): { value?: Value; problems: string[] } {
  if (media === undefined || codecOf(media) !== 'json' || body.length === 0) return { problems: [] };
  try {
    return { value: parse(strictUtf8.decode(body)), problems: [] };
  } catch (error) {
    return {
      problems: [`expected JSON in UTF-8, got ${body.toString('latin1', 0, 100)} (${String(error)})`],
    };
  }
}

/** Media type, body and headers as the document says for this status. */
export function responseProblems(
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
      headerReadings(
        name,
        lines.map(([, line]) => line),
      ).some((read) => oracle.valid(schema, read))
    )
      return [];
    return [`expected the header ${name} to fit ${schema}, got ${text}`];
  });
  if (method === 'HEAD') return headers;
  if (response.content.length === 0) {
    return outcome.body.length === 0 ? headers : [...headers, `expected no body, got ${summarize(outcome)}`];
  }
  if (!described) {
    const names = response.content.map(({ name }) => name);
    return [...headers, mediaTypeProblem(names, outcome)];
  }
  if (described.schema === undefined || codecOf(described.name) === 'binary') return headers;
  const sent = codecOf(described.name) === 'json' ? value : outcome.body.toString();
  return [...headers, ...bodyProblems(document, oracle, described.schema, sent, outcome)];
}

/** What a client may read in the lines of one header: a text, a JSON value, a list of either. */
function headerReadings(name: string, lines: readonly string[]): Value[] {
  // RFC 6265 section 3: cookies folded into one line are no cookies.
  if (name.toLowerCase() === 'set-cookie') return [[...lines], ...(lines.length === 1 ? lines : [])];
  const text = lines.join(', ');
  const items = text.split(',').map((item) => item.trim());
  const each = (texts: readonly string[]): Value => texts.map((item) => parseOrUndefined(item) ?? item);
  return [text, parseOrUndefined(text) ?? text, [...lines], items, each(items), each(lines)];
}

export function bodyProblems(
  document: Document,
  oracle: Oracle,
  schema: string,
  value: Value | undefined,
  outcome: RawResponse,
): string[] {
  if (value === undefined) return [`expected a body that fits ${schema}, got ${summarize(outcome)}`];
  const wrong = oracle.errors(schema, value);
  if (wrong.length > 0)
    return [`expected a body that fits ${schema}, got ${summarize(outcome)}: ${wrong[0] ?? ''}`];
  return unlistedProperties(document, oracle, [{ pointer: schema, unconditional: true }], value).map(
    (place) => `expected no property that the document does not list, got ${place}`,
  );
}

/** Properties of a value that no schema lists, in objects whose schemas list some and open themselves nowhere. */
function unlistedProperties(
  document: Document,
  oracle: Oracle,
  location: SchemaLocations,
  value: Value,
  place = '',
): string[] {
  const subschemas = applicableSubschemas(document.responses, oracle, location, value);
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) =>
      unlistedProperties(document, oracle, itemLocations(subschemas, index), entry, `${place}/${index}`),
    );
  }
  if (!(value instanceof Map)) return [];
  const { listed } = propertyNames(subschemas);
  return [...value].flatMap(([name, member]) => {
    const here = `${place}/${escapeToken(name)}`;
    if (isClosed(subschemas) && !listed.includes(name)) return [here];
    return unlistedProperties(document, oracle, propertyLocations(subschemas, name), member, here);
  });
}

function parseOrUndefined(text: string): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
