import { createRequire } from 'node:module';
import type * as OpenApi31 from './compiled/openapi-3.1';
import type * as OpenApi32 from './compiled/openapi-3.2';
import type { Finding } from './finding';
import { holdersOf, isObject, joinPointer, type JsonObject, lastStep } from './json-pointer';
import { type Version, versionOf } from './keywords';

interface Document {
  readonly root: JsonObject;
  at(pointer: string): unknown;
}

/** The finding, with advice, for a document of another version than OpenAPI 3.1 and 3.2; undefined for any patch of these. */
export function versionFinding({ openapi, swagger }: JsonObject): Finding | undefined {
  if (typeof openapi === 'string' && /^3\.[12]\.\d+/.test(openapi)) return undefined;
  if (openapi === undefined && swagger !== undefined) {
    const message =
      `expected an OpenAPI 3.1 or 3.2 document, got Swagger ${text(swagger)}: convert it to OpenAPI 3.0 or 3.1 first, ` +
      'for example with swagger2openapi or in Swagger Editor';
    return { pointer: '/swagger', message };
  }
  const expected = `expected the version of an OpenAPI 3.1 or 3.2 document, got ${text(openapi)}`;
  return { pointer: '/openapi', message: expected + adviceFor(text(openapi)) };
}

function adviceFor(version: string): string {
  if (/^3\.0\.\d+/.test(version)) return ': convert it to 3.1 first';
  if (/^3\.(?:[3-9]|[12]\d)/.test(version))
    return ': later versions are not served yet; leave out what they add, and set openapi to 3.2.0';
  return /^3\.[012]$/.test(version) ? `: write it in full and in quotes, such as "${version}.0"` : '';
}

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : value === undefined
      ? 'none'
      : 'another value';

/** What ajv reports, with the schema where that is compiled here. */
interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: JsonObject;
  readonly propertyName?: string;
  readonly message?: string;
  readonly schema?: unknown;
}

type Validate = (document: unknown) => readonly Violation[];

const onDemand = createRequire(__filename);

/**
 * The published schema of a version: that of 3.1 as express-openapi-validator has it, that of 3.2 as the OpenAPI Initiative
 * publishes it. Loads it on demand, because few processes need both.
 */
function load(version: Version): Validate {
  const { create } = onDemand(`./compiled/openapi-${version}`) as typeof OpenApi31 | typeof OpenApi32;
  const validate = create({ uri: isUriReference, 'uri-reference': isUriReference });
  return (document) => (validate(document) ? [] : (validate.errors ?? []));
}

const loaded: Partial<Record<Version, Validate>> = {};

const NO_COMPONENT =
  'is not the name of a component: expected letters of ASCII, digits, ".", "-" and "_" (OpenAPI 3.1.1 section 4.8.7)';
/** Of the other maps whose names are restricted. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    additionalOperations:
      'is not an additional method: it has its own field, or is not a token (RFC 9110 section 9.1)',
    headers: 'is not the name of a header, which is a token (RFC 9110 section 5.6.2)',
  }),
);

/** A violation of the published OpenAPI schema by a document. */
export interface DocumentError {
  readonly pointer: string;
  readonly message: string;
  /** The pointer of a field that is absent, or no URL or address: its kind says whether the server needs it. */
  readonly field?: string;
}

