import { toInteger, NumberLiteral, type Value } from '../json/value';
import type { Slot } from '../request/slots';
import { INTEGER_FORMATS } from '../schema/known-formats';
import { type InstanceLocation, instanceLocations } from '../schema/probes';
import type { Case, OperationContext } from './case';

/** UTF-16 units. No document or standard asks a server to accept longer strings. */
const LONG_TEXT = 1000;

/** Control, format, private-use and unassigned characters. */
const UNUSUAL_CHARACTERS = /\p{C}/u;

/** Methods for which content has no defined semantics (RFC 9110 section 9.3). */
const WITHOUT_CONTENT = ['GET', 'HEAD', 'DELETE', 'TRACE'];

/**
 * The rule of a case with a valid value that a server may refuse all the same, for the profile `document`. Any other
 * valid value has no rule of its own.
 */
export function limitRule(context: OperationContext, slot: Slot, value: Value): Pick<Case, 'rule'> {
  const { document, oracle, target } = context;
  if (target.profile !== 'document') return {};
  if (hasNoSemantics(context, slot)) return { rule: 'content without semantics' };
  if (isEmptyParameter(context, slot, value)) return { rule: 'empty parameter' };
  const locations = instanceLocations(document.requests, oracle, slot.schema, slot.decode(value) ?? value);
  return locations.some(isLimited) ? { rule: 'limited value' } : {};
}

/** Whether a server may ignore the value because of the method. */
export const hasNoSemantics = (
  { target, operation }: Pick<OperationContext, 'target' | 'operation'>,
  { body }: Slot,
): boolean =>
  target.profile === 'document' && body !== undefined && WITHOUT_CONTENT.includes(operation.method);

/** Whether a server may read the parameter, or a part of it, as absent, because its text is empty. */
export const isEmptyParameter = (
  { target }: Pick<OperationContext, 'target'>,
  { parameter }: Slot,
  value: Value,
): boolean =>
  target.profile === 'document' &&
  parameter !== undefined &&
  parameter.mediaType === undefined &&
  (value instanceof Map ? [...value.values()] : [value].flat()).includes('');

function isLimited({ value, subschemas }: InstanceLocation): boolean {
  const schemas = subschemas.map(({ schema }) => schema);
  if (typeof value === 'string')
    return (
      UNUSUAL_CHARACTERS.test(value) ||
      (value.length > LONG_TEXT && schemas.every(({ maxLength }) => maxLength === undefined))
    );
  if (!(value instanceof NumberLiteral)) return false;
  const integer = toInteger(value.text);
  if (integer === undefined) return false;
  if (!/^-?\d+$/.test(value.text)) return true; // 1.0 and 1e2
  const hasFormat = schemas.some(({ format }) => typeof format === 'string' && INTEGER_FORMATS.has(format));
  return !hasFormat && !Number.isSafeInteger(Number(integer));
}
