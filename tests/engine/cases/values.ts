import { requiredNames } from '../document/document';
import { codec } from '../document/media-type';
import { brief, fromJson, print, type Value } from '../json/value';
import { constraintKey } from '../obligations';
import { fits as isFitting, type Slot, slots, slotSamples } from '../request/slots';
import { type Site, sites } from '../schema/locations';
import { accepted, admitted, authorised, type Case, type Context, delivering, type Found } from './case';
import { type Base, trialCases } from './keywords';
import { respelled } from './media-types';
import { markedCases } from './one-way';
import { parameterCases } from './parameters';

/** Every case about the value of a parameter or body: examples, what fits, and each keyword on both sides of its bound. */
export function valueCases(context: Context): Found {
  const found = slots(context.document, context.operation).map((slot) => slotCases(context, slot));
  return {
    cases: [...found.flatMap(({ cases }) => cases), ...parameterCases(context)],
    contradictions: found.flatMap(({ contradictions }) => contradictions),
  };
}

function slotCases(context: Context, slot: Slot): Found {
  const { document, oracle, operation } = context;
  if (slot.body && codec(slot.body.name) === 'binary') return binaryCases(context, slot);
  const plain = slotSamples(document, oracle, slot, 'all', 20);
  const bases = covering(context, slot, [
    ...plain,
    ...slotSamples(document, oracle, slot, 'required', 20),
    ...slotSamples(document, oracle, slot, 'any', 100),
  ]);
  const fits = [
    ...slotSamples(document, oracle, slot, 'required', 3),
    ...plain.slice(0, 3),
    ...bases.map(({ value }) => value),
    ...toggled(
      bases.flatMap(({ found }) => found),
      slot.body && codec(slot.body.name) === 'json' ? ['whatever'] : 'whatever',
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
      title: `${slot.label} = ${brief(value)}`,
      operation,
      request: authorised(context, slot.fill(context.base, value)),
      ...delivering(context, slot, value),
      expect: family === 'examples' ? accepted : admitted(context),
      proves: held(context, slot, slot.read(value) ?? value),
    });
  const { cases, contradictions } = trialCases(context, slot, bases);
  return {
    cases: [
      ...examples.map(valid('examples')),
      ...distinct(fits).map(valid('valid')),
      ...cases,
      ...markedCases(context, slot),
      ...(plain[0] === undefined ? [] : respelled(context, slot, plain[0])),
    ],
    contradictions,
  };
}

/** Bytes without a schema that says anything about them: all of them fit. */
function binaryCases(context: Context, slot: Slot): Found {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const request = authorised(context, slot.fill(context.base, 'bytes'));
  const expect = admitted(context);
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
function covering({ document, oracle }: Context, slot: Slot, values: readonly Value[]): Base[] {
  const reached = new Set<string>();
  return values.flatMap((value) => {
    const found = sites(document.requests, oracle, slot.schema, value);
    const pointers = found.flatMap(({ fragments }) => fragments.map(({ pointer }) => pointer));
    if (pointers.every((pointer) => reached.has(pointer))) return [];
    for (const pointer of pointers) reached.add(pointer);
    return [{ value, found }];
  });
}

/**
 * The value without each of its optional members, one at a time, and with one more than the schema lists; each once for
 * each schema, however often it comes back in the value.
 */
function toggled(found: readonly Site[], unlisted: Value): Value[] {
  const done = new Set<string>();
  const toggles: Value[] = [];
  for (const { value, fragments, put } of found) {
    if (!(value instanceof Map)) continue;
    const schemas = fragments.map(({ pointer }) => pointer).join();
    const required = fragments.flatMap(({ schema }) => requiredNames(schema));
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
function held({ document, oracle, operation }: Context, slot: Slot, value: Value): string[] {
  return sites(document.requests, oracle, slot.schema, value).flatMap(({ fragments }) =>
    fragments.flatMap(({ pointer, schema }) =>
      Object.keys(schema).map((keyword) => constraintKey(operation, slot.label, pointer, keyword, 'holds')),
    ),
  );
}

const distinct = (values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [print(value), value])).values(),
];
