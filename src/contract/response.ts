import type { JsonObject, OpenApiDocument } from './document';
import { compileHeader, type WriteHeader } from './parameters/header';
import { MalformedJson, parseJson } from './json';
import { stringifyJson } from './json-text';
import type { Operation } from './operations';
import { covering, essenceOf, isJudged, type MediaTypeObject, parseMediaType } from './media-type';
import type { Answer, Headers } from './problem';
import { envelopeSchema, parameterSchemas, type SchemaSet } from './schemas';
import type { Convert, Shapes } from './shapes';
import type { Envelope, Judge } from './validator';
import { describeViolations } from './violations';

/** An answer as it goes out. */
export interface Encoded {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
}

/** An answer that the document does not allow; the message is for the log. */
export class UndocumentedResponse extends Error {
  override name = 'UndocumentedResponse';
}

/** Writes the answers of one operation. */
export interface ResponseWriter {
  /** Whether the document says anything of a status. */
  documents(status: number): boolean;
  /**
   * Puts an answer into the bytes that are sent, and judges these; properties that the document does not list are left
   * out of them.
   *
   * @param beyond headers that HTTP demands of this answer, whether documented or not
   * @throws {UndocumentedResponse} that says what is wrong and where
   */
  write(answer: Answer, beyond?: Headers): Encoded;
}

/** How the responses of one documented status are written. */
interface StatusWriter {
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, WriteHeader>;
  /** One for each media type; one without any where there is no body. */
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly key: string;
  readonly media: MediaTypeObject | undefined;
  readonly judge: Judge;
  readonly convert: Convert | undefined;
}

/** Plans the writer of an operation's responses; `compile` it once the schemas of all operations are known. */
export function planResponses(document: OpenApiDocument, operation: Operation, schemas: SchemaSet) {
  const plans = [...operation.responses].map(([status, { headers, content }]) => {
    const parameters = parameterSchemas(headers, schemas);
    const variants = (content.length > 0 ? content : [undefined]).map((media) => ({
      media,
      schema: envelopeSchema(parameters, media, schemas, false),
    }));
    const writers = headers.map((header): [string, WriteHeader] => [
      header.name.toLowerCase(),
      compileHeader(document, header, operation.pointer),
    ]);
    return { status, headers: new Map(writers), variants };
  });

  return function compile(judgeOf: (schema: JsonObject) => Judge, shapes: Shapes): ResponseWriter {
    const writers = new Map<string, StatusWriter>();
    for (const { status, headers, variants } of plans) {
      const compiled = variants.map(({ media, schema }) => ({
        key: media?.key ?? '',
        media,
        judge: judgeOf(schema),
        convert: media && isJudged(media) ? shapes.converter(media.schema) : undefined,
      }));
      writers.set(status, { headers, variants: compiled });
    }
    const find = (status: number) =>
      writers.get(String(status)) ?? writers.get(`${Math.floor(status / 100)}XX`) ?? writers.get('default');

    return {
      documents: (status) => find(status) !== undefined,
      write(answer, beyond = {}) {
        const writer = find(answer.status);
        // What HTTP does not know as the status of an answer (RFC 9110 section 15) `default` does not document either.
        const final = Number.isInteger(answer.status) && answer.status >= 200 && answer.status <= 599;
        if (!writer || !final)
          throw new UndocumentedResponse(`the status ${answer.status} is not documented`);
        return write(writer, answer, beyond);
      },
    };
  };
}

function write(writer: StatusWriter, answer: Answer, beyond: Headers): Encoded {
  const variant = choose(writer.variants, answer);
  const envelope: Envelope = {};
  const [headers, body] = writing(() => [
    writeHeaders(writer.headers, answer, beyond, envelope),
    writeBody(variant, answer.body, envelope),
  ]);
  const violations = variant.judge.first(envelope);
  if (violations.length > 0) {
    const message = describeViolations(violations, variant.judge.all(envelope));
    throw new UndocumentedResponse(`the ${answer.status} response: ${message}`);
  }
  if (variant.media) headers['Content-Type'] = contentType(variant.media, answer);
  return { status: answer.status, headers, body };
}

function choose(variants: readonly Variant[], { contentType: wanted, status }: Answer): Variant {
  const [only] = variants;
  if (wanted === undefined && only && variants.length === 1) return only;
  const type = wanted ?? 'application/json';
  const [closest] = covering(variants, essenceOf(type));
  if (closest) return closest;
  throw new UndocumentedResponse(`the ${status} response is not documented as ${type}`);
}

function contentType({ key, codec }: MediaTypeObject, { contentType: wanted }: Answer): string {
  if (wanted !== undefined && /^[\t -~]+$/.test(wanted) && parseMediaType(wanted)) return wanted;
  if (wanted !== undefined)
    throw new UndocumentedResponse(`expected a media type, got ${JSON.stringify(wanted)}`);
  if (key.includes('*')) return codec === 'json' ? 'application/json' : 'application/octet-stream';
  return codec === 'text' && !key.includes('charset') ? `${key}; charset=utf-8` : key;
}

/** The headers to send. What clients will read in those that are documented is put into the envelope. */
function writeHeaders(writers: StatusWriter['headers'], answer: Answer, beyond: Headers, envelope: Envelope) {
  const described: Envelope = {};
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...answer.headers, ...beyond })) {
    const write = writers.get(name.toLowerCase());
    if (write) sent[name] = write(value, described);
    else if (name in beyond) sent[name] = String(value);
    else throw new UndocumentedResponse(`the header ${name} is not documented`);
  }
  if (writers.size > 0) envelope['header'] = described;
  return sent;
}

function writeBody(
  { media, convert }: Variant,
  value: unknown,
  envelope: Envelope,
): string | Uint8Array | undefined {
  if (!media) {
    if (value !== undefined) throw new UndocumentedResponse('a body is not documented');
    return undefined;
  }
  if (media.codec === 'binary') {
    if (!(value instanceof Uint8Array))
      throw new UndocumentedResponse(`expected a Uint8Array for ${media.key}`);
    return value;
  }
  if (media.codec === 'text') {
    if (typeof value !== 'string' || !value.isWellFormed()) {
      throw new UndocumentedResponse(`expected a well-formed string for ${media.key}`);
    }
    envelope['body'] = value;
    return value;
  }
  if (media.codec !== 'json') throw new UndocumentedResponse(`a response of ${media.key} cannot be written`);
  const text = stringifyJson(value);
  // Judged is what the text says: not what the value was before toJSON, getters and the like had their say.
  parseJson(text, envelope, 'body');
  return convert?.(envelope, 'body') === true ? stringifyJson(envelope['body']) : text;
}

/** What cannot be written is not documented. */
function writing<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof MalformedJson)) throw error;
    throw new UndocumentedResponse(error.message, { cause: error });
  }
}
