import type { Document, Operation, Parameter } from '../document/model';
import { isSame, NumberLiteral, print, rounded, toInteger, type Value, valueAt } from '../json/value';
import { escapeToken, textOf, tokensOf } from '../json/tree';
import { ruleKey, type ReceivedRule } from '../obligation';
import { acceptsAnyQueryParameter } from '../request/serialize';
import type { Inputs, Slot } from '../request/slots';
import {
  anyValueOf,
  applicableSubschemas,
  isClosed,
  itemLocations,
  type SchemaLocations,
  propertyLocations,
  propertyNames,
  defaultOf,
} from '../schema/locations';
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

/**
 * The value that the handler must receive: without unlisted properties, and with the defaults of absent ones; and the rules
 * that it tests.
 */
function expectedValue(
  { document, oracle }: ReceivedContext,
  slot: Slot,
  sent: Value,
): { readonly value: Value; readonly rules: ReadonlySet<ReceivedRule> } {
  const rules = new Set<ReceivedRule>(['as sent']);
  const convert = (locations: SchemaLocations, here: Value): Value => {
    const isList = Array.isArray(here);
    if (here instanceof NumberLiteral) {
      // Handlers have exact integers of 64 bits only where the document says so, and doubles otherwise.
      const known = applicableSubschemas(document.requests, oracle, locations, here);
      return known.some(({ schema }) => schema['format'] === 'int64') ? here : rounded(here);
    }
    if (!isList && !(here instanceof Map)) return here;
    const subschemas = applicableSubschemas(document.requests, oracle, locations, here);
    if (isList) return here.map((entry, i) => convert(itemLocations(subschemas, i), entry));
    const { listed } = propertyNames(subschemas);
    const members = new Map<string, Value>();
    for (const [name, member] of here)
      if (isClosed(subschemas) && !listed.includes(name)) rules.add('unlisted left out');
      else members.set(name, convert(propertyLocations(subschemas, name), member));
    for (const name of listed) {
      const fallback = here.has(name)
        ? undefined
        : defaultOf(document.json, propertyLocations(subschemas, name));
      if (fallback === undefined) continue;
      members.set(name, fallback);
      rules.add('default');
    }
    return members;
  };
  return { value: convert(anyValueOf(slot.schema), sent), rules };
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
  for (const parameter of absent) {
    const { name, in: location, schema } = parameter;
    const fallback = defaultOf(document.json, anyValueOf(schema));
    const got = receivedAs(parameter, received);
    if (fallback !== undefined) {
      problems.push(...valueProblems(`${location} ${name}`, fallback, got));
      proves.push(ruleKey(operation, 'received', `${location} ${name}`, 'default'));
    } else if (got !== undefined && !acceptsAnyQueryParameter(document.requests, operation)) {
      problems.push(`expected the handler to receive no ${location} ${name}, got ${truncate(toText(got))}`);
    }
  }
  const isStream = operation.body?.content.some(
    (media) => media.isStream && media.type === inputs.body?.type,
  );
  if (isStream === true && received.isStream !== true)
    problems.push('expected the handler to receive the body as a stream, got it whole');
  if (sent) {
    const { slot } = sent;
    const { value, rules } = expectedValue(context, slot, sent.value);
    const got = slot.parameter ? receivedAs(slot.parameter, received) : received.body;
    problems.push(...valueProblems(slot.label, value, got));
    for (const rule of rules) proves.push(ruleKey(operation, 'received', slot.label, rule));
  }
  return { problems, proves };
}

/** The value of a parameter. An own property only: it may have the name of an inherited one. */
function receivedAs({ in: location, name }: Parameter, received: Received): unknown {
  return location === 'querystring' ? received.query : memberAt(received[location], `/${escapeToken(name)}`);
}

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

const toText = (got: unknown): string => (got === undefined ? 'nothing' : textOf(got));

/** JSON pointer to the first difference between a value and what a handler received; undefined if there is none. */
function difference(expected: Value, got: unknown, pointer = ''): string | undefined {
  if (expected instanceof NumberLiteral) return equalsNumber(expected.text, got) ? undefined : pointer;
  if (expected === null || typeof expected !== 'object') {
    const isSame = got instanceof Uint8Array ? Buffer.from(got).equals(bytesOf(expected)) : expected === got;
    return isSame ? undefined : pointer;
  }
  const isList = Array.isArray(expected);
  if (typeof got !== 'object' || got === null || Array.isArray(got) !== isList) return pointer;
  const wanted = new Map(isList ? expected.map((entry, index) => [String(index), entry]) : expected);
  const members = new Map<string, unknown>(Object.entries(got));
  if (isList && members.size !== wanted.size) return pointer;
  const extra = [...members.keys()].find((name) => !wanted.has(name));
  if (extra !== undefined) return `${pointer}/${escapeToken(extra)}`;
  for (const [name, member] of wanted) {
    const found = difference(member, members.get(name), `${pointer}/${escapeToken(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const bytesOf = (text: Value): Buffer => Buffer.from(typeof text === 'string' ? text : '');

/** A fraction must be the same double, an integer be exact: a double is it, or prints with the same digits. */
export function equalsNumber(literal: string, got: unknown): boolean {
  const integer = toInteger(literal);
  if (typeof got === 'bigint') return integer === got;
  if (typeof got !== 'number' || Number(literal) !== got) return false;
  const isExact = integer === undefined || (Number.isInteger(got) && BigInt(got) === integer);
  return isExact || isSame(new NumberLiteral(literal), new NumberLiteral(String(got)));
}
