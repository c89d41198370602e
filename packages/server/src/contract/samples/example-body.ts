/** How curl sends the body of an example request. */
import { writeForm, writePairs } from '../codecs/form';
import { ruleOf } from '../codecs/multipart-part';
import { isObject, joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { isJson, type MediaTypeObject, typeOfRange } from '../http/media-type';
import { stringifyJson } from '../json/stringify';
import { DescribedValue } from '../operations/described-value';
import { Unservable } from '../parameters/parts';
import type { ExampleBody } from './message';

/** A file that stands in the folder of every service: what a client uploads in an example. */
const SOME_FILE = '@package.json';
const OCTETS = 'application/octet-stream';

/** Whether a body is bytes, which are no value: a file. */
export const isFile = ({ type: { essence }, items, isStream }: MediaTypeObject): boolean =>
  isStream ||
  (items === undefined &&
    !isJson(essence) &&
    !/^(text|multipart)\/|[/+](x-www-form-urlencoded|xml|yaml|jsonl|json-seq|ndjson|x-ndjson|x-jsonlines)$/.test(
      essence,
    ));

export const isForm = ({ type }: MediaTypeObject): boolean => type.essence.endsWith('x-www-form-urlencoded');

/** The body that is a file. */
export const fileBody = ({ key }: MediaTypeObject): ExampleBody => ({
  headers: { 'Content-Type': concrete(key) },
  options: ['--data-binary', SOME_FILE],
});

/**
 * Writes a value, or an item of a sequence, as the body of a media type; undefined if it has no text.
 *
 * @param document has the media type
 */
export function bodyFor(
  document: OpenApiDocument,
  media: MediaTypeObject,
  value: unknown,
): ExampleBody | undefined {
  const { key, type, items } = media;
  const text = (written: string): ExampleBody => ({ body: { contentType: key, text: written } });
  if (isJson(type.essence)) return text(stringifyJson(value));
  if (type.essence.startsWith('multipart/'))
    return isObject(value) ? { options: partsOf(document, media, value) } : undefined;
  if (isForm(media)) return isObject(value) ? text(writeForm(document, media, value)) : undefined;
  if (items !== undefined) return type.essence.endsWith('seq') ? undefined : text(stringifyJson(value));
  return isObject(value) || Array.isArray(value) ? undefined : text(String(value));
}

/** The options of curl for the parts of a form: a file, a text, or JSON. */
function partsOf(document: OpenApiDocument, media: MediaTypeObject, value: JsonObject): string[] {
  const described = DescribedValue.at(document, media.schema);
  const encodings = new Map(members(document.at(joinPointer(media.pointer, 'encoding'))));
  return members(value).flatMap(([name, all]) => {
    const file = fileType(described.property(name), encodings.get(name));
    if (file !== undefined) return ['-F', `${name}=${SOME_FILE};type=${file}`];
    return writePairs(document, media, { [name]: all }).flatMap(([key, part]) => {
      if (typeof part === 'object' && part !== null)
        return ['-F', `${key}=${quotedJson(part)};type=application/json`];
      // In the value of -F, some characters have a meaning.
      return [/^[@<"]|;/.test(String(part)) ? '--form-string' : '-F', `${key}=${String(part)}`];
    });
  });
}

/** JSON in the value of -F, which ends at a semicolon outside of quotes. */
function quotedJson(part: object): string {
  const text = stringifyJson(part);
  return text.includes(';') ? JSON.stringify(text) : text;
}

/** The media type of a part that is a file, or of a list of files; undefined if it is none. */
function fileType(value: DescribedValue, encoding: unknown): string | undefined {
  try {
    const { isFile, isList, types } = ruleOf(value, encoding);
    if (!isFile) return undefined;
    const [named] = (isList ? value.item(0) : value)
      .schemas()
      .flatMap(({ contentMediaType: type }) => type ?? []);
    return concrete(types?.[0]?.essence ?? (typeof named === 'string' ? named : OCTETS));
  } catch (error) {
    if (error instanceof Unservable) return undefined; // a finding
    throw error;
  }
}

const concrete = (key: string): string => (key.includes('*') ? typeOfRange(key, OCTETS) : key);
