/** Writes schemas in the words that a generator of types reads as JSON Schema means them. */
import {
  isInt64,
  isObject,
  joinPointer,
  lastStep,
  members,
  walk,
  writeDocument,
} from 'contract-first-server/tools';
import { TYPE } from './body-types';

type Mutable = Record<string, unknown>;

export const SCHEMAS = '/components/schemas';
const UNIONS = ['anyOf', 'oneOf'];
/** The keywords that restrict types, each of which may be the only one of a schema. */
const RESTRICTING = [
  ...['$ref', 'type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'patternProperties'],
  ...['items', 'prefixItems', 'allOf', ...UNIONS],
];

/**
 * Changes each schema of a document so that
 *
 * - what stands beside a reference, an enum or a union applies together with it: it is a part of `allOf`;
 * - a required property is listed, and an index signature admits all properties;
 * - values of `enum` have the types of their schema, and those of int64 are bigints;
 * - a component that has different names in different unions has them there;
 * - no component is an alternative of its own parent, nor refers to itself for the same value.
 *
 * A schema with properties and no type is one of objects.
 *
 * @param root a document of one direction a schema, whose references to schemas lead to components
 * @returns the pointers of components that refer to themselves for the same value: what they refer to is any value
 */
export function plainSchemas(root: Mutable): string[] {
  const cut = withoutCycles(root);
  nameBranches(root);
  walk({ pointer: '', value: root, expected: 'OpenAPI', documented: false }, ({ value, kind }) => {
    if (kind === 'Schema' && !(TYPE in value)) makePlain(value);
  });
  return cut;
}

function makePlain(schema: Mutable): void {
  Reflect.deleteProperty(schema, '$defs'); // What refers to them refers to components.
  if (isObject(schema['not']) && Object.keys(schema['not']).length === 0)
    Object.assign(schema, { type: 'string', [TYPE]: 'never' });
  listValues(schema);
  const parts: Mutable[] = [];
  const isShared = () => parts.length > 0 || RESTRICTING.filter((name) => name in schema).length > 1;
  const move = (...names: readonly string[]) => {
    const given = names.filter((name) => name in schema);
    parts.push(Object.fromEntries(given.map((name) => [name, schema[name]])));
    for (const name of given) Reflect.deleteProperty(schema, name);
  };
  for (const name of ['$ref', 'anyOf', 'oneOf'])
    if (name in schema && isShared() && !(name === 'oneOf' && 'discriminator' in schema)) move(name);
  const isComposed = parts.length > 0 || 'allOf' in schema || 'oneOf' in schema;
  if ('enum' in schema && (isComposed || 'properties' in schema || 'additionalProperties' in schema))
    move('enum', 'type');
  if (isComposed && Array.isArray(schema['type']))
    move(...RESTRICTING.filter((name) => name !== 'allOf' && name !== 'oneOf'));
  requireListed(schema, parts, isComposed);
  openIndex(schema);
  if (parts.length > 0) schema['allOf'] = [...[schema['allOf'] ?? []].flat(), ...parts];
}

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    null: (value) => value === null,
    array: Array.isArray,
    object: isObject,
    integer: (value) => typeof value === 'bigint' || Number.isInteger(value),
    number: (value) => typeof value === 'bigint' || typeof value === 'number',
  }),
);

/** Leaves the values of an enum that have a type of the schema. */
function listValues(schema: Mutable): void {
  const type = schema['type'];
  if (schema['const'] === null || ('const' in schema && isInt64(schema))) {
    schema['enum'] = [schema['const']];
    Reflect.deleteProperty(schema, 'const');
  }
  if (!Array.isArray(schema['enum'])) return;
  const types = type === undefined ? undefined : [type].flat().map(String);
  const values = schema['enum'].filter(
    (value: unknown) => types?.some((one) => (TYPES.get(one) ?? ((it) => typeof it === one))(value)) ?? true,
  );
  schema['enum'] = values;
  if (isInt64(schema)) {
    const literals = values.map((value: unknown) =>
      TYPES.get('number')?.(value) === true ? `${String(value)}n` : JSON.stringify(value),
    );
    Object.assign(schema, { type: 'string', [TYPE]: `(${literals.join(' | ') || 'never'})` });
    Reflect.deleteProperty(schema, 'enum');
  } else if (types?.includes('null') === true && !values.includes(null))
    schema['type'] = types.filter((one) => one !== 'null');
  else if (type === 'object') Reflect.deleteProperty(schema, 'type');
}

/** Any value of JSON. With `unknown`, a property that is optional elsewhere would keep its `undefined`. */
const PRESENT = { type: 'string', [TYPE]: '({} | null)' };

/** Lists the properties that are required and stand elsewhere or nowhere. */
function requireListed(schema: Mutable, parts: Mutable[], isComposed: boolean): void {
  const { type, required, properties, additionalProperties: others } = schema;
  if (!Array.isArray(required)) return;
  const isObjects = type === undefined || [type].flat().includes('object');
  const listed = new Set(members(properties).map(([name]) => name));
  const names = required.map(String);
  const missing = isObjects ? names.filter((name) => !listed.has(name)) : [];
  if (missing.length === 0) return;
  const listing = (one: unknown) => Object.fromEntries(missing.map((name) => [name, one]));
  if (isComposed) {
    schema['required'] = names.filter((name) => listed.has(name));
    parts.push({ type: 'object', properties: listing(PRESENT), required: missing });
    return;
  }
  schema['properties'] = {
    ...(properties as object | undefined),
    ...listing(isObject(others) ? others : PRESENT),
  };
  if (listed.size === 0 && type !== undefined) schema['additionalProperties'] ??= true;
}

