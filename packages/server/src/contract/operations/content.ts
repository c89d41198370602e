import { joinPointer, members, type OpenApiDocument, type Place } from '../document/document';
import { coverage, isJson, type MediaTypeObject, parseMediaType } from '../http/media-type';

/** Reads the media types of a body or a parameter, each a Media Type Object or, since OpenAPI 3.2, a reference to one. */
export function readContent(document: OpenApiDocument, owner: string, content: unknown): MediaTypeObject[] {
  return members(content).flatMap(([key]) => {
    const place = joinPointer(owner, 'content', key);
    const media = document.follow(place);
    const { pointer, value: fields } = media;
    const at = (name: string) => (name in fields ? joinPointer(pointer, name) : undefined);
    const type = parseMediaType(key);
    if (!type) {
      document.addFinding(place, `${JSON.stringify(key)} is not a media type`);
      return [];
    }
    remarkEncoding(document, key, type.essence, media);
    const [schema, itemSchema, own] = [at('schema'), at('itemSchema'), at('x-item-schema')];
    if (itemSchema !== undefined && own !== undefined)
      document.addFinding(own, 'cannot be beside itemSchema, which replaces it in OpenAPI 3.2');
    const isStream = fields['x-stream'] === true;
    return [{ key, type, pointer, schema, items: itemSchema ?? own, isStream }];
  });
}

/** Remarks on encodings that have no effect: they are those of forms and of multipart bodies (OpenAPI 3.2 section 4.14.5). */
function remarkEncoding(
  document: OpenApiDocument,
  key: string,
  essence: string,
  { pointer, value }: Place,
): void {
  const isMultipart = essence.startsWith('multipart/');
  const isForm = essence === 'application/x-www-form-urlencoded';
  const applies = { encoding: isForm || isMultipart, prefixEncoding: isMultipart, itemEncoding: isMultipart };
  for (const [name, does] of Object.entries(applies)) {
    if (does || !(name in value)) continue;
    const message = `${name} does not apply to ${key}`;
    document.addRemark({ pointer: joinPointer(pointer, name), message, keyword: `MediaType ${name}` });
  }
}

/** Whether a parameter with this media type is JSON text. */
export const isJsonText = ({ type }: MediaTypeObject): boolean =>
  (isJson(type.essence) || coverage(type.essence, 'application/json') > 0) && !type.parameters.has('charset');
