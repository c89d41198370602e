/** The types of bodies that are not JSON: what a handler receives and returns for them. */
import {
  type Codecs,
  essenceOf,
  isBinary,
  isJson,
  isObject,
  joinPointer,
  type JsonObject,
  lastStep,
  type OneWayKeyword,
  type OpenApiDocument,
  parseMediaType,
  type Relation,
} from '../../src/contract';

/**
 * What carries a value if that is not JSON: the parts of a multipart body (`form`), one of them (`part`), a server-sent event,
 * its `data`. Of a `mixed` event, some schema describes the data as JSON; what another one says of its text says nothing then.
 */
export type Carrier = 'form' | 'part' | 'event' | 'mixed' | 'data' | 'mixed data';

/** The keyword of a schema that stands for a type of TypeScript; types.ts writes it. A document cannot have it. */
export const TYPE = 'x-type';

const typed = (type: string, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  [TYPE]: type,
  ...more,
});
/** A part that is a file. */
export const FILE = typed('File');

/** What carries a part of a value: the properties of a form are its parts, and so is each item of a part. */
export function partOf(
  carrier: Carrier | undefined,
  relation: Relation,
  keyword: string,
  name?: string | number,
): Carrier | undefined {
  if (relation === 'certain') return carrier;
  if (relation === 'possible') return carrier === 'mixed' ? 'event' : carrier;
  if (carrier === 'event' || carrier === 'mixed') {
    if (keyword !== 'properties' || name !== 'data') return undefined;
    return carrier === 'mixed' ? 'mixed data' : 'data';
  }
  if (carrier === 'form' && !/^(contains|unevaluatedItems)$/.test(keyword)) return 'part';
  return carrier === 'part' && /^(items|prefixItems)$/.test(keyword) ? 'part' : undefined;
}

/** The schema of the value that JSON text contains, if the schema at `pointer` describes such text; without one, any value. */
export function contentOf(
  document: OpenApiDocument,
  pointer: string,
): { readonly pointer: string } | undefined {
  const schemas = document.subschemas.certain(pointer);
  const isText = schemas.some(({ value }) => isJson(essenceOf(String(value['contentMediaType']))));
  if (!isText || schemas.some(({ value }) => 'contentEncoding' in value)) return undefined;
  const holder = schemas.find(({ value }) => 'contentSchema' in value);
  return { pointer: joinPointer(holder?.pointer ?? pointer, 'contentSchema') };
}

/** Whether the types of the schema at `pointer` depend on what carries its values. */
export function reaches(document: OpenApiDocument, pointer: string, carrier: Carrier): boolean {
  return document.subschemas
    .all(pointer)
    .some(({ pointer: place, value }) =>
      /^(form|part)$/.test(carrier)
        ? isBinary(document, place)
        : /event|mixed/.test(carrier)
          ? hasData(value)
          : 'contentMediaType' in value,
    );
}

const hasData = ({ properties }: JsonObject): boolean => isObject(properties) && 'data' in properties;

/** What carries an event with the schema at `pointer`. */
function eventAt(document: OpenApiDocument, pointer: string): Carrier {
  const isMixed = document.subschemas
    .possible(pointer)
    .some(
      ({ pointer: place, value }) =>
        hasData(value) && contentOf(document, joinPointer(place, 'properties', 'data')),
    );
  return isMixed ? 'mixed' : 'event';
}

/**
 * The schema of a body for its type; undefined if it is that of its JSON.
 *
 * @param pointer that of the Media Type Object
 * @param narrowed the schema at a pointer for one direction
 */
export function bodyOf(
  document: OpenApiDocument,
  codecs: Codecs,
  pointer: string,
  keyword: OneWayKeyword,
  narrowed: (pointer: string, carrier?: Carrier) => unknown,
): unknown {
  const fields = document.at(pointer);
  const key = lastStep(pointer);
  const type = parseMediaType(key);
  if (!isObject(fields) || !type) return undefined;
  const at = (name: string) => (name in fields ? joinPointer(pointer, name) : undefined);
  const [schema, items] = [at('schema'), at('x-item-schema')];
  const isStream = fields['x-stream'] === true;
  if (items !== undefined) {
    const item = narrowed(items, type.essence === 'text/event-stream' ? eventAt(document, items) : undefined);
    const stream = typed('AsyncIterable', { type: 'array', items: item });
    const isText = keyword === 'writeOnly' && schema !== undefined && admitsText(document, schema);
    return isText ? { anyOf: [stream, { type: 'string' }] } : stream;
  }
  if (isStream && keyword === 'readOnly') return typed('ReadableStream<Uint8Array>');
  const codec = codecs.of({ document, key, type, pointer, schema, items, isStream });
  if (codec.name === 'binary') return typed('Uint8Array');
  return codec.name === 'multipart' && schema !== undefined ? narrowed(schema, 'form') : undefined;
}

/** Whether a schema describes texts. */
const admitsText = (document: OpenApiDocument, schema: string): boolean =>
  document.subschemas.possible(schema).some(({ value }) => [value['type']].flat().includes('string'));
