import { below, isObject, type JsonObject, members, type OpenApiDocument } from './document';
import { isJudged, type MediaTypeObject } from './media-type';
import { excludeOneWay } from './one-way';
import type { Parameter } from './operations';

/** Which way a value goes: what a schema admits depends on it. */
export type Direction = 'request' | 'response';

/** A schema as the validator takes it. */
export type Schema = JsonObject | boolean;

const SCHEMA =
  'items additionalProperties propertyNames contains unevaluatedItems unevaluatedProperties not if then else'.split(
    ' ',
  );
const ARRAY_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAP_OF_SCHEMAS = ['properties', 'patternProperties', 'dependentSchemas'];
const ASSERTIONS = (
  'type enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format ' +
  'minItems maxItems minContains maxContains minProperties maxProperties required dependentRequired'
).split(' ');
/** More schemas than these are not put in the place of references to them. */
const MAX_INLINED = 50;

/** Whether a schema describes an integer of `format: int64`, for which a double is not enough. */
export function isInt64(schema: JsonObject): boolean {
  const types = [schema['type']].flat();
  return schema['format'] === 'int64' && (types.includes('integer') || types.includes('number'));
}

/**
 * Rewrites the schemas of a document into what the validator can enforce; each schema that another refers to becomes a
 * component with an identifier of its own, compiled once. To the standard keywords it adds those of validator.ts:
 * `exact` (numbers are judged by what was written, not by the double nearest to it) and `unique` (`uniqueItems`, but
 * exact and in linear time).
 */
