import type { Document, Operation } from '../document/document';
import { asObject } from '../json/json';
import { toInteger } from '../json/number';
import { objectAt, escapeToken, resolvePointer, pointerOf } from '../json/pointer';
import { fromJson, NumberLiteral, print, type Value } from '../json/value';
import { acceptsAnyQueryParameter } from '../request/deserialize';
import type { Inputs, Slot } from '../request/slots';
import {
  applicableSubschemas,
  isClosed,
  itemLocations,
  type SchemaLocations,
  propertyLocations,
  propertyNames,
} from '../schema/applicable';
import type { Oracle } from '../schema/oracle';
import type { Received } from '../target';

/** What a case is sure that the handler is given: all that it sends, and the value in one of its slots. */
export interface HandlerInput {
  readonly inputs: Inputs;
  /** The value as the receiver reads it off the wire. */
  readonly sent?: { readonly slot: Slot; readonly value: Value };
}

/** What the document owes the handler of a slot: the value, the default of what is absent, nothing that is not listed. */
export type ReceivedRule = 'as sent' | 'default' | 'unlisted left out';

export const receivedKey = (operation: Operation, slot: string, owed: ReceivedRule): string =>
  `${operation.id} | received | ${slot} | ${owed}`;

interface ExpectedValue {
  readonly value: Value;
  readonly shows: readonly ReceivedRule[];
}

/** The value as its type describes it: without what no schema lists, and with the defaults of what is absent. */
function expectedValue({ document, oracle }: ReceivedContext, slot: Slot, value: Value): ExpectedValue {
  const shows = new Set<ReceivedRule>(['as sent']);
  const settle = (location: SchemaLocations, here: Value): Value => {
    const subschemas = applicableSubschemas(document.requests, oracle, location, here);
    if (Array.isArray(here)) return here.map((entry, i) => settle(itemLocations(subschemas, i), entry));
    if (!(here instanceof Map)) return here;
    const { listed } = propertyNames(subschemas);
    const kept = [...here].filter(([name]) => !isClosed(subschemas) || listed.includes(name));
    if (kept.length < here.size) shows.add('unlisted left out');
    const members = kept.map(([name, member]): [string, Value] => [
      name,
      settle(propertyLocations(subschemas, name), member),
    ]);
    const defaults = listed
      .filter((name) => !here.has(name))
      .flatMap((name): [string, Value][] => {
        const given = defaultOf(document, propertyLocations(subschemas, name));
        return given === undefined ? [] : [[name, given]];
      });
    if (defaults.length > 0) shows.add('default');
    return new Map([...members, ...defaults]);
  };
  const settled = settle([{ pointer: slot.schema, unconditional: true }], value);
  return { value: settled, shows: [...shows] };
}

interface ReceivedContext {
  readonly document: Document;
  readonly oracle: Oracle;
  readonly operation: Operation;
}

/** The default that the schemas of a place give, through references and `allOf`; that of the place itself comes first. */
export function defaultOf(document: Document, location: SchemaLocations): Value | undefined {
  const seen = new Set<string>();
  const find = (pointer: string): Value | undefined => {
    if (seen.has(pointer)) return undefined;
    seen.add(pointer);
    const schema = objectAt(document.json, pointer);
    if (schema['default'] !== undefined) return fromJson(schema['default']);
    const parts = Array.isArray(schema['allOf'])
      ? schema['allOf'].map((_, i) => `${pointer}/allOf/${i}`)
      : [];
    const reference = typeof schema['$ref'] === 'string' ? [pointerOf(schema['$ref'])] : [];
    return [...reference, ...parts].map(find).find((given) => given !== undefined);
  };
  return location.map(({ pointer }) => find(pointer)).find((given) => given !== undefined);
}

