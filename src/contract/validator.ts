/**
 * The only file that reaches into express-openapi-validator, which is pinned exactly in package.json.
 *
 * As a middleware, it compiles a validator for every Content-Type that clients make up, scans all routes on each
 * request, coerces, judges integers as doubles, and looks only at what is sent with res.json. What judges in it has none
 * of these faults: its ajv, with its formats, keywords and messages. That is made here once for a document, and shown
 * everything that enters and leaves, in one object each (the envelope), in validators compiled at start.
 * plain-wiring.test.ts shows what this saves from, and fails when a new version no longer needs it.
 */
import type { ErrorObject, FuncKeywordDefinition, SchemaValidateFunction, ValidateFunction } from 'ajv';
import type { FormatName } from 'ajv-formats';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv';
import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import type { AjvInstance, OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';
import { augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util';
import type { JsonObject } from './document';
import { versionFinding } from './document/version';
import { exactLiteral, exactNumber } from './json';
import { canonicalJson } from './json-text';
import { isMultipleOf, parseDecimal } from './schema/decimal';

/** The value to judge: an object, so that the exact value of a number in it can be looked up. */
export type Envelope = Record<string, unknown>;

/** What a value breaks: with `place` before it, `message` is a sentence (`body/name must be string`). */
export interface Violation {
  /** Steps from the envelope, each after a slash. */
  readonly place: string;
  readonly message: string;
}

/** Judges an envelope; no violation means that it conforms. */
export type Check = (envelope: Envelope) => readonly Violation[];

type DocumentV3_1 = OpenAPIV3.DocumentV3_1;

let openApiSchema: OpenAPISchemaValidator | undefined;

/** What the OpenAPI 3.1 schema finds in a document. */
export function documentErrors(root: object): { pointer: string; message: string }[] {
  const version = versionFinding({ ...root });
  if (version) return [version];
  openApiSchema ??= new OpenAPISchemaValidator({ version: '3.1.0', validateApiSpec: true });
  const { errors } = openApiSchema.validate(root as DocumentV3_1);
  // `if` and `oneOf` only repeat that something below them is wrong; which fields there are is said by the table of words.
  const repeated = ['if', 'oneOf', 'unevaluatedProperties'];
  const own = (errors ?? []).filter(({ keyword }) => !repeated.includes(keyword));
  return own.map(({ instancePath, message }) => ({
    pointer: instancePath,
    message: message ?? 'is not valid',
  }));
}

let metaschema: Check | undefined;

/** What the metaschema of JSON Schema 2020-12 finds in the schema at `schema` of the envelope. */
export function schemaErrors(envelope: { readonly schema: unknown }): readonly Violation[] {
  metaschema ??= responseCompiler({})({
    type: 'object',
    properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } },
  });
  return metaschema(envelope);
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Fails a keyword of ours with a message. */
function fail(validate: SchemaValidateFunction, keyword: string, message: string): false {
  validate.errors = [{ keyword, message, params: {} }];
  return false;
}

interface Exact {
  readonly integer: boolean;
  readonly int64: boolean;
  readonly multipleOf: number | undefined;
}

/** `exact`: a number, judged by what was written and not by the nearest double. */
const exact: FuncKeywordDefinition = {
  keyword: 'exact',
  type: 'number',
  errors: true,
  validate: function validate({ integer, int64, multipleOf }: Exact, double: number, _, context) {
    const written = context && exactNumber(context.parentData, context.parentDataProperty);
    if (integer && written === null) return fail(validate, 'exact', 'must be integer');
    const value = written ?? double;
    if (int64 && Number.isInteger(double) && (value < INT64_MIN || value > INT64_MAX)) {
      return fail(validate, 'exact', 'must match format "int64"');
    }
    if (multipleOf !== undefined) {
      const literal = context
        ? exactLiteral(context.parentData, context.parentDataProperty, double)
        : String(double);
      if (isMultipleOf(parseDecimal(literal), parseDecimal(String(multipleOf)))) return true;
      return fail(validate, 'exact', `must be multiple of ${multipleOf}`);
    }
    return true;
  } satisfies SchemaValidateFunction as SchemaValidateFunction,
};

/** `unique: true`: uniqueItems of JSON Schema, in linear time and exact. */
const unique: FuncKeywordDefinition = {
  keyword: 'unique',
  type: 'array',
  errors: true,
  validate: function validate(_rule: true, items: unknown[]) {
    const seen = new Set(items.map((_, i) => canonicalJson(items, i)));
    return seen.size === items.length || fail(validate, 'unique', 'must NOT have duplicate items');
  } satisfies SchemaValidateFunction as SchemaValidateFunction,
};

/** The formats of JSON Schema 2020-12, beside those of OpenAPI that express-openapi-validator brings. */
const formats: FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
];

const options = {
  strict: false,
  ownProperties: true, // `constructor` is no property of `{}`
  validateSchema: false,
  logger: false as const,
  code: { optimize: false }, // V8 does that; ajv takes half of the start-up for it
  formats: {},
  ajvFormats: { mode: 'full' as const, formats },
  keywords: [exact, unique],
};

function violation({ instancePath, message = 'is not valid', params }: ErrorObject): Violation {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Partial<
    Record<string, string>
  >;
  // At the top stand the parts of a request or response, not the properties of a value.
  if (instancePath === '' && missingProperty !== undefined) {
    return { place: `/${missingProperty}`, message: 'is required' };
  }
  const surplus = additionalProperty ?? unevaluatedProperty;
  return { place: surplus === undefined ? instancePath : `${instancePath}/${surplus}`, message };
}

/** Schemas that others refer to, by identifier. */
export type Components = Readonly<Record<string, JsonObject>>;

/** Compiles the check of an envelope. Equal schemas share one, as the error responses of most operations do. */
export type Compile = (schema: JsonObject) => Check;

function compiler(ajv: AjvInstance, components: Components): Compile {
  for (const schema of Object.values(components)) ajv.addSchema(schema);
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile(schema);
    compiled.set(text, validate);
    return (envelope) =>
      validate(envelope) ? CONFORMS : augmentAjvErrors(validate.errors ?? undefined).map(violation);
  };
}

const CONFORMS: readonly Violation[] = [];
const EMPTY: DocumentV3_1 = {
  openapi: '3.1.0',
  info: { title: '', summary: '', version: '' },
  webhooks: {},
  components: {},
};

/**
 * Compiles checks of what enters. They fill in the defaults of the schemas.
 *
 * @param allErrors whether a check lists all violations or ends at the first
 */
export function requestCompiler(components: Components, allErrors: boolean): Compile {
  return compiler(createRequestAjv(EMPTY, { ...options, allErrors, useDefaults: true }), components);
}

/** Compiles checks of what leaves. They list all violations. */
export function responseCompiler(components: Components): Compile {
  return compiler(createResponseAjv(EMPTY, { ...options, allErrors: true }), components);
}
