import type { Document, Operation } from '../document/model';
import { toInteger } from '../json/number';
import { escapeToken, tokensOf } from '../json/tree';
import { NumberLiteral, print, type Value, valueAt } from '../json/value';
import { receivedKey, type ReceivedRule } from '../obligation';
import { acceptsAnyQueryParameter } from '../request/deserialize';
import type { Inputs, Slot } from '../request/slots';
import {
  applicableSubschemas,
  isClosed,
  itemLocations,
  type SchemaLocations,
  propertyLocations,
  propertyNames,
  defaultOf,
} from '../schema/subschemas';
import type { Oracle } from '../schema/oracle';
import type { Received } from '../target';

/** The input that a case determines: all that it sends, and the value in one slot. */
export interface HandlerInput {
  readonly inputs: Inputs;
  /** The value that the receiver decodes. */
  readonly sent?: { readonly slot: Slot; readonly value: Value };
}

interface ReceivedContext {
  readonly document: Document;
  readonly oracle: Oracle;
  readonly operation: Operation;
}

interface ExpectedValue {
  readonly value: Value;
  /** The rules that the value tests. */
  readonly rules: readonly ReceivedRule[];
}

/** The value that the handler must receive: without unlisted properties, and with the defaults of absent ones. */
function expectedValue({ document, oracle }: ReceivedContext, slot: Slot, value: Value): ExpectedValue {
  const rules = new Set<ReceivedRule>(['as sent']);
  const convert = (locations: SchemaLocations, here: Value): Value => {
    const subschemas = applicableSubschemas(document.requests, oracle, locations, here);
    if (Array.isArray(here)) return here.map((entry, i) => convert(itemLocations(subschemas, i), entry));
    if (!(here instanceof Map)) return here;
    const { listed } = propertyNames(subschemas);
    const kept = [...here].filter(([name]) => !isClosed(subschemas) || listed.includes(name));
    if (kept.length < here.size) rules.add('unlisted left out');
    const members = kept.map(([name, member]): [string, Value] => [
      name,
      convert(propertyLocations(subschemas, name), member),
    ]);
    const defaults = listed
      .filter((name) => !here.has(name))
      .flatMap((name): [string, Value][] => {
        const fallback = defaultOf(document.json, propertyLocations(subschemas, name));
        return fallback === undefined ? [] : [[name, fallback]];
      });
    if (defaults.length > 0) rules.add('default');
    return new Map([...members, ...defaults]);
  };
  const converted = convert([{ pointer: slot.schema, unconditional: true }], value);
  return { value: converted, rules: [...rules] };
}

/**
 * Compares the input that the handler received with the expected input.
 *
 * @returns the problems, and the keys of the obligations that the input tests
 */
export function checkReceived(
  context: ReceivedContext,
  { inputs, sent }: HandlerInput,
  received: Received,
): { readonly problems: string[]; readonly proves: string[] } {
  const { document, operation } = context;
  const problems: string[] = [];
  const proves: string[] = [];
  const absent = operation.parameters.filter((parameter) => !inputs.parameters.has(parameter));
  for (const { name, in: location, schema } of absent) {
    const fallback = defaultOf(document.json, [{ pointer: schema, unconditional: true }]);
    const got = ownValue(received[location], name);
    if (fallback !== undefined) {
      problems.push(...valueProblems(`${location} ${name}`, fallback, got));
      proves.push(receivedKey(operation, `${location} ${name}`, 'default'));
    } else if (got !== undefined && !acceptsAnyQueryParameter(document.requests, operation)) {
      problems.push(`expected the handler to receive no ${location} ${name}, got ${truncate(toText(got))}`);
    }
  }
  if (sent) {
    const { slot } = sent;
    const { value, rules } = expectedValue(context, slot, sent.value);
    const got = slot.parameter ? ownValue(received[slot.parameter.in], slot.parameter.name) : received.body;
    problems.push(...valueProblems(slot.label, value, got));
    proves.push(...rules.map((rule) => receivedKey(operation, slot.label, rule)));
  }
  return { problems, proves };
}

/** An own property only: a parameter may have the name of an inherited one. */
const ownValue = (values: Readonly<Record<string, unknown>> | undefined, name: string): unknown =>
  values && Object.hasOwn(values, name) ? values[name] : undefined;

function valueProblems(label: string, expected: Value, got: unknown): string[] {
  const pointer = difference(expected, got);
  if (pointer === undefined) return [];
  const value = valueAt(expected, pointer);
  const gotValue = memberAt(got, pointer);
  const isRounded = value instanceof NumberLiteral && Number(value.text) === Number(gotValue);
  const place = pointer === '' ? label : `${label} at ${pointer}`;
  return [
    `expected the handler to receive ${place} = ${value === undefined ? 'nothing' : truncate(print(value))}, got ${truncate(toText(gotValue))}${isRounded ? ' (rounded to a double)' : ''}`,
  ];
}

/** The member of a JavaScript value at a JSON pointer, or undefined if there is none. */
const memberAt = (got: unknown, pointer: string): unknown =>
  tokensOf(pointer).reduce<unknown>(
    (node, token) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, token)
        ? (node as Record<string, unknown>)[token]
        : undefined,
    got,
  );

/** Text for messages, of at most 200 characters. */
const truncate = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text);

const toText = (got: unknown): string =>
  got === undefined
    ? 'nothing'
    : JSON.stringify(got, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** JSON pointer to the first difference between a value and what a handler received; undefined if there is none. */
function difference(expected: Value, got: unknown, pointer = ''): string | undefined {
  if (expected instanceof NumberLiteral) return equalsNumber(expected.text, got) ? undefined : pointer;
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return pointer;
    return firstDefined(expected.map((entry, i) => difference(entry, got[i], `${pointer}/${i}`)));
  }
  if (expected instanceof Map) {
    if (typeof got !== 'object' || got === null) return pointer;
    const members = new Map(Object.entries(got));
    const extra = [...members.keys()].find((name) => !expected.has(name));
    if (extra !== undefined) return `${pointer}/${escapeToken(extra)}`;
    return firstDefined(
      [...expected].map(([name, member]) =>
        difference(member, members.get(name), `${pointer}/${escapeToken(name)}`),
      ),
    );
  }
  return expected === got ? undefined : pointer;
}

const firstDefined = (pointers: (string | undefined)[]): string | undefined =>
  pointers.find((pointer) => pointer !== undefined);

/** An integer must be exact; a fraction must be the same double. */
function equalsNumber(literal: string, got: unknown): boolean {
  if (typeof got === 'bigint') return toInteger(literal) === got;
  if (typeof got !== 'number') return false;
  return Number(literal) === got;
}
