/** Writes the body of a request. */
import type { Media, Part } from './plan';
import { UnwritableRequest } from './types';
import {
  asIs,
  type Encode,
  entriesOf,
  inField,
  inName,
  isList,
  jsonOf,
  percent,
  plain,
  queryOf,
  writePairs,
} from './write';

/** A part of a form, or of a list of parts. */
interface Field {
  readonly name?: string;
  readonly rule: Part;
  /** A text that is written already, or a value. */
  readonly text?: string;
  readonly value?: unknown;
}

export type PartHeaders = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The separators of lists in the text of a part, which is not encoded. */
const RAW: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
]);

/** The parts of a form. A list has a part for each item, unless it has a style (OpenAPI 3.1 section 4.8.15). */
function fieldsOf(parts: Media['parts'], body: unknown, encode: Encode, separators?: typeof RAW): Field[] {
  return entriesOf(body).flatMap(([name, value]): Field[] => {
    const rule = parts !== undefined && Object.hasOwn(parts, name) ? (parts[name] ?? {}) : {};
    const { style, explode = false } = rule;
    if (style !== undefined)
      return writePairs({ name, style, explode }, value, encode, separators).map(([key, text]) => ({
        name: key,
        rule,
        text,
      }));
    return (isList(value) ? value : [value]).map((item) => ({ name: encode(name), rule, value: item }));
  });
}

const isJson = ({ rule, value }: Field): boolean =>
  rule.json ?? (typeof value === 'object' && value !== null && !(value instanceof Blob));

const textOf = (field: Field): string =>
  field.text ?? (isJson(field) ? jsonOf(field.value) : plain(field.value));

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const quoted = (name: string): string =>
  `"${name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')}"`;

/** The text of a form (https://url.spec.whatwg.org/#concept-urlencoded-serializer). */
export const writeForm = (parts: Media['parts'], body: unknown): string =>
  queryOf(
    fieldsOf(parts, body, percent).map((field) => [field.name ?? '', field.text ?? percent(textOf(field))]),
  );

/** A multipart body (RFC 2046 section 5.1). A Blob of blobs holds no copy of a file. */
function writeParts(type: string, fields: readonly Field[], headers: PartHeaders): Blob {
  const boundary = `part-${crypto.getRandomValues(new BigUint64Array(2)).join('-')}`;
  const pieces = fields.flatMap((field): (string | Blob)[] => {
    const { name, rule, value } = field;
    const file = value instanceof Blob ? value : undefined;
    const fileName = file ? `; filename=${quoted('name' in file ? String(file.name) : 'blob')}` : '';
    const media = file
      ? file.type || (rule.type ?? 'application/octet-stream')
      : (rule.type ?? (isJson(field) ? 'application/json' : undefined));
    const lines = [
      ...(name === undefined ? [] : [`Content-Disposition: form-data; name=${quoted(name)}${fileName}`]),
      ...(media === undefined ? [] : [`Content-Type: ${inField(media)}`]),
      ...Object.entries(headers[name ?? ''] ?? {}).map(([key, text]) => `${inName(key)}: ${inField(text)}`),
    ];
    return [`--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n`, file ?? textOf(field), '\r\n'];
  });
  return new Blob([...pieces, `--${boundary}--\r\n`], { type: `${type}; boundary=${boundary}` });
}

/** The items of a body, which are given one after the other. */
async function* itemsOf(body: unknown): AsyncGenerator {
  yield* body as AsyncIterable<unknown>;
}

/** The bytes of texts, which are made as they are read. */
function streamOf(texts: AsyncGenerator<string, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

async function* linesOf(body: unknown, start: string): AsyncGenerator<string, undefined> {
  for await (const item of itemsOf(body)) yield `${start}${jsonOf(item)}\n`;
}

/** Whether `fetch` sends a stream as it is read. Where it does not, the stream is collected first. */
function sendsStreams(): boolean {
  let isAsked = false;
  const init = {
    method: 'POST',
    body: new ReadableStream(),
    get duplex() {
      isAsked = true;
      return 'half' as const;
    },
  };
  return !new Request('http://localhost', init).headers.has('Content-Type') && isAsked;
}

const whereSent = (stream: ReadableStream<Uint8Array>): Sent | Promise<Sent> =>
  sendsStreams() ? stream : new Response(stream).blob();

export type Sent = string | Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | ArrayBuffer;

/**
 * @param type the media type of the request
 * @returns the body, with its media type
 */
export async function writeBody(
  media: Media,
  type: string,
  body: unknown,
  headers: PartHeaders,
): Promise<{ readonly body: Sent; readonly type: string }> {
  switch (media.kind) {
    case 'json':
      return { type, body: jsonOf(body) };
    case 'text':
      return { type, body: plain(body) };
    case 'form':
      return { type, body: writeForm(media.parts, body) };
    case 'multipart': {
      const { positions } = media;
      const values: unknown[] = [];
      if (positions) for await (const item of itemsOf(body)) values.push(item);
      const fields = positions
        ? values.map((value, i) => ({ rule: positions[i] ?? positions.at(-1) ?? {}, value }))
        : fieldsOf(media.parts, body, asIs, RAW);
      const parts = writeParts(type, fields, headers);
      return { type: parts.type, body: parts };
    }
    case 'lines':
    case 'records': {
      const stream = streamOf(linesOf(body, media.kind === 'records' ? '\x1e' : ''));
      return { type, body: await whereSent(stream) };
    }
    case 'events':
      throw new UnwritableRequest('events are received, not sent');
    case 'binary':
      if (body instanceof ReadableStream) return { type, body: await whereSent(body) };
      if (body instanceof Uint8Array || body instanceof ArrayBuffer || body instanceof Blob)
        return { type, body: body as Blob };
      throw new UnwritableRequest('expected bytes: a Uint8Array, an ArrayBuffer, a Blob or a ReadableStream');
  }
}
