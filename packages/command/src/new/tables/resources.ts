/** Finds the resources of a document: what has an operation that reads one of it by its path. */
import {
  examplesOf,
  isJson,
  isObject,
  joinPointer,
  type OpenApiDocument,
  samples,
  type ServedOperation,
  successOf,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { type Inside, insideOf, within } from '../errors/envelopes';
import { camelOf, plain } from '../names';
import type { BodyPlace } from '../types';

export interface PathParameter {
  readonly name: string;
  /** JSON pointer to the parameter. */
  readonly pointer: string;
  /** JSON pointer to its schema. */
  readonly schema: string;
  readonly example: unknown;
  /** Whether the document has the example. */
  readonly given: boolean;
}

/** Objects that a service stores, by a response that has one of them. */
export interface Stored {
  /** The name of their part of the store: `specialEvents`. */
  readonly name: string;
  /** Of a response to GET or POST that has one of them, perhaps in an envelope. */
  readonly body: BodyPlace;
  readonly inside: Inside;
  /** The operations on all of them. */
  readonly create: Operation | undefined;
  readonly list: Operation | undefined;
}

/** Objects that have a path of their own. */
export interface Resource extends Stored {
  readonly read: Operation;
  /** All parameters of its path, the last of which names it. */
  readonly parameters: readonly PathParameter[];
  /** One of it, which the example of its path names; undefined if none was found. */
  readonly example: unknown;
  /** The property with its key, if it has one. */
  readonly id: string | undefined;
  readonly replace: Operation | undefined;
  readonly patch: Operation | undefined;
  readonly remove: Operation | undefined;
}

export function resourcesOf(document: OpenApiDocument, served: Iterable<ServedOperation>): Resource[] {
  const all = [...served];
  const at = (method: string, ...paths: readonly string[]) =>
    all.find(
      ({ operation }) => operation.method === method && operation.paths.some((one) => paths.includes(one)),
    )?.operation;
  const names = new Set<string>();
  return all.flatMap((one): Resource[] => {
    const { operation } = one;
    const [path = ''] = operation.paths;
    const [, parent = '', last] = /^(.*)\/\{([^{}]+)\}$/.exec(path) ?? [];
    if (operation.method !== 'GET' || last === undefined) return [];
    const success = successBody(document, operation);
    if (!success) return [];
    const inside = insideOf(document, [success.schema], 'response', 'one');
    // `{ message, data: [...] }` is an answer, and no object.
    const isAnswer = insideOf(document, [success.schema], 'response', 'list').remarks.size > 0;
    if (inside.isList || (inside.property === undefined && isAnswer)) return [];
    const example = within(inside, successOf(document, one)?.body);
    const id = idOf(example, last);
    const parameters = pathParameters(
      document,
      operation,
      last,
      id !== undefined && isObject(example) ? example[id] : undefined,
    );
    return [
      {
        ...{ body: success, inside, name: nameFor(parent, names), parameters, example, id },
        ...{
          read: operation,
          replace: at('PUT', path),
          patch: at('PATCH', path),
          remove: at('DELETE', path),
        },
        ...{ create: at('POST', parent, `${parent}/`), list: at('GET', parent, `${parent}/`) },
      },
    ];
  });
}

/** The body of the success of an operation, if it is JSON. */
export function successBody(
  document: OpenApiDocument,
  { operationId, pointer, responses }: Operation,
): BodyPlace | undefined {
  const [status, success] = [...responses].find(([key]) => /^(2|default)/.test(key)) ?? [];
  const media = success?.content.find(({ type }) => isJson(type.essence));
  if (status === undefined || media?.schema === undefined) return undefined;
  const place = document.follow(joinPointer(pointer, 'responses', status));
  const { pointer: schema } = document.follow(joinPointer(place.pointer, 'content', media.key, 'schema'));
  return { operationId, schema, mediaType: media.key, status };
}

/** Members of every store, and of every object. */
const MEMBERS = new Set(['ready', 'close', 'then', ...Object.getOwnPropertyNames(Object.prototype)]);

/** A new name for the objects below a path. */
function nameFor(path: string, names: Set<string>): string {
  const segment = path.split('/').findLast((step) => step !== '' && !step.includes('{')) ?? '';
  const base = camelOf(segment, 'items');
  let name = base;
  for (let n = 2; names.has(name) || MEMBERS.has(name); n++) name = `${base}${n}`;
  names.add(name);
  return name;
}

/** The objects that a path lists and creates, and that have no path of their own: `/books/{id}/loans`. */
export function listedIn(
  document: OpenApiDocument,
  served: Iterable<ServedOperation>,
  resources: readonly Resource[],
): Stored[] {
  const all = [...served];
  const names = new Set(resources.map(({ name }) => name));
  return all.flatMap((one): Stored[] => {
    const { operation } = one;
    const [path = ''] = operation.paths;
    const list = all.find((other) => other.operation.method === 'GET' && other.operation.paths[0] === path);
    const isOwn = resources.some(({ create }) => create?.operationId === operation.operationId);
    if (operation.method !== 'POST' || !list || isOwn) return [];
    const success = successBody(document, operation);
    if (!success || !isObject(successOf(document, one)?.body)) return [];
    const inside = insideOf(document, [success.schema], 'response', 'one');
    if (inside.isList) return [];
    return [{ body: success, inside, name: nameFor(path, names), create: operation, list: list.operation }];
  });
}

/** The property that holds the key of an object: `eventId`, `id` or `uuid` for the parameter `eventId`. */
export function idOf(body: unknown, parameter: string): string | undefined {
  if (!isObject(body)) return undefined;
  const wanted = [plain(parameter), 'id', 'uuid', 'key', plain(parameter).replace(/id$/, '')];
  const isKey = (name: string) => ['string', 'number', 'bigint'].includes(typeof body[name]);
  return wanted
    .map((name) => Object.keys(body).find((key) => plain(key) === name && isKey(key)))
    .find((name) => name !== undefined);
}

/** The parameters of every path. Below the path of a resource, its parameters have its examples. */
export function allPathParameters(
  document: OpenApiDocument,
  served: Iterable<ServedOperation>,
  resources: readonly Resource[],
): PathParameter[] {
  return [...served].flatMap(({ operation }) => {
    const [path = ''] = operation.paths;
    const above = resources.filter(({ read }) => path.startsWith(read.paths[0] ?? '/'));
    return pathParameters(document, operation, '', undefined).map((own) => {
      const known = above
        .flatMap(({ parameters }) => parameters.filter(({ name }) => name === own.name))
        .at(-1);
      return own.given || !known ? own : { ...own, example: known.example };
    });
  });
}

/** An integer beyond 2^53 is a bigint. */
const kindOf = (value: unknown): string => (typeof value === 'bigint' ? 'number' : typeof value);

/** The parameters of a path, each with an example. */
function pathParameters(
  document: OpenApiDocument,
  { parameters }: Operation,
  last: string,
  key: unknown,
): PathParameter[] {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name, schemaPointer }): PathParameter[] => {
      if (schemaPointer === undefined) return [];
      const pointer = schemaPointer.replace(/(\/content\/[^/]+)?\/schema$/, '');
      const view = viewSchemas(document, [schemaPointer], 'request');
      const own = [...examplesOf(document, pointer), ...view.examples, ...(view.values?.values() ?? [])];
      const [sample] = samples(document, schemaPointer, 'request');
      const fits = name === last && key !== undefined && kindOf(key) === kindOf(sample);
      const example = own[0] ?? (fits ? key : sample);
      return [{ name, pointer, schema: schemaPointer, example, given: own.length > 0 }];
    });
}
