import { isDeepStrictEqual } from 'node:util';
import type { Document, MediaType, Response } from '../document/model';
import { codecOf, isRange, sequenceOf } from '../document/media';
import { nodeAt, resolvePointer } from '../json/tree';
import { parse, parseOrUndefined, type Value } from '../json/value';
import type { Finding } from '../profile';
import { readingsOf } from '../request/serialize';
import type { Oracle } from '../schema/oracle';
import { header, headerLines, type RawResponse, summarize } from '../wire/message';
import type { Exchange } from './comparison';
import { bodyFindings, type ResponseOracles } from './body';
import { streamFindings } from './streams';

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

/** An unexpected media type. */
export const mediaTypeFinding = (
  names: readonly string[],
  outcome: RawResponse,
  rule: Finding['rule'] = 'response media type',
): Finding => ({
  rule,
  message: `expected the media type ${names.join(' or ')}, got ${header(outcome, 'content-type') ?? 'none'}`,
});

const isSeveralParts = (outcome: RawResponse): boolean =>
  /^multipart\/byteranges/i.test(header(outcome, 'content-type') ?? '');

/** Whether an answer has parts of a representation (RFC 9110 section 15.3.7), which are judged beside the whole. */
const isPart = (outcome: RawResponse): boolean =>
  outcome.status === 206 && (header(outcome, 'content-range') !== undefined || isSeveralParts(outcome));

/** The values of the texts that were read last. A stub, an error and an empty list answer the same again and again. */
const lastRead = new Map<string, Value>();
const MOST_READ = 16;
/** UTF-16 code units. */
const LONGEST_READ = 2 ** 20;

/** Parses a text, or returns the same value as the last time. Nobody changes it. */
function parseOnce(text: string): Value {
  const value = lastRead.get(text) ?? parse(text);
  lastRead.delete(text);
  if (text.length <= LONGEST_READ) lastRead.set(text, value);
  for (const oldest of lastRead.keys()) {
    if (lastRead.size <= MOST_READ) break;
    lastRead.delete(oldest);
  }
  return value;
}

/** Parses a JSON body in strict UTF-8; other bodies have no value. */
export function readBody(
  outcome: RawResponse,
  media: string | undefined,
): { value?: Value; findings: Finding[] } {
  const { body } = outcome;
  if (isPart(outcome)) return { findings: [] };
  if (media === undefined || codecOf(media) !== 'json' || body.length === 0) return { findings: [] };
  try {
    return { value: parseOnce(strictUtf8.decode(body)), findings: [] };
  } catch (error) {
    const reason = error instanceof RangeError ? ', which is too large or too deep to judge' : '';
    const message = `expected JSON in UTF-8, got ${body.toString('latin1', 0, 100)}${reason}`;
    return { findings: [{ rule: 'JSON encoding', message }] };
  }
}

/** The findings about the media type, the body and the headers of a documented response. */
export function responseFindings(
  { document, sent, outcome, value }: Exchange,
  oracles: ResponseOracles,
  response: Response,
  documented: MediaType | undefined,
): Finding[] {
  const isHead = sent.request.method === 'HEAD';
  const headers = headerFindings(oracles, response, outcome, isHead);
  if (isHead) return headers;
  if (response.content.length === 0) {
    if (outcome.body.length === 0) return headers;
    const message = `expected no body, got ${summarize(outcome)}`;
    return [...headers, { rule: 'response without content', message }];
  }
  if (isPart(outcome) && (documented || isSeveralParts(outcome))) return headers;
  if (!documented) {
    const names = response.content.map(({ name }) => name);
    return [...headers, mediaTypeFinding(names, outcome)];
  }
  const sequence = sequenceOf(documented.name);
  if (sequence) return [...headers, ...streamFindings(document, oracles, documented, sequence, outcome)];
  // In a range only JSON is read.
  const ofRange = value === undefined ? 'binary' : 'json';
  const codec = isRange(documented.name) ? ofRange : codecOf(documented.name);
  if (documented.schema === undefined || codec === 'binary' || codec === 'multipart') return headers;
  const { schema } = documented;
  const texts = codec === 'json' ? [] : readingsOf(document.responses, schema, outcome.body.toString());
  const got = texts.find((text) => oracles.strict.valid(schema, text)) ?? texts[0] ?? value;
  return [...headers, ...bodyFindings(document, oracles, schema, got, outcome)];
}

function headerFindings(
  oracles: ResponseOracles,
  response: Response,
  outcome: RawResponse,
  isHead: boolean,
): Finding[] {
  const missing = isHead ? 'response header of HEAD' : 'response header';
  return response.headers.flatMap(({ name, required, schema }): Finding[] => {
    const lines = headerLines(outcome, name);
    if (lines.length === 0)
      return required ? [{ rule: missing, message: `expected the header ${name}, got none` }] : [];
    if (schema === undefined) return [];
    const values = headerValues(name, lines);
    const fits = (oracle: Oracle): boolean => values.some((value) => oracle.valid(schema, value));
    if (fits(oracles.strict)) return [];
    const rule = oracles.lenient.some(fits) ? 'response annotations' : 'response header';
    return [{ rule, message: `expected the header ${name} to fit ${schema}, got ${lines.join(', ')}` }];
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
