import type { Codec, ReadBody } from '../codecs/codec';
import type { Codecs } from '../codecs/registry';
import type { JsonObject, OpenApiDocument } from '../document/document';
import type { Operation } from '../operations/operations';
import { isRange, type MediaTypeObject, parseMediaType } from '../http/media-type';
import {
  compileParameters,
  MalformedParameter,
  type ParameterValues,
  type RawParameters,
  type ReadParameters,
} from '../parameters/parameters';
import { type Headers, Problem } from '../problem';
import { envelopeSchema, parameterSchemas } from '../schema/envelope';
import type { SchemaSet } from '../schema/schema-set';
import type { Convert } from '../schema/shapes';
import type { Find, Shapes } from '../schema/shapes';
import type { Envelope, Judge } from '../schema/validator';
import type { Create } from './create';
import { invalidRequest, malformedParameter, unexpectedBody } from './violations';

/** A request that conforms to the document. Every int64 is a bigint. */
export type ValidRequest = ParameterValues & {
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
   * Decodes, judges and converts a request.
   *
   * @param body undefined for a request without a body
   * @throws {Problem} `malformed` or `invalidRequest`
   */
  read(parameters: RawParameters, body?: ReceivedBody): ValidRequest;
}

export interface ReceivedBody {
  readonly reader: BodyReader;
  readonly bytes: Buffer;
}

/** Reads the bodies of one documented media type. `type` is the media type that the client names. */
export interface BodyReader extends MediaTypeObject {
  /** The key in the content map, or the media type that the client names in place of a range. */
  readonly contentType: string;
  readonly codec: Codec;
  readonly decode: ReadBody;
  readonly judge: Judge;
  readonly shape: { readonly convert: Convert | undefined; readonly findMarked: Find | undefined };
}

/** Plans the reader of an operation's requests. Call the result after all operations are planned: it compiles schemas. */
export function planRequests(
  document: OpenApiDocument,
  operation: Operation,
  schemas: SchemaSet,
  codecs: Codecs,
) {
  const readParameters = compileParameters(document, operation);
  const parameters = parameterSchemas(operation.parameters, schemas);
  const { required = false, content = [] } = operation.requestBody ?? {};
  const choice = content.length > 1 || content.some(({ key }) => isRange(key));
  const bodiless = envelopeSchema(parameters, undefined, schemas, required);
  const bodies = content.flatMap((media) => {
    const body = { ...media, document };
    const codec = codecs.of(body);
    const judged = codec.isJudged ? media.schema : undefined;
    const schema = envelopeSchema(parameters, judged, schemas, required);
    const decode = codecs.reader(body);
    return decode ? [{ media, codec, decode, judged, schema }] : [];
  });

  return function compile(
    create: Create,
    judgeOf: (schema: JsonObject) => Judge,
    shapes: Shapes,
  ): RequestReader {
    const judgeBodiless = judgeOf(bodiless);
    const readers = bodies.map(({ media, codec, decode, judged, schema }): BodyReader => ({
      ...media,
      contentType: media.key,
      codec,
      decode,
      judge: judgeOf(schema),
      shape: create({
        convert: () => (judged === undefined ? undefined : shapes.converter(judged)),
        findMarked: () => (judged === undefined ? undefined : shapes.finder(judged)),
      }),
    }));
    const own = create({
      converters: () =>
        Object.entries(parameters).flatMap(([location, schema]) => {
          const convert = shapes.convertBy(schema);
          return convert ? [{ location, convert }] : [];
        }),
    });

    return {
      accept: (contentType, contentEncoding) => accept(codecs, readers, contentType, contentEncoding),
      read(raw, body) {
        const envelope: Envelope = {};
        // First the body: if it is malformed, report that and not a violation by a parameter.
        if (body) decodeBody(body, envelope);
        Object.assign(envelope, readRaw(readParameters, raw));
        const judge = body ? body.reader.judge : judgeBodiless;
        const violations = judge.first(envelope);
        if (violations.length > 0) {
          throw invalidRequest(violations, judge.all(envelope));
        }
        const marked = body?.reader.shape.findMarked?.(envelope, 'body');
        if (marked !== undefined) {
          throw invalidRequest([{ place: `/${marked}`, keyword: 'readOnly', message: 'is read-only' }]);
        }
        body?.reader.shape.convert?.(envelope, 'body');
        for (const { location, convert } of own.converters) convert(envelope, location);
        return choice ? { ...envelope, contentType: body?.reader.contentType } : envelope;
      },
    };
  };
}

function accept(
  codecs: Codecs,
  bodies: readonly BodyReader[],
  contentType: string | undefined,
  encoding: string | undefined,
): BodyReader {
  if (bodies.length === 0) throw unexpectedBody();
  const unsupported = (message: string, headers?: Headers) =>
    new Problem('unsupportedMediaType', message, headers);
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    // RFC 9110 section 12.5.3
    throw unsupported('the body must not be encoded, but a Content-Encoding is given', {
      'Accept-Encoding': 'identity',
    });
  }
  const documented = bodies.find(({ key }) => key === contentType && !isRange(key));
  if (documented) return documented; // fast path: most clients send the key itself
  const expected = `expected a Content-Type of ${bodies.map(({ key }) => key).join(' or ')}`;
  if (contentType === undefined) throw unsupported(`${expected}, got none`);
  const type = parseMediaType(contentType);
  const reader = type && !isRange(type.essence) ? codecs.cover(bodies, type) : undefined;
  if (!type || !reader) throw unsupported(`${expected}, got another`);
  if (reader.codec.isText && type.parameters.has('charset')) {
    throw unsupported('expected the charset utf-8, got another');
  }
  const range = isRange(reader.key);
  if (!range && type.parameters.size === 0) return reader;
  return { ...reader, type, contentType: range ? type.essence : reader.contentType };
}

/** @throws {Problem} `invalidRequest` if a parameter is not of its style */
function readRaw(readParameters: ReadParameters, raw: RawParameters): ParameterValues {
  try {
    return readParameters(raw);
  } catch (error) {
    throw error instanceof MalformedParameter ? malformedParameter(error) : error;
  }
}

/** @throws {Problem} `malformed`, or `invalidRequest` if a property of a form is not of its style */
function decodeBody({ reader, bytes }: ReceivedBody, envelope: Envelope): void {
  try {
    reader.decode(bytes, envelope, reader.type);
  } catch (error) {
    throw error instanceof MalformedParameter ? malformedParameter(error) : error;
  }
}
