/**
 * What `make breaking` says about each keyword of OpenAPI and JSON Schema, by the direction of the value: in requests, then in
 * responses; one entry stands for both. Its letters are for a keyword that is added, removed and changed:
 *
 * - `B`: it breaks a client.
 * - `L`: it is listed, and breaks none.
 * - `V`: the values decide. It is listed at least.
 * - `-`: an annotation, and no promise. It is not listed.
 *
 * A webhook and a callback are sent by the server: their requests count as responses, and their responses as requests.
 */
import {
  canonicalJson,
  type Direction,
  isObject,
  keywordAt,
  type Kind,
  OBJECTS,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';

const NO_PROMISE = '---';

/**
 * The keywords of each kind of object, by decision; `any` is a member of an object that is a map. What is not listed, and
 * documented only, is an annotation.
 */
const TABLE: Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>> = {
  OpenAPI: { LLL: 'openapi $self jsonSchemaDialect', VVV: 'servers paths webhooks components security' },
  Server: { VVV: 'url variables' },
  ServerVariable: { VVV: 'enum default' },
  Components: {
    VVV: 'schemas responses parameters requestBodies headers securitySchemes callbacks pathItems mediaTypes',
  },
  Paths: { LBV: 'any' },
  PathItem: {
    VVV: '$ref servers parameters additionalOperations',
    LBV: 'get put post delete options head patch trace query',
  },
  Operation: {
    VVV: 'operationId parameters responses security servers',
    VBV: 'requestBody',
    LBV: 'callbacks x-body-limit',
  },
  Parameter: {
    VVV: 'name in required style explode schema content',
    LLL: 'allowEmptyValue allowReserved',
  },
  RequestBody: { VVV: 'content required' },
  // What reads a body piece by piece is the handler: its bytes are the same.
  MediaType: {
    VVV: 'schema encoding itemSchema x-item-schema',
    BBB: 'prefixEncoding itemEncoding',
    '---': 'x-stream',
  },
  Encoding: { BBB: 'contentType headers style explode allowReserved encoding prefixEncoding itemEncoding' },
  Responses: { LBV: 'any' },
  Response: { VVV: 'headers content' },
  Callback: { LBV: 'any' },
  Header: { VVV: 'required style explode schema content' },
  Reference: { VVV: '$ref' },
  Schema: {
    // More of these admits less: a request breaks that was admitted, a response breaks that was not.
    'BLV LBV':
      'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern ' +
      'maxItems minItems uniqueItems maxProperties minProperties required format',
    // Compared part by part. Some count only beside another keyword.
    VVV:
      '$ref allOf anyOf oneOf properties additionalProperties unevaluatedProperties items prefixItems discriminator ' +
      'then else minContains maxContains',
    // Compared as a whole: one more admits less, and one that changes may do either.
    'BLB LBB':
      'not if contains patternProperties propertyNames dependentRequired dependentSchemas unevaluatedItems',
    // In a parameter it breaks, because clients leave the parameter out to get it.
    'VVV LLL': 'default',
    'VVV ---': 'readOnly',
    '--- VVV': 'writeOnly',
    // Not enforced, or not served.
    LLL:
      '$id $schema $dynamicRef $dynamicAnchor $vocabulary $recursiveAnchor $recursiveRef dependencies ' +
      'contentEncoding contentMediaType contentSchema',
    // A place for what references name: what refers to it is compared.
    '---': '$anchor $defs',
  },
  Discriminator: { VVB: 'propertyName', VVV: 'mapping defaultMapping' },
  SecurityScheme: {
    VVV: 'type name in scheme',
    LLL: 'bearerFormat flows openIdConnectUrl',
  },
  OAuthFlows: { LLL: 'implicit password clientCredentials authorizationCode deviceAuthorization' },
  OAuthFlow: { LLL: 'authorizationUrl tokenUrl refreshUrl scopes' },
  SecurityRequirement: { VVV: 'any' },
};

const DECISIONS = new Map(
  Object.entries(TABLE).flatMap(([kind, groups]) =>
    Object.entries(groups).flatMap(([decision, keywords]) => {
      const [request = '', response = request] = decision.split(' ');
      return keywords.split(' ').map((keyword) => [`${kind} ${keyword}`, { request, response }] as const);
    }),
  ),
);

/** The decision about a keyword: three letters for a keyword that is added, removed and changed; undefined if there is none. */
export function decisionOn(kind: Kind, keyword: string, direction: Direction): string | undefined {
  const decision = DECISIONS.get(`${kind} ${keyword}`)?.[direction];
  return decision ?? (keywordAt(kind, keyword)?.support === 'documented' ? NO_PROMISE : undefined);
}

/** Whether a keyword is an annotation in both directions, or unknown, or an extension. */
export function isAnnotation(kind: Kind, keyword: string): boolean {
  const { request, response } = DECISIONS.get(`${kind} ${keyword}`) ?? {};
  return (request ?? NO_PROMISE) === NO_PROMISE && (response ?? NO_PROMISE) === NO_PROMISE;
}

/**
 * The canonical text of an object without its annotations. Equal texts promise the same.
 *
 * @param resolve returns the target of a reference and a name for it, which replaces the reference; by default its text counts
 */
export function essenceOf(kind: Kind, value: unknown, resolve?: Resolve): string {
  if (!isObject(value)) return canonicalJson({ value }, 'value');
  const target = typeof value['$ref'] === 'string' ? resolve?.(value['$ref']) : undefined;
  const { others, referable } = OBJECTS.get(kind) ?? {};
  const own = referable && typeof value['$ref'] === 'string' ? { $ref: value['$ref'] } : value;
  const parts = Object.keys(own).flatMap((name) => {
    const keyword = keywordAt(kind, name);
    if (name === '$ref')
      return [`$ref:${target === undefined ? String(value[name]) : essenceOf(kind, target.value, resolve)}`];
    if (others ? !keyword || name.startsWith('x-') : isAnnotation(kind, name)) return [];
    const text = keyword?.holds
      ? essenceOfHeld(keyword.holds, value[name], resolve)
      : canonicalJson(value, name);
    return [`${JSON.stringify(name)}:${text}`];
  });
  return `{${parts.sort().join()}}`;
}

/** Returns the target of a reference, once: undefined while it is being written. */
export type Resolve = (ref: string) => { readonly value: unknown } | undefined;

function essenceOfHeld(
  { kind, as }: { readonly kind: Kind; readonly as: 'one' | 'list' | 'map' },
  value: unknown,
  resolve: Resolve | undefined,
): string {
  if (as === 'list' && Array.isArray(value))
    return `[${value.map((item) => essenceOf(kind, item, resolve)).join()}]`;
  if (as === 'map' && isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${essenceOf(kind, value[name], resolve)}`)
      .join()}}`;
  return essenceOf(kind, value, resolve);
}

/** The most characters of a value in a message. */
const MOST = 80;
const short = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}...` : text);

/** What changed, as a sentence: `default was 1, is 2`. */
export function keywordMessage(keyword: string, was: string | undefined, is: string | undefined): string {
  if (was === undefined) return `${keyword} is new: ${short(is ?? '')}`;
  return `${keyword} was ${short(was)}, is ${is === undefined ? 'gone' : short(is)}`;
}

/**
 * Reports the keywords of an object that are compared as a whole.
 *
 * @param report the sentence, and whether it breaks a client
 */
export function compareWholes(
  kind: Kind,
  was: JsonObject,
  is: JsonObject,
  direction: Direction,
  report: (keyword: string, message: string, breaking: boolean) => void,
): void {
  for (const [name, keyword] of OBJECTS.get(kind)?.keywords ?? []) {
    const decision = decisionOn(kind, name, direction);
    if (decision !== 'LLL' && decision !== 'BBB') continue;
    const text = (object: JsonObject) => {
      if (!Object.hasOwn(object, name) || object[name] === keyword.default) return undefined;
      return keyword.holds
        ? essenceOfHeld(keyword.holds, object[name], undefined)
        : canonicalJson(object, name);
    };
    const [old, now] = [text(was), text(is)];
    if (old !== now) report(name, keywordMessage(name, old, now), decision === 'BBB');
  }
}
