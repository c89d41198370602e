import { essenceOf, isObject, isSequential, lastStep } from 'contract-first-server/tools';

type Mutable = Record<string, unknown>;

/** The schema that a reference leads to. */
type TargetOf = (schema: Mutable) => unknown;

const FIELDS = ['event', 'data', 'id', 'retry'];

/**
 * Before OpenAPI 3.2 no field describes the items of a stream, and documents put the schema of an item in `schema`. No text
 * conforms to a schema of objects, so it can describe nothing else: each item of JSON lines or a JSON text sequence, and of an
 * event stream each event if its properties are fields of events, otherwise the JSON in its `data`. Nor is the `data` of an event
 * an object: what describes one describes the JSON in it.
 *
 * @param pointer of a Media Type Object, which is changed in place
 * @returns what its schema describes; undefined: nothing is changed
 */
export function describeItems(pointer: string, media: Mutable, targetOf: TargetOf): string | undefined {
  const essence = essenceOf(lastStep(pointer));
  const isEvents = essence === 'text/event-stream';
  if (!isEvents && !isSequential(essence)) return undefined;
  const field = ['itemSchema', 'x-item-schema'].find((name) => name in media);
  const { schema } = media;
  if (field !== undefined) {
    const events = isEvents ? withJsonData(media[field], targetOf) : media[field];
    if (events === media[field]) return undefined;
    media[field] = events;
    return 'the schema of an object in the data of an event describes its JSON';
  }
  if (!holds(schema, isObjects, targetOf)) return undefined;
  const isEvent = isEvents && holds(schema, describesEvent, targetOf);
  Reflect.deleteProperty(media, 'schema');
  media['x-item-schema'] = isEvent
    ? withJsonData(schema, targetOf)
    : isEvents
      ? { type: 'object', required: ['data'], properties: { data: jsonOf(schema) } }
      : schema;
  const item = isEvent ? 'each event' : isEvents ? 'the data of each event' : 'each item';
  return `the schema of ${essence} describes ${item}`;
}

const isObjects = ({ type }: Mutable) => [type].flat().join() === 'object';

const describesEvent = ({ properties }: Mutable) =>
  isObject(properties) &&
  'data' in properties &&
  Object.keys(properties).every((name) => FIELDS.includes(name));

const jsonOf = (contentSchema: unknown) => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema,
});

/** Whether a schema with a property applies to each value of a schema. */
function holds(
  schema: unknown,
  is: (schema: Mutable) => boolean,
  targetOf: TargetOf,
  outer: readonly unknown[] = [],
): boolean {
  if (!isObject(schema) || outer.includes(schema)) return false;
  const within = (one: unknown) => holds(one, is, targetOf, [...outer, schema]);
  const { allOf, anyOf, oneOf } = schema;
  return (
    is(schema) ||
    within(targetOf(schema)) ||
    (Array.isArray(allOf) && allOf.some(within)) ||
    [anyOf, oneOf].some(
      (branches) => Array.isArray(branches) && branches.length > 0 && branches.every(within),
    )
  );
}

/** The schema of events, or a copy if the data of one is an object: what a copy refers to may have other uses, so it stays. */
function withJsonData(schema: unknown, targetOf: TargetOf, outer: readonly unknown[] = []): unknown {
  if (!isObject(schema) || outer.includes(schema)) return schema;
  const within = (one: unknown) => withJsonData(one, targetOf, [...outer, schema]);
  const target = targetOf(schema);
  const copiedTarget = within(target);
  const copy: Mutable = { ...schema };
  if (copiedTarget !== target) {
    Reflect.deleteProperty(copy, '$ref');
    copy['allOf'] = [...(Array.isArray(copy['allOf']) ? (copy['allOf'] as unknown[]) : []), copiedTarget];
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const parts = copy[keyword];
    if (!Array.isArray(parts)) continue;
    const copies = parts.map(within);
    if (copies.some((part, i) => part !== parts[i])) copy[keyword] = copies;
  }
  const { properties } = schema;
  if (isObject(properties) && holds(properties['data'], isObjects, targetOf))
    copy['properties'] = { ...properties, data: jsonOf(properties['data']) };
  const isChanged = Object.keys({ ...schema, ...copy }).some((keyword) => copy[keyword] !== schema[keyword]);
  if (!isChanged) return schema;
  // Its mapping names branches that are copied.
  const { discriminator } = copy;
  if (isObject(discriminator)) copy['discriminator'] = { propertyName: discriminator['propertyName'] };
  return copy;
}
