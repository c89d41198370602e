import { isObject, type JsonObject, members, type OpenApiDocument, type Place } from '../document/document';
import { inPlace, type Subschema } from '../document/subschemas';

/** JSON types that a value may have, with `number` for `integer`; undefined if the document names none. */
type Types = readonly string[] | undefined;

/** Returns the types that the schema at a pointer itself names. */
type TypesAt = (pointer: string) => Types;

/**
 * A value as the schemas of the document describe it, before a request has one: the schemas that always apply, and all
 * branches. Readers decode text by these types. The validator judges the value.
 */
export class DescribedValue {
  /**
   * @param places all schemas that may describe the value
   * @param combine combines the types that each of the schemas names
   */
  private constructor(
    private readonly document: OpenApiDocument,
    private readonly places: readonly Place[],
    private readonly combine: (typesAt: TypesAt) => Types,
  ) {}

  /** The value that the schema at `pointer` describes; without a pointer, any value. */
  static at(document: OpenApiDocument, pointer: string | undefined): DescribedValue {
    if (pointer === undefined) return new DescribedValue(document, [], () => undefined);
    return new DescribedValue(document, document.subschemas.possible(pointer), (typesAt) =>
      combineInPlace(document, pointer, typesAt),
    );
  }

  /** The JSON types that the value may have, with `number` for `integer`; undefined if the document names none. */
  types(): Types {
    return this.combine((pointer) => typesOf(this.document.at(pointer)));
  }

  /** The property of a name; without a name, any property that is not listed. */
  property(name?: string): DescribedValue {
    return this.child('unevaluatedProperties', (pointer) => this.document.subschemas.property(pointer, name));
  }

  /** The item at an index, from 0. */
  item(index: number): DescribedValue {
    return this.child('unevaluatedItems', (pointer) => this.document.subschemas.item(pointer, index));
  }

  /** All schema objects that may describe the value. */
  schemas(): JsonObject[] {
    return this.places.map(({ value }) => value);
  }

  /** The same for values that the same schemas describe, by the same types. */
  identity(): string {
    return [...this.places.map(({ pointer }) => pointer), ...(this.types() ?? [])].join(' ');
  }

  /** The names of all properties that the schemas list. */
  propertyNames(): string[] {
    const names = this.schemas().flatMap(({ properties }) => members(properties).map(([name]) => name));
    return [...new Set(names)];
  }

  /** @param last the `unevaluated*` keyword, which applies only if no other keyword does */
  private child(last: string, partsOf: (pointer: string) => readonly Subschema[]): DescribedValue {
    const { document } = this;
    const all = this.places.flatMap(({ pointer }) => partsOf(pointer));
    const left = all.every(({ keyword }) => keyword === last);
    const parts = (pointer: string) =>
      partsOf(pointer).flatMap((part) => (left || part.keyword !== last ? [part.pointer] : []));
    const starts = this.places.flatMap(({ pointer }) => parts(pointer));
    return new DescribedValue(document, document.subschemas.traverse(starts, inPlace).before, (typesAt) =>
      this.combine((pointer) =>
        intersection(parts(pointer).map((part) => combineInPlace(document, part, typesAt))),
      ),
    );
  }
}

/** The types of the value of the schema at `pointer`. A schema to which a cycle leads back adds none. */
function combineInPlace(document: OpenApiDocument, pointer: string, typesAt: TypesAt): Types {
  const known = new Map<string, Types>();
  return document.subschemas.fold(pointer, inPlace, known, (place, subschemas) => {
    const under = (...keywords: string[]): Types[] =>
      subschemas.flatMap((part) => (keywords.includes(part.keyword) ? [known.get(part.pointer)] : []));
    const own = [
      typesAt(place.pointer),
      ...under('$ref', 'allOf'),
      union(under('anyOf')),
      union(under('oneOf')),
    ];
    // These apply to some values only, so they exclude no type.
    return intersection(own) ?? union(under('then', 'else', 'dependentSchemas'));
  });
}

function intersection(all: readonly Types[]): Types {
  const given = all.filter((types) => types !== undefined);
  return given.length === 0 ? undefined : given.reduce((a, b) => a.filter((type) => b.includes(type)));
}

function union(all: readonly Types[]): Types {
  const given = all.filter((types) => types !== undefined);
  return given.length === 0 ? undefined : [...new Set(given.flat())];
}

function typesOf(schema: unknown): Types {
  if (!isObject(schema)) return undefined;
  const named = schema['type'] === undefined ? undefined : [schema['type']].flat().map(nameOfType);
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  const listed = Array.isArray(values) ? values.map(typeOfValue) : undefined;
  if (named ?? listed) return intersection([named, listed]);
  // Otherwise an object or array whose schema has no `type` would be read as a string, unchecked.
  if ('properties' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : undefined;
}

const nameOfType = (type: unknown): string => (type === 'integer' ? 'number' : String(type));

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
