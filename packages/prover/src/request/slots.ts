import type { Schemas } from '../document/direction';
import type { Document, Examples, MediaType, Operation, Parameter } from '../document/model';
import { codecOf } from '../document/media';
import type { Value } from '../json/value';
import type { Oracle } from '../schema/oracle';
import { anyValueOf, branchCombinations, isClosed, propertyNames } from '../schema/locations';
import { type Mode, samples } from '../schema/samples';
import { type Body, type BodyCodec, bodyEncoding, codecOfBody, formOf, schemaOfBody } from './encodings';
import { carried, type OwnCodec, ownCodec } from './own-codec';
import { decodeBrackets, decodeText, serializeParameter } from './serialize';

/** The encoded parameters and body of a request. */
export interface Inputs {
  readonly parameters: ReadonlyMap<Parameter, string>;
  readonly body?: Body;
}

/** A part of a request that has a schema: a parameter, or the body in one media type. */
export interface Slot extends Examples {
  /** `query limit`, `body application/json`. */
  readonly label: string;
  /** Pointer to its schema. */
  readonly schema: string;
  readonly required: boolean;
  readonly body?: MediaType;
  /** How the body is encoded. */
  readonly codec?: BodyCodec;
  readonly parameter?: Parameter;
  /** The codec of the target for it. */
  readonly own?: OwnCodec;
  /** Whether the encoded value is longer than what servers take before the body. */
  readonly isTooLong?: (value: Value) => boolean;
  /** The value that the receiver decodes, or undefined if no encoding of the value is unambiguous, or if it is too long. */
  readonly decode: (value: Value) => Value | undefined;
  /** Adds the encoded value to the inputs. */
  readonly fill: (inputs: Inputs, value: Value) => Inputs;
}

/** The slots of an operation. */
export function slots(document: Document, operation: Operation): Slot[] {
  const parameters = operation.parameters.map((parameter) => parameterSlot(document, parameter));
  const bodies = (operation.body?.content ?? []).flatMap((media) => {
    const schema = schemaOfBody(media);
    return schema === undefined ? [] : [bodySlot(document, operation, media, schema)];
  });
  return [...parameters, ...bodies];
}

function parameterSlot({ requests, encoders }: Document, parameter: Parameter): Slot {
  // OpenAPI 3.2 section 4.12.1: a form may be the whole query string.
  const isForm = parameter.in === 'querystring' && codecOf(parameter.mediaType ?? '') === 'form';
  const encoder = encoders[parameter.mediaType ?? ''];
  const form = isForm && !encoder ? formOf(requests, parameter.schema) : undefined;
  const own = encoder && ownCodec(encoder);
  const encode = (value: Value): string | undefined => {
    if (form) return form.encode(value);
    return serializeParameter(parameter, own ? own.encode(value).toString() : value);
  };
  const longest = longestText(requests, parameter);
  const isTooLong = (value: Value): boolean => (encode(value)?.length ?? 0) > longest;
  return {
    label: `${parameter.in} ${parameter.name}`,
    schema: parameter.schema,
    required: parameter.required,
    examples: parameter.examples,
    schemaExamples: parameter.schemaExamples,
    ...(own && { own }),
    parameter,
    isTooLong,
    decode: (value) => {
      if (isTooLong(value)) return undefined;
      if (form) return form.decode(value);
      if (own && carried(own, value) === undefined) return undefined;
      if (encode(value) === undefined) return undefined;
      if (hasUnlistedPairs(requests, parameter, value)) return undefined;
      if (parameter.mediaType !== undefined) return value;
      const decode = parameter.style === 'deepObject' ? decodeBrackets : decodeText;
      return decode(requests, anyValueOf(parameter.schema), value);
    },
    fill: (inputs, value) => ({
      ...inputs,
      parameters: new Map([...inputs.parameters, [parameter, encode(value) ?? '']]),
    }),
  };
}

/**
 * Bytes of an encoded parameter. RFC 9110 section 4.1 recommends 8,000 bytes for a URI, and servers take not much more for the
 * whole head of a request: what is left is for the other parameters and header fields.
 */
