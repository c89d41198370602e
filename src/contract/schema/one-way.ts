import { below, isObject, members, type OpenApiDocument } from '../document/document';
import { listOf } from './applicable';

/** Which way a value goes: what a schema admits depends on it. */
export type Direction = 'request' | 'response';

export type OneWayKeyword = 'readOnly' | 'writeOnly';

/** What is `readOnly` is no part of a request, what is `writeOnly` none of a response (OpenAPI 3.1 section 4.8.24.1). */
export const excludedBy = (direction: Direction): OneWayKeyword =>
  direction === 'request' ? 'readOnly' : 'writeOnly';

/** Knows which values go one way only, whichever schema that applies to them marks them. */
export class OneWay {
  /** Whether any schema is marked: in most documents none is. */
  readonly occurs: boolean;
  private readonly certain = new Map<string, boolean>();
  private readonly possible = new Map<string, boolean>();

  constructor(
    private readonly document: OpenApiDocument,
    readonly keyword: OneWayKeyword,
  ) {
    this.occurs = mentions(document.root, keyword);
  }

  /** Whether every value at `pointer` is marked: by its schema, what that refers to, or a part of its `allOf`. */
  always(pointer: string): boolean {
    if (!this.occurs) return false;
    const known = this.certain.get(pointer) ?? this.document.isMarked(pointer, this.keyword);
    this.certain.set(pointer, known);
    return known;
  }

  /** Whether some value at `pointer` is marked, by a branch that it takes. */
  sometimes(pointer: string): boolean {
    if (!this.occurs) return false;
    const known =
      this.possible.get(pointer) ??
      this.inPlace(pointer).some((place) => {
        const schema = this.document.at(place);
        return isObject(schema) && schema[this.keyword] === true;
      });
    this.possible.set(pointer, known);
    return known;
  }

  /**
   * The schemas that apply to the value of the schema at `pointer` and mark some of its properties.
   *
   * @param except a keyword whose branches are left aside
   */
  owners(pointer: string, except?: string): string[] {
    return this.occurs ? this.inPlace(pointer, except).filter((place) => this.marksProperties(place)) : [];
  }

  /** Whether one of these schemas marks the property of this name, for some or for every value. */
  excludes(owners: readonly string[], name: string, every = false): boolean {
    const marks = (place: string) => (every ? this.always(place) : this.sometimes(place));
    return owners.some((owner) => {
      const schema = this.document.at(owner);
      if (!isObject(schema)) return false;
      const describing = [
        ...(isObject(schema['properties']) && Object.hasOwn(schema['properties'], name)
          ? [below(owner, 'properties', name)]
          : []),
        ...members(schema['patternProperties']).flatMap(([pattern]) =>
          new RegExp(pattern, 'u').test(name) ? [below(owner, 'patternProperties', pattern)] : [],
        ),
      ];
      const others = ['additionalProperties', 'unevaluatedProperties'].map((keyword) =>
        below(owner, keyword),
      );
      return (describing.length > 0 ? describing : others).some(marks);
    });
  }

  /** Whether the schema at `pointer`, or one that applies with it, requires a property that these schemas mark. */
  relaxes(pointer: string, owners: readonly string[]): boolean {
    if (owners.length === 0) return false;
    return this.inPlace(pointer).some((place) => {
      const schema = this.document.at(place);
      const required = isObject(schema) ? listOf(schema['required']) : [];
      return required.some((name) => this.excludes(owners, String(name)));
    });
  }

  private marksProperties(pointer: string): boolean {
    const schema = this.document.at(pointer);
    if (!isObject(schema)) return false;
    const maps = ['properties', 'patternProperties'].flatMap((keyword) =>
      members(schema[keyword]).map(([name]) => below(pointer, keyword, name)),
    );
    const others = ['additionalProperties', 'unevaluatedProperties'].map((keyword) =>
      below(pointer, keyword),
    );
    return [...maps, ...others].some((place) => this.sometimes(place));
  }

  /** All schemas that may apply to a value of the schema at `pointer`, itself first. */
  private inPlace(pointer: string, except?: string, seen = new Set<string>()): string[] {
    const schema = this.document.at(pointer);
    if (!isObject(schema) || seen.has(pointer)) return [];
    seen.add(pointer);
    const target = '$ref' in schema ? this.document.resolve(schema['$ref']) : undefined;
    const parts = ['allOf', 'anyOf', 'oneOf']
      .filter((keyword) => keyword !== except)
      .flatMap((keyword) => [schema[keyword] ?? []].flat().map((_, i) => below(pointer, keyword, i)));
    const conditional = ['if', 'then', 'else'].map((keyword) => below(pointer, keyword));
    const dependent = members(schema['dependentSchemas']).map(([name]) =>
      below(pointer, 'dependentSchemas', name),
    );
    const others = [...(target === undefined ? [] : [target]), ...parts, ...conditional, ...dependent];
    return [pointer, ...others.flatMap((place) => this.inPlace(place, undefined, seen))];
  }
}

function mentions(value: unknown, keyword: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, keyword));
  return (
    isObject(value) &&
    (value[keyword] === true || Object.values(value).some((item) => mentions(item, keyword)))
  );
}
