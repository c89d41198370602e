import { requiredNames } from '../document/model';
import { abbreviate, fromJson, print, type Value } from '../json/value';
import { constraintKey } from '../obligation';
import { fitsSlot, isTyped, type Slot, slots, slotSamples, slotVerdict } from '../request/slots';
import { type InstanceLocation, instanceLocations } from '../schema/probes';
import type { Mode } from '../schema/samples';
import { withAcceptedValues } from './accepted-values';
import {
  expectSuccess,
  expectSuccessOrOwnRefusal,
  authorizedRequest,
  type Case,
  type OperationContext,
  handlerInput,
  type ValueCases,
} from './case';
import { type BaseValue, keywordCases } from './keywords';
import { limitRule } from './limits';
import { contentTypeSpellings } from './media-types';
import { oneWayCases } from './one-way';
import { slimBases } from './slim';
import { parameterCases } from './parameters';

/** The values of parameters and bodies: examples, valid values, and each keyword on both sides of its bound. */
export function valueCases(context: OperationContext): ValueCases {
  const found = slots(context.document, context.operation).map((slot) => slotCases(context, slot));
  return {
    cases: [...found.flatMap(({ cases }) => cases), ...parameterCases(context)],
    contradictions: found.flatMap(({ contradictions }) => contradictions),
    documentFaults: found.flatMap(({ documentFaults }) => documentFaults),
  };
}

/** Valid values that together reach every part of the schema of a slot. */
export function basesOf(context: OperationContext, slot: Slot): BaseValue[] {
  const { document, oracle } = context;
  const sample = (mode: Mode, count: number) => slotSamples(document, oracle, slot, mode, count);
  return coveringValues(context, slot, [
    ...sample('all', 20),
    ...sample('required', 20),
    ...sample('any', 100),
  ]);
}

function slotCases(context: OperationContext, slot: Slot): ValueCases {
  const { document, oracle, operation, target } = context;
  if (slot.codec === 'binary') return binaryCases(context, slot);
  // Accepted values first; the others reach the branches of a schema that these do not.
  const sample = (mode: Mode, count: number): Value[] => {
    const values = slotSamples(document, oracle, slot, mode, count);
    return target.blackBox
      ? [...values.map((value) => withAcceptedValues(context, slot, value, 'all')), ...values]
      : values;
  };
  const simple = sample('all', 20);
  const covering = coveringValues(context, slot, [
    ...simple,
    ...sample('required', 20),
    ...sample('any', 100),
  ]);
  const bases = covering.flatMap((base) => slimBases(context, slot, base));
  const validValues = [
    ...sample('required', 3),
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
    .filter((value) => slotVerdict(oracle, slot, value) === 'invalid')
    .map(
      (value) =>
        `${operation.id}, ${slot.label}: the example ${abbreviate(value)} does not fit its schema: ${oracle.errors(slot.schema, slot.decode(value) ?? value)[0] ?? ''}`,
    );
  const validCase =
    (family: 'examples' | 'valid') =>
    (value: Value): Case => ({
      family,
      title: `${slot.label} = ${abbreviate(value)}`,
      operation,
      request: authorizedRequest(context, slot.fill(context.base, value)),
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

/** Names of members that a schema may not list. Each object in JavaScript inherits the second. */
const UNLISTED = ['unlisted', 'constructor'];

/** Binary content: every sequence of bytes is valid, unless the media type has a format that the engine does not know. */
function binaryCases(context: OperationContext, slot: Slot): ValueCases {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const request = authorizedRequest(context, slot.fill(context.base, 'bytes'));
  const expect = expectSuccessOrOwnRefusal(context);
  const title = `${slot.label} = every byte`;
  return {
    cases: [
      {
        family: 'valid',
        title,
        operation: context.operation,
        request: { ...request, body: everyByte },
        expect,
        ...(slot.body?.type !== 'application/octet-stream' && { rule: 'arbitrary content' as const }),
        proves: [],
      },
    ],
    contradictions: [],
    documentFaults: [],
  };
}

/** Values that together reach every schema object which any of the given values reaches. */
function coveringValues(
  { document, oracle }: OperationContext,
  slot: Slot,
  values: readonly Value[],
): BaseValue[] {
  const reached = new Set<string>();
  return values.flatMap((value) => {
    const locations = instanceLocations(document.requests, oracle, slot.schema, value);
    const pointers = locations.flatMap(({ subschemas }) => subschemas.map(({ pointer }) => pointer));
    if (pointers.every((pointer) => reached.has(pointer))) return [];
    for (const pointer of pointers) reached.add(pointer);
    return [{ value, locations }];
  });
}

/**
 * The value without one of its optional members, for each of them, and the value with an unlisted member. A recursive
 * schema is varied once.
 */
function withOptionalMembersToggled(locations: readonly InstanceLocation[], unlisted: Value): Value[] {
  const done = new Set<string>();
  const toggled: Value[] = [];
  for (const { value, subschemas, replace } of locations) {
    if (!(value instanceof Map)) continue;
    const schemas = subschemas.map(({ pointer }) => pointer).join();
    const required = subschemas.flatMap(({ schema }) => requiredNames(schema));
    for (const name of [...value.keys(), ...UNLISTED]) {
      if (required.includes(name) || done.has(`${schemas} ${name}`)) continue;
      done.add(`${schemas} ${name}`);
      const others = [...value].filter(([other]) => other !== name);
      toggled.push(replace(new Map(value.has(name) ? others : [...others, [name, unlisted]])));
    }
  }
  return toggled;
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
