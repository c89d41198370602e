import { type Json, type JsonObject, asArray, asObject, asString } from '../json/tree';
import { nodeAt, objectsIn, pointerOf, resolvePointer } from '../json/tree';
import { parseOrUndefined } from '../json/value';
import { APPLICATORS, mapSchemas } from '../schema/applicators';
import { conjuncts } from './direction';
import { itemSchemaOf, sequenceOf } from './media';

/**
 * The member of an event that is judged in the place of the JSON text in its `data`: an event on the wire has only texts, and
 * JSON Schema does not judge what a text contains (JSON Schema 2020-12 validation section 8.2).
 */
export const JSON_DATA = 'data (JSON)';

/** A copy in which the item schemas of event streams judge {@link JSON_DATA} by the `contentSchema` of `data`. */
export function expandEvents(json: JsonObject): JsonObject {
  const copy = structuredClone(json);
  for (const { node } of objectsIn(copy))
    for (const [name, media] of Object.entries(asObject(node['content']))) {
      const found = sequenceOf(name) === 'events' ? withExpandedItems(json, asObject(media)) : undefined;
      if (found) asObject(node['content'])[name] = found;
    }
  return copy;
}

/** Undefined if no `data` of its items contains JSON. */
function withExpandedItems(json: JsonObject, media: JsonObject): JsonObject | undefined {
  const reference = media['$ref'];
  const described =
    typeof reference === 'string'
      ? asObject(nodeAt(json, resolvePointer(json, pointerOf(reference))))
      : media;
  const word = itemSchemaOf(described);
  if (word === undefined) return undefined;
  const contents: Json[] = [];

  /** The schema, with those that apply to the same event in the place of references to them. */
  const expand = (schema: Json, within: readonly string[]): Json => {
    if (typeof schema === 'boolean') return schema;
    const copy: JsonObject = { ...asObject(schema) };
    for (const [keyword, { to }] of APPLICATORS)
      if (to === 'itself' && copy[keyword] !== undefined)
        copy[keyword] = mapSchemas(keyword, copy[keyword], (sub) => expand(sub, within));
    const to = asString(copy['$ref']);
    if (to !== '' && !within.includes(to)) {
      Reflect.deleteProperty(copy, '$ref');
      copy['allOf'] = [...asArray(copy['allOf']), expand(nodeAt(json, pointerOf(to)), [...within, to])];
    }
    const content = contentOf(json, asObject(copy['properties'])['data']);
    if (content !== undefined) contents.push(content);
    return withJsonData(copy, content);
  };
  const expanded = expand(described[word] ?? true, []);
  return contents.length > 0 ? { ...described, [word]: expanded } : undefined;
}

/** The schema of the JSON value that a text contains; undefined if it need not contain one. */
function contentOf(json: JsonObject, schema: Json | undefined): Json | undefined {
  const parts = conjuncts(json, asObject(schema));
  const isJson = parts.some(
    (part) =>
      /^[^;]*[/+]json *(?:;|$)/i.test(asString(part['contentMediaType'])) &&
      parts.every(({ contentEncoding }) => contentEncoding === undefined),
  );
  const schemas = parts.flatMap(({ contentSchema }) => contentSchema ?? []);
  return isJson ? { allOf: schemas } : undefined;
}

/** A schema object for events that have {@link JSON_DATA} wherever `data` is JSON. */
function withJsonData(schema: JsonObject, content: Json | undefined): JsonObject {
  const copy = { ...schema };
  const lists = ['properties', 'additionalProperties', 'unevaluatedProperties'].some((word) => word in copy);
  if (lists) copy['properties'] = { ...asObject(copy['properties']), [JSON_DATA]: content ?? true };
  if (content !== undefined) {
    const required = asObject(copy['dependentRequired']);
    copy['dependentRequired'] = { ...required, data: [...asArray(required['data']), JSON_DATA] };
  }
  if (copy['propertyNames'] !== undefined)
    copy['propertyNames'] = { anyOf: [{ const: JSON_DATA }, copy['propertyNames']] };
  for (const word of ['minProperties', 'maxProperties']) {
    const count = Number(copy[word] ?? NaN);
    Reflect.deleteProperty(copy, word);
    if (!Number.isNaN(count))
      copy['allOf'] = [
        ...asArray(copy['allOf']),
        { if: { required: [JSON_DATA] }, then: { [word]: count + 1 }, else: { [word]: count } },
      ];
  }
  if (copy['const'] !== undefined) copy['const'] = withValue(copy['const']);
  if (copy['enum'] !== undefined) copy['enum'] = asArray(copy['enum']).map(withValue);
  return copy;
}

/** An event of the document with its {@link JSON_DATA}. */
function withValue(event: Json): Json {
  const { data } = asObject(event);
  if (typeof data !== 'string' || parseOrUndefined(data) === undefined) return event;
  return { ...asObject(event), [JSON_DATA]: JSON.parse(data) as Json };
}
