import { type Json, type JsonObject, asArray, asObject, asString } from '../json/json';

const SCHEMAS = '#/components/schemas/';

/**
 * The document with every discriminator spelled out in JSON Schema (OpenAPI 3.1 section 4.8.25): each branch holds for the
 * values that its name stands in. A parent without branches becomes the choice among the schemas that are made of it.
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

/** A branch, and that the discriminator has one of its names: those of the mapping, or else that of its schema. */
function constrainBranch(owner: JsonObject, property: string, branch: Json): JsonObject {
  const reference = asString(asObject(branch)['$ref']);
  const mapping = Object.entries(asObject(asObject(owner['discriminator'])['mapping']));
  const mapped = mapping
    .filter(([, to]) => [asString(to), SCHEMAS + asString(to)].includes(reference))
    .map(([name]) => name);
  const names = mapped.length > 0 ? mapped : [reference.slice(reference.lastIndexOf('/') + 1)];
  return { allOf: [branch, { properties: { [property]: { enum: names } }, required: [property] }] };
}

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
    const itself = `${name}, itself`;
    for (const [, child] of children) {
      for (const part of asArray(asObject(child)['allOf']))
        if (isPart(part)) asObject(part)['$ref'] = SCHEMAS + itself;
    }
    schemas[itself] = parent;
    const branches = children.map(([child]) => constrainBranch(parent, property, { $ref: SCHEMAS + child }));
    schemas[name] = { oneOf: branches };
  }
}
