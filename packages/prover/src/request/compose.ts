import { ADVICE } from '../advice';
import { type Document, encodePath, type MediaType, type Operation, type Parameter } from '../document/model';
import { type Json, type JsonObject, asArray, asObject, asString } from '../json/tree';
import { fromJson, NumberLiteral, type Value } from '../json/value';
import type { Oracle } from '../schema/oracle';
import type { CredentialValues, Target } from '../target';
import { Untestable } from '../untestable';
import { headerLines, isFieldValue, type RawRequest, withHeader, withQuery } from '../wire/message';
import { whyNoValue } from '../schema/no-value';
import type { Subschema } from '../schema/locations';
import { instanceLocations } from '../schema/probes';
import { samples } from '../schema/samples';
import { codecOfBody, linesOf } from './encodings';
import { fitsSlot, type Inputs, type Slot, slots, slotSamples } from './slots';

/**
 * The inputs of a minimal request: required parameters, and the first media type of the body. Examples of the document
 * come first, also those of single properties, since the service holds the resources that they name.
 *
 * @throws {Untestable} if no valid value is found for one that is required
 */
export function minimalInputs(document: Document, oracle: Oracle, operation: Operation): Inputs {
  let inputs: Inputs = { parameters: new Map() };
  const content = operation.body?.content ?? [];
  let firstBody = content.find((media) => isEncodable(document, media)) ?? content[0];
  for (const slot of slots(document, operation)) {
    if (slot.body ? slot.body !== firstBody : !slot.required) continue;
    const { value } = minimalValues(document, oracle, slot).next();
    if (value !== undefined) inputs = slot.fill(inputs, value);
    else if (slot.required) throw new Untestable(whyNone(document, oracle, slot));
    else firstBody = undefined; // an optional body, such as a form without fields: a request without it is valid
  }
  if (firstBody && !inputs.body) {
    inputs = { ...inputs, body: { type: firstBody.type, bytes: anyContent(document, firstBody) } };
  }
  return inputs;
}

/** Parts of a value that are replaced by examples: the locations are found anew after each. */
const MAX_EXAMPLES = 50;

/** The value with the examples that the schemas of its parts have, as far as it is valid then. */
function exemplified(document: Document, oracle: Oracle, slot: Slot, value: Value): Value {
  let current = value;
  const done = new Set<string>();
  while (done.size < MAX_EXAMPLES) {
    const [part] = instanceLocations(document.requests, oracle, slot.schema, current).filter(
      ({ instancePointer, subschemas }) =>
        !done.has(instancePointer) && subschemas.some((one) => examplesIn(one).length > 0),
    );
    if (!part) break;
    done.add(part.instancePointer);
    current =
      part.subschemas
        .flatMap(examplesIn)
        .map((example) => part.replace(fromJson(example)))
        .find((changed) => fitsSlot(oracle, slot, changed)) ?? current;
  }
  return current;
}

const examplesIn = ({ schema: { example, examples } }: Subschema): Json[] => [
  ...(example === undefined ? [] : [example]),
  ...asArray(examples),
];

/** The value with one member only, for each of them that is valid alone; texts and numbers first. */
function alone(oracle: Oracle, slot: Slot, value: Value): Value[] {
  if (!(value instanceof Map)) return [];
  const isPlain = (member: Value) => typeof member === 'string' || member instanceof NumberLiteral;
  return [...value]
    .sort(([, a], [, b]) => Number(isPlain(b)) - Number(isPlain(a)))
    .map((entry) => new Map([entry]))
    .filter((one) => fitsSlot(oracle, slot, one));
}

/** The values of a slot in a minimal request, the best first. */
function* minimalValues(document: Document, oracle: Oracle, slot: Slot): Generator<Value, undefined> {
  for (const example of [...slot.examples, ...slot.schemaExamples].map(fromJson))
    if (fitsSlot(oracle, slot, example)) yield example;
  for (const sample of slotSamples(document, oracle, slot, 'required', 20))
    yield exemplified(document, oracle, slot, sample);
  for (const sample of slotSamples(document, oracle, slot, 'all', 20)) {
    const value = exemplified(document, oracle, slot, sample);
    // A form without any field is no body.
    if (slot.codec === 'form') yield* alone(oracle, slot, value);
    yield value;
  }
}

/** Content of a media type without a schema. */
function anyContent(document: Document, media: MediaType): Buffer {
  const codec = codecOfBody(document, media);
  if (codec === 'json') return Buffer.from('{}');
  if (codec === 'lines') return linesOf(media.type, ['{}']);
  return Buffer.from(codec === 'form' ? 'any=bytes' : 'any bytes');
}

function whyNone({ requests }: Document, oracle: Oracle, slot: Slot): string {
  const uncarried = samples(requests, oracle, slot.schema, 'all', 20).length;
  const carrier = slot.own ? 'codec' : 'encoding';
  return uncarried > 0
    ? `expected a valid value for ${slot.label} that its ${carrier} can carry, found ${uncarried} that it cannot`
    : `expected a valid value for ${slot.label} (${slot.schema}), found none: ${whyNoValue(requests, oracle, slot.schema, 40)}`;
}