/** The violations of the published OpenAPI schema by a document. */
export function documentErrors(document: Document): DocumentError[] {
  const { root } = document;
  const unserved = versionFinding(root);
  if (unserved) return [unserved];
  const version = versionOf(root);
  const validate = (loaded[version] ??= load(version));
  // `if` and `oneOf` only repeat errors below them. The table of keywords has the fields, not unevaluatedProperties.
  const isOwn = ({ keyword, params, propertyName }: Violation) =>
    propertyName === undefined &&
    !['if', 'unevaluatedProperties'].includes(keyword) &&
    (keyword !== 'oneOf' || (version === '3.2' && params['passingSchemas'] !== null));
  const violations = validate(withDoubles(root));
  const own = violations.filter(isOwn).flatMap((violation) => inWords(violation, document));
  if (version === '3.1') return own;
  // What a wrong value inside of an object makes unexpected is not wrong itself: the innermost come first.
  const wrong = new Set(own.flatMap(({ pointer }) => holdersOf(pointer)));
  const idle = violations.filter(
    ({ keyword, params }) =>
      keyword === 'unevaluatedProperties' && CONDITIONAL.includes(String(params['unevaluatedProperty'])),
  );
  for (const { instancePath, params } of idle.sort((a, b) => b.instancePath.length - a.instancePath.length)) {
    if (wrong.has(instancePath)) continue;
    const pointer = joinPointer(instancePath, String(params['unevaluatedProperty']));
    own.push({ pointer, message: 'has no meaning here' });
    for (const holder of holdersOf(instancePath).slice(1)) wrong.add(holder);
  }
  return own;
}

/** Fields that an object has only beside some values of others. */
const CONDITIONAL: readonly string[] = (
  'style explode allowReserved allowEmptyValue name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl ' +
  'authorizationUrl tokenUrl deviceAuthorizationUrl'
).split(' ');

/** The faults of a list of parameters (OpenAPI 3.2 section 4.12.1). */
export const WHOLE_QUERY = {
  several: 'has several parameters in querystring',
  mixed: 'has parameters in query beside one in querystring',
};

function inWords(violation: Violation, document: Document): DocumentError | [] {
  const { instancePath: pointer, keyword, params, message = 'is not valid', schema } = violation;
  switch (keyword) {
    case 'propertyNames': {
      const names = /^\/components\/[^/]+$/.test(pointer) ? undefined : NAMES.get(lastStep(pointer));
      const place = joinPointer(pointer, String(params['propertyName']));
      return { pointer: place, message: names ?? NO_COMPONENT };
    }
    case 'oneOf':
      return {
        pointer,
        message: `has ${alternatives(document.at(pointer))}: only one of the two is possible`,
      };
    case 'not': {
      const { required } = isObject(schema) ? schema : {};
      const [first, second] = Array.isArray(required) ? required.map(String) : [];
      if (first === undefined) return { pointer, message: WHOLE_QUERY.mixed };
      // A license has an identifier or a URL.
      const [other, name] = second === undefined ? ['identifier', first] : [first, second];
      return { pointer: joinPointer(pointer, name), message: `is not possible beside ${other}` };
    }
    case 'contains':
      return { pointer, message: WHOLE_QUERY.several };
    case 'false schema':
      return { pointer, message: 'is not possible beside encoding' };
    case 'format':
      // OpenAPI 3.1.1 section 4.6: each may be relative. Its schema demands a scheme.
      if (!String(params['format']).startsWith('uri')) return { pointer, message, field: pointer };
      if (isUriReference(document.at(pointer))) return [];
      return { pointer, message: 'is not a URI reference (RFC 3986)', field: pointer };
    case 'required':
      return { pointer, message, field: joinPointer(pointer, String(params['missingProperty'])) };
  }
  return { pointer, message };
}

/** The fields of which a Parameter, Header or Link Object has one. */
const alternatives = (value: unknown): string =>
  isObject(value) && 'schema' in value ? 'schema and content' : 'operationRef and operationId';

/** The characters of URI references (RFC 3986 section 2). */
const isUriReference = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(value);

/**
 * Replaces bigints by doubles: ajv has no other numbers, and these schemas only require a number. Copies no more than what
 * holds one: a large document has few.
 */
export function withDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  let changed: Map<string, unknown> | undefined;
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    const replaced = withDoubles(item);
    if (replaced !== item) (changed ??= new Map<string, unknown>()).set(name, replaced);
  }
  if (!changed) return value;
  if (Array.isArray(value)) return value.map((item: unknown, i) => changed.get(String(i)) ?? item);
  return { ...value, ...Object.fromEntries(changed) };
}
