/** Turns the answers of the service into the results of tools. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  decodeText,
  documentedKey,
  essenceOf,
  eventsOf,
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

/** The answers that a tool describes. */
export type Answers = ReturnType<typeof answersOf>;

/** The successes of an operation, in JSON if they have that. */
export function answersOf(document: OpenApiDocument, { method, responses }: Operation) {
  const keys = [...responses.keys()].filter((key) => /^[23]/.test(key));
  const hasSuccess = keys.some((key) => key.startsWith('2'));
  // No request has a condition, which 304 would answer.
  const successes = hasSuccess ? keys.filter((key) => key !== '304') : [...keys, 'default'];
  const known = new Map<string, MediaTypeObject | undefined>();
  for (const key of successes) {
    const content = method === 'HEAD' ? [] : responses.get(key)?.content;
    if (responses.has(key)) known.set(key, content?.find(({ type }) => isJson(type.essence)) ?? content?.[0]);
  }
  const medias = [...known.values()].flatMap((media) => media ?? []);
  // An answer of a range may lack content, such as 204.
  const isCertain = [...known].every(([key, media]) => media && /^\d+$/.test(key));
  const types = DescribedValue.at(document, medias[0]?.schema).types();
  const isObject = medias.length === 1 && medias.map(kindOf).join() === 'value' && types?.join() === 'object';
  return {
    /** By the key of the document, each in one media type; undefined: without a body. */
    known,
    /** Whether a result is the body itself, which is an object, and not an object that has the body. */
    isPlain: isCertain && isObject,
    /** Whether every result has a body. */
    isCertain,
    /** The media types that a request accepts. */
    accept: [...new Set(medias.map(({ key }) => key))].join(', ') || '*/*',
  };
}

/** How a body becomes a part of a result. */
function kindOf(media: MediaTypeObject): 'value' | 'items' | 'file' {
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
  const all = [...known.values()].flatMap((media) => (media ? [{ media, kind: kindOf(media) }] : []));
  const bodies = all.map(({ media, kind }): JsonObject => {
    if (kind === 'items') return { type: 'array', items: schemas.of(media.items) };
    return kind === 'file' ? FILE : schemas.of(media.schema);
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
  { known, isPlain }: Answers,
  readers: ReadonlyMap<string, ReadAnswer>,
  uri: string,
): Promise<CallToolResult> {
  const { statusCode: status = 0, headers } = message;
  const said = `The server answered ${status}`;
  const key = documentedKey(operation, status) ?? '';
  const media = known.get(key);
  const type = headers['content-type'] ?? '';
  const bounds = { limit: MAX_BYTES, itemLimit: MAX_BYTES, patience: undefined, hold: () => true };
  const body = new IncomingBody(message, new ServerResponse(message), bounds, () => undefined);
  try {
    if (status >= 400) return failure(`${said}.`, String(await body.bytes()));
    const isDescribed =
      !media || type === '' || isRange(media.type.essence) || essenceOf(type) === media.type.essence;
    if (!known.has(key) || !isDescribed)
      return failure(`${said} ${type}, which this tool does not describe.`, String(await body.bytes()));
    const fields = (operation.responses.get(key)?.headers ?? []).flatMap(({ name }) => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? [] : [`${name}: ${String(value)}`];
    });
    if (!media || type === '') return success({}, fields);
    const kind = kindOf(media);
    if (kind === 'file') {
      const bytes = await body.bytes();
      const resource = { uri, mimeType: type, blob: bytes.toString('base64') };
      const file = { body: { uri, mimeType: type, bytes: bytes.length } };
      return success(file, fields, [{ type: 'resource', resource }]);
    }
    const isEvents = media.type.essence === 'text/event-stream';
    const read = isEvents ? eventsIn(body) : await (readers.get(media.pointer)?.(body) ?? body.bytes());
    const holder: Holder =
      kind === 'items' ? await collect(read as AsyncIterable<unknown>, message) : { body: read };
    writable(holder, 'body');
    return success(isPlain ? (holder['body'] as JsonObject) : holder, fields);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return failure(
      error.kind === 'tooLarge'
        ? `${said} with more than ${MAX_BYTES} bytes, which is too large for a result: request less.`
        : `${said}, but ${error.message}.`,
    );
  } finally {
    message.socket.destroy();
  }
}

const textContent = (text: string) => ({ type: 'text' as const, text });

/** @param texts what is wrong, and the body if there is one */
export const failure = (...texts: readonly string[]): CallToolResult => ({
  isError: true,
  content: texts.filter((text) => text !== '').map(textContent),
});

export const success = (
  structured: JsonObject,
  fields: readonly string[] = [],
  more: CallToolResult['content'] = [],
): CallToolResult => ({
  content: [...[JSON.stringify(structured), ...fields].map(textContent), ...more],
  structuredContent: { ...structured },
});

/** Collects the items of a stream, until it ends or a bound is reached. */
async function collect(stream: AsyncIterable<unknown>, message: IncomingMessage): Promise<Holder> {
  const body: unknown[] = [];
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    message.destroy();
  }, COLLECTED);
  try {
    for await (const item of stream) body.push(item);
    return { body, complete: true };
  } catch (error) {
    if (!late.signal.aborted && !(error instanceof Problem && error.kind === 'tooLarge')) throw error;
    return { body, complete: false };
  } finally {
    clearTimeout(timer);
  }
}

/** The events of a stream, as this server writes them. */
async function* eventsIn(body: AsyncIterable<Buffer>): AsyncGenerator<object> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of body) {
    const blocks = (text + decoder.decode(piece, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks.flatMap(eventsOf);
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
