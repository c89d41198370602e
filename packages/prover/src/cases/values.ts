import { abbreviate, fromJson, print, type Value } from '../json/value';
import { constraintKey } from '../obligation';
import { fitsSlot, isTyped, type Slot, slots, slotValidity } from '../request/slots';
import { instanceLocations } from '../schema/probes';
import { basesOf, samplesOf, slimBases, withOptionalMembersToggled } from './bases';
import {
  expectSuccess,
  expectSuccessOrOwnRefusal,
  authorizedRequest,
  inputCase,
  type Case,
  type OperationContext,
  handlerInput,
  type ValueCases,
} from './case';
import { keywordCases, oneWayCases } from './keyword-cases';
import { limitRule } from './limits';
import { contentTypeSpellings } from './media-types';
import { parameterCases } from './parameter-cases';

/** The values of parameters and bodies: examples, valid values, and each keyword on both sides of its bound. */
export function valueCases(context: OperationContext): ValueCases {
  const found = slots(context.document, context.operation).map((slot) => slotCases(context, slot));
  return {
    cases: [...found.flatMap(({ cases }) => cases), ...parameterCases(context)],
    contradictions: found.flatMap(({ contradictions }) => contradictions),
    documentFaults: found.flatMap(({ documentFaults }) => documentFaults),
  };
}

function slotCases(context: OperationContext, slot: Slot): ValueCases {
  const { oracle, operation } = context;
  if (slot.codec === 'binary') return binaryCases(context, slot);
  const simple = samplesOf(context, slot, 'all', 20);
  const covering = basesOf(context, slot, simple);
  const bases = covering.flatMap((base) => slimBases(context, slot, base));
  const validValues = [
    ...samplesOf(context, slot, 'required', 3),
    ...simple.slice(0, 3),
    ...covering.map(({ value }) => value),
    ...withOptionalMembersToggled(
      bases.flatMap(({ locations }) => locations),
      isTyped(slot) ? ['whatever'] : 'whatever',
    ),
  ].filter((value) => fitsSlot(oracle, slot, value));
  // The example of a schema that requests and responses share may be valid for responses only.
  const schemaExamples = slot.schemaExamples
    .map(fromJson)
    .filter((value) => fitsSlot(oracle, slot, value) || !fitsSlot(context.responseOracle, slot, value));
  const given = [...slot.examples.map(fromJson), ...schemaExamples];
  const examples = given.filter((value) => fitsSlot(oracle, slot, value));
  const documentFaults = given
    .filter((value) => slotValidity(oracle, slot, value) === 'invalid')
    .map(
      (value) =>
        `${operation.id}, ${slot.label}: the example ${abbreviate(value)} does not fit its schema: ${oracle.errors(slot.schema, slot.decode(value) ?? value)[0] ?? ''}`,
    );
  const validCase =
    (family: 'examples' | 'valid') =>
    (value: Value): Case =>
      inputCase(context, family, `${slot.label} = ${abbreviate(value)}`, slot.fill(context.base, value), {
        ...handlerInput(context, slot, value),
        ...limitRule(context, slot, value),
        expect: family === 'examples' ? expectSuccess : expectSuccessOrOwnRefusal(context),
        proves: satisfiedConstraints(context, slot, slot.decode(value) ?? value),
      });
  const { cases, contradictions } = keywordCases(context, slot, bases);
  return {
    cases: [
      ...examples.map(validCase('examples')),
      ...distinctValues(validValues).map(validCase('valid')),
      ...cases,
      ...oneWayCases(context, slot),
      ...(simple[0] === undefined ? [] : contentTypeSpellings(context, slot, simple[0])),
    ],
    contradictions,
    documentFaults,
  };
}

/** Binary content: every sequence of bytes is valid, unless the media type has a format that the prover does not know. */
function binaryCases(context: OperationContext, slot: Slot): ValueCases {
  const inputs = slot.fill(context.base, 'bytes');
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const sent = inputCase(context, 'valid', `${slot.label} = every byte`, inputs, {
    request: { ...authorizedRequest(context, inputs), body: everyByte },
    expect: expectSuccessOrOwnRefusal(context),
    ...(slot.body?.type !== 'application/octet-stream' && { rule: 'arbitrary content' as const }),
  });
  return { cases: [sent], contradictions: [], documentFaults: [] };
}

/** Keys of the constraints that a valid value satisfies. */
export function satisfiedConstraints(
  { document, oracle, operation }: Pick<OperationContext, 'document' | 'oracle' | 'operation'>,
  slot: Slot,
  value: Value,
): string[] {
  return instanceLocations(document.requests, oracle, slot.schema, value).flatMap(({ subschemas }) =>
    subschemas.flatMap(({ pointer, schema }) =>
      Object.keys(schema).map((keyword) => constraintKey(operation, slot.label, pointer, keyword, 'holds')),
    ),
  );
}

const distinctValues = (values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [print(value), value])).values(),
];
