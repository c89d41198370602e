/** Schemas for requests and schemas for responses: types have no direction, so each direction needs its own. */
import {
  APPLICATORS,
  Codecs,
  joinPointer,
  Discriminators,
  isObject,
  type Kind,
  members,
  OneWay,
  type OneWayKeyword,
  type OpenApiDocument,
  walk,
  type Walked,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { bodyOf, partOf, reaches, replacementOf, type Use, type View } from './body-types';

const SCHEMAS = '/components/schemas';
/** The keyword of the properties that each object excludes. */
const EXCLUDED: Partial<Record<Kind, OneWayKeyword>> = {
  Parameter: 'readOnly',
  RequestBody: 'readOnly',
  Response: 'writeOnly',
};
/** The same of what the server sends, which sent.ts has put in the place of `webhooks`. */
const SENT: typeof EXCLUDED = { Parameter: 'writeOnly', RequestBody: 'writeOnly', Response: 'readOnly' };

/**
 * The document to generate types from. Requests refer to copies of schemas that lack `readOnly` properties and require
 * properties with a default. Responses refer to copies that lack `writeOnly` properties. In forms of several parts and in
 * events, the copies have files and decoded values. A schema without any of these has no copy.
 *
 * @param view a client may leave out what has a default, and names files and bytes by other types
 */
export function splitByDirection(
  document: OpenApiDocument,
  codecs = new Codecs(),
  view: View = 'service',
): JsonObject {
  const schemas: Record<string, unknown> = Object.fromEntries(members(document.at(SCHEMAS)));
  const copies = new Map<string, string>();
  const pending: { readonly copy: string; readonly pointer: string; readonly use: Use }[] = [];
  const oneWay = { readOnly: new OneWay(document, 'readOnly'), writeOnly: new OneWay(document, 'writeOnly') };
  const discriminators = new Discriminators(document);

  /** The name of the copy of a component. Creates the copy if the schema needs one. */
  function copyOf(name: string, given: Use): string {
    const pointer = joinPointer(SCHEMAS, name);
    const { keyword } = given;
    const isOwn = reaches(document, pointer, given);
    const use: Use = isOwn ? given : { keyword };
    const key = `${keyword} ${use.event} ${use.form?.pointer} ${name}`;
    const known = copies.get(key);
    if (known !== undefined) return known;
    let copy = name;
    if (isOwn || differs(document, pointer, keyword, view)) {
      copy += keyword === 'readOnly' ? 'Request' : 'Response';
      while (copy in schemas) copy += '_';
      schemas[copy] = {}; // filled in below
      pending.push({ copy, pointer, use });
    }
    copies.set(key, copy);
    return copy;
  }

  /** @param inherited schemas that apply to the same value and mark some of its properties */
  function narrow(schema: unknown, pointer: string, use: Use, inherited: readonly string[]): unknown {
    const { keyword } = use;
    if (!isObject(schema)) return schema;
    const marks = oneWay[keyword];
    const owners = [...inherited, ...marks.owners(pointer)];
    const excluded = (name: unknown) => marks.excludes(owners, String(name));
    const gone = (name: string) => marks.excludes(owners, name, true);
    const narrowed = Object.entries(schema).flatMap(([key, operand]): [string, unknown][] => {
      const here = joinPointer(pointer, key);
      if (key === '$ref') return [[key, refer(operand, use)]];
      if (key === 'discriminator') return [[key, rename(schema, pointer, use)]];
      if (key === 'required' && Array.isArray(operand))
        return [[key, operand.filter((name: unknown) => !excluded(name))]];
      const { relation, as } = APPLICATORS.get(key) ?? {};
      if (!relation || (as !== 'one' && typeof operand !== 'object')) return [[key, operand]];
      const inPlace = relation === 'certain' || relation === 'possible';
      const part = (value: unknown, ...step: (string | number)[]): unknown => {
        const place = joinPointer(here, ...step);
        const other = replacementOf(document, use, key, place);
        if (typeof other === 'string') return narrow(document.at(other) ?? {}, other, { keyword }, []);
        return other ?? narrow(value, place, partOf(use, relation), inPlace ? owners : []);
      };
      if (as === 'one')
        return key === 'additionalProperties' && marks.always(here) ? [] : [[key, part(operand)]];
      if (as === 'map') {
        const kept = members(operand).filter(
          ([name]) =>
            !(key === 'properties' && gone(name)) &&
            !(key === 'patternProperties' && marks.always(joinPointer(here, name))),
        );
        return [[key, Object.fromEntries(kept.map(([name, value]) => [name, part(value, name)]))]];
      }
      const all = [operand].flat().map((branch: unknown, i) => ({ branch, i }));
      const kept = relation === 'possible' ? all.filter(({ i }) => !marks.always(joinPointer(here, i))) : all;
      return [[key, (kept.length > 0 ? kept : all).map(({ branch, i }) => part(branch, i))]];
    });
    return keyword === 'readOnly' && view === 'service'
      ? requireDefaults(Object.fromEntries(narrowed), pointer)
      : Object.fromEntries(narrowed);
  }

  /** Requires each property with a default: a handler always receives it. */
  function requireDefaults(narrowed: JsonObject, pointer: string): JsonObject {
    const filled = members(narrowed['properties'])
      .map(([name]) => name)
      .filter((name) => hasDefault(document, joinPointer(pointer, 'properties', name)));
    if (filled.length === 0) return narrowed;
    return { ...narrowed, required: [...new Set([...[narrowed['required'] ?? []].flat(), ...filled])] };
  }

  /** The mapping with the schema names of the document, and the references to the copies. */
  function rename(schema: JsonObject, pointer: string, use: Use): unknown {
    const { discriminator } = schema;
    const found = discriminators.at(pointer, schema);
    if (!found || !isObject(discriminator)) return discriminator;
    const others = [...found.branches].filter(([, target]) => target !== pointer);
    const mapping = others.map(([name, target]) => [name, refer(`#${target}`, use)]);
    return { ...discriminator, mapping: Object.fromEntries(mapping) as JsonObject };
  }

  const refer = (ref: unknown, use: Use): unknown => {
    const name = /^#\/components\/schemas\/([^/~%]+)$/.exec(String(ref))?.[1];
    return name === undefined ? ref : `#${joinPointer(SCHEMAS, copyOf(name, use))}`;
  };

  function parameterHasDefault(parameter: JsonObject, pointer: string): boolean {
    const [type] = members(parameter['content']).map(([name]) => name);
    const steps = type === undefined ? [] : ['content', type];
    return hasDefault(document, joinPointer(pointer, ...steps, 'schema'));
  }

  const published = structuredClone(document.root);
  const directions = new Map<string, OneWayKeyword>();
  const direct = ({ pointer, value, kind, documented }: Walked, excluded = EXCLUDED) => {
    if (documented || kind === 'Schema') return;
    const own = excluded[kind];
    if (own) directions.set(pointer, own);
    let holder = pointer;
    while (holder !== '' && !directions.has(holder)) holder = holder.slice(0, holder.lastIndexOf('/'));
    const keyword = directions.get(holder);
    if (keyword) {
      const narrowed = (at: string, how?: Partial<Use>) =>
        narrow(document.at(at), at, { keyword, ...how }, []);
      const body =
        kind === 'MediaType' ? bodyOf(document, codecs, pointer, keyword, view, narrowed) : undefined;
      if (body) Object.assign(value, { schema: body });
      else if (isObject(value['schema']))
        Object.assign(value, { schema: narrowed(joinPointer(pointer, 'schema')) });
    }
    const [media] = kind === 'Parameter' ? members(value['content']).map(([name]) => name) : [];
    // A value that has a media type is typed by its schema.
    if (media !== undefined && keyword) {
      const at = joinPointer(pointer, 'content', media, 'schema');
      Object.assign(value, {
        schema: narrow(document.at(at) ?? {}, at, { keyword }, []),
      });
    }
    const isFilled = view === 'service' && excluded === EXCLUDED;
    if (kind === 'Parameter' && isFilled && parameterHasDefault(value, pointer))
      Object.assign(value, { required: true });
  };
  walk({ pointer: '', value: published, expected: 'OpenAPI', documented: false }, (walked) => {
    direct(walked);
  });
  for (const [name, value] of members(published['webhooks']))
    walk(
      { pointer: joinPointer('/webhooks', name), value, expected: 'PathItem', documented: false },
      (walked) => {
        direct(walked, SENT);
      },
    );
  // A queue instead of recursion: a chain of references can be longer than the stack.
  for (const { copy, pointer, use } of pending)
    schemas[copy] = narrow(document.at(pointer), pointer, use, []);
  const { components = {} } = published;
  return { ...published, components: { ...(components as JsonObject), schemas } };
}

/** Whether the schema at `pointer`, or a schema that always applies with it, has a default. */
const hasDefault = (document: OpenApiDocument, pointer: string): boolean =>
  document.subschemas.certain(pointer).some(({ value }) => 'default' in value);

/** Whether types differ by direction at `pointer` or in a schema that it refers to. */
const differs = (document: OpenApiDocument, pointer: string, keyword: OneWayKeyword, view: View): boolean =>
  document.subschemas
    .all(pointer)
    .some(
      ({ value }) =>
        value[keyword] === true || (view === 'service' && keyword === 'readOnly' && 'default' in value),
    );
