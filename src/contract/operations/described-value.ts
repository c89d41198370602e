import { below, isObject, type JsonObject, members, type OpenApiDocument } from '../document/document';

/** JSON types that a value may have, `integer` among `number`; undefined where the document does not say. */
type Types = readonly string[] | undefined;

/** What one schema object says by itself. */
type Says = (schema: JsonObject, pointer: string) => Types;

/**
 * A value as the schemas describe it before it is known: all that `$ref` and `allOf` lead to, and any branch of `anyOf`
 * and `oneOf`. A text is read by the types found here; whether the value conforms is for the validator.
 */
export class DescribedValue {
  private constructor(
    private readonly document: OpenApiDocument,
    private readonly ask: (says: Says) => Types,
  ) {}

  /** The value that the schema at `pointer` describes; without a schema, anything. */
  static at(document: OpenApiDocument, pointer: string | undefined): DescribedValue {
    return new DescribedValue(document, (says) =>
      pointer === undefined ? undefined : fold(document, pointer, says, new Map()),
    );
  }

  types(): Types {
    return this.ask(typesOf);
  }

  /** The property of this name; without a name, any that is not listed. */
  property(name?: string): DescribedValue {
    return this.child(({ properties, additionalProperties, unevaluatedProperties }) => {
      if (name !== undefined && isObject(properties) && Object.hasOwn(properties, name))
        return ['properties', name];
      if (additionalProperties !== undefined) return ['additionalProperties'];
      return unevaluatedProperties === undefined ? undefined : ['unevaluatedProperties'];
    });
  }

  item(index: number): DescribedValue {
    return this.child(({ prefixItems, items }) => {
      if (Array.isArray(prefixItems) && index < prefixItems.length) return ['prefixItems', index];
      return items === undefined ? undefined : ['items'];
    });
  }

  /** All schema objects that may describe the value. */
  schemas(): JsonObject[] {
    const found: JsonObject[] = [];
    this.ask((schema) => {
      found.push(schema);
      return undefined;
    });
    return found;
  }

  /** The names of the properties that are listed anywhere. */
  propertyNames(): string[] {
    return [
      ...new Set(this.schemas().flatMap(({ properties }) => members(properties).map(([name]) => name))),
    ];
  }

  private child(steps: (schema: JsonObject) => (string | number)[] | undefined): DescribedValue {
    return new DescribedValue(this.document, (says) =>
      this.ask((schema, pointer) => {
        const path = steps(schema);
        return path && fold(this.document, below(pointer, ...path), says, new Map());
      }),
    );
  }
}

/** Combines what the schema at `pointer` and all that it refers to in place say. `known` ends cycles of `$ref`. */
function fold(document: OpenApiDocument, pointer: string, says: Says, known: Map<string, Types>): Types {
  const schema = document.at(pointer);
  if (!isObject(schema) || known.has(pointer)) return known.get(pointer);
  known.set(pointer, undefined);
  const target = '$ref' in schema ? document.resolve(schema['$ref']) : undefined;
  const each = (keyword: string): Types[] =>
    [schema[keyword] ?? []].flat().map((_, i) => fold(document, below(pointer, keyword, i), says, known));
  const types = every([
    says(schema, pointer),
    target === undefined ? undefined : fold(document, target, says, known),
    ...each('allOf'),
    some(each('anyOf')),
    some(each('oneOf')),
  ]);
  known.set(pointer, types);
  return types;
}

function every(all: readonly Types[]): Types {
  const said = all.filter((types) => types !== undefined);
  return said.length === 0 ? undefined : said.reduce((a, b) => a.filter((type) => b.includes(type)));
}

function some(all: readonly Types[]): Types {
  const said = all.filter((types) => types !== undefined);
  return said.length === 0 ? undefined : said.flat();
}

function typesOf(schema: JsonObject): Types {
  const named = schema['type'] === undefined ? undefined : [schema['type']].flat().map(nameOfType);
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  const listed = Array.isArray(values) ? values.map(typeOfValue) : undefined;
  if (named ?? listed) return every([named, listed]);
  // Without these two, an object or array whose schema leaves its type out would pass for a string, unchecked.
  if ('properties' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : undefined;
}

const nameOfType = (type: unknown): string => (type === 'integer' ? 'number' : String(type));

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
