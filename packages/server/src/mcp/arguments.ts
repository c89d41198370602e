/** Turns the arguments of a tool into the request that they describe. */
import {
  bodyFor,
  compilePattern,
  exactNumber,
  type Holder,
  isForm,
  isInt64,
  isJson,
  isObject,
  isRange,
  lastStep,
  lineOf,
  type MediaTypeObject,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  writeParameter,
} from '../contract/tools';
import type { MadeRequest } from './in-process';

/** Arguments that no request can carry. Its message says which, and why. */
export class UnusableArguments extends Error {}

/** Where parameters stand, by the names that the messages of the server have. */
export const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** The media type that arguments can write, JSON first; undefined if they can write none of them. */
export const writableBody = ({ requestBody }: Operation): MediaTypeObject | undefined => {
  const content = (requestBody?.content ?? []).filter(
    ({ type, items, isStream }) => !isRange(type.essence) && !items && !isStream,
  );
  return (
    content.find(({ type }) => isJson(type.essence)) ??
    content.find((media) => isForm(media) || media.type.essence === 'text/plain')
  );
};

/** Whether a text can carry a parameter without a codec of the service. */
export const isWritable = ({ content, json, in: place }: Parameter): boolean =>
  place !== 'querystring' && (content === undefined || json);

/**
 * Writes a request.
 *
 * @param given the arguments; each int64 that is a text becomes a bigint in them
 * @throws {UnusableArguments}
 */
export function writeArguments(
  document: OpenApiDocument,
  operation: Operation,
  body: MediaTypeObject | undefined,
  given: Holder,
): MadeRequest {
  const parameters = operation.parameters.filter(isWritable);
  assertKnown(parameters, body, given);
  const written = parameters.flatMap((parameter) => {
    const text = textOf(document, parameter, given);
    if (parameter.in === 'path' && !text)
      throw new UnusableArguments(`path/${parameter.name} is required, and must not be empty`);
    return text === undefined ? [] : [{ ...parameter, text }];
  });
  const content = body && 'body' in given ? contentOf(document, body, given) : undefined;
  const { path, headers } = lineOf(operation, written);
  return {
    method: operation.method,
    path,
    headers: { ...headers, ...(content && { 'Content-Type': content.contentType }) },
    body: content && Buffer.from(content.text),
  };
}

/** What no parameter has as its name would be lost. */
function assertKnown(parameters: readonly Parameter[], body: object | undefined, given: Holder): void {
  const known = [...parameters.map((one) => `${one.in}/${one.name}`), ...(body ? ['body'] : [])];
  const names = Object.entries(given).flatMap(([place, value]) =>
    place === 'body' || !isObject(value) ? [place] : Object.keys(value).map((name) => `${place}/${name}`),
  );
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const expected = known.join(', ') || 'none';
  throw new UnusableArguments(
    `${unknown.slice(0, 100)} is not an argument of this tool: expected ${expected}`,
  );
}

/** The text of a parameter; undefined if it is not given. */
function textOf(document: OpenApiDocument, parameter: Parameter, given: Holder): string | undefined {
  const { in: place, name, schemaPointer } = parameter;
  const holder = given[place];
  if (!isObject(holder) || !Object.hasOwn(holder, name)) return undefined;
  const text = writeParameter(parameter, valueOf(document, schemaPointer, holder, name));
  if (text !== undefined) return text;
  throw new UnusableArguments(`${place}/${name} has characters that a ${place} cannot carry`);
}

function contentOf(document: OpenApiDocument, media: MediaTypeObject, given: Holder) {
  const { body } = bodyFor(document, media, valueOf(document, media.schema, given, 'body')) ?? {};
  if (body) return body;
  throw new UnusableArguments(`body must be ${isForm(media) ? 'object' : 'string'}`);
}

function valueOf(document: OpenApiDocument, schema: string | undefined, holder: Holder, key: string) {
  readInt64(document, schema === undefined ? [] : [schema], holder, key);
  return exactNumber(holder, key) ?? holder[key];
}

/**
 * Makes a bigint of each text that is an int64 by the schemas that describe it. If one of them admits a text there, the text
 * stays, and the server judges it.
 */
function readInt64(
  document: OpenApiDocument,
  pointers: readonly string[],
  holder: Holder,
  key: string | number,
): void {
  const value = holder[key];
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return;
  const places = pointers.flatMap((pointer) => document.subschemas.possible(pointer));
  if (typeof value === 'string') {
    const isText = places.some(({ value: { type } }) => [type].flat().includes('string'));
    if (!isText && /^-?\d{1,20}$/.test(value) && places.some((place) => isInt64(place.value)))
      holder[key] = BigInt(value);
    return;
  }
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const below = places.flatMap(({ pointer }) => partsOf(document, pointer, name));
    readInt64(document, below, value as Holder, name);
  }
}

/** The schemas of a property or item. Patterns take linear time here: clients choose the names. */
function partsOf({ subschemas }: OpenApiDocument, at: string, key: string | number): string[] {
  if (typeof key === 'number') return subschemas.item(at, key).map(({ pointer }) => pointer);
  const under = (keyword: string, has: (name: string) => boolean = () => true) =>
    subschemas.under(at, keyword).filter((pointer) => has(lastStep(pointer)));
  const named = [
    ...under('properties', (name) => name === key),
    ...under('patternProperties', (pattern) => compilePattern(pattern).test(key)),
  ];
  return named.length > 0 ? named : [...under('additionalProperties'), ...under('unevaluatedProperties')];
}
