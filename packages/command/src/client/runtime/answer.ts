/** Reads an answer by its status and its media type. */
import type { Header, Media, Operation } from './plan';
import { primitiveOf, type Reader } from './read';
import { readItems } from './streams';
import { MalformedAnswer } from './types';

const WITHOUT_BODY = [204, 205, 304];

/** The parameters of a media type, with its essence under the name of none. */
function parseType(text: string): Map<string, string> {
  const [essence = '', ...parameters] = text.split(';').map((part) => part.trim());
  return new Map([
    ['', essence.toLowerCase()],
    ...parameters.map((one): [string, string] => {
      const [name = '', value = ''] = one.split('=');
      return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')];
    }),
  ]);
}

/** How closely a documented media type or range covers that of an answer; 0 if it does not. */
function coverage(key: string, type: ReadonlyMap<string, string>): number {
  const { '': essence = '', ...parameters } = Object.fromEntries(parseType(key));
  const [before = '', after] = essence.split('*/*').join('*').split('*');
  const name = type.get('') ?? '';
  const isCovered =
    after === undefined ? name === essence : name.startsWith(before) && name.endsWith(after) && name !== '';
  const own = Object.entries(parameters).filter(([parameter]) => parameter !== 'charset');
  if (!isCovered || own.some(([parameter, value]) => type.get(parameter) !== value)) return 0;
  return (after === undefined ? 1_000 : before.length + after.length) + own.length + 1;
}

/** The documented media type of an answer. */
export function closest(content: readonly Media[], type: string): Media | undefined {
  const parsed = parseType(type);
  return content
    .filter(({ key }) => coverage(key, parsed) > 0)
    .sort((a, b) => coverage(b.key, parsed) - coverage(a.key, parsed))[0];
}

/** The documented header fields of an answer. One that it lacks, or that a browser hides, is absent. */
function readHeaders(described: readonly Header[], { headers }: Response, reader: Reader): object {
  return Object.fromEntries(
    described.flatMap((header): [string, unknown][] => {
      const field = headers.get(header.name);
      if (field === null) return [];
      return [[header.name, readField(header, field, headers, reader)]];
    }),
  );
}

function readField(header: Header, field: string, headers: Headers, reader: Reader): unknown {
  const { name, explode, items, members, types, shape } = header;
  if (header.json === true) return reader.json(field, shape);
  if (!items && !members) return reader.exact(primitiveOf(field, types), shape);
  const texts = name.toLowerCase() === 'set-cookie' ? headers.getSetCookie() : field.split(/, ?/);
  if (items)
    return reader.exact(
      texts.map((text) => primitiveOf(text, items)),
      shape,
    );
  const pairs = explode
    ? texts.map((text) => text.split(/=(.*)/s))
    : texts.flatMap((text, i) => (i % 2 === 0 ? [[text, texts[i + 1]]] : []));
  const value = pairs.map(([key = '', text = '']) => [key, primitiveOf(text, members?.[key])] as const);
  return reader.exact(Object.fromEntries(value), shape);
}

/** The names under which an operation may document a status. */
const keysOf = (status: number): string[] => [String(status), `${Math.floor(status / 100)}XX`, 'default'];

/**
 * @param failed the error of an answer that breaks off
 */
export async function readAnswer(
  { method, responses }: Operation,
  response: Response,
  reader: Reader,
  failed: (error: unknown) => unknown,
): Promise<unknown> {
  const { status, headers: fields } = response;
  const key = keysOf(status).find((one) => Object.hasOwn(responses, one));
  const described = key === undefined || status < 200 ? undefined : responses[key];
  if (!described) return { status: 'undocumented', response };
  const headers = readHeaders(described.headers, response, reader);
  const answer = { status, headers, response };
  if (method === 'HEAD' || WITHOUT_BODY.includes(status) || described.content.length === 0) {
    await response.body?.cancel();
    return { ...answer, body: undefined, contentType: undefined };
  }
  const contentType = fields.get('content-type') ?? '';
  const media = closest(described.content, contentType);
  if (!media) return { status: 'undocumented', response };
  const named = media.key.includes('*') ? contentType : media.key;
  return { ...answer, contentType: named, body: await readBody(media, response, reader, failed) };
}

async function readBody(
  media: Media,
  response: Response,
  reader: Reader,
  failed: (error: unknown) => unknown,
) {
  const { kind, shape } = media;
  const body = response.body ?? new Response('').body;
  if (kind === 'lines' || kind === 'records' || kind === 'events')
    return body && readItems(body, media, reader, failed);
  if (kind !== 'json' && kind !== 'text') return body;
  const bytes = await response.arrayBuffer().catch((error: unknown) => {
    throw failed(error);
  });
  const type = parseType(response.headers.get('content-type') ?? '');
  const text = decode(bytes, (kind === 'text' ? type.get('charset') : undefined) ?? 'utf-8');
  return kind === 'json' ? reader.json(text, shape) : reader.exact(primitiveOf(text, media.types), shape);
}

/** @throws {MalformedAnswer} if the bytes are not of the charset. JSON is UTF-8 (RFC 8259 section 8.1). */
function decode(bytes: ArrayBuffer, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new MalformedAnswer(`the response is not ${charset}`, { cause: error });
  }
}
