import { type Json, type JsonObject, asArray, asObject, asString } from '../json/json';

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

/**
 * The branch, and a condition: the discriminator has a name that the mapping gives the branch, else that of its schema.
 */
function constrainBranch(owner: JsonObject, property: string, branch: Json): JsonObject {
  const reference = asString(asObject(branch)['$ref']);
  const mapping = Object.entries(asObject(asObject(owner['discriminator'])['mapping']));
  const mapped = mapping
    .filter(([, to]) => [asString(to), SCHEMAS + asString(to)].includes(reference))
    .map(([name]) => name);
  const names = mapped.length > 0 ? mapped : [reference.slice(reference.lastIndexOf('/') + 1)];
  return { allOf: [branch, { properties: { [property]: { enum: names } }, required: [property] }] };
}

/**
 * Replaces each parent with a discriminator, but no branches, by a `oneOf` of the schemas whose `allOf` includes it.
 */
function expandParents(json: JsonObject): void {
  const schemas = asObject(asObject(json['components'])['schemas']);
  for (const [name, parent] of Object.entries(schemas).map(
    ([key, schema]) => [key, asObject(schema)] as const,
  )) {
    const property = discriminatorOf(parent);
    if (property === undefined || parent['oneOf'] !== undefined || parent['anyOf'] !== undefined) continue;
    const isPart = (part: Json): boolean => asObject(part)['$ref'] === SCHEMAS + name;
    const children = Object.entries(schemas).filter(([, schema]) =>
      asArray(asObject(schema)['allOf']).some(isPart),
    );
    if (children.length === 0) continue;
    const parentName = `${name}, itself`;
    for (const [, child] of children) {
      for (const part of asArray(asObject(child)['allOf']))
        if (isPart(part)) asObject(part)['$ref'] = SCHEMAS + parentName;
    }
    schemas[parentName] = parent;
    const branches = children.map(([child]) => constrainBranch(parent, property, { $ref: SCHEMAS + child }));
    schemas[name] = { oneOf: branches };
  }
}
