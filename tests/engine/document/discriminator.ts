import { type Json, type JsonObject, list, object, word } from '../json/json';

const SCHEMAS = '#/components/schemas/';

/**
 * The document with every discriminator spelled out in JSON Schema (OpenAPI 3.1 section 4.8.25): each branch holds for the
 * values that its name stands in. A parent without branches becomes the choice among the schemas that are made of it.
 */
export function spelledOut(given: JsonObject): JsonObject {
  const json = structuredClone(given);
  const visit = (node: Json): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
    const property = propertyOf(node);
    for (const keyword of ['oneOf', 'anyOf']) {
      if (property === undefined || !Array.isArray(node[keyword])) continue;
      node[keyword] = node[keyword].map((branch) => named(node, property, branch));
    }
    Object.values(node).forEach(visit);
  };
  visit(json);
  spellParents(json);
  return json;
}

function propertyOf(schema: JsonObject): string | undefined {
  const property = object(schema['discriminator'])['propertyName'];
  return typeof property === 'string' ? property : undefined;
}

/** A branch, and that the discriminator has one of its names: those of the mapping, or else that of its schema. */
function named(owner: JsonObject, property: string, branch: Json): JsonObject {
  const reference = word(object(branch)['$ref']);
  const mapping = Object.entries(object(object(owner['discriminator'])['mapping']));
  const mapped = mapping
    .filter(([, to]) => [word(to), SCHEMAS + word(to)].includes(reference))
    .map(([name]) => name);
  const names = mapped.length > 0 ? mapped : [reference.slice(reference.lastIndexOf('/') + 1)];
  return { allOf: [branch, { properties: { [property]: { enum: names } }, required: [property] }] };
}

function spellParents(json: JsonObject): void {
  const schemas = object(object(json['components'])['schemas']);
  for (const [name, parent] of Object.entries(schemas).map(
    ([key, schema]) => [key, object(schema)] as const,
  )) {
    const property = propertyOf(parent);
    if (property === undefined || parent['oneOf'] !== undefined || parent['anyOf'] !== undefined) continue;
    const isPart = (part: Json): boolean => object(part)['$ref'] === SCHEMAS + name;
    const children = Object.entries(schemas).filter(([, schema]) =>
      list(object(schema)['allOf']).some(isPart),
    );
    if (children.length === 0) continue;
    const itself = `${name}, itself`;
    for (const [, child] of children) {
      for (const part of list(object(child)['allOf']))
        if (isPart(part)) object(part)['$ref'] = SCHEMAS + itself;
    }
    schemas[itself] = parent;
    const branches = children.map(([child]) => named(parent, property, { $ref: SCHEMAS + child }));
    schemas[name] = { oneOf: branches };
  }
}