export class SchemaSet {
  /** By identifier. Complete once the last schema of the document has been rewritten. */
  readonly components: Record<string, JsonObject> = {};
  private readonly identifiers = new Map<string, string>();
  /** The references that are being inlined, the outermost first. */
  private readonly inlining = new Set<string>();
  /** How many more schemas may be inlined into the present one. */
  private room = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
  ) {}

  /** The schema at `pointer`, as it stands in an envelope. */
  at(pointer: string): Schema {
    this.room = MAX_INLINED;
    return this.rewrite(this.document.at(pointer), pointer, false);
  }

  /**
   * A reference to the schema with which to ask whether a value took the branch at `pointer`. On the way out,
   * properties that will be left out do not speak against a branch.
   */
  branch(pointer: string): Schema {
    return { $ref: this.identify(pointer, this.direction === 'response') };
  }

  private identify(pointer: string, lenient: boolean): string {
    const key = `${lenient ? 'lenient ' : ''}${pointer}`;
    const known = this.identifiers.get(key);
    if (known !== undefined) return known;
    const identifier = `schema:${this.identifiers.size}`;
    this.identifiers.set(key, identifier);
    const { room } = this;
    this.room = MAX_INLINED;
    const schema = this.rewrite(this.document.at(pointer), pointer, lenient);
    this.room = room;
    const keywords = schema === true ? {} : schema === false ? { not: {} } : schema;
    this.components[identifier] = { $id: identifier, ...keywords };
    return identifier;
  }

  private rewrite(value: unknown, pointer: string, lenient: boolean): Schema {
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return true;
    const rewritten: Record<string, unknown> = {};
    for (const [keyword, operand] of Object.entries(value)) {
      const here = below(pointer, keyword);
      if (ASSERTIONS.includes(keyword)) rewritten[keyword] = operand;
      else if (SCHEMA.includes(keyword)) rewritten[keyword] = this.rewrite(operand, here, lenient);
      else if (ARRAY_OF_SCHEMAS.includes(keyword) && Array.isArray(operand)) {
        rewritten[keyword] = operand.map((schema, i) => this.rewrite(schema, below(here, i), lenient));
      } else if (MAP_OF_SCHEMAS.includes(keyword)) {
        rewritten[keyword] = Object.fromEntries(
          members(operand).map(([name, schema]) => [name, this.rewrite(schema, below(here, name), lenient)]),
        );
      }
    }
    if (lenient) this.open(rewritten);
    this.addBranches(value, pointer);
    if ('$ref' in value) this.refer(value['$ref'], pointer, lenient, rewritten);
    if (value['uniqueItems'] === true) rewritten['unique'] = true;
    this.exactNumbers(value, pointer, rewritten);
    excludeOneWay(this.document, value, pointer, this.direction, rewritten);
    return rewritten;
  }

  /** Takes back that there are no other properties. */
  private open(rewritten: Record<string, unknown>): void {
    if (rewritten['additionalProperties'] === false) delete rewritten['additionalProperties'];
    if (rewritten['unevaluatedProperties'] === false) delete rewritten['unevaluatedProperties'];
  }

  /** Makes components of the branches that shapes.ts will ask for. */
  private addBranches(value: JsonObject, pointer: string): void {
    if ('if' in value) this.branch(below(pointer, 'if'));
    for (const keyword of ['anyOf', 'oneOf']) {
      for (const i of [value[keyword] ?? []].flat().keys()) this.branch(below(pointer, keyword, i));
    }
  }

  /**
   * Puts what a `$ref` refers to in its place. ajv keeps an object for each reference whose property has the name of the
   * reference: with some 1,500 of them, V8 runs out of shapes for such objects, and every `{}` in the process is slow.
   * Only what refers to itself, or is large, stays a reference.
   */
  private refer(ref: unknown, pointer: string, lenient: boolean, rewritten: Record<string, unknown>): void {
    const target = this.document.resolve(ref);
    if (target === undefined) return;
    if (this.inlining.has(target) || --this.room < 0) {
      rewritten['$ref'] = this.identify(target, lenient);
      return;
    }
    this.inlining.add(target);
    const schema = this.rewrite(this.document.at(target), target, lenient);
    this.inlining.delete(target);
    rewritten['allOf'] = [schema, ...((rewritten['allOf'] as Schema[] | undefined) ?? [])];
  }

  private exactNumbers(value: JsonObject, pointer: string, rewritten: Record<string, unknown>): void {
    const { multipleOf } = value;
    const int64 = isInt64(value);
    if (int64) this.exactInt64(value, pointer, rewritten);
    const integer = int64 || [value['type']].flat().includes('integer');
    if (integer || multipleOf !== undefined) rewritten['exact'] = { integer, int64, multipleOf };
  }

  /** Leaves to the validator's doubles only those comparisons of an int64 that are right for doubles too. */
  private exactInt64(value: JsonObject, pointer: string, rewritten: Record<string, unknown>): void {
    delete rewritten['format'];
    rewritten['type'] = [value['type']].flat().map((name: unknown) => (name === 'number' ? 'integer' : name));
    // The edges of the range say nothing new, and no double says the upper one.
    if (Number(value['maximum']) >= 2 ** 63) delete rewritten['maximum'];
    if (Number(value['minimum']) <= -(2 ** 63)) delete rewritten['minimum'];
    const compared = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'const', 'enum'];
    for (const keyword of compared) {
      for (const number of [rewritten[keyword]].flat()) {
        if (typeof number !== 'number' || Math.abs(number) <= Number.MAX_SAFE_INTEGER) continue;
        this.document.addFinding(
          below(pointer, keyword),
          `an int64 cannot be compared exactly with ${number}`,
        );
      }
    }
  }
}

/** For each location that has parameters, the schema of an object with all of them. */
export function parameterSchemas(
  parameters: readonly Parameter[],
  schemas: SchemaSet,
): Record<string, JsonObject> {
  const locations: Record<string, JsonObject> = {};
  for (const location of new Set(parameters.map((parameter) => parameter.in))) {
    const here = parameters.filter((parameter) => parameter.in === location);
    locations[location] = {
      type: 'object',
      properties: Object.fromEntries(
        here.map(({ name, schema }) => [name, schema === undefined ? true : schemas.at(schema)]),
      ),
      required: here.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  return locations;
}

/**
 * The schema of what a request or response says besides its status: its parameters, by location, and its body, as far as
 * that is judged.
 */
export function envelopeSchema(
  parameters: Readonly<Record<string, JsonObject>>,
  media: MediaTypeObject | undefined,
  schemas: SchemaSet,
  bodyRequired: boolean,
): JsonObject {
  return {
    type: 'object',
    properties: { ...parameters, ...(media && isJudged(media) && { body: schemas.at(media.schema) }) },
    required: [...Object.keys(parameters), ...(bodyRequired ? ['body'] : [])],
  };
}
