import { OBJECTS, walk } from '../../src/contract';

type Mutable = Record<string, unknown>;

/** The number of schemas that each kind of change affects. */
type Counts = Map<string, number>;

/**
 * Converts an OpenAPI 3.0 document to 3.1, in place (https://learn.openapis.org/upgrading/v3.0-to-v3.1.html). Keywords
 * that 3.1 still supports, such as `example` and `format: byte`, stay unchanged.
 *
 * openapi-format converts too, but treats all nodes alike: it mistakes a property named `nullable` for the keyword,
 * removes `format: binary`, and writes integers beyond 2^53 as doubles.
 *
 * @returns one sentence about the changes; undefined if the version is not 3.0
 */
export function convertTo31(document: Mutable): string | undefined {
  const { openapi: version } = document;
  if (typeof version !== 'string' || !/^3\.0\.\d+/.test(version)) return undefined;
  const counts: Counts = new Map();
  const schemas: Mutable[] = [];
  walk({ pointer: '', value: document, expected: 'OpenAPI', documented: false }, ({ kind, value }) => {
    if (kind === 'Schema') schemas.push(value);
  });
  for (const schema of schemas) convertSchema(schema, counts);
  document['openapi'] = '3.1.0';
  const changes = [...counts].map(([change, count]) => `${change} (${count})`).join(', ');
  return `OpenAPI ${version} is converted to 3.1.0${changes === '' ? '' : `: ${changes}`}`;
}

function convertSchema(schema: Mutable, counts: Counts): void {
  const count = (change: string) => counts.set(change, (counts.get(change) ?? 0) + 1);
  if ('$ref' in schema) {
    // OpenAPI 3.0.3 section 4.7.23: members beside a $ref are ignored.
    const keywords = OBJECTS.get('Schema')?.keywords;
    const ignored = Object.keys(schema).filter(
      (name) => name !== '$ref' && keywords?.get(name)?.support !== 'documented',
    );
    for (const name of ignored) Reflect.deleteProperty(schema, name);
    if (ignored.length > 0) count('keywords beside a $ref, which 3.0 ignores, are removed');
    return;
  }
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    if (schema[exclusive] && bound in schema) {
      schema[exclusive] = schema[bound];
      Reflect.deleteProperty(schema, bound);
    } else Reflect.deleteProperty(schema, exclusive);
    count(`${exclusive} is a number`);
  }
  if (typeof schema['nullable'] !== 'boolean') return;
  if (schema['nullable']) admitNull(schema);
  Reflect.deleteProperty(schema, 'nullable');
  count('nullable becomes the type null');
}

/** Admits null: as a further type, or as a further branch if the schema has no type. */
function admitNull(schema: Mutable): void {
  const { type, oneOf, anyOf, allOf } = schema;
  const null_ = { type: 'null' };
  if (typeof type === 'string') schema['type'] = [type, 'null'];
  else if (Array.isArray(oneOf)) schema['oneOf'] = [...(oneOf as unknown[]), null_];
  else if (Array.isArray(anyOf)) schema['anyOf'] = [...(anyOf as unknown[]), null_];
  else if (Array.isArray(allOf)) {
    Reflect.deleteProperty(schema, 'allOf');
    schema['anyOf'] = [allOf.length === 1 ? (allOf[0] as unknown) : { allOf }, null_];
  }
}
