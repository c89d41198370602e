import { branchNames } from './branch-names';
import { type Json, type JsonObject, asArray, asObject, asString, objectsIn } from '../json/tree';

const SCHEMAS = '#/components/schemas/';

/**
 * The document with every discriminator written in JSON Schema (OpenAPI 3.1 section 4.8.25). Each branch requires that
 * the discriminator has one of its names. A parent without branches becomes a `oneOf` of its children. Any other schema
 * with a mapping, but without branches, demands one of its names.
 */
export function expandDiscriminators(given: JsonObject): JsonObject {
  const json = structuredClone(given);
  for (const { node, pointer } of objectsIn(json))
    if (discriminatorOf(node) !== undefined) nameBranches(json, node, pointer);
  for (const { node, pointer } of objectsIn(json)) {
    const property = discriminatorOf(node);
    if (property === undefined) continue;
    for (const keyword of ['oneOf', 'anyOf'])
      if (Array.isArray(node[keyword])) {
        const references = node[keyword].map((branch) => asString(asObject(branch)['$ref']));
        node[keyword] = node[keyword].map((branch) => constrainBranch(node, property, branch, references));
      }
    if (!hasBranches(node) && !/^\/components\/schemas\/[^/]*$/.test(pointer))
      demandNames(node, property, mappedNames(node));
  }
  expandParents(json);
  return json;
}

/** Writes the names of all branches into the mapping of a discriminator. Removes one that selects nothing. */
function nameBranches(json: JsonObject, owner: JsonObject, pointer: string): void {
  const [, component] = /^\/components\/schemas\/([^/]*)$/.exec(pointer) ?? [];
  const all = asObject(asObject(json['components'])['schemas']);
  const family = component === undefined ? [] : (familiesOf(all).get(component) ?? []);
  const union = [...asArray(owner['oneOf'] ?? owner['anyOf'])];
  const branches = hasBranches(owner) ? union : family.map((name): Json => ({ $ref: SCHEMAS + name }));
  if (branches.length === 0 || (!hasBranches(owner) && branches.length === 1)) return;
  const target = asString(asObject(owner['discriminator'])['defaultMapping']);
  const optional = [
    ...(target === '' ? [] : [target, SCHEMAS + target]),
    ...(component === undefined ? [] : [SCHEMAS + component]),
  ];
  const names = branchNames(json, discriminatorOf(owner) ?? '', branches, mappingOf(owner), optional);
  if (!names) {
    Reflect.deleteProperty(owner, 'discriminator');
    return;
  }
  const mapping = { ...mappingOf(owner) };
  const inline = new Map<Json, string[]>();
  for (const [name, branch] of names) {
    const reference = asObject(branch)['$ref'];
    if (reference !== undefined) mapping[name] = reference;
    else inline.set(branch, [...(inline.get(branch) ?? []), name]);
  }
  owner['discriminator'] = { ...asObject(owner['discriminator']), mapping };
  for (const keyword of ['oneOf', 'anyOf'])
    if (keyword in owner)
      owner[keyword] = asArray(owner[keyword]).map((branch) => {
        const own = inline.get(branch);
        return own ? { allOf: [branch, hasNameOf(discriminatorOf(owner) ?? '', own)] } : branch;
      });
}

function discriminatorOf(schema: JsonObject): string | undefined {
  const property = asObject(schema['discriminator'])['propertyName'];
  return typeof property === 'string' ? property : undefined;
}

const mappingOf = (schema: JsonObject): JsonObject => asObject(asObject(schema['discriminator'])['mapping']);

const mappedNames = (schema: JsonObject): string[] => Object.keys(mappingOf(schema));

const hasBranches = ({ oneOf, anyOf }: JsonObject): boolean => oneOf !== undefined || anyOf !== undefined;

/**
 * The branch, and a condition: the discriminator has one of its names. The default one also takes what has no name of any
 * branch (OpenAPI 3.2 section 4.25.3).
 *
 * @param all the references of all branches
 */
