/** What types cannot say of a document: that a property goes one way only, and that a request has its defaults. */
import {
  below,
  Discriminators,
  isObject,
  type JsonObject,
  members,
  OneWay,
  type OpenApiDocument,
  subschemas,
} from '../../src/contract';

type Keyword = 'readOnly' | 'writeOnly';

const MAPS_OF_SCHEMAS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const DATA = ['example', 'examples', 'default', 'enum', 'const'];
const SCHEMAS = '/components/schemas';

/**
 * The document as types are to be made of it: requests refer to copies of schemas without what is `readOnly` and with what
 * has a default, responses to copies without what is `writeOnly`, where that makes a difference.
 */
export function splitByDirection(document: OpenApiDocument): JsonObject {
  const schemas: Record<string, unknown> = Object.fromEntries(members(document.at(SCHEMAS)));
  const copies = new Map<string, string>();
  const oneWay = { readOnly: new OneWay(document, 'readOnly'), writeOnly: new OneWay(document, 'writeOnly') };
  const discriminators = new Discriminators(document);

  /** The name of the component that stands for another one, made if need be. */
  function copyOf(name: string, keyword: Keyword): string {
    const key = `${keyword} ${name}`;
    const pointer = below(SCHEMAS, name);
    if (!copies.has(key)) {
      let copy = name + (keyword === 'readOnly' ? 'Request' : 'Response');
      while (copy in schemas) copy += '_';
      copies.set(key, differs(document, pointer, keyword) ? copy : name);
      if (copies.get(key) === copy) schemas[copy] = narrow(document.at(pointer), pointer, keyword, []);
    }
    return copies.get(key) ?? name;
  }

  /** @param inherited schemas that apply to the same value and mark some of its properties */
  function narrow(schema: unknown, pointer: string, keyword: Keyword, inherited: readonly string[]): unknown {
    if (!isObject(schema)) return schema;
    const marks = oneWay[keyword];
    const owners = [...inherited, ...marks.owners(pointer)];
    const excluded = (name: unknown) => marks.excludes(owners, String(name));
    const gone = (name: string) => marks.excludes(owners, name, true);
    const narrowed = Object.entries(schema).flatMap(([key, operand]): [string, unknown][] => {
      const here = below(pointer, key);
      const part = (value: unknown, step: string | number) =>
        narrow(value, below(here, step), keyword, ['allOf', 'anyOf', 'oneOf'].includes(key) ? owners : []);
      if (DATA.includes(key)) return [[key, operand]];
      if (key === '$ref') return [[key, refer(operand, keyword)]];
      if (key === 'discriminator') return [[key, rename(schema, pointer, keyword)]];
      if (key === 'required' && Array.isArray(operand))
        return [[key, operand.filter((name: unknown) => !excluded(name))]];
      if (key === 'additionalProperties' && marks.always(here)) return [];
      if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(operand)) {
        const branches = operand.map((branch: unknown, i) => ({ branch, i }));
        const kept = branches.filter(({ i }) => !marks.always(below(here, i)));
        return [[key, (kept.length > 0 ? kept : branches).map(({ branch, i }) => part(branch, i))]];
      }
      if (Array.isArray(operand)) return [[key, operand.map(part)]];
      if (!MAPS_OF_SCHEMAS.includes(key)) return [[key, narrow(operand, here, keyword, [])]];
      const kept = members(operand).filter(
        ([name]) =>
          !(key === 'properties' && gone(name)) &&
          !(key === 'patternProperties' && marks.always(below(here, name))),
      );
      return [[key, Object.fromEntries(kept.map(([name, value]) => [name, part(value, name)]))]];
    });
    return keyword === 'readOnly'
      ? requireDefaults(Object.fromEntries(narrowed), pointer)
      : Object.fromEntries(narrowed);
  }

  /** A handler finds each property that has a default. */
  function requireDefaults(narrowed: JsonObject, pointer: string): JsonObject {
    const filled = members(narrowed['properties'])
      .map(([name]) => name)
      .filter((name) => hasDefault(document, below(pointer, 'properties', name)));
    if (filled.length === 0) return narrowed;
    return { ...narrowed, required: [...new Set([...[narrowed['required'] ?? []].flat(), ...filled])] };
  }

  /** The names of the schemas are those of the document, whatever the copies are called. */
  function rename(schema: JsonObject, pointer: string, keyword: Keyword): unknown {
    const { discriminator } = schema;
    const found = discriminators.at(pointer, schema);
    if (!found || !isObject(discriminator)) return discriminator;
    const others = [...found.branches].filter(([, target]) => target !== pointer);
    const mapping = others.map(([name, target]) => [name, refer(`#${target}`, keyword)]);
    return { ...discriminator, mapping: Object.fromEntries(mapping) as JsonObject };
  }

  const refer = (ref: unknown, keyword: Keyword): unknown => {
    const name = /^#\/components\/schemas\/([^/~%]+)$/.exec(String(ref))?.[1];
    return name === undefined ? ref : `#${below(SCHEMAS, copyOf(name, keyword))}`;
  };

  /** A part of the document that is no schema. */
  function visit(value: unknown, pointer: string, keyword: Keyword | undefined): unknown {
    if (Array.isArray(value)) return value.map((item, i) => visit(item, below(pointer, i), keyword));
    if (!isObject(value)) return value;
    const visited = Object.entries(value).map(([key, operand]): [string, unknown] => {
      const here = below(pointer, key);
      if (DATA.includes(key) || key === 'callbacks') return [key, operand];
      if (key === 'schema') return [key, keyword ? narrow(operand, here, keyword, []) : operand];
      if (key === 'requestBody' || key === 'parameters' || here === '/components/requestBodies')
        return [key, visit(operand, here, 'readOnly')];
      if (key === 'responses') return [key, visit(operand, here, 'writeOnly')];
      return [key, visit(operand, here, keyword)];
    });
    const isParameter = typeof value['in'] === 'string' && typeof value['name'] === 'string';
    if (isParameter && parameterHasDefault(value, pointer)) visited.push(['required', true]);
    return Object.fromEntries(visited);
  }

  function parameterHasDefault(parameter: JsonObject, pointer: string): boolean {
    const [type] = Object.keys(isObject(parameter['content']) ? parameter['content'] : {});
    const schema = type === undefined ? [] : ['content', type];
    return hasDefault(document, below(pointer, ...schema, 'schema'));
  }

  const paths = visit(document.at('/paths'), '/paths', undefined);
  const components = visit(document.at('/components') ?? {}, '/components', undefined) as JsonObject;
  return openUnevaluated({ ...document.root, paths, components: { ...components, schemas } }) as JsonObject;
}

