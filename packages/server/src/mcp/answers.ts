/** Turns the answers of the service into the results of tools. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  decodeText,
  documentedKey,
  essenceOf,
  exactNumber,
  type Holder,
  IncomingBody,
  isFile,
  isJson,
  isRange,
  isSequential,
  type MediaTypeObject,
  type OpenApiDocument,
  type Operation,
  type ReadAnswer,
} from '../contract/tools';
import { DescribedValue, type JsonObject, Problem } from '../contract';
import { type ObjectSchema, ToolSchemas } from './schemas';

/** Bounds of one answer: bytes of its body, and milliseconds in which the items of a stream are collected. */
const MAX_BYTES = 1_048_576;
const COLLECTED = 5_000;

/** How a body becomes a part of a result. */
type Kind = 'value' | 'items' | 'file' | 'none';

/** The answers that a tool describes. */
export interface Answers {
  /** The successes by the key of the document, each in one media type. */
  readonly known: ReadonlyMap<string, { readonly kind: Kind; readonly media?: MediaTypeObject }>;
  /** Whether a result is the body itself, which is an object, and not an object that has the body. */
  readonly isPlain: boolean;
  /** Whether every result has a body. */
  readonly isCertain: boolean;
  /** The media types that a request accepts. */
  readonly accept: string;
}

/** The successes of an operation, in JSON if they have that. */
export function answersOf(document: OpenApiDocument, { method, responses }: Operation): Answers {
  const keys = [...responses.keys()].filter((key) => /^[23]/.test(key));
  const hasSuccess = keys.some((key) => key.startsWith('2'));
  // No request has a condition, which 304 would answer.
  const successes = hasSuccess ? keys.filter((key) => key !== '304') : [...keys, 'default'];
  const known: [string, { kind: Kind; media?: MediaTypeObject }][] = successes.flatMap((key) => {
    const response = responses.get(key);
    const content = method === 'HEAD' ? [] : (response?.content ?? []);
    const media = content.find(({ type }) => isJson(type.essence)) ?? content[0];
    return response ? [[key, media ? { kind: kindOf(media), media } : { kind: 'none' }]] : [];
  });
  const accept = new Set(known.flatMap(([, { media }]) => media?.key ?? []));
  // An answer of a range may lack content, such as 204.
  const isCertain = known.every(([key, { media }]) => media && /^\d+$/.test(key));
  const [[, first] = []] = known;
  const types = DescribedValue.at(document, first?.media?.schema).types();
  const isPlain = isCertain && known.length === 1 && first?.kind === 'value' && types?.join() === 'object';
  return { known: new Map(known), isPlain, isCertain, accept: [...accept].join(', ') || '*/*' };
}

function kindOf(media: MediaTypeObject): Kind {
  const { essence } = media.type;
  if (media.items !== undefined || essence === 'text/event-stream') return 'items';
  const isBytes = isRange(essence) || essence.startsWith('multipart/') || isSequential(essence);
  return isFile(media) || isBytes ? 'file' : 'value';
}

/** The schema of structured content. */
export function outputSchemaOf(
  document: OpenApiDocument,
  { known, isPlain, isCertain }: Answers,
): ObjectSchema {
  const schemas = new ToolSchemas(document, 'response');
  const all = [...known.values()];
  const bodies = all.flatMap(({ kind, media }): JsonObject[] => {
    if (kind === 'file') return [FILE];
    if (kind === 'items') return [{ type: 'array', items: schemas.of(media?.items) }];
    return media ? [schemas.of(media.schema)] : [];
  });
  const [body] = bodies;
  if (isPlain) return { ...body, type: 'object' };
  const isStream = all.some(({ kind }) => kind === 'items');
  const description = 'false: the stream went on, and was collected no further';
  return {
    type: 'object',
    properties: {
      ...(body && { body: bodies.length > 1 ? { anyOf: bodies } : body }),
      ...(isStream && { complete: { type: 'boolean', description } }),
    },
    ...(isCertain && body && { required: ['body'] }),
  };
}

const FILE = {
  type: 'object',
  description: 'the file itself is a resource beside this',
  properties: { uri: { type: 'string' }, mimeType: { type: 'string' }, bytes: { type: 'integer' } },
  required: ['uri', 'mimeType', 'bytes'],
};

/**
 * Reads an answer to its end, or to a bound.
 *
 * @param uri of what was asked for
 */
