import type { Codec, JudgeItem, ReadBody, ReadPieces } from '../codecs/codec';
import type { compileQuerystring } from '../codecs/querystring';
import type { Codecs } from '../codecs/registry';
import type { IncomingBody } from '../http/body';
import { unsupported } from '../http/header-field';
import { isRange, type MediaTypeObject, parseMediaType } from '../http/media-type';
import { MalformedParameter, type ParameterValues, type RawParameters } from '../parameters/parameters';
import { type Headers, Problem, RequestProblem } from '../problem';
import type { Convert } from '../schema/position';
import type { Find } from '../schema/shapes';
import type { Envelope, Judge } from '../schema/validator';
import { inItem, invalidRequest, malformedParameter, unexpectedBody } from './describe-violations';

/** A request that conforms to the document. Every int64 is a bigint. */
export type ValidRequest = Omit<ParameterValues, 'query'> & {
  /** The values of its parameters, or of the whole query (`in: querystring`). */
  readonly query?: unknown;
  readonly body?: unknown;
  /** The media type of the body, if the document has several or a range; in place of a range, that of the client. */
  readonly contentType?: string | undefined;
};

/** Reads the requests of one operation. */
export interface RequestReader {
  /**
   * Finds the reader of a body by its header fields.
   *
   * @throws {Problem} `unsupportedMediaType`, or `invalidRequest` if the operation has no body
   */
  accept(contentType: string | undefined, contentEncoding: string | undefined): BodyReader;
  /**
   * Receives a body: its bytes, or what they are decoded to piece by piece.
   *
   * @throws {Problem} `tooLarge` or `malformed`
   */
  receive(reader: BodyReader, body: IncomingBody): Promise<Content>;
  /**
   * Decodes, judges and converts a request.
   *
   * @param reader undefined for a request without a body
   * @param content what `receive` has returned
   * @throws {Problem} `malformed` or `invalidRequest`
   */
  read(parameters: RawParameters, reader?: BodyReader, content?: Content): ValidRequest;
  /**
   * The same, but returns the problem `invalidRequest` if the schemas reject a request. V8 never compiles a function that always
   * throws, and to catch an error takes longer.
   *
   * @throws {Problem} `malformed`, or `invalidRequest` if a value is not of its style
   */
  tryRead(...given: Parameters<RequestReader['read']>): ValidRequest | Problem;
  /** Whether each body is received as a whole, and is a value. */
  readonly areWhole: boolean;
}

/** The bytes of a body, or an envelope whose `body` is decoded already. */
export type Content = Buffer | Envelope;

/** Reads the bodies of one documented media type. `type` is the media type that the client names. */
export interface BodyReader extends MediaTypeObject {
  /** The key in the content map, or the media type that the client names in place of a range. */
  readonly contentType: string;
  readonly codec: Codec;
  readonly decode: ReadBody | ReadPieces;
  readonly judge: Judge;
  readonly each: JudgeItem;
  readonly shape: RequestShape;
}

/** The parts that the schema of a request body converts or rejects. */
export interface RequestShape {
  readonly convert: Convert | undefined;
  readonly findMarked: Find | undefined;
}

/** What plan-request.ts has compiled of an operation. */
interface CompiledRequest {
  readonly bodies: readonly BodyReader[];
  readonly judgeBodiless: Judge;
  readonly hasParameters: boolean;
  readonly readParameters: (raw: RawParameters) => ParameterValues;
  readonly readQuery: ReturnType<typeof compileQuerystring>;
  readonly parameters: {
    readonly converters: readonly { readonly location: string; readonly convert: Convert }[];
  };
  /** Whether the handler has to know which media type the body has. */
  readonly hasChoice: boolean;
}

