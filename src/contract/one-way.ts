import { below, isObject, type JsonObject, members, type OpenApiDocument } from './document';
import type { Direction } from './schemas';

/**
 * Takes out of a rewritten schema the properties that go the other way only: one that is `readOnly` is no part of a
 * request, nor one that is `writeOnly` of a response (OpenAPI 3.1 section 4.8.24.1).
 *
 * @param schema what was rewritten, at `pointer` of the document
 */
export function excludeOneWay(
  document: OpenApiDocument,
  schema: JsonObject,
  pointer: string,
  direction: Direction,
  rewritten: Record<string, unknown>,
): void {
  const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
  const names = oneWayProperties(document, pointer, keyword);
  if (names.size === 0) return;
  const own = members(schema['properties']).filter(([name]) => names.has(name));
  if (own.length > 0) {
    const excluded = Object.fromEntries(own.map(([name]) => [name, { [keyword]: true }]));
    rewritten['properties'] = { ...(rewritten['properties'] as JsonObject), ...excluded };
  }
  // Whichever part describes such a property, none requires it.
  for (const part of partsOf(rewritten)) {
    const { required } = part;
    if (Array.isArray(required)) part['required'] = required.filter((name) => !names.has(String(name)));
  }
}

/** The properties of an object that go one way only, whichever part of its schema says so. */
export function oneWayProperties(
  document: OpenApiDocument,
  pointer: string,
  keyword: 'readOnly' | 'writeOnly',
  seen = new Set<string>(),
): Set<string> {
  const schema = document.at(pointer);
  if (!isObject(schema) || seen.has(pointer)) return new Set();
  seen.add(pointer);
  const own = members(schema['properties'])
    .map(([name]) => name)
    .filter((name) => document.isMarked(below(pointer, 'properties', name), keyword));
  const others = document
    .partsOf(pointer)
    .flatMap((part) => [...oneWayProperties(document, part, keyword, seen)]);
  return new Set([...own, ...others]);
}

/** What a rewritten schema consists of: itself and the parts of its `allOf`, references that were inlined among them. */
const partsOf = (schema: unknown): Record<string, unknown>[] =>
  isObject(schema) ? [schema, ...[schema['allOf'] ?? []].flat().flatMap(partsOf)] : [];
