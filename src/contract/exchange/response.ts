import type { BodyShape, Codec, WriteBody } from '../codecs/codec';
import type { Codecs } from '../codecs/registry';
import { joinPointer, type JsonObject, type OpenApiDocument } from '../document/document';
import { fieldValue, headerEntries, isFieldValue, mergeVary, unservableField } from '../http/header-field';
import { compileHeader, type WriteHeader } from '../parameters/header';
import { MalformedJson } from '../json/parse';
import type { Operation } from '../operations/operations';
import { closest, isJson, isRange, type MediaTypeObject, parseMediaType } from '../http/media-type';
import { type AcceptedRange, parseAccept, preferred } from '../http/negotiation';
import { type Answer, type Headers, isFinalStatus, Problem } from '../problem';
import { envelopeSchema, parameterSchemas } from '../schema/envelope';
import type { SchemaSet } from '../schema/schema-set';
import type { Shapes } from '../schema/shapes';
import type { Envelope, Judge } from '../schema/validator';
import { describeViolations } from './violations';

/** An answer as it goes out. */
export interface Encoded {
  readonly status: number;
  /** Of several values, each is a field of its own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
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
   * Which media types a client accepts (RFC 9110 section 12.5.1).
   *
   * @param field the Accept field of its request
   * @throws {Problem} `notAcceptable` if each successful response has a body, and none of their media types is accepted
   */
  accept(field: string | undefined): Accepted;
  /**
   * Puts an answer into the bytes that are sent, and judges these; properties that the document does not list are left
   * out of them.
   *
   * @param beyond headers that HTTP demands of this answer, whether documented or not
   * @param accepted decides the media type where the answer does not name one
   * @throws {UndocumentedResponse} that says what is wrong and where
   */
  write(answer: Answer, beyond?: Headers, accepted?: Accepted): Encoded;
}

/** What a client accepts. */
export interface Accepted {
  /** All media types, if empty. */
  readonly ranges: readonly AcceptedRange[];
  /** The media type of a success that the client likes best; undefined where no success has a body. */
  readonly best: string | undefined;
}

/** How the responses of one documented status are written. */
interface StatusWriter {
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, WriteHeader>;
  /** One for each media type; one without any where there is no body. */
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly media: CodedMedia | undefined;
  readonly judge: Judge;
  readonly shape: BodyShape;
}

/** A documented media type, and how its bodies are written. */
interface CodedMedia extends MediaTypeObject {
  readonly codec: Codec;
  readonly encode: WriteBody;
}

/** Plans the writer of an operation's responses; `compile` it once the schemas of all operations are known. */
export function planResponses(
  document: OpenApiDocument,
  operation: Operation,
  schemas: SchemaSet,
  codecs: Codecs,
) {
  const plans = [...operation.responses].map(([status, { headers, content }]) => {
    const { pointer } = document.follow(joinPointer(operation.pointer, 'responses', status));
    for (const { name } of headers) {
      const reason = unservableField(name);
      if (reason !== undefined) document.addFinding(joinPointer(pointer, 'headers', name), reason);
    }
    for (const { key } of content) {
      if (!isFieldValue(key))
        document.addFinding(joinPointer(pointer, 'content', key), 'is not a media type: it is not ASCII');
    }
    const parameters = parameterSchemas(headers, schemas);
    const bodies = content.flatMap((media) => {
      const body = { ...media, document };
      const codec = codecs.of(body);
      const judged = codec.isJudged ? media.schema : undefined;
      const schema = envelopeSchema(parameters, judged, schemas, false);
      const encode = codecs.writer(body);
      return encode ? [{ media: { ...media, codec, encode }, judged, schema }] : [];
    });
    const bodiless = {
      media: undefined,
      judged: undefined,
      schema: envelopeSchema(parameters, undefined, schemas, false),
    };
    const variants = content.length > 0 ? bodies : [bodiless];
    const writers = headers.map((header): [string, WriteHeader] => [
      header.name.toLowerCase(),
      compileHeader(document, header, operation.pointer),
    ]);
    return { status, headers: new Map(writers), variants };
  });

  return function compile(judgeOf: (schema: JsonObject) => Judge, shapes: Shapes): ResponseWriter {
    const writers = new Map<string, StatusWriter>();
    for (const { status, headers, variants } of plans) {
      const compiled = variants.map(({ media, judged, schema }) => ({
        media,
        judge: judgeOf(schema),
        shape: {
          project: judged === undefined ? undefined : shapes.projection(judged),
          convert: judged === undefined ? undefined : shapes.converter(judged),
          findMarked: judged === undefined ? undefined : shapes.finder(judged),
        },
      }));
      writers.set(status, { headers, variants: compiled });
    }
    const find = (status: number) =>
      writers.get(String(status)) ?? writers.get(`${Math.floor(status / 100)}XX`) ?? writers.get('default');

    const accept = compileAccept(operation);

    return {
      documents: (status) => find(status) !== undefined,
      accept,
      write(answer, beyond = {}, accepted) {
        const writer = find(answer.status);
        // What HTTP does not know as the status of an answer `default` does not document either.
        if (!writer || !isFinalStatus(answer.status))
          throw new UndocumentedResponse(`the status ${answer.status} is not documented`);
        return write(codecs, writer, answer, beyond, accepted);
      },
    };
  };
}

