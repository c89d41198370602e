import { constants } from 'node:buffer';
import { compileQuerystring } from '../codecs/querystring';
import type { Codecs } from '../codecs/registry';
import { joinPointer, type JsonObject, type OpenApiDocument } from '../document/document';
import { isRange } from '../http/media-type';
import type { Operation } from '../operations/operations';
import { compileParameters } from '../parameters/parameters';
import { envelopeSchema, parameterSchemas, withParts } from '../schema/envelope';
import type { SchemaSet } from '../schema/schema-set';
import type { Shapes } from '../schema/shapes';
import type { Judge } from '../schema/validator';
import { type Create, judgesOf } from './plan';
import {
  assertValid,
  type BodyReader,
  type RequestReader,
  requestReader,
  type RequestShape,
} from './read-request';

/** Plans the reader of an operation's requests. Call the result after all operations are planned: it compiles schemas. */
export function planRequests(
  document: OpenApiDocument,
  operation: Operation,
  schemas: SchemaSet,
  codecs: Codecs,
) {
  const readParameters = compileParameters(document, operation, (media) => codecs.text(media));
  const readQuery = compileQuerystring(document, operation, codecs);
  const parameters = parameterSchemas(operation.parameters, schemas);
  const { required = false, content = [] } = operation.requestBody ?? {};
  const limitFinding = (message: string) => {
    document.addFinding(joinPointer(operation.pointer, 'x-body-limit'), message);
  };
  if (operation.bodyLimit !== undefined && content.length === 0) limitFinding('the operation has no body');
  const hasChoice = content.length > 1 || content.some(({ key }) => isRange(key));
  const bodiless = envelopeSchema(parameters, undefined, schemas, required);
  const bodies = content.flatMap((media) => {
    const body = { ...media, document };
    const codec = codecs.of(body);
    const decode = codecs.reader(body);
    if (!decode) return [];
    if (typeof decode === 'function' && (operation.bodyLimit ?? 0) > constants.MAX_STRING_LENGTH)
      limitFinding(`a body of ${media.key} is held in memory, at most ${constants.MAX_STRING_LENGTH} bytes`);
    const { judged, items, item } = judgesOf(decode, codec, media, schemas);
    const parts = 'parts' in decode ? decode.parts : undefined;
    const schema = envelopeSchema(withParts(parameters, parts, schemas), judged, schemas, required);
    return [{ media, codec, decode, judged, schema, items, item }];
  });

  return function compile(
    create: Create,
    judgeOf: (schema: JsonObject) => Judge,
    shapes: Shapes,
  ): RequestReader {
    const judgeBodiless = judgeOf(bodiless);
    const shapeOf = (schema: string | undefined): RequestShape =>
      create({
        convert: () => (schema === undefined ? undefined : shapes.converter(schema)),
        findMarked: () => (schema === undefined ? undefined : shapes.finder(schema)),
      });
    const readers = bodies.map(({ media, codec, decode, judged, schema, items, item }): BodyReader => {
      const judgeItem = item && judgeOf(item);
      const itemShape = shapeOf(items);
      return {
        ...media,
        contentType: media.key,
        codec,
        decode,
        judge: judgeOf(schema),
        shape: shapeOf(judged),
        each(envelope, index) {
          if (judgeItem) assertValid(judgeItem, itemShape, envelope, index);
        },
      };
    });
    const own = create({
      converters: () =>
        Object.entries(parameters.properties).flatMap(([location, schema]) => {
          const convert = shapes.convertBy(schema);
          return convert ? [{ location, convert }] : [];
        }),
    });

    return requestReader(codecs, {
      bodies: readers,
      judgeBodiless,
      hasParameters: operation.parameters.length > 0,
      readParameters,
      readQuery,
      parameters: own,
      hasChoice,
    });
  };
}
