import { type Json, type JsonObject, list, object, strings, word } from '../json/json';
import { at, escape, follow } from '../json/pointer';
import { spelledOut } from './discriminator';
import type { Document, Examples, MediaType, Operation, Parameter, Response } from './document';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const DEFAULT_STYLE = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' };

/**
 * Reads the operations out of an OpenAPI 3.1 document whose references all point into itself (a document of several
 * files is bundled first).
 *
 * @throws {Error} if a reference leads nowhere or out of the document.
 */
export function readDocument(given: JsonObject): Document {
  const json = spelledOut(withPathItems(given));
  const paths = Object.keys(object(json['paths'])).map((path) => ({
    path,
    pointer: follow(json, `/paths/${escape(path)}`),
  }));
  const operations = paths.flatMap(({ path, pointer }) => {
    const item = object(at(json, pointer));
    return METHODS.filter((method) => item[method]).map((method) =>
      readOperation(json, path, method, pointer, item),
    );
  });
  const schemes = Object.keys(object(object(json['components'])['securitySchemes']));
  return {
    json,
    requests: { json, direction: 'request' },
    responses: { json, direction: 'response' },
    operations,
    schemes: Object.fromEntries(
      schemes.map((name) => [
        name,
        object(at(json, follow(json, `/components/securitySchemes/${escape(name)}`))),
      ]),
    ),
  };
}

/**
 * The document with the fields of referenced path items beside those that stand next to the reference (OpenAPI 3.1 section
 * 4.8.9).
 */
function withPathItems(json: JsonObject): JsonObject {
  const items = Object.entries(object(json['paths'])).map(([path, item]): [string, Json] => {
    if (typeof object(item)['$ref'] !== 'string' || Object.keys(object(item)).length === 1)
      return [path, item];
    const merged = { ...object(at(json, follow(json, `/paths/${escape(path)}`))), ...object(item) };
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
  const pointer = `${item}/${method}`;
  const node = object(itemNode[method]);
  const servers = [node, itemNode, json].map((owner) => list(owner['servers'])).find((urls) => urls.length);
  const id = node['operationId'];
  const body = node['requestBody'] && follow(json, `${pointer}/requestBody`);
  return {
    id: typeof id === 'string' ? id : `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path: basePath(object(servers?.[0])) + path,
    parameters: readParameters(json, item, pointer),
    ...(body && {
      body: { required: object(at(json, body))['required'] === true, content: readContent(json, body) },
    }),
    responses: Object.keys(object(node['responses'])).map((status) =>
      readResponse(json, status, follow(json, `${pointer}/responses/${status}`)),
    ),
    ...readSecurity(node['security'] ?? json['security']),
  };
}

/** Path item parameters, overridden by the operation's own of the same name and place. */
function readParameters(json: JsonObject, item: string, operation: string): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const owner of [item, operation]) {
    for (const index of list(object(at(json, owner))['parameters']).keys()) {
      const parameter = readParameter(json, follow(json, `${owner}/parameters/${index}`));
      // OpenAPI 3.1 section 4.8.12.2.1: other parts of the document describe them.
      if (parameter.in === 'header' && /^(accept|content-type|authorization)$/i.test(parameter.name))
        continue;
      found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}

function readParameter(json: JsonObject, pointer: string): Parameter {
  const node = object(at(json, pointer));
  const place = node['in'] as Parameter['in'];
  const style = typeof node['style'] === 'string' ? node['style'] : DEFAULT_STYLE[place];
  const [mediaType] = Object.keys(object(node['content']));
  const described = mediaType === undefined ? pointer : `${pointer}/content/${escape(mediaType)}`;
  return {
    name: word(node['name']),
    in: place,
    required: node['required'] === true,
    style,
    explode: typeof node['explode'] === 'boolean' ? node['explode'] : style === 'form',
    ...(mediaType !== undefined && { mediaType }),
    schema: `${described}/schema`,
    ...readExamples(json, described),
  };
}

function readResponse(json: JsonObject, status: string, pointer: string): Response {
  const headers = Object.keys(object(object(at(json, pointer))['headers']))
    .filter((name) => name.toLowerCase() !== 'content-type') // described by `content`, says the specification
    .map((name) => {
      const header = follow(json, `${pointer}/headers/${escape(name)}`);
      const node = object(at(json, header));
      return {
        name,
        required: node['required'] === true,
        ...(node['schema'] !== undefined && { schema: `${header}/schema` }),
      };
    });
  return { status, headers, content: readContent(json, pointer) };
}

function readContent(json: JsonObject, owner: string): MediaType[] {
  return Object.entries(object(object(at(json, owner))['content'])).map(([name, media]) => {
    const node = object(media);
    const pointer = `${owner}/content/${escape(name)}`;
    const schema = node['schema'] !== undefined && { schema: `${pointer}/schema` };
    return { name, ...schema, ...readExamples(json, pointer) };
  });
}

/** The examples of a parameter or media type. */
function readExamples(json: JsonObject, owner: string): Examples {
  const { example, examples, schema } = object(at(json, owner));
  const named = Object.keys(object(examples)).map(
    (key) => object(at(json, follow(json, `${owner}/examples/${escape(key)}`)))['value'],
  );
  const schemaExamples =
    schema === undefined ? [] : list(object(at(json, follow(json, `${owner}/schema`)))['examples']);
  return { examples: [example, ...named].filter((given) => given !== undefined), schemaExamples };
}

function readSecurity(json: Json | undefined): Pick<Operation, 'security' | 'scopes'> {
  const requirements = list(json).length === 0 ? [{}] : list(json).map(object);
  return {
    security: requirements.map((requirement) => Object.keys(requirement)),
    scopes: requirements.map((requirement) =>
      Object.fromEntries(Object.entries(requirement).map(([scheme, scopes]) => [scheme, strings(scopes)])),
    ),
  };
}

/** The path part of a server URL, its variables at their defaults, without a trailing slash. */
function basePath(server: JsonObject): string {
  const url = typeof server['url'] === 'string' ? server['url'] : '/';
  const filled = url.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = object(object(server['variables'])[name])['default'];
    return typeof value === 'string' ? value : '';
  });
  return new URL(filled, 'http://base').pathname.replace(/\/$/, '');
}