const LONGEST = 6_000;

/** The length of an encoded parameter that a server must take; unbounded if the schema admits nothing as short. */
function longestText(schemas: Schemas, { schema }: Parameter): number {
  const subschemas = branchCombinations(schemas, anyValueOf(schema)).flat();
  const isShort = subschemas.every((one) => !(Number(one.schema['minLength']) > LONGEST));
  return isShort ? LONGEST : Infinity;
}

/**
 * Whether a value becomes pairs of a query or of cookies that the document does not list: its members are parameters of
 * their own, so a property that the schema merely does not forbid is an unlisted parameter.
 */
function hasUnlistedPairs(
  schemas: Schemas,
  { in: location, style, explode, schema }: Parameter,
  value: Value,
) {
  const isSpread = (location === 'query' || location === 'cookie') && style === 'form' && explode;
  if (!isSpread || !(value instanceof Map)) return false;
  const subschemas = branchCombinations(schemas, anyValueOf(schema)).flat();
  const { listed } = propertyNames(subschemas);
  return isClosed(subschemas) && [...value.keys()].some((name) => !listed.includes(name));
}

/** Whether the values of a slot have the types of JSON. */
export const isTyped = ({ codec }: Slot): boolean => codec === 'json' || codec === 'own' || codec === 'lines';

function bodySlot(document: Document, operation: Operation, media: MediaType, schema: string): Slot {
  const { encode, decode } = bodyEncoding(document, media, schema);
  const encoder = document.encoders[media.name];
  return {
    label: `body ${media.name}`,
    schema,
    required: operation.body?.required === true,
    examples: media.examples,
    schemaExamples: media.schemaExamples,
    body: media,
    codec: codecOfBody(document, media),
    ...(encoder && { own: ownCodec(encoder) }),
    decode,
    fill: (inputs, value) => ({ ...inputs, body: encode(value) }),
  };
}

/** Valid values of a slot. One that the codec of the target changes is replaced by what arrives. */
export function slotSamples(
  document: Document,
  oracle: Oracle,
  slot: Slot,
  mode: Mode,
  count: number,
): Value[] {
  return samples(document.requests, oracle, slot.schema, mode, count)
    .map((value) => arriving(slot, value))
    .filter((value) => fitsSlot(oracle, slot, value));
}

/** The value that arrives, where the codec of the target changes it: the closest one that can be sent. */
export const arriving = ({ own }: Slot, value: Value): Value => own?.received(value) ?? value;

/**
 * Why a value is not sent: the codec of the target, or the header field of content, does not carry it, or it is too long for the
 * head of a request. Undefined if it is sent.
 */
export function whyNotCarried(slot: Slot, value: Value): string | undefined {
  const { own, body, parameter, decode, isTooLong } = slot;
  if (isTooLong?.(value)) return `a parameter of more than ${LONGEST} bytes is too long for many servers`;
  if (own && carried(own, value) === undefined)
    return `the codec of ${body?.name ?? parameter?.mediaType ?? ''} cannot carry them`;
  return isHeaderContent(slot) && decode(value) === undefined
    ? 'a header field cannot carry them'
    : undefined;
}

/** Whether values of a slot may not be carried. */
export const isSelective = (slot: Slot): boolean => slot.own !== undefined || isHeaderContent(slot);

const isHeaderContent = ({ parameter }: Slot): boolean =>
  parameter?.in === 'header' && parameter.mediaType !== undefined;

/** Whether the receiver decodes a valid value. */
export function fitsSlot(oracle: Oracle, slot: Slot, value: Value): boolean {
  const decoded = slot.decode(value);
  return decoded !== undefined && oracle.valid(slot.schema, decoded);
}

/** Whether the decoded value is valid; undefined if the oracle cannot tell. */
export function slotValidity(oracle: Oracle, slot: Slot, value: Value): 'valid' | 'invalid' | undefined {
  const decoded = slot.decode(value);
  if (decoded === undefined || !oracle.decides(slot.schema, decoded)) return undefined;
  return oracle.valid(slot.schema, decoded) ? 'valid' : 'invalid';
}
