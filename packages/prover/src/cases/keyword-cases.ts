import { excludingKeyword } from '../document/direction';
import { abbreviate, NumberLiteral, rounded, type Value } from '../json/value';
import { constraintKey } from '../obligation';
import { arriving, isTyped, type Slot, slotValidity, whyNotCarried } from '../request/slots';
import { oneWayViolations, type Probe, probes } from '../schema/probes';
import { constraints } from '../schema/constraints';
import { admittedTypes } from '../schema/locations';
import type { BaseValue } from './bases';
import { hasNoSemantics, isEmptyParameter, limitRule } from './limits';
import {
  type Case,
  type Expectation,
  expectRefusal,
  expectSuccessOrOwnRefusal,
  handlerInput,
  inputCase,
  type OperationContext,
  type UnsentCase,
  type ValueCases,
} from './case';
import { asString } from '../json/tree';

/** Keywords whose probes are certainly violations. If the oracle disagrees, the oracle is wrong. */
const UNAMBIGUOUS_KEYWORDS = [
  ...['type', 'format', 'required', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];

/** Keywords that may exclude the bounds of an integer format. */
const NARROWING_KEYWORDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['enum', 'const', 'not'],
];

/** Each keyword of each schema once, on both sides of its bound. */
export function keywordCases(
  context: OperationContext,
  slot: Slot,
  bases: readonly BaseValue[],
): Pick<ValueCases, 'cases' | 'contradictions' | 'unsent'> {
  const tested = new Set<string>();
  const contradictions: string[] = [];
  const unsent: UnsentCase[] = [];
  const cases = bases.flatMap(({ locations }) => {
    const untested = probes(locations).filter(
      ({ subschema, keyword }) => !tested.has(`${subschema.pointer} ${keyword}`),
    );
    for (const { subschema, keyword } of untested) tested.add(`${subschema.pointer} ${keyword}`);
    return untested.flatMap((probe) => {
      const validity = slotValidity(context.oracle, slot, probe.value);
      if (validity === undefined) unsent.push(...unsentProbe(context, slot, probe));
      if (validity === undefined) return [];
      if ((validity === 'valid') === (probe.side === 'holds')) {
        const made = keywordCase(context, slot, probe);
        const reason = probe.side === 'violates' ? whyTooLarge(context, made) : undefined;
        if (reason === undefined) return [made];
        unsent.push({ family: 'constraints', reason, about: made.proves });
        return [];
      }
      if (mustAgree(slot, probe)) {
        contradictions.push(
          `${slot.label}: expected the oracle to agree that ${abbreviate(probe.value)} ${probe.side} ${probe.keyword} at ${probe.subschema.pointer}, got ${validity}`,
        );
      }
      return [];
    });
  });
  return { cases, contradictions, unsent };
}

/** Why the server answers 413 before it judges a case: the body is larger than it accepts. Undefined if it is not. */
function whyTooLarge({ operation, target }: OperationContext, { request }: Case): string | undefined {
  const limit = operation.bodyLimit ?? target.bodyLimit ?? Infinity;
  const length = request.body?.length ?? 0;
  return length > limit ? `a body of more than ${limit} bytes is larger than the server accepts` : undefined;
}

/** The case of a probe that is not sent because of the codec. */
function unsentProbe(
  { oracle, operation }: OperationContext,
  slot: Slot,
  { value, subschema, keyword, side }: Probe,
): UnsentCase[] {
  const reason = whyNotCarried(slot, value);
  if (reason === undefined || oracle.valid(slot.schema, value) !== (side === 'holds')) return [];
  const key = constraintKey(operation, slot.label, subschema.pointer, keyword, side);
  return [{ family: 'constraints', reason, about: [key] }];
}

