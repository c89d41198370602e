/** The schemas of tools: those of the document, in what the clients of the Model Context Protocol can use. */
import {
  type Direction,
  isInt64,
  isObject,
  joinPointer,
  lastStep,
  OneWay,
  type OpenApiDocument,
} from '../contract/tools';
import type { JsonObject } from '../contract';

/** The root of a schema of a tool. */
export type ObjectSchema = { readonly type: 'object' } & JsonObject;

/** The schema of an object with these properties. */
export const objectOf = (properties: JsonObject, required = Object.keys(properties)): ObjectSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/** Bounds of one schema: its subschemas, and the levels of values that are tried until there are few enough. */
const MAX_SCHEMAS = 300;
const LEVELS = [10, 7, 5, 4, 3, 2, 1];
const MAX_DESCRIPTION = 300;

/** Keywords that are copied. What is left out admits more values, and the server judges those. */
const COPIED = 'title deprecated required minLength maxLength minItems maxItems uniqueItems'.split(' ');
const BOUNDS = 'minimum maximum exclusiveMinimum exclusiveMaximum'.split(' ');
/** The formats of JSON Schema, which tell a client how to write a value. They judge no answer: validators differ. */
const FORMATS = /^(date|time|date-time|duration|email|hostname|ipv4|ipv6|uri|uri-reference|uuid|regex)$/;
/** Most clients read a larger JSON number inexactly. */
const DIGITS = '^-?(0|[1-9][0-9]*)$';

class TooLarge extends Error {}

/** What all schemas of one value share. */
interface Position {
  /** Whether the value may be an int64, and so a text. */
  readonly int64: boolean;
  /** The schemas that mark properties which do not occur in this direction. */
  readonly owners: readonly string[];
  /** The levels of values that may follow. */
  readonly levels: number;
  /** The schemas of the values around this one. */
  readonly around: readonly string[];
}

/**
 * Writes schemas of the document without references, with bounded recursion, and each int64 as a text. Every value that conforms
 * to a schema of the document conforms to what is written.
 */
export class ToolSchemas {
  private readonly oneWay: OneWay;
  private left = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
  ) {
    this.oneWay = new OneWay(document, direction === 'request' ? 'readOnly' : 'writeOnly');
  }

  /** The schema at a pointer; without one, or if it is too large, a schema that admits any value. */
  of(pointer: string | undefined): JsonObject {
    if (pointer === undefined) return {};
    for (const levels of LEVELS) {
      this.left = MAX_SCHEMAS;
      try {
        return this.value(pointer, levels, []);
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
      }
    }
    return {};
  }

  private value(pointer: string, levels: number, around: readonly string[]): JsonObject {
    if (levels === 0) return {};
    const int64 = this.document.subschemas.possible(pointer).some(({ value }) => isInt64(value));
    return this.inPlace(pointer, { int64, owners: this.oneWay.owners(pointer), levels, around }, []);
  }

  /** One of the schemas of a value. @param above those that lead to it */
  private inPlace(pointer: string, position: Position, above: readonly string[]): JsonObject {
    const schema = this.document.at(pointer);
    const isRepeated = position.around.indexOf(pointer) !== position.around.lastIndexOf(pointer);
    if (!isObject(schema) || above.includes(pointer) || isRepeated) return {};
    if (--this.left < 0) throw new TooLarge();
    const under = (...keywords: string[]) =>
      this.document.subschemas
        .of(pointer)
        .filter(({ keyword }) => keywords.includes(keyword))
        .map((part) => this.inPlace(part.pointer, position, [...above, pointer]));
    const own = { ...this.own(schema, position), ...this.children(pointer, schema, position) };
    const [anyOf, ...others] = [under('anyOf'), under('oneOf')].filter((union) => union.length > 0);
    const all = [...under('$ref', 'allOf'), ...others.map((union) => ({ anyOf: union }))];
    const isWrapper = all.length === 1 && !anyOf && Object.keys(own).every((name) => name === 'description');
    if (isWrapper) return { ...all[0], ...own };
    return { ...own, ...(all.length > 0 && { allOf: all }), ...(anyOf && { anyOf }) };
  }

  /** What a schema itself says of its value, without its parts. */
  private own(schema: JsonObject, { int64, owners }: Position): JsonObject {
    const own: Record<string, unknown> = {};
    const isRequest = this.direction === 'request';
    for (const name of COPIED) if (schema[name] !== undefined) own[name] = schema[name];
    for (const name of BOUNDS)
      if (typeof schema[name] === 'number' && !isInt64(schema)) own[name] = schema[name];
    if (Array.isArray(own['required']))
      own['required'] = own['required'].filter((name) => !this.oneWay.excludes(owners, String(name)));
    const { description, type, pattern, format } = schema;
    if (typeof description === 'string')
      own['description'] = description.slice(0, MAX_DESCRIPTION).toWellFormed();
    if (typeof pattern === 'string' && isPortable(pattern)) own['pattern'] = pattern;
    if (isRequest && typeof format === 'string' && FORMATS.test(format)) own['format'] = format;
    if (type !== undefined) own['type'] = typesOf(schema, int64);
    const values = valuesOf('const' in schema ? [schema['const']] : schema['enum'], int64);
    if (values) own['enum'] = values;
    else if (isInt64(schema) && own['type'] === 'string') own['pattern'] = DIGITS;
    const usual = isRequest && valuesOf([schema['default']], int64);
    if (usual) own['default'] = usual.at(-1);
    return own;
  }

  /** The schemas of properties and items. Those of others are left out where a keyword that is not written describes some. */
  private children(pointer: string, schema: JsonObject, { levels, around, owners }: Position): JsonObject {
    const child = (at: string) => this.value(at, levels - 1, [...around, pointer]);
    const properties = this.document.subschemas
      .under(pointer, 'properties')
      .filter((at) => !this.oneWay.excludes(owners, lastStep(at)));
    const { additionalProperties: others, items } = schema;
    const hasOthers = others !== undefined && !('patternProperties' in schema);
    return {
      ...(properties.length > 0 && {
        properties: Object.fromEntries(properties.map((at) => [lastStep(at), child(at)])),
      }),
      ...(hasOthers && {
        additionalProperties: others === false ? false : child(joinPointer(pointer, 'additionalProperties')),
      }),
      ...(items !== undefined &&
        !('prefixItems' in schema) && { items: child(joinPointer(pointer, 'items')) }),
    };
  }
}

function typesOf(schema: JsonObject, int64: boolean): unknown {
  const types = [schema['type']].flat().flatMap((type) => {
    if (!int64 || (type !== 'integer' && type !== 'number')) return [type];
    return isInt64(schema) ? ['string'] : [type, 'string'];
  });
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? distinct[0] : distinct;
}

/** Listed values, if there are any, and all are texts, numbers and the like. */
function valuesOf(values: unknown, int64: boolean): unknown[] | undefined {
  const isPlain = (value: unknown) =>
    value === null || ['string', 'number', 'boolean', int64 ? 'bigint' : ''].includes(typeof value);
  if (!Array.isArray(values) || !values.every(isPlain)) return undefined;
  return values.flatMap((value: unknown) => {
    if (typeof value === 'bigint') return [String(value)];
    return int64 && typeof value === 'number' ? [value, String(value)] : [value];
  });
}

/** Whether other programs can compile a pattern. */
function isPortable(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
