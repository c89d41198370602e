import { lastStep, sourceOf } from './json-pointer';
import { joinPointer, isObject, type JsonObject, members, type OpenApiDocument } from './document';

const SCHEMAS = '/components/schemas';

/** A resolved discriminator (OpenAPI 3.1 section 4.8.25). */
export interface Discriminator {
  readonly property: string;
  /** JSON pointers by name. They may include the schema of the discriminator itself. */
  readonly branches: ReadonlyMap<string, string>;
  /** JSON pointer to the schema of values without one of the names (OpenAPI 3.2 section 4.25.1); undefined: they are rejected. */
  readonly otherwise: string | undefined;
  /** The keyword that lists the branches; undefined for a parent whose subtypes refer to it in their `allOf`. */
  readonly keyword: 'oneOf' | 'anyOf' | undefined;
  /** Whether the branches of the keyword decide the same without it: each lists its names as the values of the property. */
  readonly isListed: boolean;
}

/** A schema that a discriminator may select. */
interface Branch {
  /** Its place among the branches, or the subtype itself. */
  readonly pointer: string;
  /** The schema that a mapping names for it: a component, if the branch refers to one. */
  readonly target: string;
  /** The names that the mapping gives it; without any, its own name if its property admits that. */
  readonly written: readonly string[];
  /** The name of its component, if it has one. */
  readonly name: string | undefined;
  readonly property: PropertyValues;
}

/** The values of a property that a schema admits. */
interface PropertyValues {
  /** Undefined: any. */
  readonly values: readonly unknown[] | undefined;
  /** Where the values are listed. */
  readonly place: string;
  readonly required: boolean;
  /** Whether it may be a string: names are strings. */
  readonly isText: boolean;
}

interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** What is known of a discriminator: how it selects, why it does not, or what contradicts it. */
interface Reading {
  readonly found?: Discriminator;
  readonly ignored?: string;
  readonly faults?: readonly Fault[];
}

/**
 * Reads the discriminators of a document. A discriminator may not change which values conform (OpenAPI 3.1.1 section
 * 4.8.25). So where each branch lists values of the property, these are its names. Where the branches contradict the implicit
 * name of one, which is that of its component, or leave a branch without a name, the discriminator selects nothing.
 */
export class Discriminators {
  private subtypes: ReadonlyMap<string, readonly string[]> | undefined;
  private readonly known = new Map<string, Reading>();
  /** By the property and the pointer. A union that leads back to itself lists nothing. */
  private readonly listed = new Map<string, PropertyValues>();

  constructor(private readonly document: OpenApiDocument) {}

  /**
   * The discriminator of the schema at `pointer`; undefined if the schema has none or it selects nothing.
   */
  at(pointer: string, schema: JsonObject): Discriminator | undefined {
    return this.reading(pointer, schema).found;
  }

  /** Adds a finding for each name of a mapping that its schema contradicts, and a remark for each discriminator without effect. */
  check(): void {
    for (const { pointer, value } of this.document.references.objects('Schema')) {
      const { ignored, faults = [] } = this.reading(pointer, value);
      for (const fault of faults) this.document.addFinding(fault.pointer, fault.message);
      if (ignored === undefined) continue;
      const keyword = keywordOf(value);
      const decides = keyword
        ? `${keyword} alone decides which values conform`
        : 'the schema alone decides which values conform';
      this.document.addRemark({
        pointer: joinPointer(pointer, 'discriminator'),
        message: `selects no schema: ${ignored}. In requests and responses, ${decides}`,
        keyword: 'Schema discriminator',
      });
    }
  }

  private reading(pointer: string, schema: JsonObject): Reading {
    const known = this.known.get(pointer) ?? this.read(pointer, schema);
    this.known.set(pointer, known);
    return known;
  }

