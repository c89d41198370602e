/** The types of bodies that are not JSON: what a handler receives and returns for them. */
import {
  type Codecs,
  essenceOf,
  isJson,
  isObject,
  joinPointer,
  lastStep,
  members,
  type OneWayKeyword,
  type OpenApiDocument,
  parseMediaType,
  partRule,
  type Relation,
} from 'contract-first-server/tools';
import { DescribedValue, type JsonObject, Unservable } from 'contract-first-server';

/**
 * An event whose `data` is a text, or of which some schema describes the data as JSON (`mixed`): what another one says of its
 * text says nothing then.
 */
type Event = 'plain' | 'mixed';

/** A multipart body: the schemas of its parts that are files, by name; of those that are not listed, by `undefined`. */
interface Form {
  readonly pointer: string;
  readonly files: ReadonlyMap<string | undefined, JsonObject>;
}

/** Whose types: those of the handlers of the service, or those of a client that calls it. */
export type View = 'service' | 'client';

/** The direction of a value, and what carries it. */
export interface Use {
  readonly keyword: OneWayKeyword;
  readonly event?: Event | undefined;
  readonly form?: Form | undefined;
}

/** The keyword of a schema that stands for a type of TypeScript; types.ts writes it. A document cannot have it. */
export const TYPE = 'x-type';

const typed = (type: string, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  [TYPE]: type,
  ...more,
});
const BYTES = 'ReadableStream<Uint8Array>';
const FILES = { service: typed('File'), client: typed('Blob') };

/** The use of a part of a value. */
export function partOf({ keyword, event, form }: Use, relation: Relation): Use {
  if (relation === 'certain') return { keyword, event, form };
  return relation === 'possible' ? { keyword, event: event && 'plain', form } : { keyword };
}

/**
 * What stands in the place of a property: a schema, or the pointer to one; undefined if it is what the document has.
 *
 * @param pointer that of its schema
 */
export function replacementOf(
  document: OpenApiDocument,
  { event, form }: Use,
  keyword: string,
  pointer: string,
): JsonObject | string | undefined {
  const name = keyword === 'properties' ? lastStep(pointer) : undefined;
  if (name === undefined && !OTHERS.test(keyword)) return undefined;
  if (form) return form.files.get(name);
  if (!event || name !== 'data') return undefined;
  return contentOf(document, pointer) ?? (event === 'mixed' ? {} : undefined);
}

/** The keywords of properties that are not listed. */
const OTHERS = /^(additional|unevaluated)Properties$/;

/** The parts of a multipart body that are files, as its codec reads them. */
function formAt(document: OpenApiDocument, pointer: string, schema: string, view: View): Form {
  const single = FILES[view];
  const form = DescribedValue.at(document, schema);
  const encodings = new Map(members(document.at(joinPointer(pointer, 'encoding'))));
  const files = [...form.propertyNames(), undefined].flatMap((name): [string | undefined, JsonObject][] => {
    const value = form.property(name);
    const rule = attempt(() => partRule(value, name === undefined ? undefined : encodings.get(name)));
    if (rule?.isFile !== true) return [];
    const file = rule.isList ? { type: 'array', items: single } : single;
    return [[name, value.types()?.includes('null') === true ? { anyOf: [file, { type: 'null' }] } : file]];
  });
  return { pointer, files: new Map(files) };
}

/** The result of a function; undefined for what cannot be served, which is a finding. */
function attempt<T>(compile: () => T): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (error instanceof Unservable) return undefined;
    throw error;
  }
}

/**
 * The pointer to the schema of the value that JSON text contains, if the schema at `pointer` describes such text. Without a
 * schema it is any value.
 */
export function contentOf(document: OpenApiDocument, pointer: string): string | undefined {
  const schemas = document.subschemas.certain(pointer);
  const isText = schemas.some(({ value }) => isJson(essenceOf(String(value['contentMediaType']))));
  if (!isText || schemas.some(({ value }) => 'contentEncoding' in value)) return undefined;
  const holder = schemas.find(({ value }) => 'contentSchema' in value);
  return joinPointer(holder?.pointer ?? pointer, 'contentSchema');
}

/** Whether the types of the schema at `pointer` depend on what carries its values. */
export const reaches = (document: OpenApiDocument, pointer: string, { event, form }: Use): boolean =>
  document.subschemas
    .possible(pointer)
    .some(({ value: { properties } }) =>
      members(properties).some(([name]) => (event ? name === 'data' : form?.files.has(name))),
    ) || form?.files.has(undefined) === true;

/** What an event with the schema at `pointer` is. */
function eventAt(document: OpenApiDocument, pointer: string): Event {
  const isMixed = document.subschemas
    .possible(pointer)
    .some(
      ({ pointer: place }) => contentOf(document, joinPointer(place, 'properties', 'data')) !== undefined,
    );
  return isMixed ? 'mixed' : 'plain';
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
  view: View,
  narrowed: (pointer: string, how?: Partial<Use>) => unknown,
): unknown {
  const fields = document.at(pointer);
  const key = lastStep(pointer);
  const type = parseMediaType(key);
  if (!isObject(fields) || !type) return undefined;
  const at = (name: string) => (name in fields ? joinPointer(pointer, name) : undefined);
  const [schema, items] = [at('schema'), at('x-item-schema')];
  const isStream = fields['x-stream'] === true;
  if (items !== undefined) {
    const item = narrowed(
      items,
      type.essence === 'text/event-stream' ? { event: eventAt(document, items) } : undefined,
    );
    const stream = typed('AsyncIterable', { type: 'array', items: item });
    const isText = keyword === 'writeOnly' && schema !== undefined && admitsText(document, schema);
    return isText ? { anyOf: [stream, { type: 'string' }] } : stream;
  }
  const codec = codecs.of({ document, key, type, pointer, schema, items, isStream });
  if (view === 'client') {
    if (codec.name === 'binary') return typed(keyword === 'readOnly' ? 'Bytes' : BYTES);
    if (keyword === 'writeOnly' && /^(form|multipart)$/.test(codec.name)) return typed(BYTES);
  }
  if (isStream && keyword === 'readOnly') return typed(BYTES);
  if (codec.name === 'binary') return typed('Uint8Array');
  if (codec.name !== 'multipart' || schema === undefined) return undefined;
  return narrowed(schema, { form: formAt(document, pointer, schema, view) });
}

/** Whether a schema describes texts. */
const admitsText = (document: OpenApiDocument, schema: string): boolean =>
  document.subschemas.possible(schema).some(({ value }) => [value['type']].flat().includes('string'));