/** Writes an index signature that the listed properties have, too; TypeScript demands that. */
function openIndex(schema: Mutable): void {
  const { properties, patternProperties, additionalProperties: others } = schema;
  const patterns = members(patternProperties).map(([, value]) => value);
  const isOpen = others !== false && !(isObject(others) && Object.keys(others).length > 0);
  if (patterns.length === 0 && (isOpen || others === false)) return;
  Reflect.deleteProperty(schema, 'patternProperties');
  const all = [...patterns, others, ...members(properties).map(([, value]) => value)];
  const texts = new Map(all.filter((one) => one !== false).map((one) => [writeDocument({ one }), one]));
  schema['additionalProperties'] = isOpen || { anyOf: structuredClone([...texts.values()]) };
}

/** Moves the names of a discriminator into its union, where another one has other names for the same component. */
function nameBranches(root: Mutable): void {
  const unions: {
    readonly schema: Mutable;
    readonly property: string;
    readonly names: Map<string, string[]>;
  }[] = [];
  walk({ pointer: '', value: root, expected: 'OpenAPI', documented: false }, ({ value: schema, kind }) => {
    const { discriminator } = schema;
    if (kind !== 'Schema' || !isObject(discriminator) || !UNIONS.some((name) => name in schema)) return;
    const names = new Map<string, string[]>();
    for (const [name, ref] of members(discriminator['mapping']))
      names.set(String(ref), [...(names.get(String(ref)) ?? []), name]);
    for (const branch of UNIONS.flatMap((name) => [schema[name] ?? []].flat())) {
      const ref = isObject(branch) && branch['$ref'];
      if (typeof ref === 'string' && !names.has(ref)) names.set(ref, [lastStep(ref)]);
    }
    unions.push({ schema, property: String(discriminator['propertyName']), names });
  });
  const known = new Map<string, Set<string>>();
  for (const { names } of unions)
    for (const [ref, all] of names)
      known.set(ref, (known.get(ref) ?? new Set()).add(all.toSorted().join('\n')));
  for (const { schema, property, names } of unions) {
    if (![...names.keys()].some((ref) => (known.get(ref)?.size ?? 0) > 1)) continue;
    Reflect.deleteProperty(schema, 'discriminator');
    for (const name of UNIONS.filter((one) => one in schema))
      schema[name] = [schema[name]].flat().map((branch: unknown) => {
        const own = isObject(branch) ? names.get(String(branch['$ref'])) : undefined;
        const properties = { [property]: { type: 'string', enum: own } };
        return own ? { allOf: [branch, { type: 'object', required: [property], properties }] } : branch;
      });
  }
}

/** A schema within another one that applies to the same value, and refers to a component. */
interface Reference {
  readonly holder: Mutable;
  readonly target: string;
  /** Whether it always applies. */
  readonly isCertain: boolean;
}

function referencesIn(schema: unknown, isCertain = false): Reference[] {
  if (!isObject(schema)) return [];
  const [, target] = /^#\/components\/schemas\/([^/]+)$/.exec(String(schema['$ref'])) ?? [];
  const own =
    target === undefined ? [] : [{ holder: schema as Mutable, target: lastStep(`/${target}`), isCertain }];
  const parts = ['allOf', ...UNIONS].flatMap((name) =>
    [schema[name] ?? []].flat().flatMap((part) => referencesIn(part, name === 'allOf')),
  );
  return [...own, ...parts];
}

/** Cuts the circles of schemas that apply to the same value: TypeScript has no types for them. */
function withoutCycles(root: Mutable): string[] {
  const { components } = root;
  const schemas = new Map(members(isObject(components) ? components['schemas'] : undefined));
  const cyclic = () => {
    const all = new Map([...schemas].map(([name, schema]) => [name, referencesIn(schema)]));
    const graph = new Map(
      [...all].map(([name, references]) => [name, references.map(({ target }) => target)]),
    );
    const reached = new Map([...graph.keys()].map((name) => [name, reachedFrom(name, graph)]));
    return [...all].flatMap(([name, references]) =>
      references.filter(({ target }) => reached.get(target)?.has(name)).map((one) => ({ name, ...one })),
    );
  };
  const first = cyclic();
  const names = new Set(first.map(({ name }) => name));
  // A parent whose discriminator chose the child adds its own part only.
  const own = (target: string, within: readonly string[]): Mutable => {
    if (within.includes(target)) return {};
    const schema = schemas.get(target);
    const { $ref, allOf } = isObject(schema) ? schema : {};
    const rest = members(schema).filter(([name]) => !['$ref', 'allOf', ...UNIONS].includes(name));
    const parts = [...($ref === undefined ? [] : [{ $ref }]), ...[allOf ?? []].flat()].map((part) => {
      const [reference] = isObject(part) && '$ref' in part ? referencesIn(part) : [];
      return reference && names.has(reference.target) ? own(reference.target, [...within, target]) : part;
    });
    return { ...Object.fromEntries(rest), ...(parts.length > 0 && { allOf: parts }) };
  };
  const parents = first
    .filter(({ isCertain }) => isCertain)
    .map((one) => ({ ...one, part: own(one.target, []) }));
  for (const { holder, part } of parents) replace(holder, structuredClone(part));
  const left = cyclic();
  for (const { holder } of left) replace(holder, {});
  return [...new Set(left.map(({ name }) => joinPointer(SCHEMAS, name)))];
}

function replace(holder: Mutable, part: Mutable): void {
  Reflect.deleteProperty(holder, '$ref');
  Object.assign(holder, part);
}

/** The nodes of a graph that one or more steps from a node lead to. */
export function reachedFrom(name: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const pending = [name];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const target of graph.get(next) ?? [])
      if (!reached.has(target)) {
        reached.add(target);
        pending.push(target);
      }
  return reached;
}
