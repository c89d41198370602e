import { type Json, type JsonObject, asArray, asObject, asString } from '../json/tree';

const SCHEMAS = '#/components/schemas/';

/**
 * The document with every discriminator written in JSON Schema (OpenAPI 3.1 section 4.8.25). Each branch requires that
 * the discriminator has one of its names. A parent without branches becomes a `oneOf` of its children.
 */
export function expandDiscriminators(given: JsonObject): JsonObject {
  const json = structuredClone(given);
  const visit = (node: Json): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
    const property = discriminatorOf(node);
    for (const keyword of ['oneOf', 'anyOf']) {
      if (property === undefined || !Array.isArray(node[keyword])) continue;
      node[keyword] = node[keyword].map((branch) => constrainBranch(node, property, branch));
    }
    Object.values(node).forEach(visit);
  };
  visit(json);
  expandParents(json);
  return json;
}

function discriminatorOf(schema: JsonObject): string | undefined {
  const property = asObject(schema['discriminator'])['propertyName'];
  return typeof property === 'string' ? property : undefined;
}

/** The branch, and a condition: the discriminator has one of its names. */
function constrainBranch(owner: JsonObject, property: string, branch: Json): JsonObject {
  const names = namesOf(owner, asString(asObject(branch)['$ref']));
  return { allOf: [branch, hasNameOf(property, names)] };
}

/** The names that the mapping gives the target of a reference, and that of its schema. */
function namesOf(owner: JsonObject, reference: string): string[] {
  const mapping = Object.entries(asObject(asObject(owner['discriminator'])['mapping']));
  const mapped = mapping.filter(([, to]) => [asString(to), SCHEMAS + asString(to)].includes(reference));
  return [...mapped.map(([name]) => name), reference.slice(reference.lastIndexOf('/') + 1)];
}

const hasNameOf = (property: string, names: readonly string[]): JsonObject => ({
  properties: { [property]: { enum: [...new Set(names)] } },
  required: [property],
});

/**
 * Replaces each parent with a discriminator, but no branches, by a `oneOf` of itself and of the schemas whose `allOf`
 * includes it, directly or not. One without such schemas, or inside of another schema, only demands one of its names.
 */
function expandParents(json: JsonObject): void {
  const schemas = asObject(asObject(json['components'])['schemas']);
  const given = Object.entries(schemas).map(([key, schema]) => [key, asObject(schema)] as const);
  demandNames(json, new Set(given.map(([, schema]) => schema)));
  const refersTo = (name: string) => (part: Json) => asObject(part)['$ref'] === SCHEMAS + name;
  const children = (name: string) =>
    given.filter(([, schema]) => asArray(schema['allOf']).some(refersTo(name))).map(([child]) => child);
  const families = new Map(
    given.map(([name]) => {
      const family = new Set([name]);
      for (const member of family) for (const child of children(member)) family.add(child);
      return [name, [...family]] as const;
    }),
  );
  for (const [name, parent] of given) {
    const property = discriminatorOf(parent);
    if (property === undefined || hasBranches(parent)) continue;
    const [, ...family] = families.get(name) ?? [];
    const mapping = Object.keys(asObject(asObject(parent['discriminator'])['mapping']));
    if (family.length === 0) {
      if (mapping.length > 0) demand(parent, hasNameOf(property, [...mapping, name]));
      continue;
    }
    const parentName = `${name}, itself`;
    for (const [childName, child] of given) {
      const parts = asArray(child['allOf']).filter(refersTo(name));
      for (const part of parts) asObject(part)['$ref'] = SCHEMAS + parentName;
      const members = (families.get(childName) ?? []).flatMap((member) => namesOf(parent, SCHEMAS + member));
      if (parts.length > 0) demand(child, hasNameOf(property, members));
    }
    schemas[parentName] = parent;
    const branches = family.map((child) => constrainBranch(parent, property, { $ref: SCHEMAS + child }));
    const own = constrainBranch(parent, property, { $ref: SCHEMAS + name });
    own['allOf'] = [{ $ref: SCHEMAS + parentName }, ...asArray(own['allOf']).slice(1)];
    schemas[name] = { oneOf: [...branches, own] };
  }
}

/** Demands the names of each mapping that stands beside no branches, in a schema that is no component. */
function demandNames(node: Json, components: ReadonlySet<Json>): void {
  if (Array.isArray(node)) for (const item of node) demandNames(item, components);
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
  const property = discriminatorOf(node);
  const names = Object.keys(asObject(asObject(node['discriminator'])['mapping']));
  for (const member of Object.values(node)) demandNames(member, components);
  if (property !== undefined && names.length > 0 && !hasBranches(node) && !components.has(node))
    demand(node, hasNameOf(property, names));
}

const demand = (schema: JsonObject, condition: JsonObject): void => {
  schema['allOf'] = [...asArray(schema['allOf']), condition];
};

const hasBranches = ({ oneOf, anyOf }: JsonObject): boolean => oneOf !== undefined || anyOf !== undefined;
