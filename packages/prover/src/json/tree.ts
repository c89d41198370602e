import { Untestable } from '../untestable';

/**
 * A parsed JSON or YAML document: schemas, examples, bounds. An integer beyond 2^53 may be a bigint. For values on the wire,
 * see `Value`.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** The node, or an empty object if it is anything but an object. */
export const asObject = (json: Json | undefined): JsonObject =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};

/** The node, or an empty array if it is anything but an array. */
export const asArray = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

/** The node, or an empty string if it is anything but a string. */
export const asString = (json: Json | undefined): string => (typeof json === 'string' ? json : '');

/** The strings of an array. */
export const asStrings = (json: Json | undefined): string[] =>
  asArray(json).filter((entry) => typeof entry === 'string');

/** The text of a node, to compare or to show. */
export const textOf = (json: unknown): string =>
  JSON.stringify(json, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** A name as a reference token of a JSON pointer (RFC 6901 section 3). */
export const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/** The reference tokens of a JSON pointer, unescaped. */
export const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * The node of a document at a JSON pointer (`/components/schemas/Book`).
 *
 * @throws {Untestable} if there is none
 */
export function nodeAt(document: Json, pointer: string): Json {
  let node: Json | undefined = document;
  for (const key of tokensOf(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : asObject(node)[key];
    if (node === undefined) throw new Untestable(`expected a node at ${pointer} of the document, got none`);
  }
  return node;
}

/** {@link nodeAt}, where an object is expected; anything else reads as an empty object. */
export const objectAt = (document: Json, pointer: string): JsonObject => asObject(nodeAt(document, pointer));

/**
 * The pointer that a `$ref` refers to.
 *
 * @throws {Untestable} if it refers to another document
 */
export function pointerOf(reference: string): string {
  if (!reference.startsWith('#'))
    throw new Untestable(
      `expected a reference into the document, got ${reference}: bundle the document first`,
    );
  const fragment = reference.slice(1);
  return /%(?![\da-f]{2})/i.test(fragment) ? fragment : decodeURIComponent(fragment);
}

/**
 * The pointer at the end of a chain of references.
 *
 * @throws {Untestable} if a reference leads nowhere, out of the document, or back to itself
 */
export function resolvePointer(json: Json, pointer: string): string {
  const seen = new Set<string>();
  for (let here = pointer; ;) {
    const reference = objectAt(json, here)['$ref'];
    if (typeof reference !== 'string') return here;
    here = pointerOf(reference);
    if (seen.has(here))
      throw new Untestable(`expected a chain of references that ends, got a cycle through ${here}`);
    seen.add(here);
  }
}

/** Fields whose values are data, though they may look like a schema or a reference. */
const DATA = ['enum', 'const', 'default', 'example', 'examples', 'value', 'dataValue'];

/** Fields whose value is an object with names of the user: one of them may be `default`. */
const MAPS = [
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas'],
  ...['responses', 'parameters', 'requestBodies', 'headers', 'content', 'links', 'callbacks', 'pathItems'],
  ...['encoding', 'webhooks', 'mediaTypes', 'additionalOperations'],
];

/**
 * The objects of a document that are neither data nor maps of names, each before those in it.
 *
 * @yields the object, its pointer, and the object around it
 */
export function* objectsIn(
  json: Json,
  pointer = '',
  around?: JsonObject,
  isMap = false,
): Generator<{ readonly node: JsonObject; readonly pointer: string; readonly around?: JsonObject }> {
  if (json === null || typeof json !== 'object') return;
  const node = isMap || Array.isArray(json) ? undefined : json;
  if (node) yield { node, pointer, ...(around && { around }) };
  for (const [name, child] of Object.entries(json)) {
    if (node && DATA.includes(name)) continue;
    const holdsNames = node !== undefined && MAPS.includes(name) && !Array.isArray(child);
    yield* objectsIn(child, `${pointer}/${escapeToken(name)}`, node ?? around, holdsNames);
  }
}
