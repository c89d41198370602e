import { decodeText } from '../http/body';
import type { JsonObject, OpenApiDocument } from '../document/document';
import { compileForm } from '../codecs/form';
import { MalformedJson, parseJson } from '../json/parse';
import type { Operation } from '../operations/operations';
import { cover, isJudged, isRange, type MediaTypeObject, parseMediaType } from '../http/media-type';
import {
  compileParameters,
  MalformedParameter,
  type ParameterValues,
  type RawParameters,
} from '../parameters/parameters';
import { type Headers, Problem } from '../problem';
import { envelopeSchema, parameterSchemas, type SchemaSet } from '../schema/schema-set';
import type { Convert, Find, Shapes } from '../schema/shapes';
import type { Envelope, Judge } from '../schema/validator';
import { invalidRequest, malformedParameter, unexpectedBody } from './violations';

/** A request that the document admits, as a handler is given it; every int64 is a bigint. */
export type ValidRequest = ParameterValues & {
  readonly body?: unknown;
  /** The documented media type of the body, where there are several; for a range, the one that the client names. */
  readonly contentType?: string | undefined;
};

/** Reads the requests of one operation. */
export interface RequestReader {
  /**
   * How a body is read that is announced by these header fields.
   *
   * @throws {Problem} `unsupportedMediaType`, or `invalidRequest` if the operation has no body
   */
  accept(contentType: string | undefined, contentEncoding: string | undefined): BodyReader;
  /**
   * @param body undefined if there is none
   * @throws {Problem} `malformed` or `invalidRequest`
   */
  read(
    parameters: RawParameters,
    body?: { readonly reader: BodyReader; readonly bytes: Buffer },
  ): ValidRequest;
}

/** How the bodies of one documented media type are read. */
export interface BodyReader extends MediaTypeObject {
  /** The key, or the media type that a client names in its range. */
  readonly contentType: string;
  readonly decode: (bytes: Buffer, envelope: Envelope) => void;
  readonly judge: Judge;
  readonly convert: Convert | undefined;
  readonly findMarked: Find | undefined;
}

/** Plans the reader of an operation's requests; `compile` it once the schemas of all operations are known. */
export function planRequests(document: OpenApiDocument, operation: Operation, schemas: SchemaSet) {
  const readParameters = compileParameters(document, operation);
  const parameters = parameterSchemas(operation.parameters, schemas);
  const { required = false, content = [] } = operation.requestBody ?? {};
  const choice = content.length > 1 || content.some(({ key }) => isRange(key));
  const bodiless = envelopeSchema(parameters, undefined, schemas, required);
  const bodies = content.map((media) => ({
    media,
    decode: compileDecoder(document, media),
    schema: envelopeSchema(parameters, media, schemas, required),
  }));

  return function compile(judgeOf: (schema: JsonObject) => Judge, shapes: Shapes): RequestReader {
    const judgeBodiless = judgeOf(bodiless);
    const readers = bodies.map(({ media, decode, schema }): BodyReader => ({
      ...media,
      contentType: media.key,
      decode,
      judge: judgeOf(schema),
      convert: isJudged(media) ? shapes.converter(media.schema) : undefined,
      findMarked: isJudged(media) ? shapes.finder(media.schema) : undefined,
    }));
    const converters = Object.entries(parameters).flatMap(([location, schema]) => {
      const convert = shapes.convertBy(schema);
      return convert ? [{ location, convert }] : [];
    });

    return {
      accept: (contentType, contentEncoding) => accept(readers, contentType, contentEncoding),
      read(raw, body) {
        const envelope: Envelope = {};
        // Before the parameters: a body that is not well-formed is `malformed`, whatever else does not match.
        body?.reader.decode(body.bytes, envelope);
        Object.assign(
          envelope,
          reading(() => readParameters(raw)),
        );
        const judge = body ? body.reader.judge : judgeBodiless;
        const violations = judge.first(envelope);
        if (violations.length > 0) {
          throw invalidRequest(violations, judge.all(envelope));
        }
        const marked = body?.reader.findMarked?.(envelope, 'body');
        if (marked !== undefined) {
          throw invalidRequest([{ place: `/${marked}`, keyword: 'readOnly', message: 'is read-only' }]);
        }
        body?.reader.convert?.(envelope, 'body');
        for (const { location, convert } of converters) convert(envelope, location);
        return choice ? { ...envelope, contentType: body?.reader.contentType } : envelope;
      },
    };
  };
}

function accept(
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
  if (documented) return documented; // as nearly all clients write it
  const expected = `expected a Content-Type of ${bodies.map(({ key }) => key).join(' or ')}`;
  if (contentType === undefined) throw unsupported(`${expected}, got none`);
  const type = parseMediaType(contentType);
  const reader = type && !isRange(type.essence) ? cover(bodies, type) : undefined;
  if (!type || !reader) throw unsupported(`${expected}, got another`);
  if (reader.codec !== 'binary' && type.parameters.has('charset')) {
    throw unsupported('expected the charset utf-8, got another');
  }
  return isRange(reader.key) ? { ...reader, contentType: type.essence } : reader;
}

/** Reads what the client wrote. What does not have the form it claims is malformed. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedJson) {
      throw new Problem('malformed', `the body is not well-formed JSON: ${error.message}`);
    }
    if (error instanceof MalformedParameter) throw malformedParameter(error);
    throw error;
  }
}

function compileDecoder(document: OpenApiDocument, { codec, schema }: MediaTypeObject): BodyReader['decode'] {
  const put = (decode: (bytes: Buffer) => unknown) => (bytes: Buffer, envelope: Envelope) => {
    envelope['body'] = decode(bytes);
  };
  if (codec === 'binary') return put((bytes) => bytes);
  if (codec === 'text') return put(decodeText);
  if (codec === 'form') {
    const readForm = compileForm(document, schema);
    return put((bytes) => reading(() => readForm(decodeText(bytes))));
  }
  return (bytes, envelope) => {
    const text = decodeText(bytes);
    reading(() => {
      parseJson(text, envelope, 'body');
    });
  };
}
