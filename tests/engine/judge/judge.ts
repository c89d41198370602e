import { isDeepStrictEqual } from 'node:util';
import type { Case, Expectation } from '../cases/case';
import { follow, responseFor, type Document, type MediaType, type Response } from '../document/document';
import { at, escape, fromJson, parse, print, type Value } from '../json/json';
import type { Oracle } from '../schema/oracle';
import { codec } from '../request/request';
import { applying, isClosed, item, property, propertyNames, type Location } from '../schema/applicable';
import { hasMembers, isBy, refusalProblems } from './refusal';
import type { Target } from '../target';
import { header, told, type Outcome, type RawResponse } from '../wire/wire';

/** What one answer showed: what is wrong with it, and the documented response that it is an instance of. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly response?: { readonly status: string; readonly media: string };
}

/** @param entered how often the service behind the contract was entered for this request */
export type Judge = (made: Case, outcome: Outcome, entered: number) => Verdict;

const TRACE = /\n\s+at |node_modules|\.[cm]?[jt]s:\d+/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function createJudge(document: Document, oracle: Oracle, target: Target): Judge {
  const refusalMedia = mediaOf(document, target.refusalSchema);
  return (made, outcome, entered) => {
    if ('silence' in outcome) return { problems: [`expected an answer, got none: ${outcome.silence}`] };
    const { operation, expect } = made;
    // What no operation is responsible for is no operation's response.
    const elsewhere = expect.kind === 'refused' && expect.as.some((reason) => reason.startsWith('unknown'));
    const response = elsewhere ? undefined : responseFor(operation, outcome.status);
    const media = header(outcome, 'content-type')?.split(';')[0]?.trim().toLowerCase();
    const described = response?.content.find(({ name }) => covers(name, media ?? ''));
    const body = readBody(outcome, media);
    const problems = [
      ...(TRACE.test(outcome.body.toString('latin1'))
        ? ['expected no stack trace, got one in the body']
        : []),
      ...body.problems,
      ...(response
        ? documented(document, oracle, response, described, outcome, body.value, made.request.method)
        : []),
      ...(expect.kind === 'refused'
        ? refusalProblems(document, target, made, expect.as, outcome, body.value, entered)
        : []),
      ...(expect.kind === 'status' && outcome.status !== expect.status
        ? [`expected status ${expect.status}, got ${told(outcome)}`]
        : []),
      ...(expect.kind === 'answered'
        ? [
            ...answerProblems(target, expect, outcome, response, body.value, entered),
            ...(expect.media === undefined || described?.name === expect.media
              ? []
              : [otherMedia([expect.media], outcome)]),
          ]
        : []),
      // A refusal that the document does not describe still speaks the service's own language.
      ...(!response && target.refusalSchema !== undefined && made.request.method !== 'HEAD'
        ? [
            ...(refusalMedia.length === 0 || refusalMedia.some((name) => covers(name, media ?? ''))
              ? []
              : [otherMedia(refusalMedia, outcome)]),
            ...fitting(document, oracle, target.refusalSchema, body.value, outcome),
          ]
        : []),
    ];
    return {
      problems,
      ...(response && { response: { status: response.status, media: described?.name ?? 'no body' } }),
    };
  };
}

/** The media types under which documented responses have a schema. */
function mediaOf({ json, operations }: Document, schema: string | undefined): string[] {
  if (schema === undefined) return [];
  const wanted = at(json, follow(json, schema));
  const content = operations.flatMap(({ responses }) => responses.flatMap((response) => response.content));
  const having = content.filter(
    (media) => media.schema !== undefined && isDeepStrictEqual(at(json, follow(json, media.schema)), wanted),
  );
  return [...new Set(having.map(({ name }) => name))];
}

const otherMedia = (names: readonly string[], outcome: RawResponse): string =>
  `expected the media type ${names.join(' or ')}, got ${header(outcome, 'content-type') ?? 'none'}`;

/** Whether a documented media type (`text/*` too) covers one without parameters. */
function covers(documented: string, media: string): boolean {
  const essence = documented.split(';')[0]?.trim().toLowerCase() ?? '';
  return (
    essence === media ||
    essence === '*/*' ||
    (essence.endsWith('/*') && media.startsWith(essence.slice(0, -1)))
  );
}

/** Reads a JSON body, and only that: strict UTF-8, no digit lost. */
function readBody({ body }: RawResponse, media: string | undefined): { value?: Value; problems: string[] } {
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
function documented(
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

function fitting(
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

/** What is wrong with an answer that the service itself should have given. */
function answerProblems(
  { ownRefusals = {} }: Target,
  { as: names, members = {} }: Extract<Expectation, { kind: 'answered' }>,
  outcome: RawResponse,
  response: Response | undefined,
  value: Value | undefined,
  entered: number,
): string[] {
  const wanted = new Map(
    Object.entries(members).map(([name, member]): [string, Value] => [
      name,
      typeof member === 'function' ? member.toString() : fromJson(member),
    ]),
  );
  const isSuccess = outcome.status >= 200 && outcome.status <= 299;
  const fits = names.some((name) => {
    const rule = ownRefusals[name];
    return rule ? isBy(rule, outcome, value) : isSuccess;
  });
  return [
    ...(fits ? [] : [`expected ${names.join(' or ')}, got ${told(outcome)}`]),
    ...(hasMembers(members, value) ? [] : [`expected a body with ${print(wanted)}, got ${told(outcome)}`]),
    ...(response ? [] : [`expected a documented status, got ${told(outcome)}`]),
    ...(entered > 0 ? [] : ['expected the service to be entered, but it was not']),
  ];
}

function asJson(text: string): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
