import type { OpenApiDocument } from '../document/document';
import { essenceOf, isJson } from '../http/media-type';

/**
 * Whether a part of a multipart body is a file: the schema at `pointer`, or one that always applies with it, has
 * `format: binary`, or a `contentMediaType` that is neither JSON nor text, without `contentEncoding` (OpenAPI 3.1 section
 * 4.8.14.2).
 */
export function isBinary(document: OpenApiDocument, pointer: string): boolean {
  const schemas = document.subschemas.certain(pointer).map(({ value }) => value);
  if (schemas.some(({ format }) => format === 'binary')) return true;
  if (schemas.some(({ contentEncoding }) => contentEncoding !== undefined)) return false;
  return schemas.some(({ contentMediaType }) => {
    if (typeof contentMediaType !== 'string') return false;
    const essence = essenceOf(contentMediaType);
    return !isJson(essence) && !essence.startsWith('text/');
  });
}
