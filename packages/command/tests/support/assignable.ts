import { isDeepStrictEqual } from 'node:util';
import Ajv2020 from 'ajv/dist/2020';
import ts from 'typescript';
import { handledValue } from '../../src/new/types';
import { isObject, members, OpenApiDocument, samples, writeDocument } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';

/** A place of a document that has a schema, and its generated type. */
export interface TypedPlace {
  /** JSON pointer to the schema. */
  readonly pointer: string;
  readonly type: string;
  readonly isRequest?: boolean;
}

/** A value as a handler has it, as a type of TypeScript, and whether the type of its place is to admit it. */
export interface TypedValue {
  readonly place: TypedPlace;
  readonly text: string;
  readonly isAdmitted: boolean;
}

/**
 * Each schema with only those of its constraints that a type can hold: a value that it refuses is refused by its type.
 *
 * @param isWithin whether types of objects are parts of intersections: TypeScript takes any value for one of them that
 * demands no property
 */
const typeGrounds =
  (isWithin: boolean) =>
  (schema: unknown): unknown => {
    if (!isObject(schema)) return schema;
    const grounds = typeGrounds(isWithin);
    const all = (values: unknown) => [values ?? []].flat().map(grounds);
    const { oneOf, patternProperties, additionalProperties: others, items, required } = schema;
    const properties = isObject(schema['properties']) ? schema['properties'] : undefined;
    const kept: Record<string, unknown> = Object.fromEntries(
      ['$ref', 'type', 'required', 'enum', 'const'].flatMap((name) =>
        name in schema ? [[name, schema[name]]] : [],
      ),
    );
    // A schema with names of properties and no type is one of objects.
    if (properties || (Array.isArray(required) && required.length > 0)) kept['type'] ??= 'object';
    if (schema['format'] !== 'int64' && 'type' in kept)
      kept['type'] = [kept['type']].flat().map((type) => (type === 'integer' ? 'number' : type));
    if (isWithin && properties && [required ?? []].flat().length === 0) Reflect.deleteProperty(kept, 'type');
    if (properties)
      kept['properties'] = Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, grounds(one)]),
      );
    if ('prefixItems' in schema) kept['prefixItems'] = all(schema['prefixItems']);
    if (items !== undefined) kept['items'] = grounds(items);
    // An index signature is one of all the types of the object.
    if (isObject(others) || (isObject(patternProperties) && others === false))
      kept['additionalProperties'] = {
        anyOf: [
          others,
          ...members(patternProperties).map(([, one]) => one),
          ...Object.values({ ...properties }),
        ].map(grounds),
      };
    if ('anyOf' in schema) kept['anyOf'] = all(schema['anyOf']);
    kept['allOf'] = [...all(schema['allOf']), ...(oneOf === undefined ? [] : [{ anyOf: all(oneOf) }])];
    return kept;
  };

