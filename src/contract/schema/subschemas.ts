import { below, isObject, type OpenApiDocument } from '../document/document';

const SCHEMAS =
  'items additionalProperties propertyNames contains unevaluatedItems unevaluatedProperties not if then else'.split(
    ' ',
  );
const ARRAYS_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS_OF_SCHEMAS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** Where the schemas stand that the schema at `pointer` consists of: what its `$ref` leads to, and all below it. */
export function subschemas(document: OpenApiDocument, pointer: string): string[] {
  const schema = document.at(pointer);
  if (!isObject(schema)) return [];
  const target = '$ref' in schema ? document.resolve(schema['$ref']) : undefined;
  const steps = Object.entries(schema).flatMap(([keyword, operand]): (string | number)[][] => {
    if (SCHEMAS.includes(keyword)) return [[keyword]];
    if (ARRAYS_OF_SCHEMAS.includes(keyword)) return [operand].flat().map((_, i) => [keyword, i]);
    if (!MAPS_OF_SCHEMAS.includes(keyword) || !isObject(operand)) return [];
    return Object.keys(operand).map((name) => [keyword, name]);
  });
  return [...(target === undefined ? [] : [target]), ...steps.map((path) => below(pointer, ...path))];
}
