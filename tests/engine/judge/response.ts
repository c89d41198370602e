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

/** The media types of the documented responses that have a schema. */
export function mediaTypesOfSchema({ json, operations }: Document, schema: string | undefined): string[] {
  if (schema === undefined) return [];
  const expected = nodeAt(json, resolvePointer(json, schema));
  const content = operations.flatMap(({ responses }) => responses.flatMap((response) => response.content));
  const matching = content.filter(
    (media) =>
      media.schema !== undefined &&
      isDeepStrictEqual(nodeAt(json, resolvePointer(json, media.schema)), expected),
  );
  return [...new Set(matching.map(({ name }) => name))];
}

/** The problem of an unexpected media type. */
export const mediaTypeProblem = (names: readonly string[], outcome: RawResponse): string =>
  `expected the media type ${names.join(' or ')}, got ${header(outcome, 'content-type') ?? 'none'}`;

/** Parses a JSON body in strict UTF-8; other bodies have no value. */
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

/** The problems of the media type, the body and the headers of a documented response. */
export function responseProblems(
  document: Document,
  oracle: Oracle,
  response: Response,
  documented: MediaType | undefined,
  outcome: RawResponse,
  value: Value | undefined,
  method: string,
): string[] {
  const headers = headerProblems(oracle, response, outcome);
  if (method === 'HEAD') return headers;
  if (response.content.length === 0) {
    return outcome.body.length === 0 ? headers : [...headers, `expected no body, got ${summarize(outcome)}`];
  }
  if (!documented) {
    const names = response.content.map(({ name }) => name);
    return [...headers, mediaTypeProblem(names, outcome)];
  }
  if (documented.schema === undefined || codecOf(documented.name) === 'binary') return headers;
  const sent = codecOf(documented.name) === 'json' ? value : outcome.body.toString();
  return [...headers, ...bodyProblems(document, oracle, documented.schema, sent, outcome)];
}

function headerProblems(oracle: Oracle, response: Response, outcome: RawResponse): string[] {
  return response.headers.flatMap(({ name, required, schema }) => {
    const lines = outcome.headers
      .filter(([key]) => key.toLowerCase() === name.toLowerCase())
      .map(([, line]) => line);
    if (lines.length === 0) return required ? [`expected the header ${name}, got none`] : [];
    if (schema === undefined || headerValues(name, lines).some((value) => oracle.valid(schema, value)))
      return [];
    return [`expected the header ${name} to fit ${schema}, got ${lines.join(', ')}`];
  });
}

/** The values that a client may decode from the lines of one header: text, a JSON value, a list of either. */
function headerValues(name: string, lines: readonly string[]): Value[] {
  // RFC 6265 section 3: Set-Cookie lines are not combined.
  if (name.toLowerCase() === 'set-cookie') return [[...lines], ...(lines.length === 1 ? lines : [])];
  const text = lines.join(', ');
  const items = text.split(',').map((item) => item.trim());
  const decodeEach = (texts: readonly string[]): Value => texts.map((one) => parseOrUndefined(one) ?? one);
  return [text, parseOrUndefined(text) ?? text, [...lines], items, decodeEach(items), decodeEach(lines)];
}

/** The problems of a body: it must fit its schema, without unlisted properties. */
export function bodyProblems(
  document: Document,
  oracle: Oracle,
  schema: string,
  value: Value | undefined,
  outcome: RawResponse,
): string[] {
  if (value === undefined) return [`expected a body that fits ${schema}, got ${summarize(outcome)}`];
  const errors = oracle.errors(schema, value);
  if (errors.length > 0)
    return [`expected a body that fits ${schema}, got ${summarize(outcome)}: ${errors[0] ?? ''}`];
  return unlistedProperties(document, oracle, [{ pointer: schema, unconditional: true }], value).map(
    (pointer) => `expected no unlisted property, got ${pointer}`,
  );
}

/** The properties of closed objects that no schema lists. */
function unlistedProperties(
  document: Document,
  oracle: Oracle,
  locations: SchemaLocations,
  value: Value,
  pointer = '',
): string[] {
  const subschemas = applicableSubschemas(document.responses, oracle, locations, value);
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) =>
      unlistedProperties(document, oracle, itemLocations(subschemas, index), entry, `${pointer}/${index}`),
    );
  }
  if (!(value instanceof Map)) return [];
  const { listed } = propertyNames(subschemas);
  return [...value].flatMap(([name, member]) => {
    const memberPointer = `${pointer}/${escapeToken(name)}`;
    if (isClosed(subschemas) && !listed.includes(name)) return [memberPointer];
    return unlistedProperties(document, oracle, propertyLocations(subschemas, name), member, memberPointer);
  });
}

function parseOrUndefined(text: string): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
