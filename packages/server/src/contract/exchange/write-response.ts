import { branded } from '../brand';
import {
  type BodyShape,
  type Codec,
  type JudgeItem,
  type WriteBody,
  type WritePieces,
} from '../codecs/codec';
import type { Codecs } from '../codecs/registry';
import { hasNoContent } from '../http/body';
import { isFileLike, settleWithin } from '../http/fault';
import { fieldValue, headerEntries, isFieldValue, unsupported, vary } from '../http/header-field';
import { isFinalStatus, isStreamed, isUntouched, OutgoingBody } from '../http/send';
import type { WriteHeader } from '../parameters/header';
import { MalformedJson } from '../json/parse';
import { negotiable, type Operation, statusRange } from '../operations/operations';
import {
  type AcceptedRange,
  closest,
  isJson,
  isRange,
  type MediaTypeObject,
  parseAccept,
  parseMediaType,
  preferred,
  typeOfRange,
} from '../http/media-type';
import { type Answer, type Headers, RequestProblem } from '../problem';
import type { Envelope, Judge } from '../schema/validator';
import { describeViolations } from './describe-violations';

/** An encoded response. */
export interface Encoded {
  readonly status: number;
  /** A list of values becomes several fields. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: EncodedBody;
  /** Whether the body is what the handler gave, byte for byte. */
  readonly isBytes?: boolean;
}

/** Known at once, or made while it is sent. */
type EncodedBody = string | Uint8Array | OutgoingBody | undefined;

/** A response that does not conform to the document. Its message is for the log, not for clients. */
export class UndocumentedResponse extends Error {
  override name = 'UndocumentedResponse';
}
branded(UndocumentedResponse, 'UndocumentedResponse');

/** Writes the responses of one operation. */
export interface ResponseWriter {
  /** Whether the operation documents a status, by a range or `default` too. */
  documents(status: number): boolean;
  /**
   * Negotiates the media type of a response (RFC 9110 section 12.5.1).
   *
   * @param field the Accept field of its request
   * @throws {Problem} `notAcceptable` if every successful response has a body, and the client accepts none of their types
   */
  accept(field: string | undefined): Accepted;
  /**
   * Encodes a response, and judges the encoded value. Leaves out properties that the document does not list.
   *
   * @param extra headers of a hook or a problem, documented or not
   * @param accepted decides the media type if the response names none
   * @throws {UndocumentedResponse} with the violations and their places
   */
  write(answer: Answer, extra?: Headers, accepted?: Accepted): Encoded;
  /** Whether each body is a value that is known at once, other than bytes. */
  readonly areValues: boolean;
}

/** The media types that a client accepts. */
export interface Accepted {
  /** Empty: all media types. */
  readonly ranges: readonly AcceptedRange[];
  /** The media type of a success that the client prefers; undefined if no success has a body. */
  readonly best: string | undefined;
}

/** Writes the responses of one documented status. */
export interface StatusWriter {
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, WriteHeader>;
  /** One for each media type, or one without a media type if the response has no body. */
  readonly variants: readonly Variant[];
  /** Writes the responses that HTTP sends without content, although the document describes some; the body is left out. */
  readonly contentless: Variant | undefined;
}

export interface Variant {
  /** Undefined for a response without a body. */
  readonly media: CodedMedia | undefined;
  readonly judge: Judge;
  readonly shape: BodyShape;
  readonly each: JudgeItem;
}

/** A documented media type with the writer of its bodies. */
interface CodedMedia extends MediaTypeObject {
  readonly codec: Codec;
  readonly encode: WriteBody | WritePieces;
}

