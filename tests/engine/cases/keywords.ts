import { codecOf } from '../document/media-type';
import { asString } from '../json/json';
import { abbreviate, NumberLiteral, type Value } from '../json/value';
import { constraintKey } from '../obligations';
import { fitsSlot as isFitting, type Slot } from '../request/slots';
import type { InstanceLocation } from '../schema/locations';
import { type Probe, probes } from '../schema/probes';
import {
  expectSuccessOrOwnRefusal,
  authorizedRequest,
  type Case,
  type OperationContext,
  handlerInput,
  type Expectation,
  type ValueCases,
  expectRefusal,
} from './case';

/** Keywords whose violating values break them beyond doubt, so that an oracle that disagrees is itself at fault. */
const UNAMBIGUOUS_KEYWORDS = [
  ...['type', 'format', 'required', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];

/** Keywords beside which the edges of an integer format may not fit. */
const NARROWING_KEYWORDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
  'const',
  'not',
];

export function keywordCases(context: OperationContext, slot: Slot, bases: readonly BaseValue[]): ValueCases {
  const tried = new Set<string>();
  const contradictions: string[] = [];
  const cases = bases.flatMap(({ locations: found }) => {
    const fresh = probes(found).filter(
      ({ subschema, keyword }) => !tried.has(`${subschema.pointer} ${keyword}`),
    );
    for (const { subschema, keyword } of fresh) tried.add(`${subschema.pointer} ${keyword}`);
    return fresh.flatMap((probe) => {
      const fits = isFitting(context.oracle, slot, probe.value);
      const read = slot.decode(probe.value);
      if (read === undefined || !context.oracle.decides(slot.schema, read)) return [];
      if (fits === (probe.side === 'holds')) return [keywordCase(context, slot, probe)];
      if (mustAgree(slot, probe)) {
        contradictions.push(
          `${slot.label}: ${abbreviate(probe.value)} ${probe.side} ${probe.keyword} at ${probe.subschema.pointer}, but the oracle says it ${fits ? 'fits' : 'does not fit'}`,
        );
      }
      return [];
    });
  });
  return { cases, contradictions };
}

function mustAgree(slot: Slot, { subschema, keyword, side, site }: Probe): boolean {
  if (!subschema.unconditional || !slot.body || codecOf(slot.body.name) !== 'json') return false;
  if (side === 'violates') return UNAMBIGUOUS_KEYWORDS.includes(keyword);
  const narrowed = site.subschemas.some(({ schema }) =>
    NARROWING_KEYWORDS.some((other) => schema[other] !== undefined),
  );
  return keyword === 'format' && /^int(?:32|64)$/.test(asString(subschema.schema['format'])) && !narrowed;
}

/** How a value that does not fit is turned away, given what was put at the place that is at fault. */
export function expectInvalid(put: Value): Expectation {
  // A reader may set limits to numbers (RFC 8259 section 6), and say so before it looks at the schema.
  const beyond = put instanceof NumberLiteral && !Number.isFinite(Number(put.text));
  return beyond ? expectRefusal('mismatch', 'malformed') : expectRefusal('mismatch');
}

function keywordCase(
  context: OperationContext,
  slot: Slot,
  { value, put, subschema, keyword, side, site }: Probe,
): Case {
  const { operation, oracle } = context;
  // Text off the wire has no type of its own: what it breaks is judged as its receiver reads it.
  const read = site.instancePointer === '' ? (slot.decode(put) ?? put) : put;
  const proper = oracle.breaks(subschema.pointer, keyword, read);
  const key = constraintKey(operation, slot.label, subschema.pointer, keyword, side);
  return {
    family: 'constraints',
    title: `${slot.label}${site.instancePointer} ${side} ${keyword} of ${subschema.pointer}: ${abbreviate(value)}`,
    operation,
    request: authorizedRequest(context, slot.fill(context.base, value)),
    ...(side === 'holds' && handlerInput(context, slot, value)),
    expect: side === 'holds' ? expectSuccessOrOwnRefusal(context) : expectInvalid(put),
    proves: side === 'holds' || (subschema.unconditional && proper) ? [key] : [],
  };
}

export interface BaseValue {
  readonly value: Value;
  readonly locations: readonly InstanceLocation[];
}
