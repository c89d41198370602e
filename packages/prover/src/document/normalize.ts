import { toDouble } from '../json/value';
import {
  type Json,
  type JsonObject,
  asArray,
  asObject,
  asString,
  escapeToken,
  nodeAt,
  objectAt,
  objectsIn,
  pointerOf,
  resolvePointer,
} from '../json/tree';
import { Untestable } from '../untestable';
import { expandEvents } from './events';
import { resolveIdentifiers } from './identifiers';
import { expandDiscriminators } from './inheritance';
import { itemSchemaOf } from './media';

/** The document in JSON Schema alone, and without the annotations of schemas that a server may ignore. */
export function normalize(given: JsonObject, formats: Readonly<Record<string, string>>) {
  const merged = withSequences(mergePathItems(resolveIdentifiers(asObject(withDoubles(given)))));
  const formatless = expandEvents(withoutKeywords(merged, 'format'));
  return {
    json: expandEvents(expandDiscriminators(withPatterns(merged, formats))),
    formatless,
    undirected: withoutKeywords(formatless, 'readOnly', 'writeOnly'),
  };
}

/** The pointer at the end of a chain of references, or the reason why there is none. */
export function resolveIn(json: JsonObject, pointer: string): { found: string } | { reason: string } {
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

/** A copy in which each Media Type Object with a schema of its items has one of all of them, as `sequence`. */
function withSequences(json: JsonObject): JsonObject {
  const copy = structuredClone(json);
  for (const { node, pointer } of objectsIn(copy)) {
    const field = itemSchemaOf(node);
    if (field !== undefined)
      node['sequence'] = { items: { $ref: `#${`${pointer}/${field}`.replaceAll('%', '%25')}` } };
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
export function deadEnd(json: JsonObject, start: Json): string | undefined {
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
    // A copy: what is shared would be changed twice.
    const merged = { ...structuredClone(objectAt(json, pointer.found)), ...asObject(item) };
    Reflect.deleteProperty(merged, '$ref');
    return [path, merged];
  });
  return { ...json, paths: Object.fromEntries(items) };
}
