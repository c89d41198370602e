import { excludingKeyword } from './document/direction';
import { type Document, negotiableMediaTypes, type Operation } from './document/model';
import { codecOf } from './document/media';
import {
  asArray,
  asObject,
  asString,
  escapeToken,
  type JsonObject,
  objectAt,
  resolvePointer,
} from './json/tree';
import {
  constraintKey,
  nameOfAlternative,
  type Obligation,
  type ProtocolScenario,
  type ReceivedRule,
  ruleKey,
  type RuleParts,
  type SecurityScenario,
  type Side,
  SIDES,
} from './obligation';
import { isRead, LARGEST_LIMIT } from './cases/bodies';
import { followsWord, presentedAs } from './request/compose';
import { keyOf } from './request/idempotency-key';
import { describesBytes } from './request/fields';
import { mediaOf } from './request/multipart';
import { acceptsAnyQueryParameter } from './request/serialize';
import { isTyped, type Slot, slots } from './request/slots';
import { readerOf } from './stored/reader';
import { anyValueOf, isClosed, defaultOf } from './schema/locations';
import { type Constraint, constraints } from './schema/constraints';
import { levelOf, type RuleName } from './profile';
import type { Target } from './target';

/** The fields of an obligation that depend on its kind. */
type Derived = Pick<Obligation, 'key' | 'kind' | 'slot' | 'pointer' | 'keyword' | 'side' | 'undecided'>;

/** Every obligation of an operation. It depends on the document alone, so that a rule without a case stays unproven. */
export function deriveObligations(document: Document, target: Target, operation: Operation): Obligation[] {
  const textual = slots(document, operation).filter(({ codec }) => codec !== 'binary');
  const isTested = (rule: RuleName): boolean => levelOf(target.profile ?? 'strict', rule) !== 'ignored';
  const derived = [
    ...textual.flatMap((slot) => constraintObligations(document, operation, slot, isTested)),
    ...(target.received || target.blackBox
      ? textual.flatMap((slot) => receivedObligations(document, operation, slot))
      : []),
    ...responseObligations(operation),
    ...storedObligations(document, operation),
    ...securityObligations(document, target, operation),
    ...protocolObligations(document, target, operation, isTested),
  ];
  const obligations = derived.map((fields): Obligation => ({
    ...fields,
    operation: operation.id,
    description: fields.key.slice(`${operation.id} | `.length),
    passed: 0,
    failed: 0,
    state: 'UNPROVEN',
  }));
  return [...new Map(obligations.map((obligation) => [obligation.key, obligation])).values()];
}

function constraintObligations(
  document: Document,
  operation: Operation,
  slot: Slot,
  isTested: (rule: RuleName) => boolean,
): Derived[] {
  const oneWay = excludingKeyword(document.requests);
  const found = constraints(document.requests, slot.schema).filter(
    ({ keyword }) => keyword !== oneWay || isTested('readOnly in a request'),
  );
  return found.flatMap((constraint) =>
    SIDES.filter((side) => isTestable(document, slot, constraint, side)).map((side) => ({
      kind: 'constraint',
      key: constraintKey(operation, slot.label, constraint.pointer, constraint.keyword, side),
      slot: slot.label,
      pointer: constraint.pointer,
      keyword: constraint.keyword,
      side,
      ...(constraint.idle?.sides.includes(side) === true && {
        undecided: { state: 'OUT OF REACH', reason: constraint.idle.reason },
      }),
    })),
  );
}

/** Keywords that no encoded parameter or form violates: every value on the wire is text or absent. */
const ALWAYS_SATISFIED = ['minProperties', 'minItems'];

/** Keywords that a field or part of a form violates which the schema does not list. A parameter like that is another one. */
const FORBIDDING = ['additionalProperties', 'unevaluatedProperties'];

/** Types that some text violates. */
const NON_TEXT_TYPES = ['integer', 'number', 'boolean'];