export async function resultOf(
  message: IncomingMessage,
  operation: Operation,
  answers: Answers,
  readerOf: (media: MediaTypeObject) => ReadAnswer | undefined,
  uri: string,
): Promise<CallToolResult> {
  const status = message.statusCode ?? 0;
  const key = documentedKey(operation, status) ?? '';
  const { kind, media } = (status < 400 ? answers.known.get(key) : undefined) ?? {};
  const type = message.headers['content-type'] ?? '';
  const bounds = { limit: MAX_BYTES, itemLimit: MAX_BYTES, patience: undefined, hold: () => true };
  const body = new IncomingBody(message, new ServerResponse(message), bounds, () => undefined);
  try {
    const isDescribed =
      !media || type === '' || isRange(media.type.essence) || essenceOf(type) === media.type.essence;
    if (kind === undefined || !isDescribed) {
      const what = status < 400 ? `${status} ${type}, which this tool does not describe` : String(status);
      return failure(what, (await body.bytes()).toString());
    }
    const fields = (operation.responses.get(key)?.headers ?? []).flatMap(({ name }) => {
      const value = message.headers[name.toLowerCase()];
      return value === undefined ? [] : [`${name}: ${String(value)}`];
    });
    if (!media || type === '') return success({}, fields);
    if (kind === 'file') {
      const bytes = await body.bytes();
      const resource = { uri, mimeType: type, blob: bytes.toString('base64') };
      return success({ body: { uri, mimeType: type, bytes: bytes.length } }, fields, [
        { type: 'resource', resource },
      ]);
    }
    const read = readerOf(media);
    const holder: Holder =
      kind === 'items'
        ? await collect(media.type.essence === 'text/event-stream' ? eventsOf(body) : await read?.(body))
        : { body: read ? await read(body) : (await body.bytes()).toString() };
    writable(holder, 'body');
    return success(answers.isPlain ? (holder['body'] as JsonObject) : holder, fields);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return failure(
      error.kind === 'tooLarge'
        ? `${status} with more than ${MAX_BYTES} bytes, which no result has: ask for less`
        : `${status}, but ${error.message}`,
    );
  } finally {
    message.socket.destroy();
  }
}

const textContent = (text: string) => ({ type: 'text' as const, text });

/** @param what the status, and what is wrong with it */
export const failure = (what: string, body = ''): CallToolResult => ({
  isError: true,
  content: [textContent(`The server answered ${what}.`), ...(body === '' ? [] : [textContent(body)])],
});

const success = (
  structured: JsonObject,
  fields: readonly string[],
  more: CallToolResult['content'] = [],
): CallToolResult => ({
  content: [JSON.stringify(structured), ...fields].map(textContent).concat(more as []),
  structuredContent: { ...structured },
});

/** Collects the items of a stream, until it ends or a bound is reached. */
async function collect(stream: unknown): Promise<Holder> {
  const body: unknown[] = [];
  const iterator = (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    late.resolve(undefined);
  }, COLLECTED);
  try {
    for (;;) {
      const next = iterator.next();
      next.catch(() => undefined); // once it is late, nobody waits for it
      const step = await Promise.race([next, late.promise]);
      if (!step || step.done === true) return { body, complete: step !== undefined };
      body.push(step.value);
    }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'tooLarge')) throw error;
    return { body, complete: false };
  } finally {
    clearTimeout(timer);
  }
}

/** The events of a stream, as this server writes them (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
async function* eventsOf(body: AsyncIterable<Buffer>): AsyncGenerator<JsonObject> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of body) {
    const events = (text + decoder.decode(piece, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    for (const lines of events) {
      const fields = Array.from(
        lines.matchAll(/^(event|data|id|retry): ?(.*)$/gm),
        ([, name = '', value = '']) => [name, value] as const,
      );
      const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
      const event = { ...Object.fromEntries(fields), ...(data.length > 0 && { data: data.join('\n') }) };
      if (fields.length > 0) yield 'retry' in event ? { ...event, retry: Number(event.retry) } : event;
    }
  }
}

/**
 * Makes a value that JSON.stringify writes exactly: each int64 a text, each other large integer a number with all digits, and a
 * text of bytes that no codec reads, such as XML.
 *
 * @throws {Problem} `malformed` if these are not UTF-8
 */
function writable(holder: Holder, key: string | number): void {
  const value = holder[key];
  if (typeof value === 'bigint') holder[key] = String(value);
  else if (Buffer.isBuffer(value)) holder[key] = decodeText(value);
  else if (typeof value === 'number') {
    const exact = exactNumber(holder, key);
    if (typeof exact === 'bigint') holder[key] = rawJson(String(exact));
  } else if (typeof value === 'object' && value !== null)
    for (const name of Array.isArray(value) ? value.keys() : Object.keys(value))
      writable(value as Holder, name);
}

/** https://tc39.es/proposal-json-parse-with-source/#sec-json.rawjson */
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON: (text: string) => object };
