/** Prepares a document for a generator of types, which reads less than the document may have. */
import {
  Discriminators,
  isObject,
  joinPointer,
  members,
  OBJECTS,
  type OpenApiDocument,
  walk,
  type Walked,
  writeDocument,
} from 'contract-first-server/tools';
import { type JsonObject, readDocument } from 'contract-first-server';

import { withoutLaterWords } from './later-words';

type Mutable = Record<string, unknown>;

const SCHEMAS = '/components/schemas';
const EVALUATING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/**
 * The same document, in which
 *
 * - each reference to a schema leads to a component, because a type has no name for a place inside of another one;
 * - a mapping has a reference for each name by which the discriminator selects a schema, and no reference is percent-encoded;
 * - a discriminator that selects nothing, or only what the values of its branches tell, is gone;
 * - extensions that nothing enforces are gone, and data that looks like a schema, such as an example;
 * - a boolean schema in a list is an object;
 * - a response refers to the schema of a header, not to the header, because a generator takes each reference to one for required;
 * - a schema is opened by additionalProperties, because types do not support unevaluatedProperties.
 */
export function typedDocument(document: OpenApiDocument): JsonObject {
  const root = readDocument(writeDocument(document.root)) as Mutable;
  withoutLaterWords(root, document);
  const discriminators = new Discriminators(document);
  const schemas = new Components(root, document);
  const visited = new Set<string>();
  const nameAll = (pointer: string, value: unknown, expected: Walked['expected']) => {
    walk({ pointer, value, expected, documented: false }, (walked) => {
      if (walked.kind === 'Schema') nameBranches(walked, discriminators);
    });
  };
  nameAll('', root, 'OpenAPI');
  const prepare = (start: { pointer: string; value: unknown; expected: Walked['expected'] }) => {
    walk({ ...start, documented: false }, (walked) => {
      visited.add(walked.pointer);
      prepareObject(walked, document, schemas);
    });
  };
  prepare({ pointer: '', value: root, expected: 'OpenAPI' });
  for (const { name, pointer } of schemas.added) {
    const value = schemas.copy(name, pointer);
    nameAll(pointer, value, 'Schema');
    prepare({ pointer: joinPointer(SCHEMAS, name), value, expected: 'Schema' });
  }
  return root;
}

/** The components that stand for schemas inside of others. */
class Components {
  readonly added: { readonly name: string; readonly pointer: string }[] = [];
  private readonly names = new Map<string, string>();
  private readonly taken: Set<string>;

  constructor(
    private readonly root: Mutable,
    private readonly document: OpenApiDocument,
  ) {
    this.taken = new Set(members(document.at(SCHEMAS)).map(([name]) => name));
  }

  /** The reference to a component for the schema at `pointer`. */
  refer(pointer: string): string {
    const name = pointer.startsWith(`${SCHEMAS}/`) ? pointer.slice(SCHEMAS.length + 1) : '/';
    if (!name.includes('/')) return `#${pointer}`;
    return `#${joinPointer(SCHEMAS, this.names.get(pointer) ?? this.add(pointer))}`;
  }

  /** Writes the component, a copy of what the document has at `pointer`. */
  copy(name: string, pointer: string): unknown {
    const components = (this.root['components'] ??= {}) as Mutable;
    const schemas = (components['schemas'] ??= {}) as Mutable;
    const { value } = readDocument(writeDocument({ value: this.document.at(pointer) }));
    schemas[name] = value;
    return value;
  }

  private add(pointer: string): string {
    const base = pointer.replace(/^\/components\/schemas\//, '').replace(/\W+/g, '_');
    let name = base;
    for (let n = 2; this.taken.has(name); n++) name = `${base}_${n}`;
    this.taken.add(name);
    this.names.set(pointer, name);
    this.added.push({ name, pointer });
    return name;
  }
}

/** Writes the names of all branches into the mapping of a discriminator. */
function nameBranches({ pointer, value }: Walked, discriminators: Discriminators): void {
  const { discriminator } = value;
  if (!isObject(discriminator)) return;
  const found = discriminators.at(pointer, value);
  const names = [...(found?.branches ?? [])].filter(([, target]) => target !== pointer);
  if (!found || found.isListed || names.length === 0) Reflect.deleteProperty(value, 'discriminator');
  else
    Object.assign(discriminator, {
      mapping: Object.fromEntries(names.map(([name, target]) => [name, `#${target}`])),
    });
}

function prepareObject({ kind, value }: Walked, document: OpenApiDocument, schemas: Components): void {
  const object = value as Mutable;
  const { keywords, others } = OBJECTS.get(kind) ?? {};
  for (const [name, member] of Object.entries(object)) {
    if (name.startsWith('x-') && kind !== 'SecurityRequirement' && !keywords?.has(name))
      Reflect.deleteProperty(object, name);
    const isData = (keywords?.get(name) ?? others?.keyword)?.holds === undefined;
    if (!isData || !hasSchemaWord({ [name]: member })) continue;
    // A property with a default is required in requests.
    if (kind === 'Schema' && name === 'default') object['default'] = {};
    else Reflect.deleteProperty(object, name);
  }
  if (kind === 'Discriminator') {
    const targets = members(object['mapping']).flatMap(([name, ref]): [string, unknown][] => {
      const target = document.references.mapped(ref);
      return target === undefined ? [] : [[name, schemas.refer(target)]];
    });
    object['mapping'] = Object.fromEntries(targets);
  }
  if (kind === 'Response' && isObject(object['headers']))
    object['headers'] = Object.fromEntries(
      members(object['headers']).map(([name, header]) => [name, headerOf(header, document)]),
    );
  const target = keywords?.has('$ref') === true ? document.resolve(object['$ref']) : undefined;
  if (target !== undefined) object['$ref'] = kind === 'Schema' ? schemas.refer(target) : `#${target}`;
  if (kind !== 'Schema') return;
  for (const name of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
    const list = object[name];
    if (Array.isArray(list)) object[name] = list.map(withoutBoolean);
  }
  const { $defs, unevaluatedProperties, additionalProperties } = object;
  // What other schemas list is evaluated, and its types are not known here.
  if ((unevaluatedProperties ?? false) !== false && additionalProperties === undefined)
    object['additionalProperties'] = EVALUATING.some((name) => name in object) || unevaluatedProperties;
  if (isObject($defs))
    object['$defs'] = Object.fromEntries(
      members($defs).map(([name, schema]) => [name, withoutBoolean(schema)]),
    );
}

/** Characters of a schema that is written in each response. A longer one gets a component: many responses may have it. */
const SHORT = 200;

/** A header with its schema, in place of a reference to it. One with `content` stays a reference. */
function headerOf(value: unknown, document: OpenApiDocument): unknown {
  const target = isObject(value) ? document.resolve(value['$ref']) : undefined;
  if (target === undefined) return value;
  const { pointer, value: header } = document.follow(target);
  const { required, schema } = header;
  if (!isObject(schema)) return value;
  const text = writeDocument(schema);
  const own = text.length <= SHORT ? readDocument(text) : { $ref: `#${joinPointer(pointer, 'schema')}` };
  return { ...(required === true && { required }), schema: own };
}

const withoutBoolean = (schema: unknown): unknown =>
  schema === true ? {} : schema === false ? { not: {} } : schema;

/** Whether data has a name by which a generator may find discriminators, wherever it stands. */
const hasSchemaWord = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([name, member]) => name === 'discriminator' || name === 'allOf' || hasSchemaWord(member),
  );
