import Ajv2020 from 'ajv/dist/2020';
import ts from 'typescript';
import { handledValue } from '../../scripts/new/types';
import {
  isObject,
  type JsonObject,
  members,
  OpenApiDocument,
  samples,
  writeDocument,
} from '../../src/contract';

/** A place of a document that has a schema, and its generated type. */
export interface TypedPlace {
  /** JSON pointer to the schema. */
  readonly pointer: string;
  readonly type: string;
  /** In a request, the type demands what has a default. */
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
    if (properties || required) kept['type'] ??= 'object';
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
function* changed(value: unknown, depth = 0): Generator<unknown> {
  for (const other of [null, true, 7, 'other', [], {}]) if (typeOf(other) !== typeOf(value)) yield other;
  if (depth > 2 || typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const { [key]: _, ...without } = value as JsonObject;
    if (!Array.isArray(value)) yield without;
    for (const other of changed(part, depth + 1))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
  }
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** Every n-th of more values than `most`. */
const some = <T>(all: readonly T[], most: number): T[] =>
  all.filter((_, i) => i % Math.ceil(all.length / most) === 0);

/** Values that the schemas of places admit, and values that they refuse for their types. */
export function typedValues(root: JsonObject, places: readonly TypedPlace[], most: number): TypedValue[] {
  const document = new OpenApiDocument(root);
  const plain = JSON.parse(writeDocument(root)) as JsonObject;
  const grounds = [typeGrounds(false), typeGrounds(true)].map((one) => withSchemas(plain, one));
  const judges = [plain, ...grounds].map((schema, i) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, inlineRefs: false });
    ajv.addSchema(schema, `d${i}`);
    return (pointer: string) => ajv.getSchema(`d${i}#${encodeURI(pointer)}`);
  });
  return places.flatMap((place) => {
    const isWithin = document.subschemas
      .all(place.pointer)
      .some(({ value }) => COMPOSED.test(Object.keys(value).join(' ')));
    const [judge, impliedJudge, lenientJudge] = judges.map((one) => one(place.pointer));
    if (!judge || !impliedJudge || !lenientJudge) throw new Error(`no schema at ${place.pointer}`);
    const typeJudge = isWithin ? lenientJudge : impliedJudge;
    const direction = place.isRequest === true ? 'request' : 'response';
    const all = [...samples(document, place.pointer, direction)].filter((value) => judge(value) === true);
    const values = [...new Map(all.map((value) => [JSON.stringify(value), value])).values()].slice(0, 3);
    const candidates = [
      ...values,
      ...some(
        values.flatMap((value) => [...changed(value)]),
        most,
      ),
    ];
    return candidates.flatMap((value): TypedValue[] => {
      const isAdmitted = judge(value) === true;
      if (isAdmitted ? impliedJudge(value) !== true : typeJudge(value) === true) return [];
      if (isAdmitted && place.isRequest === true && value !== values[0]) return [];
      return [{ place, text: textOf(handledValue(document, [place.pointer], value)), isAdmitted }];
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
