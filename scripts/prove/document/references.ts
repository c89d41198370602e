import { type Json, type JsonObject, asObject } from '../json/tree';
import { nodeAt, pointerOf } from '../json/pointer';
import { Untestable } from '../untestable';

/** Fields whose values are data, though they may look like a reference. */
const DATA = ['enum', 'const', 'default', 'example', 'examples', 'value'];

/**
 * A sentence about a reference from a node, or from those that it refers to, that leads nowhere or out of the document;
 * undefined if there is none.
 */
export function deadEnd(json: JsonObject, start: Json): string | undefined {
  const seen = new Set<string>();
  const open: Json[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { $ref: reference } = asObject(node);
    if (typeof reference === 'string' && !seen.has(reference)) {
      seen.add(reference);
      try {
        open.push(nodeAt(json, pointerOf(reference)));
      } catch (error) {
        if (error instanceof Untestable) return error.message;
        throw error;
      }
    }
    if (Array.isArray(node)) open.push(...node);
    else
      for (const [name, child] of Object.entries(asObject(node)))
        if (!DATA.includes(name) && !name.startsWith('x-')) open.push(child);
  }
  return undefined;
}