function constrainBranch(
  owner: JsonObject,
  property: string,
  branch: Json,
  all: readonly string[],
): JsonObject {
  const reference = asString(asObject(branch)['$ref']);
  const own = namesOf(owner, reference);
  if (own.length === 0) return asObject(branch); // it is no object, or is named already
  if (!isDefault(owner, reference)) return { allOf: [branch, hasNameOf(property, own)] };
  const known = [...all.flatMap((other) => namesOf(owner, other)), ...mappedNames(owner)];
  const others = known.filter((name) => !own.includes(name));
  return { allOf: [branch, ...(others.length > 0 ? [{ not: hasNameOf(property, others) }] : [])] };
}

/** Whether a reference leads to the `defaultMapping`. */
const isDefault = (owner: JsonObject, reference: string): boolean => {
  const target = asString(asObject(owner['discriminator'])['defaultMapping']);
  return target !== '' && [target, SCHEMAS + target].includes(reference);
};

/** The names that the mapping gives the target of a reference, and that of its schema. */
function namesOf(owner: JsonObject, reference: string): string[] {
  const mapped = Object.entries(mappingOf(owner)).filter(([, to]) =>
    [asString(to), SCHEMAS + asString(to)].includes(reference),
  );
  return mapped.map(([name]) => name);
}

const hasNameOf = (property: string, names: readonly string[]): JsonObject => ({
  properties: { [property]: { enum: [...new Set(names)] } },
  required: [property],
});

function demandNames(schema: JsonObject, property: string, names: readonly string[]): void {
  if (names.length > 0) schema['allOf'] = [...asArray(schema['allOf']), hasNameOf(property, names)];
}

/**
 * Replaces each parent with a discriminator, but no branches, by a `oneOf` of itself and of the schemas whose `allOf`
 * includes it, directly or not. One without such schemas only demands one of its names.
 */
function expandParents(json: JsonObject): void {
  const schemas = asObject(asObject(json['components'])['schemas']);
  const given = Object.entries(schemas).map(([key, schema]) => [key, asObject(schema)] as const);
  const families = familiesOf(schemas);
  for (const [name, parent] of given) {
    const property = discriminatorOf(parent);
    if (property === undefined || hasBranches(parent)) continue;
    const [, ...family] = families.get(name) ?? [];
    if (family.length === 0) {
      const names = mappedNames(parent);
      if (names.length > 0) demandNames(parent, property, [...names, name]);
      continue;
    }
    const parentName = `${name}, itself`;
    for (const [childName, child] of given) {
      const parts = partsOf(child, name);
      for (const part of parts) part['$ref'] = SCHEMAS + parentName;
      const members = (families.get(childName) ?? []).flatMap((member) => namesOf(parent, SCHEMAS + member));
      if (parts.length > 0 && !isDefault(parent, SCHEMAS + childName)) demandNames(child, property, members);
    }
    schemas[parentName] = parent;
    const references = [...family, name].map((child) => SCHEMAS + child);
    const constrain = (child: string): JsonObject =>
      constrainBranch(parent, property, { $ref: SCHEMAS + child }, references);
    const own = constrain(name);
    own['allOf'] = [{ $ref: SCHEMAS + parentName }, ...asArray(own['allOf']).slice(1)];
    schemas[name] = { oneOf: [...family.map(constrain), own] };
  }
}

const partsOf = (child: JsonObject, parent: string): JsonObject[] =>
  asArray(child['allOf'])
    .map(asObject)
    .filter((part) => part['$ref'] === SCHEMAS + parent);

/** By the name of each schema, itself and those whose `allOf` includes it, directly or not. */
function familiesOf(schemas: JsonObject): ReadonlyMap<string, readonly string[]> {
  const given = Object.entries(schemas).map(([name, schema]) => [name, asObject(schema)] as const);
  return new Map(
    given.map(([name]) => {
      const family = new Set([name]);
      for (const member of family)
        for (const [child, schema] of given) if (partsOf(schema, member).length > 0) family.add(child);
      return [name, [...family]] as const;
    }),
  );
}
