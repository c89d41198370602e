/** What types cannot say of a document: that a property goes one way only. */
import { below, isObject, type JsonObject, members, type OpenApiDocument } from '../src/contract/document';
import { oneWayProperties } from '../src/contract/one-way';

type Keyword = 'readOnly' | 'writeOnly';

const MAPS_OF_SCHEMAS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const DATA = ['example', 'examples', 'default', 'enum', 'const'];
const SCHEMAS = '/components/schemas';

/**
 * The document as types are to be made of it: requests refer to copies of schemas without what is `readOnly`, responses to
 * copies without what is `writeOnly`, where that makes a difference.
 */
export function splitByDirection(document: OpenApiDocument): JsonObject {
  const schemas: Record<string, unknown> = Object.fromEntries(members(document.at(SCHEMAS)));
  const copies = new Map<string, string>();

  /** The name of the component that stands for another one, made if need be. */
  function copyOf(name: string, keyword: Keyword): string {
    const key = `${keyword} ${name}`;
    const pointer = below(SCHEMAS, name);
    if (!copies.has(key)) {
      let copy = name + (keyword === 'readOnly' ? 'Request' : 'Response');
      while (copy in schemas) copy += '_';
      copies.set(key, reaches(document, pointer, keyword) ? copy : name);
      if (copies.get(key) === copy) schemas[copy] = narrow(document.at(pointer), pointer, keyword, []);
    }
    return copies.get(key) ?? name;
  }

  /** @param inherited properties that the schema of which this is a part does not have */
  function narrow(schema: unknown, pointer: string, keyword: Keyword, inherited: readonly string[]): unknown {
    if (!isObject(schema)) return schema;
    const gone = [...inherited, ...oneWayProperties(document, pointer, keyword)];
    return Object.fromEntries(
      Object.entries(schema).map(([key, operand]): [string, unknown] => {
        const here = below(pointer, key);
        const part = (value: unknown, step: string | number) =>
          narrow(value, below(here, step), keyword, key === 'allOf' ? gone : []);
        if (DATA.includes(key)) return [key, operand];
        if (key === '$ref') return [key, refer(operand, keyword)];
        if (key === 'required' && Array.isArray(operand))
          return [key, operand.filter((name: unknown) => !gone.some((other) => other === name))];
        if (Array.isArray(operand)) return [key, operand.map(part)];
        if (!MAPS_OF_SCHEMAS.includes(key)) return [key, narrow(operand, here, keyword, [])];
        const kept = members(operand).filter(([name]) => key !== 'properties' || !gone.includes(name));
        return [key, Object.fromEntries(kept.map(([name, value]) => [name, part(value, name)]))];
      }),
    );
  }

  const refer = (ref: unknown, keyword: Keyword): unknown => {
    const name = /^#\/components\/schemas\/([^/~%]+)$/.exec(String(ref))?.[1];
    return name === undefined ? ref : `#${below(SCHEMAS, copyOf(name, keyword))}`;
  };

  /** A part of the document that is no schema. */
  function visit(value: unknown, pointer: string, keyword: Keyword | undefined): unknown {
    if (Array.isArray(value)) return value.map((item, i) => visit(item, below(pointer, i), keyword));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, operand]): [string, unknown] => {
        const here = below(pointer, key);
        if (DATA.includes(key) || key === 'callbacks') return [key, operand];
        if (key === 'schema') return [key, keyword ? narrow(operand, here, keyword, []) : operand];
        if (key === 'requestBody' || here === '/components/requestBodies')
          return [key, visit(operand, here, 'readOnly')];
        if (key === 'responses') return [key, visit(operand, here, 'writeOnly')];
        return [key, visit(operand, here, keyword)];
      }),
    );
  }

  const paths = visit(document.at('/paths'), '/paths', undefined);
  const components = visit(document.at('/components') ?? {}, '/components', undefined) as JsonObject;
  return { ...document.root, paths, components: { ...components, schemas } };
}

/** Whether anything is marked at `pointer` or where it leads. */
function reaches(
  document: OpenApiDocument,
  pointer: string,
  keyword: Keyword,
  seen = new Set<string>(),
): boolean {
  const value = document.at(pointer);
  if (typeof value !== 'object' || value === null || seen.has(pointer)) return false;
  seen.add(pointer);
  if (isObject(value) && value[keyword] === true) return true;
  const target = isObject(value) && '$ref' in value ? document.resolve(value['$ref']) : undefined;
  const places = Object.keys(value).map((key) => below(pointer, key));
  return [...(target === undefined ? [] : [target]), ...places].some((place) =>
    reaches(document, place, keyword, seen),
  );
}