/** Creates the reader of an operation's requests. */
export function requestReader(
  codecs: Codecs,
  { bodies, judgeBodiless, hasParameters, readParameters, readQuery, parameters, hasChoice }: CompiledRequest,
): RequestReader {
  const tryRead: RequestReader['tryRead'] = (raw, reader, content) => {
    const envelope: Envelope = content instanceof Uint8Array ? {} : (content ?? {});
    try {
      // First the body: if it is malformed, report that and not a violation by a parameter.
      if (content instanceof Uint8Array && typeof reader?.decode === 'function')
        reader.decode(content, envelope, reader.type);
      if (hasParameters || raw.query !== '') Object.assign(envelope, readParameters(raw)); // a query may be undocumented
      readQuery?.(raw.query, envelope);
    } catch (error) {
      throw inWords(error);
    }
    const problem = judgeAndConvert(reader?.judge ?? judgeBodiless, reader?.shape, envelope);
    if (problem) return problem;
    if ('part' in envelope) delete envelope['part']; // handlers do not get the header fields of parts
    for (const { location, convert } of parameters.converters)
      if (location in envelope) convert(envelope, location);
    return hasChoice ? { ...envelope, contentType: reader?.contentType } : envelope;
  };
  return {
    areWhole: bodies.every(({ decode }) => typeof decode === 'function'),
    accept: (contentType, contentEncoding) => accept(codecs, bodies, contentType, contentEncoding),
    receive(reader, body) {
      body.assertDeclared();
      return typeof reader.decode === 'function' ? body.bytes() : readPieces(reader.decode, body, reader);
    },
    tryRead,
    read(...given) {
      const request = tryRead(...given);
      if (request instanceof Problem) throw request;
      return request;
    },
  };
}

/**
 * Judges a request, or the item of its body at an index, and converts the body.
 *
 * @throws {Problem} `invalidRequest`
 */
export function assertValid(...given: Parameters<typeof judgeAndConvert>): void {
  const problem = judgeAndConvert(...given);
  if (problem) throw problem;
}

/** Returns the problem `invalidRequest`, or converts the body. */
function judgeAndConvert(
  judge: Judge,
  shape: RequestShape | undefined,
  envelope: Envelope,
  index?: number,
): Problem | undefined {
  const violations = judge.first(envelope);
  if (violations.length > 0)
    return invalidRequest(inItem(violations, index), inItem(judge.all(envelope), index));
  const marked = shape?.findMarked?.(envelope, 'body');
  if (marked !== undefined) {
    const violation = { place: `/${marked}`, keyword: 'readOnly', params: {}, message: 'is read-only' };
    return invalidRequest(inItem([violation], index));
  }
  shape?.convert?.(envelope, 'body');
  return undefined;
}

function accept(
  codecs: Codecs,
  bodies: readonly BodyReader[],
  contentType: string | undefined,
  encoding: string | undefined,
): BodyReader {
  if (bodies.length === 0) throw unexpectedBody();
  const unsupportedType = (message: string, headers?: Headers) =>
    new RequestProblem('unsupportedMediaType', message, headers);
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    // RFC 9110 section 12.5.3
    throw unsupportedType(unsupported('Content-Encoding', encoding, ['identity']), {
      'Accept-Encoding': 'identity',
    });
  }
  const documented = bodies.find(({ key }) => key === contentType && !isRange(key));
  if (documented) return documented; // fast path: most clients send the key itself
  const expected = bodies.map(({ key }) => key);
  if (!contentType) throw unsupportedType(`missing Content-Type; expected ${expected.join(' or ')}`);
  const type = parseMediaType(contentType);
  const reader = type && !isRange(type.essence) ? codecs.cover(bodies, type) : undefined;
  if (!type || !reader) throw unsupportedType(unsupported('Content-Type', contentType, expected));
  const charset = type.parameters.get('charset');
  if (reader.codec.isText && charset !== undefined)
    throw unsupportedType(unsupported('charset', charset, ['utf-8']));
  const range = isRange(reader.key);
  if (!range && type.parameters.size === 0) return reader;
  return { ...reader, type, contentType: range ? type.essence : reader.contentType };
}

/** A value that is not of its style as a problem; another error unchanged. */
const inWords = (error: unknown): unknown =>
  error instanceof MalformedParameter ? malformedParameter(error) : error;

/** @throws {Problem} `malformed`, `tooLarge`, or `invalidRequest` if a property is not of its style */
async function readPieces(
  { read }: ReadPieces,
  body: IncomingBody,
  { type, each }: BodyReader,
): Promise<Envelope> {
  const envelope: Envelope = {};
  try {
    await read(body, envelope, type, each);
  } catch (error) {
    throw inWords(error);
  }
  if (body.failure) throw body.failure;
  return envelope;
}
