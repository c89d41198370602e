import { requiredNames } from '../document/document';
import { codecOf } from '../document/media-type';
import { abbreviate, fromJson, print, type Value } from '../json/value';
import { constraintKey } from '../obligations';
import { fitsSlot as isFitting, type Slot, slots, slotSamples } from '../request/slots';
import { type InstanceLocation, instanceLocations } from '../schema/locations';
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
import { contentTypeSpellings } from './media-types';
import { oneWayCases } from './one-way';
import { parameterCases } from './parameters';

/** Every case about the value of a parameter or body: examples, what fits, and each keyword on both sides of its bound. */
export function valueCases(context: OperationContext): ValueCases {
  const found = slots(context.document, context.operation).map((slot) => slotCases(context, slot));
  return {
    cases: [...found.flatMap(({ cases }) => cases), ...parameterCases(context)],
    contradictions: found.flatMap(({ contradictions }) => contradictions),
  };
}

function slotCases(context: OperationContext, slot: Slot): ValueCases {
  const { document, oracle, operation } = context;
  if (slot.body && codecOf(slot.body.name) === 'binary') return binaryCases(context, slot);
  const plain = slotSamples(document, oracle, slot, 'all', 20);
  const bases = coveringValues(context, slot, [
    ...plain,
    ...slotSamples(document, oracle, slot, 'required', 20),
    ...slotSamples(document, oracle, slot, 'any', 100),
  ]);
  const fits = [
    ...slotSamples(document, oracle, slot, 'required', 3),
    ...plain.slice(0, 3),
    ...bases.map(({ value }) => value),
    ...withOptionalMembersToggled(
      bases.flatMap(({ locations: found }) => found),
      slot.body && codecOf(slot.body.name) === 'json' ? ['whatever'] : 'whatever',
    ),
  ].filter((value) => isFitting(oracle, slot, value));
  // An example of a schema for both ways may show what only responses have.
  const ofSchema = slot.schemaExamples
    .map(fromJson)
    .filter((value) => isFitting(oracle, slot, value) || !isFitting(context.responseOracle, slot, value));
  const examples = [...slot.examples.map(fromJson), ...ofSchema];
  const valid =
    (family: 'examples' | 'valid') =>
    (value: Value): Case => ({
      family,
      title: `${slot.label} = ${abbreviate(value)}`,
      operation,
      request: authorizedRequest(context, slot.fill(context.base, value)),
      ...handlerInput(context, slot, value),
      expect: family === 'examples' ? expectSuccess : expectSuccessOrOwnRefusal(context),
      proves: satisfiedConstraints(context, slot, slot.decode(value) ?? value),
    });
  const { cases, contradictions } = keywordCases(context, slot, bases);
  return {
    cases: [
      ...examples.map(valid('examples')),
      ...distinctValues(fits).map(valid('valid')),
      ...cases,
      ...oneWayCases(context, slot),
      ...(plain[0] === undefined ? [] : contentTypeSpellings(context, slot, plain[0])),
    ],
    contradictions,
  };
}

/** Bytes without a schema that says anything about them: all of them fit. */
function binaryCases(context: OperationContext, slot: Slot): ValueCases {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const request = authorizedRequest(context, slot.fill(context.base, 'bytes'));
  const expect = expectSuccessOrOwnRefusal(context);
  const title = `${slot.label} = every byte there is`;
  return {
    cases: [
      {
        family: 'valid',
        title,
        operation: context.operation,
        request: { ...request, body: every },
        expect,
        proves: [],
      },
    ],
    contradictions: [],
  };
}

/** As few of the values as reach every schema object that any of them reaches. */
function coveringValues(
  { document, oracle }: OperationContext,
  slot: Slot,
  values: readonly Value[],
): BaseValue[] {
  const reached = new Set<string>();
  return values.flatMap((value) => {
    const found = instanceLocations(document.requests, oracle, slot.schema, value);
    const pointers = found.flatMap(({ subschemas }) => subschemas.map(({ pointer }) => pointer));
    if (pointers.every((pointer) => reached.has(pointer))) return [];
    for (const pointer of pointers) reached.add(pointer);
    return [{ value, locations: found }];
  });
}

/**
 * The value without each of its optional members, one at a time, and with one more than the schema lists; each once for
 * each schema, however often it comes back in the value.
 */
function withOptionalMembersToggled(found: readonly InstanceLocation[], unlisted: Value): Value[] {
  const done = new Set<string>();
  const toggles: Value[] = [];
  for (const { value, subschemas, replace: put } of found) {
    if (!(value instanceof Map)) continue;
    const schemas = subschemas.map(({ pointer }) => pointer).join();
    const required = subschemas.flatMap(({ schema }) => requiredNames(schema));
    for (const name of [...value.keys(), 'unlisted']) {
      if (required.includes(name) || done.has(`${schemas} ${name}`)) continue;
      done.add(`${schemas} ${name}`);
      const others = [...value].filter(([other]) => other !== name);
      toggles.push(put(new Map(value.has(name) ? others : [...others, [name, unlisted]])));
    }
  }
  return toggles;
}

/** The constraints that a fitting value keeps. */
function satisfiedConstraints(
  { document, oracle, operation }: OperationContext,
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