/** What the handler was given, by what it should have been given: what is wrong, and the keys of what it speaks for. */
export function judgeReceived(
  context: ReceivedContext,
  { inputs, sent }: HandlerInput,
  received: Received,
): { readonly problems: string[]; readonly proves: string[] } {
  const { document, operation } = context;
  const problems: string[] = [];
  const proves: string[] = [];
  for (const { name, in: place, schema } of operation.parameters.filter(
    (one) => !inputs.parameters.has(one),
  )) {
    const given = defaultOf(document, [{ pointer: schema, unconditional: true }]);
    const got = ownValue(received[place], name);
    if (given !== undefined) {
      problems.push(...valueProblems(`${place} ${name}`, given, got));
      proves.push(receivedKey(operation, `${place} ${name}`, 'default'));
    } else if (got !== undefined && !acceptsAnyQueryParameter(document.requests, operation)) {
      problems.push(`expected the handler to be given no ${place} ${name}, got ${truncate(toText(got))}`);
    }
  }
  if (sent) {
    const { slot } = sent;
    const { value, shows } = expectedValue(context, slot, sent.value);
    const got = slot.parameter ? ownValue(received[slot.parameter.in], slot.parameter.name) : received.body;
    problems.push(...valueProblems(slot.label, value, got));
    proves.push(...shows.map((owed) => receivedKey(operation, slot.label, owed)));
  }
  return { problems, proves };
}

/** A parameter may have the name of what every object inherits. */
const ownValue = (values: Readonly<Record<string, unknown>> | undefined, name: string): unknown =>
  values && Object.hasOwn(values, name) ? values[name] : undefined;

function valueProblems(label: string, wanted: Value, got: unknown): string[] {
  const place = difference(wanted, got);
  if (place === undefined) return [];
  return [
    `expected the handler to be given ${label} = ${truncate(print(wanted))}, got ${truncate(toText(got))} (at ${place || 'the whole'})`,
  ];
}

const truncate = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text);
const toText = (got: unknown): string =>
  got === undefined
    ? 'nothing'
    : JSON.stringify(got, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Where a value is not the one that a handler holds; undefined if it is the same everywhere. */
function difference(wanted: Value, got: unknown, place = ''): string | undefined {
  if (wanted instanceof NumberLiteral) return equalsNumber(wanted.text, got) ? undefined : place;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length) return place;
    return firstDefined(wanted.map((entry, i) => difference(entry, got[i], `${place}/${i}`)));
  }
  if (wanted instanceof Map) {
    if (typeof got !== 'object' || got === null) return place;
    const held = new Map(Object.entries(got));
    const other = [...held.keys()].find((name) => !wanted.has(name));
    if (other !== undefined) return `${place}/${escapeToken(other)}`;
    return firstDefined(
      [...wanted].map(([name, member]) =>
        difference(member, held.get(name), `${place}/${escapeToken(name)}`),
      ),
    );
  }
  return wanted === got ? undefined : place;
}

const firstDefined = (places: (string | undefined)[]): string | undefined =>
  places.find((place) => place !== undefined);

/** An integer to the last digit, a fraction as its double. */
function equalsNumber(literal: string, got: unknown): boolean {
  if (typeof got === 'bigint') return toInteger(literal) === got;
  if (typeof got !== 'number') return false;
  return Number(literal) === got;
}

/** Keywords beside which an object may have no room for a property that is not listed. */
const LIMITING_KEYWORDS = [
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'maxProperties'],
  ...['enum', 'const', 'not'],
];

/** What is owed to the handler of the value in a slot. */
export function receivedRules({ json, ...document }: Document, slot: Slot): ReceivedRule[] {
  const pointer = resolvePointer(json, slot.schema);
  const schema = objectAt(json, pointer);
  const places = [
    ...(slot.parameter && !slot.required ? [pointer] : []),
    ...Object.keys(asObject(schema['properties'])).map(
      (name) => `${pointer}/properties/${escapeToken(name)}`,
    ),
  ];
  const filled = places.some((place) =>
    defaultOf({ json, ...document }, [{ pointer: place, unconditional: true }]),
  );
  const admitting = LIMITING_KEYWORDS.every((keyword) => schema[keyword] === undefined);
  const closed = slot.body !== undefined && admitting && isClosed([{ pointer, schema, unconditional: true }]);
  return [
    'as sent',
    ...(filled ? (['default'] as const) : []),
    ...(closed ? (['unlisted left out'] as const) : []),
  ];
}
