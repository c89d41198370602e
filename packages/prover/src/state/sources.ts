import { NumberLiteral, type Value, valueAt } from '../json/value';
import { header, jsonOf, type RawRequest, type RawResponse } from '../wire/message';
import { type Document, isSafe, type Operation } from '../document/model';
import { asObject, asString, objectAt, escapeToken, type JsonObject, resolvePointer } from '../json/tree';
import { Memo } from '../memo';
import { slots } from '../request/slots';
import type { RunContext } from '../cases/case';

/** An operation whose answer names a resource. */
export interface Source {
  readonly operation: Operation;
  /** Whether it creates the resource, instead of listing those that exist. */
  readonly creates: boolean;
  /** The runtime expression of a link (OpenAPI 3.1 section 4.8.20.3) that leads to the name. */
  readonly expression?: string;
}

/** The start of a path template up to each of its parameters: `/shops/{shop}`, `/shops/{shop}/books/{book}`. */
export const resourcesOf = ({ path }: Operation): string[] =>
  [...path.matchAll(/\/\{[^{}/]+\}(?=\/|$)/g)].map(({ 0: end, index }) => path.slice(0, index + end.length));

/** A path template without the names of its parameters. */
export const shapeOf = (path: string): string => path.replace(/\{[^{}]*\}/g, '{}');

/** The name of the last parameter of a path template. */
export const lastParameter = (path: string): string => /\{([^{}]*)\}[^{}]*$/.exec(path)?.[1] ?? '';

/** The path of the collection of a resource. */
export const collectionOf = (resource: string): string => resource.slice(0, resource.lastIndexOf('/'));

/**
 * The operations whose answers name a resource: those with a link to it, then POST to its collection, then GET of its
 * collection.
 *
 * @param resource a path template that ends with a parameter
 */
export function sourcesOf(document: Document, resource: string): Source[] {
  const collection = shapeOf(collectionOf(resource));
  const inCollection = (method: string): Source[] =>
    document.operations
      .filter((operation) => operation.method === method && shapeOf(operation.path) === collection)
      .map((operation) => ({ operation, creates: method === 'POST' }));
  return [...linksTo(document, resource), ...inCollection('POST'), ...inCollection('GET')];
}

/** A link of a response of success to an operation. */
interface Linked {
  readonly operation: Operation;
  readonly target: Operation;
  readonly parameters: JsonObject;
}

const linked = new Memo<Document, Linked[]>();

/** The links of responses to an operation on a resource, with the expression for the parameter of the resource. */
function linksTo(document: Document, resource: string): Source[] {
  const parameter = lastParameter(resource);
  const shape = shapeOf(resource);
  return linked
    .get(document, 'links', () => findLinks(document))
    .flatMap(({ operation, target, parameters }): Source[] => {
      const expression = parameters[parameter] ?? parameters[`path.${parameter}`];
      if (typeof expression !== 'string' || !shapeOf(target.path).startsWith(shape)) return [];
      return [{ operation, creates: !isSafe(operation.method), expression }];
    });
}

const findLinks = ({ json, operations }: Document): Linked[] =>
  operations.flatMap((operation) =>
    operation.responses
      .filter(({ status }) => status.startsWith('2'))
      .flatMap(({ status }): Linked[] => {
        const response = resolvePointer(json, `${operation.pointer}/responses/${status}`);
        return Object.keys(asObject(objectAt(json, response)['links'])).flatMap((name) => {
          const link = objectAt(json, resolvePointer(json, `${response}/links/${escapeToken(name)}`));
          const target = operations.find(
            ({ id, pointer }) =>
              link['operationId'] === id || asString(link['operationRef']) === `#${pointer}`,
          );
          return target ? [{ operation, target, parameters: asObject(link['parameters']) }] : [];
        });
      }),
  );

/** The names and numbers in an answer that may be the name of the resource, the most likely first. */
export function namesIn(
  { creates, expression }: Source,
  resource: string,
  request: RawRequest,
  response: RawResponse,
): Value[] {
  const answer = jsonOf(response);
  if (expression !== undefined) {
    const value = evaluate(expression, request, response);
    return value === undefined ? [] : [value];
  }
  const parameter = lastParameter(resource);
  const noun = singular(collectionOf(resource).split('/').at(-1) ?? '');
  const located = header(response, 'location')?.split(/[?#]/)[0]?.split('/').at(-1);
  const members = creates ? [answer, jsonOf(request)] : [firstItem(answer)];
  const found = members.flatMap((value) => identifiers(value, parameter, noun));
  return [...(creates && located !== undefined && located !== '' ? [decode(located)] : []), ...found];
}

/** The first of these values that names a resource in its path, encoded. */
export function encodeName(
  { document, oracle }: Pick<RunContext, 'document' | 'oracle'>,
  resource: string,
  values: readonly Value[],
): string | undefined {
  const parameter = lastParameter(resource);
  const owner = document.operations.find(({ path }) => path.startsWith(resource));
  const slot = owner && slots(document, owner).find(({ label }) => label === `path ${parameter}`);
  if (!slot?.parameter) return undefined;
  for (const value of values) {
    const decoded = slot.decode(value);
    if (decoded === undefined || !oracle.valid(slot.schema, decoded)) continue;
    return slot.fill({ parameters: new Map() }, value).parameters.get(slot.parameter);
  }
  return undefined;
}

/** The members of an object, or of the object in it, that may identify it. */
function identifiers(value: Value | undefined, parameter: string, noun: string): Value[] {
  if (!(value instanceof Map))
    return value instanceof NumberLiteral || typeof value === 'string' ? [value] : [];
  const wanted = [
    ...[normalize(parameter), 'id', `${noun}id`, noun],
    ...['uuid', 'guid', 'key', 'code', 'number', 'slug', 'name'],
  ];
  const ranked = wanted.flatMap((name) =>
    [...value].flatMap(([other, member]) =>
      normalize(other) === name && (member instanceof NumberLiteral || typeof member === 'string')
        ? [member]
        : [],
    ),
  );
  const nested = [...value.values()].filter((member) => member instanceof Map);
  return [
    ...ranked,
    ...(nested.length === 1 ? nested.flatMap((one) => identifiers(one, parameter, noun)) : []),
  ];
}

/** The first item of an array, or of the only array in an object. */
function firstItem(value: Value | undefined): Value | undefined {
  if (Array.isArray(value)) return value[0];
  if (!(value instanceof Map)) return undefined;
  const lists = [...value.values()].filter((member) => Array.isArray(member));
  return lists.length === 1 ? lists[0]?.[0] : undefined;
}

const normalize = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** The singular of an English noun in a path: `books`, `categories`, `boxes`. */
export const singular = (noun: string): string =>
  normalize(noun)
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1');

/** The noun in the name of a reference to a resource: `author` of `authorId`; undefined if it is none. */
export function referenced(name: string): string | undefined {
  const noun = /^(.+?)[-_]?(?:id|ID|Id|uuid|Uuid)$/.exec(name)?.[1];
  return noun && normalize(noun);
}

function evaluate(expression: string, request: RawRequest, response: RawResponse): Value | undefined {
  const [, side, part, rest = ''] =
    /^\{?\$(request|response)\.(body|header)[#.]([^}]*)\}?$/.exec(expression) ?? [];
  const message = side === 'request' ? request : response;
  if (part === 'header') return header(message, rest)?.split('/').at(-1);
  const value = jsonOf(message);
  return part === 'body' && value !== undefined ? valueAt(value, rest) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