/** Whether some request tests this side of a constraint. */
function isTestable(document: Document, slot: Slot, constraint: Constraint, side: Side): boolean {
  const { pointer, keyword, unconditional } = constraint;
  const isJson = isTyped(slot);
  // Every request without the property satisfies `readOnly`.
  if (keyword === excludingKeyword(document.requests)) return side === 'violates' && isJson;
  if (side === 'holds') return true;
  if (!unconditional || isJson) return unconditional;
  const isMultipart = slot.codec === 'multipart';
  if (isMultipart && describesBytes(objectAt(document.json, pointer))) return false;
  if (keyword === 'minLength' && (slot.codec === 'text' || isSegment(document, slot)))
    return objectAt(document.json, pointer)[keyword] !== 1;
  if (keyword === 'required') return isMultipart;
  if (FORBIDDING.includes(keyword)) return slot.body !== undefined;
  if (keyword !== 'type') return !ALWAYS_SATISFIED.includes(keyword);
  const types = [objectAt(document.json, pointer)['type']].flat();
  return types.every((type) => NON_TEXT_TYPES.includes(asString(type)));
}

/** Whether the values are whole segments of a path. No segment is empty. */
function isSegment({ json }: Document, { parameter, schema }: Slot): boolean {
  const types = [objectAt(json, resolvePointer(json, schema))['type']].flat();
  return parameter?.in === 'path' && !types.includes('array') && !types.includes('object');
}

/** Keywords that may forbid unlisted properties. */
const LIMITING_KEYWORDS = [
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'maxProperties'],
  ...['enum', 'const', 'not'],
];

/** The rules for the input of the handler in a slot. */
function receivedObligations({ json }: Document, operation: Operation, slot: Slot): Derived[] {
  const pointer = resolvePointer(json, slot.schema);
  const schema = objectAt(json, pointer);
  const pointers = [
    ...(slot.parameter && !slot.required ? [pointer] : []),
    ...Object.keys(asObject(schema['properties'])).map(
      (name) => `${pointer}/properties/${escapeToken(name)}`,
    ),
  ];
  const hasDefault = pointers.some((owner) => defaultOf(json, anyValueOf(owner)) !== undefined);
  const allowsUnlisted = LIMITING_KEYWORDS.every((keyword) => schema[keyword] === undefined);
  const removesUnlisted =
    slot.body !== undefined && allowsUnlisted && isClosed([{ pointer, schema, unconditional: true }]);
  const rules = { 'as sent': true, default: hasDefault, 'unlisted left out': removesUnlisted };
  return applying<ReceivedRule>(rules).map((rule) => derive(operation, 'received', slot.label, rule));
}

/**
 * Each documented response once for each media type. `default` describes unforeseen responses, so none has to occur.
 */
function responseObligations(operation: Operation): Derived[] {
  return operation.responses
    .filter(({ status }) => status !== 'default')
    .flatMap(({ status, content }) => {
      const mediaTypes = content.length > 0 ? content.map(({ name }) => name) : ['no body'];
      return mediaTypes.map((mediaType) => derive(operation, 'response', status, mediaType));
    });
}

/** What the operation stores comes back as it was sent, where an operation reads it. */
function storedObligations(document: Document, operation: Operation): Derived[] {
  const found = readerOf(document, operation);
  return found ? [derive(operation, 'stored', found.reader.id)] : [];
}

function securityObligations(document: Document, target: Target, operation: Operation): Derived[] {
  const allowsAnonymous = operation.security.some((alternative) => alternative.length === 0);
  return operation.security.flatMap((alternative, index) => {
    const required = alternative.filter(
      (name) => !isRedundant(document, target, operation, alternative, name),
    );
    const isInHeader = required.some((name) => followsWord(document, target, name));
    const hasScopes = Object.values(operation.scopes[index] ?? {}).some((scopes) => scopes.length > 0);
    const scenarios = applying<SecurityScenario>({
      accepted: true,
      missing: !allowsAnonymous,
      wrong: required.length > 0,
      malformed: isInHeader,
      doubled: isInHeader,
      misplaced: isInHeader && !allowsAnonymous,
      'insufficient scope': hasScopes,
    });
    const name = nameOfAlternative(alternative);
    return scenarios.map((scenario) => derive(operation, 'security', name, scenario));
  });
}

/**
 * Whether the credentials of an alternative without those of one scheme satisfy another alternative: one secret may be valid
 * for several schemes that present it in the same place.
 */
