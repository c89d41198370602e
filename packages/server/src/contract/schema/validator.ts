/**
 * Compiles the checks of requests and responses. They use the ajv instance of express-openapi-validator, with its formats,
 * keywords and messages. Only this file imports files of that package. Its version is pinned exactly in package.json.
 *
 * The middleware of that package has faults that its ajv instance does not have. It compiles a validator for every
 * Content-Type that clients invent. It scans all routes on each request, coerces values, judges integers as doubles, and
 * validates only responses of res.json. plain-wiring.test.ts proves the faults, and fails if a new version no longer has them.
 *
 * Here instances of ajv are created once for a document. The checks are compiled at start. Each judges one object,
 * the envelope, that has all parts of a request or response.
 */
import type { ErrorObject, Format as AjvFormat, ValidateFunction } from 'ajv';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv';
import { joinPointer, type JsonObject } from '../document/document';
import { create as createMetaschema } from '../document/compiled/json-schema';
import { withDoubles } from '../document/openapi-schema';
import type { Components } from './applicable';
import { isUri, isUriReference } from './format-uri';
import { FORMATS, isRegex, type OwnFormats, supplied } from './formats';
import type { Interner } from './identity';
import { compilePattern } from '../pattern/pattern';
import { Problem, type ViolationParams } from '../problem';
import { ComponentKeywords } from './component-keywords';
import { Conformance } from './conformance';
import { equalityKeywords } from './exact-comparison';
import { replaceKeywords } from './replaced-keywords';
import { BudgetExceeded, Violations } from './violations';

/** The value to judge. It is an object, because exact numbers are stored by the object that has them. */
export type Envelope = Record<string, unknown>;

/** A violation. `message` completes a sentence that begins with `place`: `body/name must be string`. */
export interface SchemaViolation {
  /** Steps from the envelope, each after a slash. */
  readonly place: string;
  /** A keyword of JSON Schema. */
  readonly keyword: string;
  readonly params: ViolationParams;
  readonly message: string;
}

/** Judges an envelope; no violation means that it conforms. */
export type Check = (envelope: Envelope) => readonly SchemaViolation[];

/** Judges the envelopes of one schema. */
export interface Judge {
  /** Ends at the first violation. */
  readonly first: Check;
  /** Lists all violations; none if the search exceeds its budget. */
  readonly all: Check;
}

let metaschema: ValidateFunction | undefined;

/** Validates the schema at `schema` of the envelope against the metaschema of JSON Schema 2020-12. */
export function schemaErrors(envelope: { readonly schema: unknown }): readonly SchemaViolation[] {
  metaschema ??= createMetaschema({ uri: isUri, 'uri-reference': isUriReference, regex: isRegex });
  return metaschema({ schema: withDoubles(envelope.schema) })
    ? CONFORMS
    : (metaschema.errors ?? []).map(violation);
}

function ajvOptions(own: OwnFormats, ownProperties: boolean) {
  const formats = [...FORMATS]
    .filter(([, { test }]) => test !== supplied)
    .map(([name, { type, test }]) => [name, { type, validate: test }]);
  return {
    strict: false,
    ownProperties,
    validateSchema: false,
    meta: false, // ajv would collect the references of the metaschemas for each compiler
    logger: false as const,
    code: {
      optimize: false, // V8 optimizes; ajv would double the time to start
      regExp: Object.assign((pattern: string) => compilePattern(pattern), { code: 'compilePattern' }),
    },
    formats: { ...(Object.fromEntries(formats) as Record<string, AjvFormat>), ...own },
  };
}

/** The parameters that come from the document: others have names and values of the request. */
const OF_DOCUMENT: ReadonlySet<string> = new Set(
  'limit multipleOf pattern format type missingProperty property allowedValue allowedValues minContains maxContains'.split(
    ' ',
  ),
);

/** Parameters without those of the request. Most have none, and stay the object that ajv made: it belongs to one violation. */
function withoutRequest(given: ErrorObject['params']): ViolationParams {
  for (const name in given)
    if (!OF_DOCUMENT.has(name) || given[name] === undefined)
      return Object.fromEntries(
        Object.entries(given).filter(([one, value]) => OF_DOCUMENT.has(one) && value !== undefined),
      );
  return given;
}

interface ErrorParameters extends ViolationParams {
  readonly additionalProperty?: string;
  /** The standard keyword that `exact` stands for. */
  readonly keyword?: string;
}

function violation({
  instancePath,
  keyword: own,
  message = 'is not valid',
  params: given,
}: ErrorObject): SchemaViolation {
  const { missingProperty, additionalProperty, allowedValues, keyword: exact } = given as ErrorParameters;
  const params = withoutRequest(given);
  // JSON Schema core section 4.3.2: `false` is `{"not": {}}`
  const keyword = exact ?? (own === 'false schema' ? 'not' : own);
  // At the top level are the parts of a request or response, not the properties of a value.
  if (instancePath === '' && missingProperty !== undefined) {
    return { place: `/${missingProperty}`, keyword, params, message: 'is required' };
  }
  // That of `equals` has the values already.
  if (keyword === 'enum' && allowedValues && message.endsWith(' values')) {
    return { place: instancePath, keyword, params, message: `${message}: ${allowedValues.join(', ')}` };
  }
  const place =
    additionalProperty === undefined ? instancePath : joinPointer(instancePath, additionalProperty);
  return { place, keyword, params, message };
}