/** Whether generator and oracle must agree on a probe. Other probes may satisfy or violate a keyword beside theirs. */
function mustAgree(slot: Slot, { subschema, keyword, side, location }: Probe): boolean {
  if (!subschema.unconditional || !isTyped(slot)) return false;
  if (side === 'violates') return UNAMBIGUOUS_KEYWORDS.includes(keyword);
  const isNarrowed = location.subschemas.some(({ schema }) =>
    NARROWING_KEYWORDS.some((other) => schema[other] !== undefined),
  );
  // Of a text in the JSON of gRPC, `format: int64` is an annotation.
  const isNumber = admittedTypes(location.subschemas).some((type) => type === 'number' || type === 'integer');
  const isInteger = keyword === 'format' && /^int(?:32|64)$/.test(asString(subschema.schema['format']));
  return isInteger && isNumber && !isNarrowed;
}

function keywordCase(
  context: OperationContext,
  slot: Slot,
  { value, replacement, subschema, keyword, side, location }: Probe,
): Case {
  const { operation, oracle } = context;
  const { label } = slot;
  const key = constraintKey(operation, label, subschema.pointer, keyword, side);
  // Text on the wire has no type, so the keyword applies to the decoded value.
  const decoded = location.instancePointer === '' ? (slot.decode(replacement) ?? replacement) : replacement;
  const isProof =
    side === 'holds' || (subschema.unconditional && oracle.breaks(subschema.pointer, keyword, decoded));
  const title = `${label}${location.instancePointer} ${side} ${keyword} of ${subschema.pointer}: ${abbreviate(value)}`;
  return inputCase(context, 'constraints', title, slot.fill(context.base, value), {
    ...(side === 'holds'
      ? {
          ...handlerInput(context, slot, value),
          ...limitRule(context, slot, value),
          expect: expectSuccessOrOwnRefusal(context),
        }
      : { ...fault(context, slot, value), expect: expectInvalid(replacement) }),
    about: key,
    proves: isProof ? [key] : [],
  });
}

/** Values that contain a property which is `readOnly`. */
export function oneWayCases(context: OperationContext, slot: Slot): Case[] {
  const { document, oracle, operation } = context;
  const keyword = excludingKeyword(document.requests);
  const excluded = constraints(document.requests, slot.schema).filter((found) => found.keyword === keyword);
  return excluded.flatMap(({ pointer }) =>
    oneWayViolations(document.requests, oracle, slot.schema, pointer)
      .map((value) => arriving(slot, value))
      .filter((value) => slotValidity(oracle, slot, value) === 'invalid')
      .slice(0, 2)
      .map((value) => {
        const title = `${slot.label} contains ${pointer}, which is ${keyword}: ${abbreviate(value)}`;
        return inputCase(context, 'constraints', title, slot.fill(context.base, value), {
          expect: expectRefusal('invalid request'),
          rule: 'readOnly in a request',
          location: 'body',
          proves: [constraintKey(operation, slot.label, pointer, keyword, 'violates')],
        });
      }),
  );
}

/**
 * Where a fault is, and the rule that it breaks: a value may be invalid only by annotations such as `format`, or only
 * by digits that a double does not have.
 */
export function fault(
  context: Pick<OperationContext, 'lenientOracle' | 'target' | 'operation'>,
  slot: Slot,
  value: Value,
): Required<Pick<Case, 'rule' | 'location'>> {
  const decoded = slot.decode(value) ?? value;
  const isValid = (read: Value): boolean => context.lenientOracle.valid(slot.schema, read);
  const location = slot.parameter?.in ?? 'body';
  if (hasNoSemantics(context, slot)) return { rule: 'content without semantics', location };
  if (isEmptyParameter(context, slot, value)) return { rule: 'empty parameter', location };
  if (isValid(decoded)) return { rule: 'invalid format', location };
  return { rule: isValid(rounded(decoded)) ? 'excess precision' : 'invalid request', location };
}

/**
 * The refusal of an invalid value.
 *
 * @param fault the part of the value that is invalid
 */
export function expectInvalid(fault: Value): Expectation {
  // RFC 8259 section 6: a parser may limit the range of numbers. It then refuses the text before the schema applies.
  const isOutOfRange = fault instanceof NumberLiteral && !Number.isFinite(Number(fault.text));
  return isOutOfRange ? expectRefusal('invalid request', 'malformed') : expectRefusal('invalid request');
}