/** Compiles what becomes of the Accept fields of requests for an operation. */
function compileAccept({ responses }: Operation): ResponseWriter['accept'] {
  const statuses = [...responses.keys()];
  const successes = statuses.some((status) => status.startsWith('2'))
    ? statuses.filter((status) => status.startsWith('2'))
    : statuses.filter((status) => status === 'default');
  const contents = successes.map((status) => responses.get(status)?.content ?? []);
  const offered = [...new Map(contents.flat().map((media) => [media.key, media])).values()];
  const [first] = offered;
  const bodiless = contents.some(({ length }) => length === 0);
  return (field) => {
    const ranges = parseAccept(field);
    if (!first) return { ranges, best: undefined };
    const best = preferred(offered, ranges);
    if (!best && !bodiless) {
      const keys = offered.map(({ key }) => key).join(' or ');
      throw new Problem('notAcceptable', `expected an Accept that includes ${keys}, got others`);
    }
    return { ranges, best: best?.name ?? first.key };
  };
}

function write(
  codecs: Codecs,
  writer: StatusWriter,
  answer: Answer,
  beyond: Headers,
  accepted: Accepted | undefined,
): Encoded {
  const variant = choose(codecs, writer.variants, answer, accepted);
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
  if (writer.variants.length > 1) vary(headers, 'Accept');
  return { status: answer.status, headers, body };
}

function choose(
  codecs: Codecs,
  variants: readonly Variant[],
  { contentType: wanted, status }: Answer,
  accepted: Accepted | undefined,
): Variant {
  const [first] = variants;
  if (!first) throw new Error('a status has at least one variant');
  if (wanted === undefined) return preferredOf(variants, accepted) ?? first;
  const type = /^[\t -~]+$/.test(wanted) ? parseMediaType(wanted) : undefined;
  if (!type || isRange(type.essence)) {
    throw new UndocumentedResponse(`expected a media type, got ${JSON.stringify(wanted)}`);
  }
  const found = codecs.cover(variants.flatMap(described), type);
  if (found) return found.variant;
  throw new UndocumentedResponse(`the ${status} response is not documented as ${wanted}`);
}

const described = (variant: Variant) => (variant.media ? [{ ...variant.media, variant }] : []);

/** The variant for an answer that names none; an error of the server itself is JSON, if it may be. */
function preferredOf(variants: readonly Variant[], accepted: Accepted | undefined): Variant | undefined {
  if (variants.length === 1) return undefined;
  const content = variants.flatMap(described);
  return (accepted ? preferred(content, accepted.ranges)?.media : closest(content, JSON_TYPE))?.variant;
}

const JSON_TYPE = { essence: 'application/json', parameters: new Map<string, string>() };

/** Adds a name to the Vary field (RFC 9110 section 12.5.5). */
function vary(headers: Record<string, string | readonly string[]>, name: string): void {
  const field = Object.keys(headers).find((other) => other.toLowerCase() === 'vary') ?? 'Vary';
  headers[field] = mergeVary([headers[field] ?? [], name].flat());
}

function contentType({ key, type, codec }: CodedMedia, { contentType: wanted }: Answer): string {
  if (isRange(key)) return wanted ?? codec.mediaType;
  if (!type.essence.startsWith('text/') || !codec.isText || isJson(type.essence)) return key; // RFC 8259: JSON has no charset
  return key.includes('charset') ? key : `${key}; charset=utf-8`;
}

/**
 * The headers to send. What clients will read in those that are documented is put into the envelope. Names are the same in
 * any case (RFC 9110 section 5.1); a header that HTTP demands replaces one of the handler.
 */
function writeHeaders(writers: StatusWriter['headers'], answer: Answer, beyond: Headers, envelope: Envelope) {
  const described: Envelope = {};
  const sent: Record<string, string | readonly string[]> = {};
  const names = new Map<string, 'beyond' | 'own'>();
  for (const [name, value] of Object.entries(beyond)) {
    const lower = name.toLowerCase();
    names.set(lower, 'beyond');
    sent[name] = writers.get(lower)?.(value, described) ?? fieldValue(name, value);
  }
  for (const [name, value] of headerEntries(answer.headers)) {
    const lower = name.toLowerCase();
    const known = names.get(lower);
    if (known === 'beyond') continue;
    if (known) throw new UndocumentedResponse(`the header ${name} is given twice`);
    names.set(lower, 'own');
    const write = writers.get(lower);
    if (!write) throw new UndocumentedResponse(`the header ${name} is not documented`);
    sent[name] = write(value, described);
  }
  if (writers.size > 0) envelope['header'] = described;
  return sent;
}

function writeBody(
  { media, shape }: Variant,
  value: unknown,
  envelope: Envelope,
): string | Uint8Array | undefined {
  if (media) return media.encode(value, envelope, shape);
  if (value !== undefined) throw new UndocumentedResponse('a body is not documented');
  return undefined;
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
