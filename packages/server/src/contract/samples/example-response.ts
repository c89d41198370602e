/** The responses of mocks and stubs: examples of the document or generated values, checked against the document. */
import { ReadableStream } from 'node:stream/web';
import { eventSchema } from '../operations/event-schema';
import { isObject, joinPointer, members, type OpenApiDocument } from '../document/document';
import { examplesOf } from './example-request';
import { asUndocumented, UndocumentedResponse } from '../exchange/write-response';
import type { ServedOperation } from '../exchange/served-operation';
import { OutgoingBody } from '../http/send';
import { coverage, essenceOf, isJson, isRange, type MediaTypeObject, typeOfRange } from '../http/media-type';
import { canonicalJson, stringifyJson } from '../json/stringify';
import { documentedKey, type Parameter } from '../operations/operations';
import type { Answer, Headers, Problem } from '../problem';
import { Uncompilable } from '../schema/validator';
import { itemsOf } from './item-texts';
import { ATTEMPTS, samples } from './sample';
import { withVariations } from './variations';

/**
 * The success response of an operation, or an error if the operation documents no success; undefined if no candidate conforms.
 *
 * @param wanted the media type that the client prefers; JSON by default
 */
export function successOf(
  document: OpenApiDocument,
  served: ServedOperation,
  wanted = 'application/json',
): Answer | undefined {
  const ranked = [...served.operation.responses.keys()]
    .map((key) => ({ key, rank: RANKS.indexOf(key.slice(0, 1)) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.key.localeCompare(b.key));
  const successes = ranked.filter(({ rank }) => rank <= SUCCESS);
  for (const { key } of successes.length > 0 ? successes : ranked) {
    const status = key === 'default' ? 200 : Number(key.replace('XX', '00'));
    const answer = responseOf(document, served, key, status, wanted);
    if (answer) return answer;
  }
  return undefined;
}

/** The first characters of statuses, the best first, and the rank of the last that is a success. */
const [RANKS, SUCCESS] = [['2', 'd', '3', '4', '5'], 2];

/**
 * The error response that the operation documents for this status. The message replaces the property that holds one.
 * Undefined if no candidate conforms.
 *
 * @param known the responses that were found, without the message: many operations refer to the same
 */
export function errorResponseOf(
  document: OpenApiDocument,
  served: ServedOperation,
  status: number,
  { message, headers }: Pick<Problem, 'message' | 'headers'>,
  known = new Map<string, Answer | undefined>(),
): Answer | undefined {
  const key = documentedKey(served.operation, status);
  if (key === undefined) return undefined;
  const { value } = document.follow(joinPointer(served.operation.pointer, 'responses', key));
  const id = `${canonicalJson({ value }, 'value')} ${status} ${JSON.stringify(headers)}`;
  if (!known.has(id)) known.set(id, responseOf(document, served, key, status, 'application/json', headers));
  const answer = known.get(id);
  if (!answer || !isObject(answer.body)) return answer;
  const name = ['message', 'detail', 'error_description', 'description', 'title', 'error'].find(
    (property) => isObject(answer.body) && typeof answer.body[property] === 'string',
  );
  const facts = {
    ...(name !== undefined && { [name]: message }),
    ...(typeof answer.body['status'] === 'number' && { status }), // RFC 9457 section 3.1.2
  };
  const filled = { ...answer, body: { ...answer.body, ...facts } };
  return conforms(served, filled, headers) ? filled : answer;
}

/** A conforming response with this status. Examples are tried before generated values. */
function responseOf(
  document: OpenApiDocument,
  served: ServedOperation,
  key: string,
  status: number,
  wanted: string,
  beyond: Headers = {},
): Answer | undefined {
  const response = served.operation.responses.get(key);
  const place = document.follow(joinPointer(served.operation.pointer, 'responses', key));
  const rank = ({ key, type }: MediaTypeObject) =>
    key === wanted
      ? 0
      : isRange(key) && coverage(type.essence, wanted) > 0
        ? 1
        : isJson(type.essence)
          ? 2
          : 3;
  const content = [...(response?.content ?? [])].sort((a, b) => rank(a) - rank(b));
  for (const media of content.length > 0 ? content : [undefined]) {
    const bodies = media
      ? bodiesOf(document, joinPointer(place.pointer, 'content', media.key), media)
      : [undefined];
    for (const body of bodies) {
      for (const headers of headersOf(document, response?.headers ?? [], beyond)) {
        const contentType = media && nameOf(media, body, content.length > 1 ? wanted : undefined);
        const answer = { status, headers, body, contentType };
        if (conforms(served, answer, beyond)) return answer;
      }
    }
  }
  return undefined;
}

/**
 * The name of the media type of a body; undefined for a range, which the writer names.
 *
 * @param wanted given where the body could be taken for one of another media type
 */
function nameOf({ key, type }: MediaTypeObject, body: unknown, wanted: string | undefined) {
  if (!isRange(key)) return key;
  if (wanted === undefined) return undefined;
  const usual = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
  return typeOfRange(type.essence, isRange(wanted) || coverage(type.essence, wanted) === 0 ? usual : wanted);
}

function conforms({ responses }: ServedOperation, answer: Answer, beyond: Headers): boolean {
  try {
    const { body } = responses.write(answer, beyond);
    if (!(body instanceof OutgoingBody)) return true;
    if (!(answer.body instanceof SampleStream) || !body.writeItem) return false;
    for (const [index, item] of answer.body.items.entries())
      asUndocumented(() => body.writeItem?.(item, index));
    return true;
  } catch (error) {
    if (error instanceof UndocumentedResponse || error instanceof Uncompilable) return false;
    throw error;
  }
}

/** A response of `successOf` as it is sent: its header fields, and its body as text. */
export function textOf({ responses }: ServedOperation, answer: Answer) {
  const { headers, body } = responses.write(answer);
  if (!(body instanceof OutgoingBody)) return { headers, body: body && String(Buffer.from(body)) };
  const items = answer.body instanceof SampleStream ? answer.body.items : [];
  return { headers, body: items.map((item, i) => body.writeItem?.(item, i)).join('') };
}

/** The items of a stream. Each response of a stub begins it anew. */
class SampleStream {
  constructor(readonly items: readonly unknown[]) {}

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return ReadableStream.from(this.items).values();
  }
}

/** The most items that are generated: those of different branches differ. */
const MOST_ITEMS = 3;

/** Candidates for a stream: each example is a text, a list of items, or one of them. */
function* streamsOf(document: OpenApiDocument, pointer: string, items: string, isEvents: boolean): Generator {
  const { items: schema, data } = isEvents ? eventSchema(document, items) : { items };
  const serialized = members(document.follow(pointer).value['examples']).map(
    ([name]) => document.follow(joinPointer(pointer, 'examples', name)).value['serializedValue'],
  );
  for (const value of [...examplesOf(document, pointer), ...serialized]) {
    const read = typeof value === 'string' ? itemsOf(value, data) : undefined;
    if (read && read.length > 0) yield new SampleStream(read);
    if (value !== undefined) yield new SampleStream([value].flat());
  }
  const different = new Map<string, unknown>();
  for (const item of samples(document, schema, 'response')) different.set(stringifyJson(item), item);
  const all = [...different.values()];
  yield new SampleStream(all.slice(0, MOST_ITEMS));
  for (const item of [...all, { data: 'text' }, {}]) yield new SampleStream([item]);
}

/** Candidates for a body: the examples of the media type, samples of its schema, and a value of each kind of body. */
function* bodiesOf(
  document: OpenApiDocument,
  pointer: string,
  { key, type, schema, items }: MediaTypeObject,
): Generator {
  if (items !== undefined) yield* streamsOf(document, pointer, items, type.essence === 'text/event-stream');
  for (const value of examplesOf(document, pointer)) {
    if (type.essence === 'text/event-stream' && typeof value === 'string') yield asEvents(value);
    yield value;
    if (!isJson(type.essence)) yield asText(value);
  }
  for (const value of schema === undefined ? [] : withVariations(samples(document, schema, 'response'))) {
    if (type.essence === 'text/event-stream' && typeof value === 'string') yield asEvents(value);
    yield value;
  }
  yield {};
  yield 'text';
  yield Buffer.from(`bytes of ${essenceOf(key)}`);
}

/** An event ends with an empty line: clients drop one that does not (HTML section 9.2.6). */
function asEvents(text: string): string {
  const event = /^(?:data|event|id|retry|):/.test(text) ? text : `data: ${text}`;
  return event.endsWith('\n\n') ? event : `${event}${event.endsWith('\n') ? '' : '\n'}\n`;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

/** Candidates for the headers: all documented ones, then the required ones only. */
function* headersOf(
  document: OpenApiDocument,
  headers: readonly Parameter[],
  beyond: Headers,
): Generator<Headers> {
  const sent = new Set(Object.keys(beyond).map((name) => name.toLowerCase()));
  const wanted = headers.filter(({ name }) => !sent.has(name.toLowerCase()));
  const values = wanted.map(({ schemaPointer }) =>
    schemaPointer === undefined ? ['text'] : [...samples(document, schemaPointer, 'response')],
  );
  for (let attempt = 0; attempt <= ATTEMPTS; attempt++) {
    const chosen = wanted.flatMap(({ name, required }, i): [string, unknown][] =>
      attempt < ATTEMPTS || required ? [[name, values[i]?.[Math.min(attempt, values[i].length - 1)]]] : [],
    );
    yield Object.fromEntries(chosen) as Headers;
    if (chosen.length === 0) return;
  }
}

/** The header of a response that no handler made. Its value is the operationId. */
export const STUB_HEADER = 'X-Stub';

/**
 * Returns the response of a stub; undefined if no conforming response is found.
 *
 * @param wanted the media type that the client prefers
 */
export type StubResponse = (served: ServedOperation, wanted?: string) => Answer | undefined;

/** Creates the responses of stubs, each at its first use. */
export function createStubResponses(document: OpenApiDocument): StubResponse {
  const answers = new Map<string, Answer | undefined>();
  return (served, wanted) => {
    const key = `${served.operation.operationId} ${wanted}`;
    if (!answers.has(key)) {
      answers.set(key, successOf(document, served, wanted));
    }
    return answers.get(key);
  };
}