/** Creates the writer of an operation's responses. `writers` are by status, range or `default`. */
export function responseWriter(
  codecs: Codecs,
  operation: Operation,
  writers: ReadonlyMap<string, StatusWriter>,
): ResponseWriter {
  // As documentedKey() finds it, in less time.
  const find = (status: number) =>
    writers.get(String(status)) ?? writers.get(statusRange(status)) ?? writers.get('default');
  const media = [...writers.values()].flatMap(({ variants }) => variants.flatMap(({ media }) => media ?? []));
  return {
    areValues: media.every(({ encode, codec }) => typeof encode === 'function' && !codec.writesFiles),
    documents: (status) => find(status) !== undefined,
    accept: compileAccept(operation),
    write(answer, extra = NONE, accepted) {
      const writer = find(answer.status);
      // `default` documents only statuses that HTTP defines.
      if (!writer || !isFinalStatus(answer.status))
        throw new UndocumentedResponse(`the status ${answer.status} is not documented`);
      return write(codecs, writer, answer, extra, accepted);
    },
  };
}

const NONE: Headers = {};

/** Compiles the negotiation of an operation's media types. */
function compileAccept(operation: Operation): ResponseWriter['accept'] {
  const contents = negotiable(operation).map(({ content }) => content);
  const offered = [...new Map(contents.flat().map((media) => [media.key, media])).values()];
  const [first] = offered;
  const bodiless = contents.some(({ length }) => length === 0);
  return (field) => {
    const ranges = parseAccept(field);
    if (!first) return { ranges, best: undefined };
    const best = preferred(offered, ranges);
    if (!best && !bodiless) {
      const keys = offered.map(({ key }) => key);
      throw new RequestProblem('notAcceptable', unsupported('Accept', field ?? '', keys));
    }
    return { ranges, best: best?.name ?? first.key };
  };
}

/** Writes a request that the server sends: from what a response has, and without a body if none is given or required. */
export type WriteSent = (message: Omit<Answer, 'status'>, extra: Headers) => Omit<Encoded, 'status'>;

/** Compiles the writer of the requests of an operation that the server sends. */
export const sentWriter =
  (codecs: Codecs, writer: StatusWriter): WriteSent =>
  (message, extra) => {
    const status = message.body === undefined && writer.contentless ? 204 : 200;
    return write(codecs, writer, { ...message, status }, extra, undefined, 'the request');
  };

function write(
  codecs: Codecs,
  writer: StatusWriter,
  answer: Answer,
  extra: Headers,
  accepted: Accepted | undefined,
  subject?: string,
): Encoded {
  const contentless = hasNoContent(answer.status) ? writer.contentless : undefined;
  const variant = contentless ?? chooseVariant(codecs, writer.variants, answer, accepted, subject);
  if (contentless) leaveOut(answer.body);
  const envelope: Envelope = {};
  const [headers, body] = asUndocumented(() => [
    writeHeaders(writer.headers, answer, extra, envelope),
    writeBody(variant, contentless ? undefined : answer.body, envelope),
  ]);
  const violations = variant.judge.first(envelope);
  if (violations.length > 0) {
    const message = describeViolations(violations, variant.judge.all(envelope));
    throw new UndocumentedResponse(`${subject ?? `the ${answer.status} response`}: ${message}`);
  }
  if (variant.media) headers['Content-Type'] = contentType(variant.media, answer);
  if (writer.variants.length > 1 && subject === undefined) vary(headers, 'Accept');
  return { status: answer.status, headers, body, isBytes: variant.media?.codec.writesFiles === true };
}

function chooseVariant(
  codecs: Codecs,
  variants: readonly Variant[],
  { contentType: wanted, status }: Answer,
  accepted: Accepted | undefined,
  subject = `the ${status} response`,
): Variant {
  const [first] = variants;
  if (!first) throw new Error('a status has at least one variant');
  if (wanted === undefined) return preferredOf(variants, accepted) ?? first;
  const type = isFieldValue(wanted) ? parseMediaType(wanted) : undefined;
  if (!type || isRange(type.essence)) {
    throw new UndocumentedResponse(`expected a media type, got ${JSON.stringify(wanted)}`);
  }
  const found = codecs.cover(variants.flatMap(described), type);
  if (found) return found.variant;
  throw new UndocumentedResponse(`${subject} is not documented as ${wanted}`);
}

