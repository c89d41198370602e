import { joinPointer, isObject, lastStep, members, type Place } from './json-pointer';
import { OBJECTS, type Keyword } from './keywords';

/**
 * How a subschema relates to the value of the schema that holds it (JSON Schema 2020-12, core, section 10):
 *
 * - `certain`: it applies to the same value, always.
 * - `possible`: it applies to the same value, or does not, depending on the value.
 * - `negated`: the value does not conform to it. Its annotations, such as `readOnly`, never count (section 7.7.1.1).
 * - `child`: it applies to properties or items of the value.
 * - `apart`: it applies to something else (the name of a property, decoded content), or only if a `$ref` leads to it.
 */
export type Relation = 'certain' | 'possible' | 'negated' | 'child' | 'apart';

/** The keywords of a relation; subschemas.test.ts proves that none is missing. */
const KEYWORDS: Readonly<Record<Relation, string>> = {
  certain: '$ref allOf',
  possible: 'anyOf oneOf if then else dependentSchemas',
  negated: 'not',
  child:
    'properties patternProperties additionalProperties unevaluatedProperties ' +
    'prefixItems items contains unevaluatedItems',
  apart: 'propertyNames contentSchema $defs definitions',
};
const SCHEMA_KEYWORDS = OBJECTS.get('Schema')?.keywords;

/** A keyword that holds subschemas, or refers to one. */
export interface Applicator {
  readonly relation: Relation;
  /** Undefined for `$ref`. */
  readonly as: NonNullable<Keyword['holds']>['as'] | undefined;
}

/** Each keyword that holds subschemas, and `$ref`. */
export const APPLICATORS: ReadonlyMap<string, Applicator> = new Map(
  Object.entries(KEYWORDS).flatMap(([relation, keywords]) =>
    keywords
      .split(' ')
      .map((name) => [name, { relation: relation as Relation, as: SCHEMA_KEYWORDS?.get(name)?.holds?.as }]),
  ),
);

/** A schema that another one holds or refers to. */
export interface Subschema {
  readonly keyword: string;
  readonly relation: Relation;
  readonly pointer: string;
}

/** Whether a traversal continues from the schema at `from` to one of its subschemas. */
export type Follow = (subschema: Subschema, from: string) => boolean;

/** The schemas that a traversal reaches, each once. A boolean schema counts as one without keywords. */
export interface Traversal {
  /** Depth first, each schema before its subschemas. */
  readonly before: readonly Place[];
  /** Depth first, each schema after its subschemas, except those that lead back to it. */
  readonly after: readonly Place[];
  /** Where a cycle closes: a `$ref`, or a subschema from which the traversal came. */
  readonly cycles: readonly string[];
}

interface Document {
  at(pointer: string): unknown;
  resolve(ref: unknown): string | undefined;
}

/** Follows what always applies to the same value. */
export const certain: Follow = ({ relation }) => relation === 'certain';

/** Follows what applies to the same value, always or in a branch. */
export const inPlace: Follow = ({ relation }) => relation === 'certain' || relation === 'possible';

/**
 * Walks the schemas of a document. Cycles end, and no walk recurses: a chain of references may be longer than the stack.
 */
export class Subschemas {
  private readonly known = new Map<string, readonly Subschema[]>();

  constructor(private readonly document: Document) {}

  /** The schemas that the schema at `pointer` holds or refers to: the target of its `$ref` first. */
  of(pointer: string): readonly Subschema[] {
    const known = this.known.get(pointer) ?? this.read(pointer);
    this.known.set(pointer, known);
    return known;
  }

  /** The pointer that the `$ref` of the schema at `pointer` leads to. */
  target(pointer: string): string | undefined {
    const [first] = this.of(pointer);
    return first?.keyword === '$ref' ? first.pointer : undefined;
  }

  /** The pointers of the subschemas of one keyword. */
  under(pointer: string, keyword: string): string[] {
    return this.of(pointer).flatMap((subschema) =>
      subschema.keyword === keyword ? [subschema.pointer] : [],
    );
  }

  /** The schemas that apply to every value of the schema at `pointer`, itself first: through `$ref` and `allOf`. */
  certain(pointer: string): readonly Place[] {
    return this.traverse([pointer], certain).before;
  }

  /** The schemas that apply to some value of the schema at `pointer`, itself first: through branches too. */
  possible(pointer: string): readonly Place[] {
    return this.traverse([pointer], inPlace).before;
  }

