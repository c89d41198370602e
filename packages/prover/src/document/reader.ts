import {
  type Json,
  type JsonObject,
  asArray,
  asObject,
  asStrings,
  asString,
  objectAt,
  escapeToken,
  resolvePointer,
} from '../json/tree';
import { conjuncts } from './direction';
import { concreteType, itemSchemaOf } from './media';
import { deadEnd, normalize, resolveIn } from './normalize';
import type { Document, Examples, Extensions, MediaType, Operation, Parameter, Response } from './model';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const DEFAULT_STYLE = {
  path: 'simple',
  query: 'form',
  querystring: 'form',
  header: 'simple',
  cookie: 'form',
};

/**
 * Reads an OpenAPI document of version 3.1 or 3.2. Bundle a document of several files first.
 *
 * An operation with a reference that leads nowhere or out of the document, or with a path parameter that is not described,
 * is untestable; the others are not.
 */
export function readDocument(given: JsonObject, { formats = {}, encoders = {} }: Extensions = {}): Document {
  const { json, formatless, undirected } = normalize(given, formats);
  const unread: string[] = [];
  const isBroken = deadEnd(json, json) !== undefined;
  const owners = new Map<string, string>();
  const operations = Object.keys(asObject(json['paths'])).flatMap((path) => {
    const pointer = resolveIn(json, `/paths/${escapeToken(path)}`);
    if ('reason' in pointer) {
      unread.push(`${path}: its operations are not read: ${pointer.reason}`);
      return [];
    }
    const item = objectAt(json, pointer.found);
    return methodsOf(json, item).map((method) => {
      const operation = readOperation(json, path, method, pointer.found, isBroken);
      // Of two with one operationId, which OpenAPI forbids, the second goes by its method and path, as in the mock.
      const isTaken = (owners.get(operation.id) ?? operation.pointer) !== operation.pointer;
      owners.set(operation.id, operation.pointer);
      return isTaken ? { ...operation, id: `${method[0]} ${path}` } : operation;
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

/** A method, and the place of its operation below the path item. */
type Method = readonly [method: string, place: string];

/** The methods of a path item: those of its fields, and the additional ones of OpenAPI 3.2, section 4.9. */
function methodsOf({ openapi }: JsonObject, item: JsonObject): Method[] {
  const fields = METHODS.map((name): Method => [name.toUpperCase(), name]).filter(([, name]) => item[name]);
  if (/^3\.[01]/.test(asString(openapi))) return fields;
  const additional = Object.keys(asObject(item['additionalOperations']));
  return [
    ...fields,
    ...(item['query'] ? [['QUERY', 'query'] as const] : []),
    ...additional.map((name): Method => [name, `additionalOperations/${escapeToken(name)}`]),
  ];
}

/**
 * @param item pointer to the path item
 * @param isBroken whether a reference of the document leads nowhere
 */
function readOperation(
  json: JsonObject,
  path: string,
  [method, place]: Method,
  item: string,
  isBroken: boolean,
): Operation {
  const itemNode = objectAt(json, item);
  const pointer = `${item}/${place}`;
  const node = objectAt(json, pointer);
  const servers = [node, itemNode, json]
    .map((owner) => asArray(owner['servers']))
    .find((urls) => urls.length);
  const head = {
    id: asString(node['operationId']) || `${method} ${path}`,
    pointer,
    method,
    path: basePath(asObject(servers?.[0])) + path,
    ...readSecurity(node['security'] ?? json['security']),
  };
  const reason = isBroken ? deadEnd(json, [node, itemNode['parameters'] ?? null]) : undefined;
  if (reason !== undefined) return { ...head, parameters: [], responses: [], untestable: reason };
  const parameters = readParameters(json, item, pointer);
  const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  // No request has a path with a template in it.
  const [, missing] =
    [...head.path.matchAll(/\{([^}]*)\}/g)].find(([, name = '']) => !described.includes(name)) ?? [];
  const body = node['requestBody'] && resolvePointer(json, `${pointer}/requestBody`);
  return {
    ...head,
    parameters,
    ...(body && {
      body: { required: objectAt(json, body)['required'] === true, content: readContent(json, body) },
    }),
    ...(typeof node['x-body-limit'] === 'number' && { bodyLimit: node['x-body-limit'] }),
    responses: Object.keys(asObject(node['responses'])).map((status) =>
      readResponse(json, status, resolvePointer(json, `${pointer}/responses/${status}`)),
    ),
    ...(missing !== undefined && {
      untestable: `the document does not describe the path parameter ${missing}`,
    }),
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
  const described =
    mediaType === undefined ? pointer : resolvePointer(json, `${pointer}/content/${escapeToken(mediaType)}`);
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
  return Object.keys(asObject(objectAt(json, owner)['content'])).map((name): MediaType => {
    const pointer = resolvePointer(json, `${owner}/content/${escapeToken(name)}`);
    const node = objectAt(json, pointer);
    const items = itemSchemaOf(node);
    return {
      name,
      type: concreteType(name, isStructured(json, asObject(node['schema']))),
      ...(node['schema'] !== undefined && { schema: `${pointer}/schema` }),
      ...(items !== undefined && { items: `${pointer}/${items}` }),
      ...(node['x-stream'] === true && { isStream: true }),
      ...readExamples(json, pointer),
    };
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
  const named = Object.keys(asObject(examples)).map((key) => {
    const { dataValue, value } = objectAt(
      json,
      resolvePointer(json, `${owner}/examples/${escapeToken(key)}`),
    );
    return dataValue ?? value; // OpenAPI 3.2 section 4.19
  });
  const described = schema === undefined ? {} : objectAt(json, resolvePointer(json, `${owner}/schema`));
  const given = (values: readonly (Json | undefined)[]) => values.filter((value) => value !== undefined);
  return {
    examples: given([example, ...named]),
    schemaExamples: given([...asArray(described['examples']), described['example']]), // `example` is deprecated, and usual.
  };
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