/** Other JSON values in the place of each part of a value, and the value without each of its properties. */
function* changed(value: unknown, depth = 0): Generator {
  for (const other of [null, true, 7, 'other', [], {}]) if (typeOf(other) !== typeOf(value)) yield other;
  if (depth > 2 || typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const others = Object.entries(value).filter(([name]) => name !== key);
    if (!Array.isArray(value)) yield Object.fromEntries(others);
    for (const other of changed(part, depth + 1))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
  }
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** The samples of a place. */
const SAMPLES = 3;

/** Every n-th of more values than `most`. */
const some = <T>(all: readonly T[], most: number): T[] =>
  all.filter((_, i) => i % Math.ceil(all.length / most) === 0);

/**
 * Values that the schemas of places admit, and values that they refuse for their types. A request with defaults has no admitted
 * ones, as its type demands what a client may leave out. Of a union only samples are: TypeScript refuses an object that has
 * only properties that a branch does not list.
 *
 * @param most the changed values of a place
 */
export function typedValues(root: JsonObject, places: readonly TypedPlace[], most: number): TypedValue[] {
  const document = new OpenApiDocument(root);
  const plain = JSON.parse(writeDocument(root)) as JsonObject;
  const [given, implied, lenient] = [
    plain,
    ...[false, true].map((one) => withSchemas(plain, typeGrounds(one))),
  ].map((schema) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, inlineRefs: false });
    ajv.addSchema(schema, 'document');
    return (pointer: string, value: unknown) =>
      ajv.getSchema(`document#${encodeURI(pointer)}`)?.(value) === true;
  });
  if (!given || !implied || !lenient) return [];
  return places.flatMap((place) => {
    const { pointer, isRequest = false } = place;
    const reached = document.subschemas.all(pointer).map(({ value }) => value);
    if (reached.some(({ readOnly, writeOnly }) => readOnly === true || writeOnly === true)) return [];
    const hasDefaults = isRequest && reached.some((schema) => 'default' in schema);
    const isUnion = reached.some((schema) => 'anyOf' in schema || 'oneOf' in schema);
    const isNamed = reached.some((schema) => 'discriminator' in schema);
    const onType = reached.some((schema) => COMPOSED.test(Object.keys(schema).join(' '))) ? lenient : implied;
    const values: unknown[] = [];
    for (const value of samples(document, pointer, isRequest ? 'request' : 'response')) {
      if (given(pointer, value) && values.every((one) => !isDeepStrictEqual(one, value))) values.push(value);
      if (values.length === SAMPLES) break;
    }
    const others = some(
      values.flatMap((value) => [...changed(value)]),
      most,
    );
    return [...values, ...others].flatMap((value): TypedValue[] => {
      const isAdmitted = given(pointer, value);
      const isSpecial = isNamed || hasDefaults || (isUnion && !values.includes(value));
      if (isAdmitted ? isSpecial || !implied(pointer, value) : onType(pointer, value)) return [];
      return [{ place, text: textOf(handledValue(document, [pointer], value)), isAdmitted }];
    });
  });
}

const COMPOSED = /\b(allOf|anyOf|oneOf|additionalProperties|patternProperties)\b|\$ref \w/;

/** A document with other schemas. */
function withSchemas(root: JsonObject, change: (schema: unknown) => unknown): JsonObject {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    const changed = (name: string, member: unknown) =>
      name === 'schema'
        ? change(member)
        : name === 'schemas' && isObject(member)
          ? Object.fromEntries(Object.entries(member).map(([key, one]) => [key, change(one)]))
          : visit(member);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changed(name, member)]))
      : value;
  };
  return visit(root) as JsonObject;
}

/** The type of TypeScript that has only this value. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${textOf(member)}`)
    .join('; ')} }`;
}

/** The values that are assigned wrongly, each as a sentence. */
export function wronglyAssigned(
  program: ts.Program,
  file: ts.SourceFile,
  values: readonly TypedValue[],
): string[] {
  const checker = program.getTypeChecker();
  const types = new Map(
    file.statements.flatMap((one) => (ts.isTypeAliasDeclaration(one) ? [[one.name.text, one] as const] : [])),
  );
  const at = (name: string) => {
    const declared = types.get(name);
    if (!declared) throw new Error(`${name} is missing`);
    return checker.getTypeAtLocation(declared);
  };
  return values.flatMap(({ place, text, isAdmitted }, i) =>
    checker.isTypeAssignableTo(at(`V${i}`), at(`T${i}`)) === isAdmitted
      ? []
      : [`${place.pointer}: ${text} is ${isAdmitted ? 'admitted' : 'refused'}, its type says otherwise`],
  );
}

/** A file with a type for each value and for its place. */
export const valuesText = (values: readonly TypedValue[], types: string): string =>
  [
    `import type { components, operations } from ${JSON.stringify(types)};`,
    ...values.map(({ place, text }, i) => `export type V${i} = ${text};\nexport type T${i} = ${place.type};`),
  ].join('\n');