/** Types know additionalProperties only; what unevaluatedProperties admits, a handler gets too. */
function openUnevaluated(value: unknown, inMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => openUnevaluated(item));
  if (!isObject(value)) return value;
  const opened = Object.entries(value).map(([key, operand]): [string, unknown] => {
    const data = !inMap && DATA.includes(key);
    return [key, data ? operand : openUnevaluated(operand, !inMap && MAPS_OF_SCHEMAS.includes(key))];
  });
  const { unevaluatedProperties, additionalProperties } = value;
  if (!inMap && (unevaluatedProperties ?? false) !== false && additionalProperties === undefined) {
    opened.push(['additionalProperties', openUnevaluated(unevaluatedProperties)]);
  }
  return Object.fromEntries(opened);
}

/** Whether the schema at `pointer` has a default: itself, or in what it refers to or consists of. */
function hasDefault(document: OpenApiDocument, pointer: string, seen = new Set<string>()): boolean {
  const schema = document.at(pointer);
  if (!isObject(schema) || seen.has(pointer)) return false;
  seen.add(pointer);
  return 'default' in schema || document.partsOf(pointer).some((part) => hasDefault(document, part, seen));
}

/** Whether types differ by direction at `pointer` or where it leads. */
function differs(
  document: OpenApiDocument,
  pointer: string,
  keyword: Keyword,
  seen = new Set<string>(),
): boolean {
  const schema = document.at(pointer);
  if (!isObject(schema) || seen.has(pointer)) return false;
  seen.add(pointer);
  if (schema[keyword] === true || (keyword === 'readOnly' && 'default' in schema)) return true;
  return subschemas(document, pointer).some((place) => differs(document, place, keyword, seen));
}
