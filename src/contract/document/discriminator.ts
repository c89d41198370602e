import { sourceOf } from './json-pointer';
import { joinPointer, isObject, type JsonObject, members, type OpenApiDocument } from './document';

const SCHEMAS = '/components/schemas';

/** A resolved discriminator (OpenAPI 3.1 section 4.8.25). */
export interface Discriminator {
  readonly property: string;
  /** JSON pointers by name. They may include the schema of the discriminator itself. */
  readonly branches: ReadonlyMap<string, string>;
  /** JSON pointer to the schema of values without one of the names (OpenAPI 3.2 section 4.25.1); undefined: they are refused. */
  readonly otherwise: string | undefined;
  /** The keyword that lists the branches; undefined for a parent whose subtypes refer to it in their `allOf`. */
  readonly keyword: 'oneOf' | 'anyOf' | undefined;
}

/** Reads the discriminators of a document. */
export class Discriminators {
  private subtypes: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(private readonly document: OpenApiDocument) {}

  /**
   * The discriminator of the schema at `pointer`; undefined if there is none, or if it has no branches to choose from.
   */
  at(pointer: string, schema: JsonObject): Discriminator | undefined {
    const { discriminator } = schema;
    if (!isObject(discriminator) || typeof discriminator['propertyName'] !== 'string') return undefined;
    const keyword = (['oneOf', 'anyOf'] as const).find((name) => Array.isArray(schema[name]));
    const branches = new Map<string, string>();
    for (const target of keyword ? this.branches(pointer, keyword) : this.family(pointer)) {
      const name = componentName(target);
      if (name !== undefined) branches.set(name, target);
    }
    const mapping = members(discriminator['mapping']);
    for (const [name, reference] of mapping) {
      const target = this.document.references.mapped(reference);
      if (target !== undefined) branches.set(name, target);
    }
    if (branches.size === 0 || (!keyword && mapping.length === 0 && branches.size === 1)) return undefined;
    const { defaultMapping } = discriminator;
    const otherwise =
      defaultMapping === undefined ? undefined : this.document.references.mapped(defaultMapping);
    return { property: discriminator['propertyName'], branches, otherwise, keyword };
  }

  private branches(pointer: string, keyword: string): string[] {
    const { subschemas } = this.document;
    return subschemas.under(pointer, keyword).flatMap((branch) => subschemas.target(branch) ?? []);
  }

  /** The schema at `pointer`, and all that have it in their `allOf`, directly or not. */
  private family(pointer: string): string[] {
    this.subtypes ??= subtypesIn(this.document);
    const family = new Set(componentName(pointer) === undefined ? [] : [pointer]);
    for (const member of family) for (const subtype of this.subtypes.get(member) ?? []) family.add(subtype);
    return [...family];
  }
}

/** The name of a component, which a discriminator uses without a mapping. */
function componentName(pointer: string): string | undefined {
  const name = pointer.startsWith(`${SCHEMAS}/`) ? sourceOf(pointer).slice(SCHEMAS.length + 1) : '';
  return name === '' || name.includes('/') ? undefined : name;
}

/** The components that refer to a schema in their `allOf`, by the JSON pointer of that schema. */
function subtypesIn(document: OpenApiDocument): Map<string, string[]> {
  const subtypes = new Map<string, string[]>();
  for (const [name] of members(document.at(SCHEMAS))) {
    const subtype = joinPointer(SCHEMAS, name);
    for (const part of document.subschemas.under(subtype, 'allOf')) {
      const parent = document.subschemas.target(part);
      if (parent !== undefined) subtypes.set(parent, [...(subtypes.get(parent) ?? []), subtype]);
    }
  }
  return subtypes;
}