export function isRedundant(
  document: Document,
  target: Target,
  { security }: Operation,
  alternative: readonly string[],
  scheme: string,
): boolean {
  const presented = (name: string): string => presentedAs(document, target, name);
  const present = alternative.filter((name) => name !== scheme).map(presented);
  return security.some(
    (other) =>
      other !== alternative && other.length > 0 && other.every((name) => present.includes(presented(name))),
  );
}

function protocolObligations(
  document: Document,
  target: Target,
  operation: Operation,
  isTested: (rule: RuleName) => boolean,
): Derived[] {
  const { operations, requests } = document;
  const { method, path, body } = operation;
  // RFC 9110 section 9.3.2: a server answers HEAD where it answers GET.
  const answersHead =
    method === 'GET' && !operations.some((other) => other.path === path && other.method === 'HEAD');
  const documents = (code: string): boolean => operation.responses.some(({ status }) => status === code);
  const hasJson = body?.content.some(({ type }) => codecOf(type) === 'json') === true;
  const bodies = slots(document, operation).filter((slot) => slot.body);
  const has = (codec: Slot['codec']): boolean => bodies.some((slot) => slot.codec === codec);
  const encodings = bodies.flatMap((slot) => encodingsOf(document, slot));
  const limit = operation.bodyLimit ?? target.bodyLimit;
  const scenarios: Readonly<Record<ProtocolScenario, boolean>> = {
    'undocumented methods': true,
    'near-miss paths': true,
    'unknown path': true,
    'unlisted query parameter': !acceptsAnyQueryParameter(requests, operation),
    'HEAD of GET': answersHead,
    'streamed items': operation.responses.some(({ content }) => content.some(({ items }) => items)),
    ranges: method === 'GET' && documents('206'),
    'conditional requests': method === 'GET' && documents('304'),
    preconditions: documents('412'),
    'idempotency keys': keyOf(operation) !== undefined,
    'content codings':
      method === 'GET' &&
      operation.responses.some((one) => one.status.startsWith('2') && one.content.length > 0),
    'content negotiation': negotiableMediaTypes(operation).length > 0,
    'unsupported media types': body !== undefined,
    'equivalent media types': body !== undefined,
    'body limit':
      body !== undefined &&
      (limit !== undefined && limit <= LARGEST_LIMIT ? true : target.profile !== 'document'),
    // A sequence may have no items.
    'absent body': body?.required === true && (hasJson || (isTested('empty text') && !has('lines'))),
    'malformed JSON': hasJson,
    'unusual JSON': hasJson,
    'arriving body': body?.content.some(isRead) === true,
    'malformed multipart': has('multipart'),
    'unusual multipart': has('multipart'),
    'part media types': encodings.some(({ contentType }) => contentType !== undefined),
    'part headers': encodings.some(({ headers }) =>
      Object.values(asObject(headers)).some((header) => asObject(header)['required'] === true),
    ),
    'malformed items': has('lines'),
    'unusual items': has('lines'),
  };
  return applying(scenarios)
    .filter(isTested)
    .map((scenario) => derive(operation, 'protocol', scenario));
}

/** The encodings of the parts of a multipart body. */
function encodingsOf({ json }: Document, { codec, schema }: Slot): JsonObject[] {
  if (codec !== 'multipart') return [];
  const { properties } = objectAt(json, resolvePointer(json, schema));
  const { encoding, prefixEncoding, itemEncoding } = objectAt(json, mediaOf(schema));
  const listed = Object.entries(asObject(encoding)).filter(([name]) =>
    Object.hasOwn(asObject(properties), name),
  );
  return [...listed.map(([, one]) => one), ...asArray(prefixEncoding), itemEncoding ?? {}].map(asObject);
}

const derive = (operation: Operation, ...parts: RuleParts): Derived => ({
  kind: parts[0],
  key: ruleKey(operation, ...parts),
});

/** The names of the rules that apply. */
const applying = <Name extends string>(rules: Readonly<Partial<Record<Name, boolean>>>): Name[] =>
  (Object.keys(rules) as Name[]).filter((name) => rules[name] === true);
