import {
  type Json,
  type JsonObject,
  asArray,
  asObject,
  asStrings,
  asString,
  nodeAt,
  objectAt,
  escapeToken,
  pointerOf,
  resolvePointer,
  objectsIn,
} from '../json/tree';
import { toDouble } from '../json/number';
import { Untestable } from '../untestable';
import { conjuncts } from './direction';
import { expandDiscriminators } from './inheritance';
import { resolveIdentifiers } from './identifiers';
import { concreteType } from './media';
import type { Document, Examples, Extensions, MediaType, Operation, Parameter, Response } from './model';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const DEFAULT_STYLE = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' };

/**
 * Reads an OpenAPI 3.1 document. Bundle a document of several files first.
 *
 * An operation with a reference that leads nowhere or out of the document, or with a path parameter that is not described,
 * is untestable; the others are not.
 */
export function readDocument(given: JsonObject, { formats = {}, encoders = {} }: Extensions = {}): Document {
  const merged = mergePathItems(resolveIdentifiers(asObject(withDoubles(given))));
  const json = expandDiscriminators(withPatterns(merged, formats));
  const formatless = withoutKeywords(merged, 'format');
  const undirected = withoutKeywords(formatless, 'readOnly', 'writeOnly');
  const unread: string[] = [];
  const isBroken = deadEnd(json, json) !== undefined;
  const operations = Object.keys(asObject(json['paths'])).flatMap((path) => {
    const pointer = resolveIn(json, `/paths/${escapeToken(path)}`);
    if ('reason' in pointer) {
      unread.push(`${path}: its operations are not read: ${pointer.reason}`);
      return [];
    }
    const item = objectAt(json, pointer.found);
    return METHODS.filter((method) => item[method]).map((method) => {
      const parts = [item[method] ?? null, item['parameters'] ?? null];
      const reason = isBroken ? deadEnd(json, parts) : undefined;
      if (reason === undefined) return withObstacle(readOperation(json, path, method, pointer.found, item));
      const head = headOf(json, path, method, pointer.found, item);
      return { ...head, parameters: [], responses: [], untestable: reason };
    });
  });
  const schemes = Object.keys(asObject(asObject(json['components'])['securitySchemes']));
  return {
    json,
    requests: { json, direction: 'request' },
    responses: { json, direction: 'response' },
    lenient: {
      requests: { json: formatless, direction: 'request' },
      responses: [formatless, undirected].map((schemas) => ({ json: schemas, direction: 'response' })),
    },
    operations,
    unread,
    encoders,
    schemes: Object.fromEntries(
      schemes.flatMap((name) => {
        const pointer = resolveIn(json, `/components/securitySchemes/${escapeToken(name)}`);
        return 'found' in pointer ? [[name, objectAt(json, pointer.found)]] : [];
      }),
    ),
  };
}

/** The pointer at the end of a chain of references, or the reason why there is none. */
function resolveIn(json: JsonObject, pointer: string): { found: string } | { reason: string } {
  try {
    const found = resolvePointer(json, pointer);
    nodeAt(json, found);
    return { found };
  } catch (error) {
    if (error instanceof Untestable) return { reason: error.message };
    throw error;
  }
}

/**
 * A copy with doubles in the place of bigints, with which a validator of schemas computes. Examples stay exact, because
 * requests contain them.
 */
function withDoubles(node: Json, holder = ''): Json {
  if (typeof node === 'bigint') return toDouble(String(node));
  if (Array.isArray(node)) return node.map((entry) => withDoubles(entry));
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).map(([name, value]): [string, Json] => [
    name,
    holder !== 'properties' && (name === 'example' || name === 'examples') ? value : withDoubles(value, name),
  ]);
  return Object.fromEntries(entries);
}

/** A copy in which each schema with one of the formats has its pattern too. */
function withPatterns(json: JsonObject, formats: Readonly<Record<string, string>>): JsonObject {
  const copy = structuredClone(json);
  for (const { node } of objectsIn(copy)) {
    const format = asString(node['format']);
    const pattern = Object.hasOwn(formats, format) ? formats[format] : undefined;
    if (pattern !== undefined) node['allOf'] = [...asArray(node['allOf']), { pattern }];
  }
  return copy;
}