/** The engine has no stack for the code of a validator: ajv nests it as deep as a schema has properties or branches. */
export class Uncompilable extends Problem {
  constructor(cause: RangeError) {
    const message =
      'the schema has too many properties, items or branches for one validator: move some of them to components';
    super('notImplemented', message, {}, { cause });
  }
}

/** Frames of requests: what compiles at start must compile below them, too. */
const FRAMES = 200;
const COMPILED = new Error('compiled');
/** Ends a validator as it begins. The engine compiles a function at its first call, so that ajv alone finds no fault. */
const BEGINNING = {
  get instancePath(): never {
    throw COMPILED;
  },
};

/** Compiles a schema with ajv, and its validator with the engine. */
function compileWhole(
  ajv: { compile(schema: JsonObject): ValidateFunction },
  schema: JsonObject,
): ValidateFunction | Uncompilable {
  const begin = (validate: ValidateFunction, frames: number): void => {
    if (frames > 0) begin(validate, frames - 1);
    else Reflect.apply(validate, undefined, [undefined, BEGINNING]);
  };
  try {
    const validate = ajv.compile(schema);
    try {
      begin(validate, FRAMES);
    } catch (error) {
      if (error !== COMPILED) throw error;
    }
    return validate;
  } catch (error) {
    if (error instanceof RangeError) return new Uncompilable(error);
    throw error;
  }
}

/** The rewritten schemas of a document, for one direction. */
export interface Schemas {
  /** Schemas that others refer to, by identifier. */
  readonly components: Components;
  readonly constants: Interner;
  /** Whether the document has names that every object inherits: `constructor` is not a property of `{}`. */
  readonly inheritedNames: boolean;
}

/** Compiles checks of requests, or of responses. */
export interface Compiler {
  /** Compiles the check of an envelope. Equal schemas share one, as the error responses of most operations do. */
  readonly compile: (schema: JsonObject) => Check;
  /** Whether values conform to components. */
  readonly conformance: Conformance;
}

const CONFORMS: readonly SchemaViolation[] = [];
const TOO_DEEP = 'is nested too deep for its schema, which has many properties and refers to itself';
const EMPTY: Parameters<typeof createRequestAjv>[0] = {
  openapi: '3.1.0',
  info: { title: '', summary: '', version: '' },
  webhooks: {},
  components: {},
};

/**
 * Creates the compiler of one direction.
 *
 * @param allErrors whether a check lists all violations, or ends at the first. It lists none if that exceeds the budget:
 *   call it only for values that do not conform.
 * @param formats the formats of the service, which replace those of formats.ts
 * @param known the results of another compiler of the same schemas
 */
export function createCompiler(
  direction: 'request' | 'response',
  { components, constants, inheritedNames }: Schemas,
  allErrors: boolean,
  formats: OwnFormats,
  known?: Conformance,
): Compiler {
  const createAjv = direction === 'request' ? createRequestAjv : createResponseAjv;
  const ajv = createAjv(EMPTY, { ...ajvOptions(formats, inheritedNames), allErrors });
  // component-keywords.ts judges `unevaluated*`. ajv would merge the names of all parts of an allOf for each part.
  ajv.opts.unevaluated = false;
  const compiled = new Map<string, ValidateFunction | Uncompilable>();
  const compile = (schema: JsonObject): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? compileWhole(ajv, schema);
    compiled.set(text, validate); // to fail takes seconds: each request would
    if (validate instanceof Uncompilable) throw validate;
    return validate;
  };
  const conformance = known ?? new Conformance(components, (schema) => compile({ bare: schema }));
  const violations = new Violations(components, compile);
  const keywords = new ComponentKeywords(components, conformance.of, violations, allErrors);
  for (const keyword of [...keywords.definitions(), ...equalityKeywords(constants)]) ajv.addKeyword(keyword);
  replaceKeywords(ajv, allErrors);
  return {
    compile(schema) {
      let validate: ValidateFunction | undefined;
      try {
        validate = compile(schema);
      } catch (error) {
        // The first violation, which another compiler finds, is enough.
        if (!(allErrors && error instanceof Uncompilable)) throw error;
      }
      return (envelope) => {
        try {
          return validate === undefined || validate(envelope)
            ? CONFORMS
            : (validate.errors ?? []).map(violation);
        } catch (error) {
          if (error instanceof BudgetExceeded || (allErrors && error instanceof Uncompilable))
            return CONFORMS;
          // The frame of a validator grows with its schema, and MAX_DEPTH of the largest do not fit into the stack.
          if (!(error instanceof RangeError)) throw error;
          return allErrors
            ? CONFORMS
            : [{ place: '', keyword: 'maxDepth', params: {}, message: `the ${direction} ${TOO_DEEP}` }];
        }
      };
    },
    conformance,
  };
}
