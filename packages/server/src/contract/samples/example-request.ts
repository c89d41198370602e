import { writeForm } from '../codecs/form';
import { isObject, joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { isJson, type MediaTypeObject } from '../http/media-type';
import { parseJson } from '../json/parse';
import type { Holder } from '../json/values';
import { DescribedValue } from '../operations/described-value';
import { negotiable, readOperations, type Operation, type Parameter } from '../operations/operations';
import { parsePathTemplate } from '../operations/routes';
import { writeParameter } from '../parameters/write';
import { schemeAt, schemeKind } from '../operations/alternatives';
import { type Credential, type ExampleBody, type ExampleRequest, hasBody } from './message';
import { bodyFor, fileBody, isFile, isForm } from './example-body';
import { samples } from './sample';

/**
 * Finds a request that probably succeeds on a server without data. Requests that may find nothing come last. Those that the
 * examples of the document determine come before those with a generated value of a required parameter or body, then those
 * without path parameters, then those with credentials, then those with a body.
 *
 * @returns undefined if no operation has values for what it requires
 */
export function exampleRequest(
  document: OpenApiDocument,
  operations = readOperations(document),
): ExampleRequest | undefined {
  const candidates = operations.flatMap((operation) => {
    const finder = new Values(document);
    const request = requestOf(document, operation, finder);
    if (!request) return [];
    // In the order of their weight.
    const faults = [
      ...[mayFindNothing(operation), finder.generated, hasPath(operation)],
      ...[isPublic(operation), !hasBody(request)],
    ];
    return [{ request, rank: Number.parseInt(faults.map(Number).join(''), 2) }];
  });
  const [best] = candidates.sort((a, b) => a.rank - b.rank);
  return best?.request;
}

const hasPath = ({ parameters }: Operation): boolean => parameters.some(({ in: place }) => place === 'path');

/** Whether its path names something that a server without data does not have. */
export const mayFindNothing = (operation: Operation): boolean =>
  hasPath(operation) && ['404', '4XX'].some((status) => operation.responses.has(status));

const isPublic = ({ security }: Operation): boolean => security.every((schemes) => schemes.length === 0);

/** Values for parameters and bodies: examples of the document, or else generated ones. */
class Values {
  /** Whether a value was generated. */
  generated = false;
  constructor(private readonly document: OpenApiDocument) {}

  /** The text of a parameter; undefined if no value is found that the parameter can carry. */
  textOf(parameter: Parameter): string | undefined {
    const example = parameterExample(this.document, parameter);
    const text = example === undefined ? undefined : this.write(parameter, example);
    if (text !== undefined || parameter.schemaPointer === undefined) return text;
    for (const sample of samples(this.document, parameter.schemaPointer, 'request')) {
      const made = this.write(parameter, sample);
      if (made === undefined || made === '') continue;
      this.generated = true;
      return made;
    }
    return undefined;
  }

  private write(parameter: Parameter, value: unknown): string | undefined {
    const { content } = parameter;
    return parameter.in === 'querystring' && content && isForm(content) && isObject(value)
      ? writeForm(this.document, content, value)
      : writeParameter(parameter, value);
  }

  /** The value of a body, or of an item of it. @param required whether to generate one if there is no example */
  valueOf({ pointer, schema, items }: MediaTypeObject, required: boolean): unknown {
    const example = items === undefined ? exampleOf(this.document, pointer) : undefined;
    const described = items ?? schema ?? joinPointer(pointer, 'schema');
    if (example !== undefined || !required) return example;
    for (const sample of samples(this.document, described, 'request')) {
      this.generated = true;
      return sample;
    }
    return undefined;
  }
}

function requestOf(
  document: OpenApiDocument,
  operation: Operation,
  values: Values,
): ExampleRequest | undefined {
  const { operationId, method, requestBody } = operation;
  const required = operation.parameters.filter((parameter) => parameter.required);
  const written = required.flatMap((parameter) => {
    const text = values.textOf(parameter);
    return text === undefined ? [] : [{ ...parameter, text }];
  });
  if (written.length < required.length) return undefined;
  const line = lineOf(operation, written);
  const request = { operationId, method, ...line, credentials: credentialsOf(document, operation) };
  const [answer] = negotiable(operation)[0]?.content ?? [];
  // curl waits for more of a stream before it prints what came.
  const options = answer && isStream(answer) ? ['-N'] : [];
  const content = (requestBody?.content ?? []).toSorted(
    (a, b) => Number(isJson(b.type.essence)) - Number(isJson(a.type.essence)),
  );
  for (const required of [false, requestBody?.required === true]) {
    for (const media of content) {
      const body = bodyOf(document, media, values, required);
      if (body) return complete(request, body, options);
    }
  }
  return requestBody?.required === true ? undefined : complete(request, {}, options);
}

function bodyOf(
  document: OpenApiDocument,
  media: MediaTypeObject,
  values: Values,
  required: boolean,
): ExampleBody | undefined {
  if (isFile(media)) return fileBody(media);
  // Uploads are sent even where the document does not require them.
  const value = values.valueOf(media, required || media.type.essence === 'multipart/form-data');
  return value === undefined ? undefined : bodyFor(document, media, value);
}

const isStream = ({ type, items }: MediaTypeObject): boolean =>
  items !== undefined || type.essence === 'text/event-stream';

/** @param more options beside those of the body */
function complete(
  request: ExampleRequest,
  { options = [], headers, body }: ExampleBody,
  more: readonly string[],
): ExampleRequest {
  const all = [...more, ...options];
  return {
    ...request,
    ...(body && { body }),
    ...(headers && { headers: { ...request.headers, ...headers } }),
    ...(all.length > 0 && { options: all }),
  };
}

/** The path and the headers with the texts of parameters. */
export function lineOf(
  { paths }: Operation,
  written: readonly (Pick<Parameter, 'in' | 'name'> & { readonly text: string })[],
) {
  const texts = new Map<string, string>();
  const query: string[] = [];
  const cookies: string[] = [];
  const headers: Record<string, string> = {};
  for (const { in: place, name, text } of written) {
    if (place === 'path') texts.set(name, text);
    else if (place === 'header') headers[name] = text;
    else if (text !== '') (place === 'cookie' ? cookies : query).push(text); // a list without items has no pair
  }
  if (cookies.length > 0) headers['Cookie'] = cookies.join('; ');
  const { shape, names } = parsePathTemplate(paths[0] ?? '');
  const literals = shape.split('{}');
  const path = literals.map((literal, i) => literal + (texts.get(names[i] ?? '') ?? '')).join('');
  return {
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** The first example of a parameter: its own, that of its content, or that of its schema. */
function parameterExample(document: OpenApiDocument, { schemaPointer, pointer }: Parameter): unknown {
  if (schemaPointer === undefined) return undefined;
  const owner = schemaPointer.slice(0, schemaPointer.lastIndexOf('/'));
  const own = [...examplesOf(document, pointer), ...examplesOf(document, owner)];
  return own[0] ?? schemaExample(document, schemaPointer);
}

/** The first example, default, constant or enum value of a schema, or of one that always applies with it. */
function schemaExample(document: OpenApiDocument, pointer: string): unknown {
  const named = document.subschemas.certain(pointer).flatMap(({ value }) => {
    const { examples, example, default: usual, const: only, enum: all } = value;
    return [[examples].flat()[0], example, usual, only, [all].flat()[0]];
  });
  return named.find((given) => given !== undefined);
}

/** The places of the secrets of the first security alternative that has a place for each. */
function credentialsOf(document: OpenApiDocument, { security }: Operation): readonly Credential[] {
  for (const schemes of security) {
    const places = schemes.flatMap(({ scheme }) => placeOf(scheme, schemeAt(document, scheme).value) ?? []);
    if (places.length > 0 && places.length === schemes.length) return places;
  }
  return [];
}

/** The place of the secret of a security scheme; undefined if it cannot be served. */
function placeOf(scheme: string, value: JsonObject): Credential | undefined {
  const kind = schemeKind(value);
  if (kind === undefined) return undefined;
  if (kind !== 'apiKey') return { scheme, kind, in: 'header', name: 'Authorization' };
  const { in: place, name } = value;
  return { scheme, kind, in: place === 'query' || place === 'cookie' ? place : 'header', name: String(name) };
}

/** The first example of a media type object, or of its schema. */
function exampleOf(document: OpenApiDocument, pointer: string): unknown {
  const [own] = examplesOf(document, pointer);
  if (own !== undefined) return own;
  const schemas = document.subschemas.certain(joinPointer(pointer, 'schema'));
  return schemas.flatMap(({ value }) => value['examples'] ?? [])[0];
}

/**
 * The examples of the Parameter Object or Media Type Object at `pointer` itself, as values (OpenAPI 3.1 section 4.8.14, and 3.2
 * section 4.19 for `dataValue` and `serializedValue`).
 */
export function examplesOf(document: OpenApiDocument, pointer: string): unknown[] {
  const { example, examples } = document.follow(pointer).value;
  const named = members(examples).map(([name]) => {
    const {
      value,
      dataValue = value,
      serializedValue,
    } = document.follow(joinPointer(pointer, 'examples', name)).value;
    return (
      dataValue ??
      (typeof serializedValue === 'string' ? deserialized(document, pointer, serializedValue) : undefined)
    );
  });
  return [example, ...named].filter((given) => given !== undefined);
}

/** The value of a text that is JSON, or a string itself; undefined for a text in another format. */
function deserialized(document: OpenApiDocument, pointer: string, text: string): unknown {
  const { pointer: owner, value } = document.follow(pointer);
  if ('itemSchema' in value) return undefined;
  const types =
    'schema' in value ? DescribedValue.at(document, joinPointer(owner, 'schema')).types() : undefined;
  if (types?.includes('string') !== false) return text;
  try {
    const holder: Holder = {};
    parseJson(text, holder, 'value');
    return holder['value'];
  } catch {
    return undefined;
  }
}