/** A copy without these keywords of its schemas. */
function withoutKeywords(json: JsonObject, ...keywords: readonly string[]): JsonObject {
  const copy = structuredClone(json);
  for (const { node } of objectsIn(copy))
    for (const keyword of keywords) Reflect.deleteProperty(node, keyword);
  return copy;
}

/**
 * A sentence about a reference from a node, or from those that it refers to, that leads nowhere or out of the document;
 * undefined if there is none.
 */
function deadEnd(json: JsonObject, start: Json): string | undefined {
  const seen = new Set<string>();
  const open = [start];
  try {
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const { node, pointer } of objectsIn(next)) {
        const reference = node['$ref'];
        if (typeof reference !== 'string' || seen.has(reference) || pointer.includes('/x-')) continue;
        seen.add(reference);
        open.push(nodeAt(json, pointerOf(reference)));
      }
    return undefined;
  } catch (error) {
    if (error instanceof Untestable) return error.message;
    throw error;
  }
}

/** Merges a referenced path item into the fields beside its `$ref` (OpenAPI 3.1 section 4.8.9). */
function mergePathItems(json: JsonObject): JsonObject {
  const items = Object.entries(asObject(json['paths'])).map(([path, item]): [string, Json] => {
    if (typeof asObject(item)['$ref'] !== 'string' || Object.keys(asObject(item)).length === 1)
      return [path, item];
    const pointer = resolveIn(json, `/paths/${escapeToken(path)}`);
    if ('reason' in pointer) return [path, item];
    const merged = {
      ...objectAt(json, pointer.found),
      ...asObject(item),
    };
    Reflect.deleteProperty(merged, '$ref');
    return [path, merged];
  });
  return { ...json, paths: Object.fromEntries(items) };
}

function readOperation(
  json: JsonObject,
  path: string,
  method: string,
  item: string,
  itemNode: JsonObject,
): Operation {
  const head = headOf(json, path, method, item, itemNode);
  const { pointer } = head;
  const node = asObject(itemNode[method]);
  const body = node['requestBody'] && resolvePointer(json, `${pointer}/requestBody`);
  return {
    ...head,
    parameters: readParameters(json, item, pointer),
    ...(body && {
      body: { required: objectAt(json, body)['required'] === true, content: readContent(json, body) },
    }),
    responses: Object.keys(asObject(node['responses'])).map((status) =>
      readResponse(json, status, resolvePointer(json, `${pointer}/responses/${status}`)),
    ),
  };
}