  private read(pointer: string, schema: JsonObject): Reading {
    const { discriminator } = schema;
    if (!isObject(discriminator) || typeof discriminator['propertyName'] !== 'string') return {};
    const property = discriminator['propertyName'];
    const keyword = keywordOf(schema);
    const mapping = members(discriminator['mapping']).flatMap(([name, reference]): [string, string][] => {
      const target = this.document.references.mapped(reference);
      return target === undefined ? [] : [[name, target]];
    });
    const { defaultMapping } = discriminator;
    const otherwise =
      defaultMapping === undefined ? undefined : this.document.references.mapped(defaultMapping);
    const faults = mapping.flatMap(([name, target]): Fault[] => {
      const { values, place } = this.valuesOf(property, target);
      if (values === undefined || values.some((value) => String(value) === name)) return [];
      const at = joinPointer(pointer, 'discriminator', 'mapping', name);
      const message = `selects ${lastStep(target)}, which admits only ${JSON.stringify(values)} as ${property} (#${place}): no value can conform`;
      return [{ pointer: at, message }];
    });
    if (faults.length > 0) return { faults };
    const branches = keyword ? this.branches(pointer, keyword, property) : this.family(pointer, property);
    const all = branches.map((branch): Branch => {
      const written = mapping.flatMap(([name, target]) => (target === branch.target ? [name] : []));
      const {
        name,
        property: { values },
      } = branch;
      const own =
        written.length === 0 && name !== undefined && values?.includes(name) === true ? [name] : written;
      return { ...branch, written: own };
    });
    const names = new Map<string, string>();
    // A parent may be abstract, and what has none of the names is left to the default.
    const mayBeNameless = ({ target }: Branch) => target === pointer || target === otherwise;
    const selected = all.filter((branch) => !mayBeNameless(branch));
    for (const branch of selected) {
      const own = namesOf(branch, selected);
      const taken = own.find((name) => names.has(name));
      if (own.length === 0 || taken !== undefined) return { ignored: reasonIgnored(property, branch, taken) };
      for (const name of own) names.set(name, branch.pointer);
    }
    for (const branch of all.filter(mayBeNameless)) {
      const {
        written,
        name,
        property: { values },
      } = branch;
      const own = values === undefined && name !== undefined ? [...written, name] : written;
      for (const one of own) if (!names.has(one)) names.set(one, branch.pointer);
    }
    const pointerOf = (target: string) => all.find((branch) => branch.target === target)?.pointer ?? target;
    for (const [name, target] of mapping) names.set(name, pointerOf(target));
    if (names.size === 0 || (!keyword && mapping.length === 0 && all.length < 2)) return {};
    return {
      found: {
        property,
        branches: names,
        otherwise: otherwise === undefined ? undefined : pointerOf(otherwise),
        keyword,
        isListed:
          keyword !== undefined &&
          selected.length === all.length &&
          selected.every(
            ({ pointer: at, property: { values, required } }) =>
              required && values?.every((value) => names.get(String(value)) === at) === true,
          ),
      },
    };
  }

  /** The branches that admit objects: no other value has the property. */
  private branches(pointer: string, keyword: string, property: string): Omit<Branch, 'written'>[] {
    const { subschemas } = this.document;
    return subschemas.under(pointer, keyword).flatMap((branch) => {
      const schemas = subschemas.certain(branch);
      if (schemas.some(({ value: { type = 'object' } }) => ![type].flat().includes('object'))) return [];
      const schema = this.document.at(branch);
      const reference = subschemas.target(branch);
      const isPlain = isObject(schema) && Object.keys(schema).length === 1;
      return {
        pointer: (isPlain ? reference : undefined) ?? branch,
        target: reference ?? branch,
        name: reference === undefined ? undefined : componentName(reference),
        property: this.valuesOf(property, branch),
      };
    });
  }

