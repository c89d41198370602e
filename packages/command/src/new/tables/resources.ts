/** Finds the resources of a document: what has an operation that reads one of it by its path. */
import {
  examplesOf,
  isJson,
  isObject,
  joinPointer,
  type OpenApiDocument,
  samples,
  type SchemaView,
  type ServedOperation,
  successOf,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { type Inside, insideOf, within } from '../errors/envelopes';
import { camelOf, capitalized, plain, pluralOf, singularOf, wordsOf } from '../names';
import { type BodyPlace, componentOf } from '../types';

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
  /** The operations on other paths that name the same objects. */
  readonly also: Operation[];
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
  const kinds = new Map<string, Operation[]>();
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
    // `/users/{id}` and `/admin/users/{id}` of one schema are one kind of objects, which has one table.
    const component = schemaName(document, inside);
    const kind = wholeKind(parent, component);
    const on = {
      ...{
        read: operation,
        replace: at('PUT', path),
        // Some documents have no other method for a change.
        patch: at('PATCH', path) ?? at('POST', path),
        remove: at('DELETE', path),
      },
      ...{ create: at('POST', parent, `${parent}/`), list: at('GET', parent, `${parent}/`) },
    };
    const known = kind === undefined ? undefined : kinds.get(kind);
    if (known) {
      known.push(...Object.values(on).flatMap((one) => one ?? []));
      return [];
    }
    const also: Operation[] = [];
    if (kind !== undefined) kinds.set(kind, also);
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
        ...{ body: success, inside, name: nameFor(parent, component, names), parameters, example, id },
        ...on,
        also,
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

/** Words of paths that name no kind of objects: `/users/id/{id}`, `/orders/open/{id}`, `/level2/{id}`. */
const NO_NOUN =
  /^(\w|ids?|uuids?|keys?|names?|by.*|all|open|closed|active|new|me|my|own|list|search|find|get|create|one|single|details?|v\d.*|.*\d)$/i;

/** A new name for the objects below a path: its last noun, or what their schema is called. */
function nameFor(path: string, component: string | undefined, names: Set<string>): string {
  const steps = path.split('/').filter((step) => step !== '' && !step.includes('{'));
  const [last = '', ...above] = steps.toReversed();
  const nouns = above.filter((step) => !NO_NOUN.test(step));
  const isNoun = last !== '' && !NO_NOUN.test(last);
  const ofSchema = component === undefined ? undefined : pluralOf(camelOf(component, 'item'));
  const noun = isNoun ? last : nouns.shift();
  const base = !isNoun && ofSchema !== undefined ? ofSchema : camelOf(noun ?? '', ofSchema ?? 'items');
  const [owner] = nouns;
  const qualified = owner === undefined ? base : `${singularOf(camelOf(owner, 'item'))}${capitalized(base)}`;
  const isFree = (name: string) => !names.has(name) && !MEMBERS.has(name);
  let name = isFree(base) ? base : qualified;
  for (let n = 2; !isFree(name); n++) name = `${qualified}${n}`;
  names.add(name);
  return name;
}

/** What tells a kind of objects from others, if they are those of a whole service: their path and the name of their schema. */
const wholeKind = (path: string, component: string | undefined): string | undefined =>
  component === undefined || path.includes('{') ? undefined : `${path.split('/').at(-1)} ${component}`;

const parentOf = ({ paths: [path = ''] }: Operation): string => path.replace(/\/\{[^{}]+\}$/, '');

/** The name of the schema of what a body has, if it has one. */
const schemaName = (document: OpenApiDocument, { schemas }: Inside): string | undefined =>
  componentOf(document.follow(schemas[0] ?? '').pointer);

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
    const listed = successBody(document, list.operation);
    const isList = listed && insideOf(document, [listed.schema], 'response', 'list').isList;
    if (!isList || resources.some(({ read }) => read.operationId === list.operation.operationId)) return [];
    const component = schemaName(document, inside);
    const kind = wholeKind(path, component);
    const known = resources.find(
      (other) =>
        kind !== undefined && wholeKind(parentOf(other.read), schemaName(document, other.inside)) === kind,
    );
    if (known) {
      known.also.push(...[operation, list.operation].filter((each) => !known.also.includes(each)));
      return [];
    }
    const name = nameFor(path, component, names);
    return [{ body: success, inside, name, create: operation, list: list.operation }];
  });
}

/** Words that say which property of an object its path has: `/tags/{tag_name}`. */
const KEY_WORDS = /^(name|slug|code|number|handle|username|email|alias|sku)$/;

/** The property that holds the key of an object: `eventId`, `id` or `uuid` for the parameter `eventId`. */
export function idOf(body: unknown, parameter: string): string | undefined {
  if (!isObject(body)) return undefined;
  const word = wordsOf(parameter).at(-1) ?? '';
  const said = KEY_WORDS.test(word) ? [word] : [];
  const wanted = [plain(parameter), ...said, 'id', 'uuid', 'key', plain(parameter).replace(/id$/, '')];
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

/** Whether each text conforms. */
export const isAnyText = ({ types, formats, patterns, values, least, most }: SchemaView): boolean =>
  types.has('string') &&
  formats.size + patterns.size === 0 &&
  !values &&
  !least.has('Length') &&
  !most.has('Length');

/** The parameters of a path, each with an example. */
function pathParameters(
  document: OpenApiDocument,
  { parameters, paths: [path = ''] }: Operation,
  last: string,
  key: unknown,
): PathParameter[] {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .sort((a, b) => path.indexOf(`{${a.name}}`) - path.indexOf(`{${b.name}}`))
    .flatMap(({ name, schemaPointer }): PathParameter[] => {
      if (schemaPointer === undefined) return [];
      const pointer = schemaPointer.replace(/(\/content\/[^/]+)?\/schema$/, '');
      const view = viewSchemas(document, [schemaPointer], 'request');
      const own = [...examplesOf(document, pointer), ...view.examples, ...(view.values?.values() ?? [])];
      const [sample] = samples(document, schemaPointer, 'request');
      const fits = name === last && key !== undefined && kindOf(key) === kindOf(sample);
      // `/anchors/7` is the anchor with the id 7, also where the path has any text.
      const isSpelled = name === last && kindOf(key) === 'number' && isAnyText(view);
      const example = own[0] ?? (fits ? key : isSpelled ? String(key) : sample);
      return [{ name, pointer, schema: schemaPointer, example, given: own.length > 0 }];
    });
}