/** Whether the prover makes valid bodies of a media type. Of XML it knows only examples. */
const isEncodable = ({ encoders }: Document, { name, examples }: MediaType): boolean =>
  !/[/+]xml\b/i.test(name) || examples.length > 0 || encoders[name] !== undefined;

/** A request without credentials. */
export function composeRequest(operation: Operation, { parameters, body }: Inputs): RawRequest {
  const parametersIn = (location: Parameter['in']): [Parameter, string][] =>
    [...parameters].filter(([parameter]) => parameter.in === location);
  const path = parametersIn('path').reduce(
    (filled, [{ name }, text]) => filled.replace(`{${name}}`, () => text),
    operation.path,
  );
  const query = [...parametersIn('query'), ...parametersIn('querystring')].map(([, text]) => text);
  const cookies = parametersIn('cookie').map(([, text]) => text);
  // A documented media type may have any characters.
  if (body && !isFieldValue(body.type))
    throw new Untestable(`a header field cannot carry the media type ${JSON.stringify(body.type)}`);
  return {
    method: operation.method,
    target: encodePath(path) + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: [
      ...parametersIn('header').map(([{ name }, text]) => [name, text] as const),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
      ...(body ? [['Content-Type', body.type] as const] : []),
    ],
    ...(body && { body: body.bytes }),
  };
}

/** Adds a credential in the place that its security scheme names (OpenAPI 3.1 section 4.8.27). */
function addCredential(request: RawRequest, scheme: JsonObject, credential: string): RawRequest {
  const add = (field: string, value: string): RawRequest => {
    if (!isFieldValue(value))
      throw new Untestable('a header field cannot carry the credential of one of its security schemes');
    // One credential may be that of several schemes.
    if (headerLines(request, field.toLowerCase()).includes(value)) return request;
    return { ...request, headers: [[field, value], ...request.headers] };
  };
  if (scheme['type'] !== 'apiKey') {
    const authScheme = asString(scheme['scheme']) || 'Bearer';
    if (authScheme.toLowerCase() === 'basic')
      return add('Authorization', `Basic ${Buffer.from(credential).toString('base64')}`);
    return add(
      'Authorization',
      `${authScheme.toLowerCase() === 'bearer' ? 'Bearer' : authScheme} ${credential}`,
    );
  }
  const name = asString(scheme['name']);
  if (scheme['in'] === 'header') return add(name, credential);
  if (scheme['in'] === 'query')
    return withQuery(request, `${encodeURIComponent(name)}=${encodeURIComponent(credential)}`);
  return withHeader(
    request,
    'Cookie',
    [...headerLines(request, 'cookie'), `${name}=${credential}`].join('; '),
  );
}

/** Whether a credential stands in the header Authorization after a word: `Bearer`, `Basic`, or that of an API key. */
export function followsWord({ schemes }: Document, { credentials }: Target, name: string): boolean {
  const { type, in: place, name: field } = asObject(schemes[name]);
  if (type !== 'apiKey') return true;
  const isAuthorization = place === 'header' && asString(field).toLowerCase() === 'authorization';
  return isAuthorization && /^\S+ \S/.test(credentials[name]?.valid ?? '');
}

/** A text that two schemes share if one credential, in one place, is that of both. */
export function presentedAs({ schemes }: Document, { credentials }: Target, name: string): string {
  const { type, in: place, name: field, scheme: authScheme } = schemes[name] ?? {};
  const where = type === 'apiKey' ? [place, field] : [asString(authScheme).toLowerCase() || 'bearer'];
  return JSON.stringify([where, credentials[name]?.valid ?? name]);
}

/** The first security alternative for which the target has all credentials; undefined if there is none. */
export const usableAlternative = (
  security: readonly (readonly string[])[],
  { credentials }: Target,
): readonly string[] | undefined =>
  security.find((alternative) => alternative.every((name) => credentials[name] !== undefined));

/** Whether a request may have credentials, so that a 401 or 403 is about them. */
export const takesCredentials = ({ security }: Operation): boolean =>
  security.some((alternative) => alternative.length > 0);

/**
 * Adds the credentials of one security alternative to a request.
 *
 * @param credentialOf selects the credential of a scheme; undefined sends none
 * @throws {Untestable} if the target has no credentials for a scheme
 */
export function authorize(
  { schemes }: Document,
  { credentials }: Target,
  alternative: readonly string[],
  request: RawRequest,
  credentialOf: (values: CredentialValues, scheme: string) => string | undefined = ({ valid }) => valid,
): RawRequest {
  return alternative.reduce((authorized, name) => {
    const values = credentials[name];
    if (!values) throw new Untestable(ADVICE.addTargetCredentials(name));
    const credential = credentialOf(values, name);
    return credential === undefined
      ? authorized
      : addCredential(authorized, asObject(schemes[name]), credential);
  }, request);
}
