import { isObject, type OpenApiDocument, type Place } from '../document/document';
import { inPlace } from '../document/subschemas';
import { listOf } from './applicable';

/** The direction of a value. A schema admits different values in requests and in responses. */
export type Direction = 'request' | 'response';

/** The keywords of values that occur in one direction only (OpenAPI 3.1 section 4.8.24.1). */
export type OneWayKeyword = 'readOnly' | 'writeOnly';

/** The keyword of properties that a direction excludes: `readOnly` in requests, `writeOnly` in responses. */
export const excludedBy = (direction: Direction): OneWayKeyword =>
  direction === 'request' ? 'readOnly' : 'writeOnly';

/** Finds the values that any applicable schema marks as `readOnly`, or as `writeOnly`. */
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

  /** Whether every value at `pointer` is marked: by its schema, or by another that always applies with it. */
  always(pointer: string): boolean {
    if (!this.occurs) return false;
    const known = this.certain.get(pointer) ?? this.isMarked(this.document.subschemas.certain(pointer));
    this.certain.set(pointer, known);
    return known;
  }

  /** Whether some value at `pointer` is marked, by a branch that it takes. */
  sometimes(pointer: string): boolean {
    if (!this.occurs) return false;
    const known = this.possible.get(pointer) ?? this.isMarked(this.document.subschemas.possible(pointer));
    this.possible.set(pointer, known);
    return known;
  }

  /**
   * The schemas that apply to the value of the schema at `pointer` and mark some of its properties.
   *
   * @param except a keyword whose branches are ignored
   */
  owners(pointer: string, except?: string): string[] {
    if (!this.occurs) return [];
    const { before } = this.document.subschemas.traverse(
      [pointer],
      (subschema, from) => inPlace(subschema, from) && !(from === pointer && subschema.keyword === except),
    );
    return before.flatMap(({ pointer: place }) => (this.marksProperties(place) ? [place] : []));
  }

  /** Whether one of these schemas marks the property of this name, for some or for every value. */
  excludes(owners: readonly string[], name: string, every = false): boolean {
    return owners.some((owner) =>
      this.document.subschemas
        .property(owner, name)
        .some(({ pointer }) => (every ? this.always(pointer) : this.sometimes(pointer))),
    );
  }

  /** Whether the schema at `pointer`, or one that applies with it, requires a property that these schemas mark. */
  relaxes(pointer: string, owners: readonly string[]): boolean {
    if (owners.length === 0) return false;
    return this.document.subschemas
      .possible(pointer)
      .some(({ value }) => listOf(value['required']).some((name) => this.excludes(owners, String(name))));
  }

  private isMarked(schemas: readonly Place[]): boolean {
    return schemas.some(({ value }) => value[this.keyword] === true);
  }

  private marksProperties(pointer: string): boolean {
    return this.document.subschemas
      .of(pointer)
      .some((subschema) => PROPERTIES.includes(subschema.keyword) && this.sometimes(subschema.pointer));
  }
}

const PROPERTIES = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];

function mentions(value: unknown, keyword: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, keyword));
  return (
    isObject(value) &&
    (value[keyword] === true || Object.values(value).some((item) => mentions(item, keyword)))
  );
}
