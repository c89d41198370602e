import { asArray, asObject, type JsonObject } from '../json/tree';
import { objectAt, pointerOf } from '../json/pointer';

/**
 * The schema objects that every valid value of a schema satisfies: the schema itself first, then those that it reaches
 * by `$ref` and `allOf`.
 */
export function conjuncts(json: JsonObject, schema: JsonObject): JsonObject[] {
  const found = new Set<JsonObject>();
  const visit = (node: JsonObject): void => {
    if (found.has(node)) return;
    found.add(node);
    if (typeof node['$ref'] === 'string') visit(objectAt(json, pointerOf(node['$ref'])));
    asArray(node['allOf']).map(asObject).forEach(visit);
  };
  visit(schema);
  return [...found];
}
