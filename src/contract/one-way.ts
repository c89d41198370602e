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
  const own = members(schema['properties'])
    .map(([name]) => name)
    .filter((name) => document.isMarked(below(pointer, 'properties', name), keyword));
  if (own.length > 0) {
    const excluded = Object.fromEntries(own.map((name) => [name, { [keyword]: true }]));
    rewritten['properties'] = { ...(rewritten['properties'] as JsonObject), ...excluded };
  }
  const parts = partsOf(rewritten);
  const names = new Set(
    parts.flatMap(({ properties }) =>
      members(properties).flatMap(([name, property]) =>
        isObject(property) && property[keyword] === true ? [name] : [],
      ),
    ),
  );
  if (names.size === 0) return;
  // Whichever part describes such a property, none requires it.
  for (const part of parts) {
    const { required } = part;
    if (Array.isArray(required)) part['required'] = required.filter((name) => !names.has(String(name)));
  }
}

/** What a rewritten schema consists of: itself and the parts of its `allOf`, references that were inlined among them. */
const partsOf = (schema: unknown): Record<string, unknown>[] =>
  isObject(schema) ? [schema, ...[schema['allOf'] ?? []].flat().flatMap(partsOf)] : [];