  /** The schema at `pointer`, and all that have it in their `allOf`, directly or not. */
  private family(pointer: string, property: string): Omit<Branch, 'written'>[] {
    this.subtypes ??= subtypesIn(this.document);
    const family = new Set(componentName(pointer) === undefined ? [] : [pointer]);
    for (const member of family) for (const subtype of this.subtypes.get(member) ?? []) family.add(subtype);
    return [...family].map((member) => ({
      pointer: member,
      target: member,
      name: componentName(member),
      property: this.valuesOf(property, member),
    }));
  }

  /** The values of a property that the schema at `pointer` admits, as its `enum`, `const` and branches list them. */
  private valuesOf(property: string, pointer: string): PropertyValues {
    const key = `${pointer} ${property}`;
    const known = this.listed.get(key);
    if (known) return known;
    let found: PropertyValues = { values: undefined, place: pointer, required: false, isText: true };
    this.listed.set(key, found);
    const restrict = ({
      values,
      place = found.place,
      required = false,
      isText = true,
    }: Partial<PropertyValues>) => {
      found = {
        values:
          found.values && values
            ? found.values.filter((value) => values.includes(value))
            : (values ?? found.values),
        place: values ? place : found.place,
        required: found.required || required,
        isText: found.isText && isText,
      };
    };
    const { subschemas } = this.document;
    for (const { pointer: here, value } of subschemas.certain(pointer)) {
      restrict({ required: [value['required']].flat().includes(property) });
      for (const { pointer: described } of subschemas.property(here, property))
        for (const { pointer: place, value: schema } of subschemas.certain(described)) {
          if (Array.isArray(schema['enum'])) restrict({ values: schema['enum'], place });
          if ('const' in schema) restrict({ values: [schema['const']], place });
          if ('type' in schema) restrict({ isText: [schema['type']].flat().includes('string') });
        }
      for (const keyword of ['oneOf', 'anyOf']) {
        const branches = subschemas.under(here, keyword).map((branch) => this.valuesOf(property, branch));
        if (branches.length === 0) continue;
        const isListed = branches.every(({ values }) => values !== undefined);
        restrict({
          ...(isListed && { values: branches.flatMap(({ values }) => values ?? []) }),
          required: branches.every(({ required }) => required),
          isText: branches.some(({ isText }) => isText),
        });
      }
    }
    this.listed.set(key, found);
    return found;
  }
}

const keywordOf = (schema: JsonObject) =>
  (['oneOf', 'anyOf'] as const).find((name) => Array.isArray(schema[name]));

/** The names that select a branch; none if the branches contradict each other. */
function namesOf(branch: Branch, all: readonly Branch[]): readonly string[] {
  const { written, name } = branch;
  const { values, required, isText } = branch.property;
  if (!isText) return [];
  if (values === undefined) return [...written, ...(name === undefined ? [] : [name])];
  const isListed = all.every(({ property }) => property.values !== undefined && property.required);
  if (!required || (!isListed && written.length === 0)) return written;
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length < values.length) return [];
  const others = all.filter((other) => other !== branch);
  const free = texts.filter((value) => !others.some((other) => other.written.includes(value)));
  const shared = free.filter((value) => others.some(({ property }) => property.values?.includes(value)));
  if (written.length === 0) return shared.length > 0 ? [] : free;
  return [...new Set([...written, ...free.filter((value) => !shared.includes(value))])];
}

/** @param taken the name that another branch has too */
function reasonIgnored(
  property: string,
  { pointer, name, property: { values, isText } }: Branch,
  taken?: string,
): string {
  if (taken !== undefined) return `${JSON.stringify(taken)} would select #${pointer}, and another branch`;
  if (!isText) return `#${pointer} admits no string as ${property}`;
  if (values === undefined) return `#${pointer} has no name, and lists no values of ${property}`;
  const listed = `#${pointer} admits ${JSON.stringify(values)} as ${property}`;
  const own = name === undefined || values.includes(name) ? '' : `, not its own name ${JSON.stringify(name)}`;
  return `${listed}${own}, and the values of all branches do not tell them apart`;
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
