/** Sees through the envelopes of bodies. */
import {
  isJson,
  isObject,
  type MediaTypeObject,
  type OpenApiDocument,
  samples,
  type SchemaView,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { isObjectView } from '../tables/columns';
import { handledValue } from '../types';

/** Where a body has the objects of a resource. */
export interface Inside {
  /** The property of an envelope that has them; undefined: the body is one, or a list of them. */
  readonly property: string | undefined;
  readonly isList: boolean;
  /** JSON pointers of the schemas of one of them. */
  readonly schemas: readonly string[];
  /** The other properties of the envelope that every body has, each with its schemas. */
  readonly beside: ReadonlyMap<string, readonly string[]>;
  /** Those of them that say of each answer what the document says: `{ status: 200, message: 'Created' }`. */
  readonly remarks: ReadonlyMap<string, unknown>;
}

/** Names of properties that say how a request ended. */
export const REMARK = /^(status|status_?code|code|success|ok|message|msg)$/i;

/** What an envelope says of an answer, as a handler has it: the only value, the example, or success; undefined: another fact. */
export function remarkOf(document: OpenApiDocument, name: string, schemas: readonly string[]): unknown {
  const { types, examples, values } = viewSchemas(document, schemas, 'response');
  if (!REMARK.test(name) || types.has('object') || types.has('array')) return undefined;
  if (types.size === 1 && types.has('boolean') && (!values || values.size > 1)) return true;
  if (examples.length === 0 && values?.size !== 1) return undefined;
  const [sample] = samples(document, schemas[0] ?? '', 'response');
  return handledValue(document, schemas, sample);
}

/** Names of properties that hold what a body is about. */
const CONTENT = /^(data|items|results?|content|records|values|list|entries)$/i;

/**
 * Sees through an envelope: `{ article: {...} }` for one; `{ articles: [...], articlesCount: 2 }`, `{ data: [...], meta: {...} }`
 * for a list.
 */
export function insideOf(
  document: OpenApiDocument,
  schemas: readonly string[],
  direction: 'request' | 'response',
  wanted: 'one' | 'list',
): Inside {
  const view = viewSchemas(document, schemas, direction);
  if (isListOnly(view)) return { property: undefined, isList: true, schemas: view.items, ...ALONE };
  const found = (isObjectView(view) ? [...view.properties] : []).flatMap(([name, pointers]) => {
    const inner = viewSchemas(document, pointers, direction);
    const isList = isListOnly(inner);
    const isObjects = isRecord(isList ? viewSchemas(document, inner.items, direction) : inner);
    // A request may lack what is not required.
    const isThere = direction === 'response' || view.required.has(name);
    return isObjects && isThere && isList === (wanted === 'list')
      ? [{ name, isList, schemas: isList ? inner.items : pointers }]
      : [];
  });
  const needed = [...view.required].flatMap((name) => {
    const pointers = view.properties.get(name);
    return pointers ? [[name, pointers] as const] : [];
  });
  const remarks = new Map(
    (direction === 'response' ? needed : []).flatMap(([name, pointers]) => {
      const remark = remarkOf(document, name, pointers);
      return remark === undefined ? [] : [[name, remark] as const];
    }),
  );
  const required = needed.filter(([name]) => !remarks.has(name));
  const envelope =
    found.find(
      ({ name }) => CONTENT.test(name) && (wanted === 'list' || required.every(([one]) => one === name)),
    ) ?? (view.properties.size === 1 || (wanted === 'list' && found.length === 1) ? found[0] : undefined);
  if (!envelope) return { property: undefined, isList: false, schemas, ...ALONE };
  const { name: property, isList, schemas: inner } = envelope;
  const beside = new Map(required.filter(([name]) => name !== property));
  return { property, isList, schemas: inner, beside, remarks };
}

const ALONE = { beside: new Map<string, readonly string[]>(), remarks: new Map<string, unknown>() };

/** An object with properties. */
const isRecord = (view: SchemaView): boolean =>
  isObjectView(view) && (view.properties.size > 0 || view.unions.length > 0);

const isListOnly = ({ types, items, prefixItems, unions }: SchemaView): boolean =>
  types.size === 1 &&
  types.has('array') &&
  items.length > 0 &&
  prefixItems.length === 0 &&
  unions.length === 0;

/** What a body has inside of its envelope. */
export const within = ({ property }: Inside, body: unknown): unknown =>
  property === undefined ? body : isObject(body) ? body[property] : undefined;

/** The schemas of what a request asks to create or change, without its envelope; empty if its body is not JSON. */
export const bodySchemas = (document: OpenApiDocument, operation: Operation): readonly string[] =>
  askedOf(document, operation)?.schemas ?? [];

/** What a handler receives as the values that a schema describes: JSON, and forms. */
const isValue = ({ type: { essence } }: MediaTypeObject): boolean =>
  isJson(essence) || essence === 'application/x-www-form-urlencoded';

/** Where the body of a request has the object; undefined if it is not JSON or a form of one schema. */
export function askedOf(document: OpenApiDocument, { requestBody }: Operation): Inside | undefined {
  const content = requestBody?.content ?? [];
  const [schema, another] = new Set(
    content.map((media) =>
      media.schema !== undefined && isValue(media) ? document.follow(media.schema).pointer : '',
    ),
  );
  if (schema === undefined || schema === '' || another !== undefined) return undefined;
  return insideOf(document, [content[0]?.schema ?? schema], 'request', 'one');
}
