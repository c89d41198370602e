import { essenceOf, isJson, isTextual } from '../http/media-type';
import type { JsonObject } from './json-pointer';

/**
 * Whether a schema says that its value is bytes, not text: by `format: binary`, or by a `contentMediaType` that is neither
 * JSON nor text, without `contentEncoding` (OpenAPI 3.1 section 4.8.14.2).
 */
export function describesBytes({ format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (contentEncoding !== undefined) return false;
  return format === 'binary' || (typeof contentMediaType === 'string' && !isText(contentMediaType));
}

/** Whether the content of a media type is text, as JSON is. */
export function isText(type: string): boolean {
  const essence = essenceOf(type);
  return essence.startsWith('text/') || isJson(essence) || isTextual(essence);
}