const described = (variant: Variant) => (variant.media ? [{ ...variant.media, variant }] : []);

/** The variant for a response that names no media type. An error of the server is JSON if the document allows it. */
function preferredOf(variants: readonly Variant[], accepted: Accepted | undefined): Variant | undefined {
  if (variants.length === 1) return undefined;
  const content = variants.flatMap(described);
  return (accepted ? preferred(content, accepted.ranges)?.media : closest(content, JSON_TYPE))?.variant;
}

const JSON_TYPE = { essence: 'application/json', parameters: new Map<string, string>() };

function contentType({ key, type, codec }: CodedMedia, { contentType: wanted }: Answer): string {
  if (isRange(key)) return wanted ?? typeOfRange(type.essence, codec.mediaType);
  // RFC 8259 section 11: JSON has no charset parameter.
  if (!type.essence.startsWith('text/') || !codec.isText || isJson(type.essence)) return key;
  return key.includes('charset') ? key : `${key}; charset=utf-8`;
}

/**
 * Encodes the headers. Puts the values that a client decodes from documented headers into the envelope. Names are
 * case-insensitive (RFC 9110 section 5.1). An extra header replaces one of the handler.
 */
function writeHeaders(writers: StatusWriter['headers'], answer: Answer, extra: Headers, envelope: Envelope) {
  const described: Envelope = {};
  const sent: Record<string, string | readonly string[]> = {};
  if (writers.size === 0 && extra === NONE && answer.headers === undefined) return sent;
  const names = new Map<string, 'extra' | 'own'>();
  for (const [name, value] of Object.entries(extra)) {
    const lower = name.toLowerCase();
    names.set(lower, 'extra');
    sent[name] = writers.get(lower)?.(value, described) ?? fieldValue(name, value);
  }
  for (const [name, value] of headerEntries(answer.headers)) {
    const lower = name.toLowerCase();
    const known = names.get(lower);
    if (known === 'extra') continue;
    if (known) throw new UndocumentedResponse(`the header ${name} is given twice`);
    names.set(lower, 'own');
    const write = writers.get(lower);
    if (!write) throw new UndocumentedResponse(`the header ${name} is not documented`);
    sent[name] = write(value, described);
  }
  if (writers.size > 0) envelope['header'] = described;
  return sent;
}

function writeBody({ media, shape, each }: Variant, value: unknown, envelope: Envelope): EncodedBody {
  if (!media) {
    if (value !== undefined) throw new UndocumentedResponse('a body is not documented');
    return undefined;
  }
  const { encode, key, codec } = media;
  if (typeof encode !== 'function' && typeof value === 'string' && encode.writeText)
    return encode.writeText(value, envelope, shape);
  if (typeof encode === 'function') {
    if (codec.writesFiles || !isOpened(value)) return encode(value, envelope, shape);
    throw new TypeError(`a body of ${key} is not a stream, but a stream or a file was given`);
  }
  if (isStreamed(value) && isUntouched(value)) {
    const { write, writeItem } = encode;
    const writeOne = writeItem && ((item: unknown, index: number) => writeItem(item, each, index));
    return new OutgoingBody(value, (items) => write(items, each), encode, writeOne);
  }
  throw new TypeError(`expected a stream for ${key}: an AsyncIterable, or an unread ReadableStream`);
}

/** Whether a body has yet to be read. */
const isOpened = (value: unknown): boolean => isStreamed(value) || isFileLike(value);

/** Leaves out a body. A stream must be ended by somebody, and a file closed. */
function leaveOut(value: unknown): void {
  if (isOpened(value)) settleWithin(value, () => undefined);
}

/** Reports a value that cannot be encoded as an UndocumentedResponse. */
export function asUndocumented<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof MalformedJson)) throw error;
    throw new UndocumentedResponse(error.message, { cause: error });
  }
}