  /** Everything that the schema at `pointer` consists of or refers to, itself first. */
  all(pointer: string): readonly Place[] {
    return this.traverse([pointer], () => true).before;
  }

  /**
   * The subschemas by which the schema at `pointer` itself describes a property. `additionalProperties` and
   * `unevaluatedProperties` count only where no keyword before them does (JSON Schema 2020-12, core, sections 10.3.2 and
   * 11.3).
   *
   * @param name undefined for a property that is neither listed nor matched by a pattern
   */
  property(pointer: string, name: string | undefined): readonly Subschema[] {
    const all = this.of(pointer);
    const own = name === undefined ? [] : all.filter((subschema) => describes(subschema, name));
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      if (own.length === 0) own.push(...all.filter((subschema) => subschema.keyword === keyword));
    }
    return own;
  }

  /** The subschemas by which the schema at `pointer` itself describes the item at an index, without `contains`. */
  item(pointer: string, index: number): readonly Subschema[] {
    const all = this.of(pointer);
    const prefix = all.filter(({ keyword }) => keyword === 'prefixItems')[index];
    if (prefix) return [prefix];
    const items = all.filter(({ keyword }) => keyword === 'items');
    return items.length > 0 ? items : all.filter(({ keyword }) => keyword === 'unevaluatedItems');
  }

  /**
   * Evaluates each schema that a traversal from `pointer` reaches after its subschemas.
   *
   * @param known the results, with those of earlier calls; it has none for a subschema that leads back
   */
  fold<T>(
    pointer: string,
    follow: Follow,
    known: Map<string, T>,
    evaluate: (place: Place, followed: readonly Subschema[]) => T,
  ): T | undefined {
    if (known.has(pointer)) return known.get(pointer);
    const isNew: Follow = (subschema, from) => !known.has(subschema.pointer) && follow(subschema, from);
    for (const place of this.traverse([pointer], isNew).after) {
      const followed = this.of(place.pointer).filter((subschema) => follow(subschema, place.pointer));
      known.set(place.pointer, evaluate(place, followed));
    }
    return known.get(pointer);
  }

  /** Follows subschemas depth first. */
  traverse(starts: Iterable<string>, follow: Follow): Traversal {
    const [before, after]: [Place[], Place[]] = [[], []];
    const cycles: string[] = [];
    const open: { readonly place: Place; readonly rest: Subschema[] }[] = [];
    const finished = new Map<string, boolean>();
    const enter = (pointer: string): void => {
      const value = this.document.at(pointer);
      const place: Place = { pointer, value: isObject(value) ? value : {} };
      finished.set(pointer, false);
      before.push(place);
      open.push({ place, rest: this.of(pointer).toReversed() });
    };
    for (const start of starts) {
      if (!finished.has(start)) enter(start);
      for (let top = open.at(-1); top; top = open.at(-1)) {
        const next = top.rest.pop();
        if (!next) {
          open.pop();
          after.push(top.place);
          finished.set(top.place.pointer, true);
        } else if (follow(next, top.place.pointer)) {
          const state = finished.get(next.pointer);
          if (state === undefined) enter(next.pointer);
          else if (!state)
            cycles.push(next.keyword === '$ref' ? joinPointer(top.place.pointer, '$ref') : next.pointer);
        }
      }
    }
    return { before, after, cycles };
  }

  private read(pointer: string): Subschema[] {
    const schema = this.document.at(pointer);
    if (!isObject(schema)) return [];
    const held = Object.entries(schema).flatMap(([keyword, operand]): Subschema[] => {
      const { relation, as } = APPLICATORS.get(keyword) ?? {};
      if (!relation || !as) return [];
      const here = joinPointer(pointer, keyword);
      if (as === 'one') return [{ keyword, relation, pointer: here }];
      const steps =
        as === 'list' ? [operand].flat().map((_, i) => i) : members(operand).map(([name]) => name);
      return steps.map((step) => ({ keyword, relation, pointer: joinPointer(here, step) }));
    });
    const target = '$ref' in schema ? this.document.resolve(schema['$ref']) : undefined;
    return target === undefined ? held : [{ keyword: '$ref', relation: 'certain', pointer: target }, ...held];
  }
}

/** Whether one of `properties` has this name, or one of `patternProperties` matches it. */
function describes({ keyword, pointer }: Subschema, name: string): boolean {
  if (keyword === 'properties') return lastStep(pointer) === name;
  if (keyword !== 'patternProperties') return false;
  try {
    return new RegExp(lastStep(pointer), 'u').test(name);
  } catch {
    return false; // checkPatterns() adds the finding
  }
}