/** No request has a path with a template in it. */
function withObstacle(operation: Operation): Operation {
  const described = operation.parameters.filter((parameter) => parameter.in === 'path');
  const names = [...operation.path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const missing = names.find((name) => described.every((parameter) => parameter.name !== name));
  if (missing === undefined) return operation;
  return { ...operation, untestable: `the document does not describe the path parameter ${missing}` };
}

/** What no reference leads to. */
function headOf(json: JsonObject, path: string, method: string, item: string, itemNode: JsonObject) {
  const node = asObject(itemNode[method]);
  const servers = [node, itemNode, json]
    .map((owner) => asArray(owner['servers']))
    .find((urls) => urls.length);
  const id = node['operationId'];
  return {
    id: typeof id === 'string' ? id : `${method.toUpperCase()} ${path}`,
    pointer: `${item}/${method}`,
    method: method.toUpperCase(),
    path: basePath(asObject(servers?.[0])) + path,
    ...readSecurity(node['security'] ?? json['security']),
  };
}

/** The parameters of the path item, overridden by those of the operation with the same name and location. */
function readParameters(json: JsonObject, item: string, operation: string): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const owner of [item, operation]) {
    for (const index of asArray(objectAt(json, owner)['parameters']).keys()) {
      const parameter = readParameter(json, resolvePointer(json, `${owner}/parameters/${index}`));
      // OpenAPI 3.1 section 4.8.12.2.1: a parameter of this name is ignored.
      if (parameter.in === 'header' && /^(accept|content-type|authorization)$/i.test(parameter.name))
        continue;
      found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}

function readParameter(json: JsonObject, pointer: string): Parameter {
  const node = objectAt(json, pointer);
  const location = node['in'] as Parameter['in'];
  const style = typeof node['style'] === 'string' ? node['style'] : DEFAULT_STYLE[location];
  const [mediaType] = Object.keys(asObject(node['content']));
  const described = mediaType === undefined ? pointer : `${pointer}/content/${escapeToken(mediaType)}`;
  return {
    name: asString(node['name']),
    in: location,
    required: node['required'] === true,
    style,
    explode: typeof node['explode'] === 'boolean' ? node['explode'] : style === 'form',
    ...(mediaType !== undefined && { mediaType }),
    schema: `${described}/schema`,
    ...readExamples(json, described),
  };
}

function readResponse(json: JsonObject, status: string, pointer: string): Response {
  const headers = Object.keys(asObject(objectAt(json, pointer)['headers']))
    .filter((name) => name.toLowerCase() !== 'content-type') // OpenAPI 3.1 section 4.8.17: `content` describes it.
    .map((name) => {
      const header = resolvePointer(json, `${pointer}/headers/${escapeToken(name)}`);
      const node = objectAt(json, header);
      return {
        name,
        required: node['required'] === true,
        ...(node['schema'] !== undefined && { schema: `${header}/schema` }),
      };
    });
  // RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5: these have no content, whatever the document says.
  const content = ['204', '205', '304'].includes(status) ? [] : readContent(json, pointer);
  return { status, headers, content };
}

function readContent(json: JsonObject, owner: string): MediaType[] {
  return Object.entries(asObject(objectAt(json, owner)['content'])).map(([name, media]) => {
    const node = asObject(media);
    const pointer = `${owner}/content/${escapeToken(name)}`;
    const schema = node['schema'] !== undefined && { schema: `${pointer}/schema` };
    const type = concreteType(name, isStructured(json, asObject(node['schema'])));
    return { name, type, ...schema, ...readExamples(json, pointer) };
  });
}

/** Whether a schema describes more than a text. */
const isStructured = (json: JsonObject, schema: JsonObject): boolean =>
  conjuncts(json, schema).some(
    (node) =>
      ![undefined, 'string'].includes(node['type'] as string | undefined) ||
      Object.keys(node).some((keyword) => !TEXT_KEYWORDS.test(keyword)),
  );

const TEXT_KEYWORDS = /^(?:\$ref|allOf|type|format|description|title|content\w+|examples?|x-.*)$/;

function readExamples(json: JsonObject, owner: string): Examples {
  const { example, examples, schema } = objectAt(json, owner);
  const named = Object.keys(asObject(examples)).map(
    (key) => objectAt(json, resolvePointer(json, `${owner}/examples/${escapeToken(key)}`))['value'],
  );
  const schemaExamples =
    schema === undefined ? [] : asArray(objectAt(json, resolvePointer(json, `${owner}/schema`))['examples']);
  return { examples: [example, ...named].filter((given) => given !== undefined), schemaExamples };
}

/** OpenAPI 3.1 section 4.8.30; no requirement allows anonymous requests. */
function readSecurity(json: Json | undefined): Pick<Operation, 'security' | 'scopes'> {
  const requirements = asArray(json).length === 0 ? [{}] : asArray(json).map(asObject);
  return {
    security: requirements.map((requirement) => Object.keys(requirement)),
    scopes: requirements.map((requirement) =>
      Object.fromEntries(Object.entries(requirement).map(([scheme, scopes]) => [scheme, asStrings(scopes)])),
    ),
  };
}

/** The path of the server of a document, without a trailing slash. */
export const documentBasePath = ({ servers }: JsonObject): string => basePath(asObject(asArray(servers)[0]));

/** The path of a server URL, with the defaults of its variables and without a trailing slash. */
function basePath(server: JsonObject): string {
  const url = typeof server['url'] === 'string' ? server['url'] : '/';
  const filled = url.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = asObject(asObject(server['variables'])[name])['default'];
    return typeof value === 'string' ? value : '';
  });
  if (!URL.canParse(filled, 'http://base'))
    throw new Error(`servers: expected the URL of a server, got ${JSON.stringify(url)}`);
  return new URL(filled, 'http://base').pathname.replace(/\/$/, '');
}
