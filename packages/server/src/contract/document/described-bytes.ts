import { essenceOf, isJson } from '../http/media-type';
import type { OpenApiDocument } from './document';
import type { JsonObject } from './json-pointer';

/** Whether a part of a multipart body is a file: by the schema at `pointer`, or one that always applies with it. */
export function isBinary(document: OpenApiDocument, pointer: string): boolean {
  return describeBytes(document.subschemas.certain(pointer).map(({ value }) => value));
}

/**
 * Whether schemas of one value say that it is bytes, not text: by `format: binary`, or by a `contentMediaType` that is
 * neither JSON nor text, without `contentEncoding` (OpenAPI 3.1 section 4.8.14.2).
 */
export function describeBytes(schemas: readonly JsonObject[]): boolean {
  if (schemas.some(({ format }) => format === 'binary')) return true;
  if (schemas.some(({ contentEncoding }) => contentEncoding !== undefined)) return false;
  return schemas.some(
    ({ contentMediaType }) => typeof contentMediaType === 'string' && !isText(essenceOf(contentMediaType)),
  );
}

/** Whether the content of a media type is text, as JSON is. */
const isText = (essence: string): boolean => isJson(essence) || essence.startsWith('text/');
