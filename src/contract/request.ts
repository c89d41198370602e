import { decodeText } from './body';
import type { JsonObject, OpenApiDocument } from './document';
import { MalformedJson, parseJson } from './json';
import { parseMediaType } from './media-type';
import { cover, type MediaTypeObject, type Operation, type Parameter } from './operations';
import {
  compileParameters,
  MalformedParameter,
  type ParameterValues,
  type RawParameters,
} from './parameters';
import { type Headers, Problem } from './problem';
import type { SchemaSet } from './schemas';
import type { Convert, Holder, Shapes } from './shapes';
import type { Check, Compile, Envelope, Violation } from './validator';

/** A request that the document admits, as a handler is given it; every int64 is a bigint. */
export type ValidRequest = ParameterValues & { readonly body?: unknown };

/** Reads the requests of one operation. */
export interface RequestReader {
  /**
   * Which of the documented media types a body is of.
   *
   * @throws {Problem} `unsupportedMediaType`, or `mismatch` if the operation has no body
   */
  mediaType(contentType: string | undefined, contentEncoding: string | undefined): MediaTypeObject;
  /**
   * @param body undefined if there is none
   * @throws {Problem} `malformed` or `mismatch`
   */
  read(
    parameters: RawParameters,
    body?: { readonly media: MediaTypeObject; readonly bytes: Buffer },
  ): ValidRequest;
}

/** How many violations an answer names. */
const MAX_VIOLATIONS = 10;
/** Bytes of a body up to which all its violations are searched for; of a larger one, the first is told. */
const MAX_SEARCHED = 16_384;

function mismatch(violations: readonly Violation[]): Problem {
  // Several branches of an allOf can say the same.
  const all = new Set(
    violations.map(({ place, message }) => `${place.slice(1, 200)} ${message.slice(0, 300)}`),
  );
  const sentences = [...all].slice(0, MAX_VIOLATIONS);
  if (all.size > sentences.length) sentences.push(`and ${all.size - sentences.length} more`);
  return new Problem('mismatch', sentences.join('; '));
}

/** Plans the reader of an operation's requests; `compile` it once the schemas of all operations are known. */
export function planRequest(document: OpenApiDocument, operation: Operation, schemas: SchemaSet) {
  const readParameters = compileParameters(document, operation);
  const content = operation.requestBody?.content ?? [];
  const required = operation.requestBody?.required === true;
  const schemaOf = (key: string): JsonObject => {
    const media = content.find((candidate) => candidate.key === key);
    const judged = media?.schema !== undefined && media.codec !== 'binary';
    const properties = parameterSchemas(operation.parameters, schemas);
    return {
      type: 'object',
      properties: { ...properties, ...(judged && { body: schemas.reference(media.schema) }) },
      required: [...Object.keys(properties), ...(required ? ['body'] : [])],
    };
  };
  const envelopes = new Map(['', ...content.map(({ key }) => key)].map((key) => [key, schemaOf(key)]));

  return function compile(compileOne: Compile, compileAll: Compile, shapes: Shapes): RequestReader {
    const checks = new Map<string, { first: Check; all: () => Check; body: Convert | undefined }>();
    for (const [key, schema] of envelopes) {
      const name = `${operation.pointer} ${key}`;
      let all: Check | undefined;
      const media = content.find((candidate) => candidate.key === key);
      checks.set(key, {
        first: compileOne(name, schema),
        all: () => (all ??= compileAll(name, schema)),
        body:
          media?.schema !== undefined && media.codec !== 'binary'
            ? shapes.converter(media.schema)
            : undefined,
      });
    }
    const converters = operation.parameters.flatMap(({ in: place, name, schema }) => {
      const convert = schema === undefined ? undefined : shapes.converter(schema);
      return convert ? [{ place, name, convert }] : [];
    });
    const expected = content.map(({ key }) => key).join(' or ');

    return {
      mediaType(contentType, contentEncoding) {
        if (content.length === 0) throw new Problem('mismatch', 'this operation has no request body');
        const unsupported = (what: string, headers?: Headers) =>
          new Problem('unsupportedMediaType', what, headers);
        if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
          throw unsupported('the body must not be encoded, but a Content-Encoding is given', {
            'Accept-Encoding': 'identity', // RFC 9110 section 12.5.3
          });
        }
        if (contentType === undefined) throw unsupported(`expected a Content-Type of ${expected}, got none`);
        const type = parseMediaType(contentType);
        const media = type && cover(content, type.essence);
        if (!media) throw unsupported(`expected a Content-Type of ${expected}, got another`);
        const charset = type.parameters.get('charset');
        if (charset !== undefined && media.codec !== 'binary' && charset.toLowerCase() !== 'utf-8') {
          throw unsupported('expected the charset utf-8, got another');
        }
        return media;
      },

      read(raw, body) {
        const envelope: Envelope = read(() => readParameters(raw));
        if (body) decode(body.media, body.bytes, envelope);
        const check = checks.get(body?.media.key ?? '');
        if (!check) throw new Error(`no check for ${operation.pointer}`);
        const violations = check.first(envelope);
        if (violations.length > 0) {
          const search = (body?.bytes.length ?? 0) <= MAX_SEARCHED;
          throw mismatch(search ? check.all()(envelope) : violations);
        }
        check.body?.(envelope, 'body');
        for (const { place, name, convert } of converters) convert(envelope[place] as Holder, name);
        return envelope;
      },
    };
  };
}

/** Reads what the client wrote: what does not have the form it claims is malformed. */
function read<T>(reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    if (error instanceof MalformedJson)
      throw new Problem('malformed', `the body is not well-formed JSON: ${error.message}`);
    if (error instanceof MalformedParameter) throw new Problem('mismatch', error.message);
    throw error;
  }
}

function decode({ codec }: MediaTypeObject, bytes: Buffer, envelope: Envelope): void {
  if (codec === 'binary') envelope['body'] = bytes;
  else if (codec === 'text') envelope['body'] = decodeText(bytes);
  else
    read(() => {
      parseJson(decodeText(bytes), envelope, 'body');
    });
}

/** For each place that has parameters, the schema of an object with all of them. */
export function parameterSchemas(
  parameters: readonly Parameter[],
  schemas: SchemaSet,
): Record<string, JsonObject> {
  const places: Record<string, JsonObject> = {};
  for (const place of new Set(parameters.map((parameter) => parameter.in))) {
    const here = parameters.filter((parameter) => parameter.in === place);
    places[place] = {
      type: 'object',
      properties: Object.fromEntries(
        here.map(({ name, schema }) => [name, schema === undefined ? true : schemas.reference(schema)]),
      ),
      required: here.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  return places;
}
