import { type Json, type JsonObject, asObject } from './tree';
import type { Value } from './value';
import { Untestable } from '../untestable';

/** A name as a reference token of a JSON pointer (RFC 6901 section 3). */
export const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/** The reference tokens of a JSON pointer, unescaped. */
export const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at a JSON pointer, or undefined if there is none. */
export function valueAt(value: Value, pointer: string): Value | undefined {
  let node: Value | undefined = value;
  for (const key of tokensOf(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : node instanceof Map ? node.get(key) : undefined;
  }
  return node;
}

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
