import { type Json, object } from './json';
import type { Value } from './value';

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
export const escape = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/** The names in a JSON pointer. */
const keys = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at a JSON pointer, or undefined if nothing is there. */
export function locate(value: Value, pointer: string): Value | undefined {
  let node: Value | undefined = value;
  for (const key of keys(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : node instanceof Map ? node.get(key) : undefined;
  }
  return node;
}

/**
 * The node at a JSON pointer (`/components/schemas/Plant`).
 *
 * @throws {Error} if nothing is there.
 */
export function at(document: Json, pointer: string): Json {
  let node: Json | undefined = document;
  for (const key of keys(pointer)) {
    node = Array.isArray(node) ? node[Number(key)] : object(node)[key];
    if (node === undefined) throw new Error(`expected something at ${pointer} of the document, got nothing`);
  }
  return node;
}

/** The pointer that a `$ref` names. */
export function target(reference: string): string {
  if (!reference.startsWith('#'))
    throw new Error(`expected a reference into the document, got ${reference}; bundle the document first`);
  return decodeURIComponent(reference.slice(1));
}

/** The pointer at the end of a chain of references. */
export function follow(json: Json, pointer: string): string {
  const seen = new Set<string>();
  for (let here = pointer; ;) {
    const reference = object(at(json, here))['$ref'];
    if (typeof reference !== 'string') return here;
    here = target(reference);
    if (seen.has(here)) throw new Error(`expected a reference that ends, got a circle through ${here}`);
    seen.add(here);
  }
}
