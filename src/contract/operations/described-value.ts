import { isObject, type JsonObject, members, type OpenApiDocument, type Place } from '../document/document';
import { inPlace, type Subschema } from '../document/subschemas';

/** JSON types that a value may have, `number` for `integer`; undefined where the document names none. */
type Types = readonly string[] | undefined;

/** The types that the schema at a pointer names by itself. */
type TypesAt = (pointer: string) => Types;

/**
 * A value as the schemas describe it before it is known: those that apply to it for certain, and any branch. A text is
 * read by the types found here; whether the value conforms is for the validator.
 */
export class DescribedValue {
  /**
   * @param places all schemas that may describe the value
   * @param combine the types of the value, by those that each of its schemas names
   */
  private constructor(
    private readonly document: OpenApiDocument,
    private readonly places: readonly Place[],
    private readonly combine: (typesAt: TypesAt) => Types,
  ) {}

  /** The value that the schema at `pointer` describes; without a schema, anything. */
  static at(document: OpenApiDocument, pointer: string | undefined): DescribedValue {
    if (pointer === undefined) return new DescribedValue(document, [], () => undefined);
    return new DescribedValue(document, document.subschemas.possible(pointer), (typesAt) =>
      combineInPlace(document, pointer, typesAt),
    );
  }

  types(): Types {
    return this.combine((pointer) => typesOf(this.document.at(pointer)));
  }

  /** The property of this name; without a name, any that is not listed. */
  property(name?: string): DescribedValue {
    return this.child('unevaluatedProperties', (pointer) => this.document.subschemas.property(pointer, name));
  }

  item(index: number): DescribedValue {
    return this.child('unevaluatedItems', (pointer) => this.document.subschemas.item(pointer, index));
  }

  /** All schema objects that may describe the value. */
  schemas(): JsonObject[] {
    return this.places.map(({ value }) => value);
  }

  /** The names of the properties that are listed anywhere. */
  propertyNames(): string[] {
    const names = this.schemas().flatMap(({ properties }) => members(properties).map(([name]) => name));
    return [...new Set(names)];
  }

  /** @param last the keyword that describes a part only where no other keyword does */
  private child(last: string, partsOf: (pointer: string) => readonly Subschema[]): DescribedValue {
    const { document } = this;
    const all = this.places.flatMap(({ pointer }) => partsOf(pointer));
    const left = all.every(({ keyword }) => keyword === last);
    const parts = (pointer: string) =>
      partsOf(pointer).flatMap((part) => (left || part.keyword !== last ? [part.pointer] : []));
    const starts = this.places.flatMap(({ pointer }) => parts(pointer));
    return new DescribedValue(document, document.subschemas.traverse(starts, inPlace).before, (typesAt) =>
      this.combine((pointer) => every(parts(pointer).map((part) => combineInPlace(document, part, typesAt)))),
    );
  }
}

/** The types of the value of the schema at `pointer`; a schema that a cycle leads back to adds none. */
function combineInPlace(document: OpenApiDocument, pointer: string, typesAt: TypesAt): Types {
  const known = new Map<string, Types>();
  return document.subschemas.fold(pointer, inPlace, known, (place, subschemas) => {
    const under = (...keywords: string[]): Types[] =>
      subschemas.flatMap((part) => (keywords.includes(part.keyword) ? [known.get(part.pointer)] : []));
    const own = [
      typesAt(place.pointer),
      ...under('$ref', 'allOf'),
      some(under('anyOf')),
      some(under('oneOf')),
    ];
    // A condition that the value does not meet excludes no type.
    return every(own) ?? some(under('then', 'else', 'dependentSchemas'));
  });
}

function every(all: readonly Types[]): Types {
  const given = all.filter((types) => types !== undefined);
  return given.length === 0 ? undefined : given.reduce((a, b) => a.filter((type) => b.includes(type)));
}

function some(all: readonly Types[]): Types {
  const given = all.filter((types) => types !== undefined);
  return given.length === 0 ? undefined : [...new Set(given.flat())];
}

function typesOf(schema: unknown): Types {
  if (!isObject(schema)) return undefined;
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
