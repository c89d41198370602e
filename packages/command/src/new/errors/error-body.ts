/** Finds how a document writes errors: the shape of a body, as a value with facts in it. */
import { isObject } from 'contract-first-server/tools';
import { quoted } from '../../generate/handler-names';
import { codeOf, Expression } from '../code';

/** What the body of an error can say. */
export interface Facts {
  readonly message: string;
  readonly kind: string;
  readonly status: number;
  readonly number: number;
}

/** Each fact as code, and as a value. */
const FACTS = {
  message: { code: 'message', value: ({ message }: Facts): unknown => message },
  kind: { code: 'kind', value: ({ kind }: Facts): unknown => kind },
  status: { code: 'status', value: ({ status }: Facts): unknown => status },
  statusText: { code: 'String(status)', value: ({ status }: Facts): unknown => String(status) },
  number: { code: 'ERRORS[kind].number', value: ({ number }: Facts): unknown => number },
  // RFC 9457 section 4.2.1: the type of a problem that has no semantics beyond its status.
  blank: { code: "'about:blank'", value: (): unknown => 'about:blank' },
  title: { code: "STATUS_CODES[status] ?? 'Error'", value: (): unknown => 'A title' },
  now: { code: 'new Date().toISOString()', value: (): unknown => new Date().toISOString() },
} as const;

/** Stands in a shape for what an error says. */
export class Fact extends Expression {
  /** @param isInt64 an integer of 64 bits is a bigint in an answer */
  constructor(
    readonly name: keyof typeof FACTS,
    readonly isInt64 = false,
  ) {
    super(isInt64 ? `BigInt(${FACTS[name].code})` : FACTS[name].code);
  }
}

/** Stands in a shape for one of two values of a list: who is at fault, the client or the server. */
class Fault extends Expression {
  constructor(
    readonly client: string,
    readonly server: string,
  ) {
    super(`status < 500 ? ${quoted(client)} : ${quoted(server)}`);
  }
}

/** Values of lists that say who is at fault, the surest first. */
const CLIENT = [/(invalid|bad)_?request|validation/i, /^(invalid|client)(?!.*server)/i];
const SERVER = [/^(internal|server)|(internal|server)_?error$/i, /^((api|unknown|unexpected)_?)?error$/i];

/** What a person would choose of the values of a list: by whose fault it is; undefined if none says so. */
function faultOf(values: readonly unknown[]): Fault | string | undefined {
  const texts = values.filter((value) => typeof value === 'string');
  const [client, server] = [CLIENT, SERVER].map((patterns) =>
    patterns.map((pattern) => texts.find((text) => pattern.test(text))).find((text) => text !== undefined),
  );
  return client === undefined || server === undefined ? client : new Fault(client, server);
}

/** A place of a shape. */
interface Place {
  readonly path: readonly string[];
  readonly value: unknown;
  /** The name of the property; of an item of a list: of the list. */
  readonly name: string;
  /** The names of the properties beside it. */
  readonly beside: readonly string[];
}

const MESSAGE = /^(message|msg|detail|description|error_?message|error_?description|reason)$/i;
const TITLE = /^(title|error|summary)$/i;
const STATUS = /^(http_?)?status(_?code)?$/i;
const CODE = /^(error_?)?(code|number)$/i;
/** Names below which any sentence is about an error. */
const ERROR = /err|fault|problem|fail|invalid|violation|issue|reason|detail/i;
/** Texts that are no sentences for people. */
const NO_SENTENCE =
  /(^(type|instance|lang\w*|version|locale)|id|ur[il]|time(stamp)?|date|code|status|path)$/i;

/** The values that a place in a body can have, if the document lists them. */
type Listed = (path: readonly string[]) => readonly unknown[];

/**
 * The shape of an error body, whatever its form: a body that conforms, with facts in the places of texts and numbers as far as
 * it conforms then. What may be absent and says nothing is left out.
 *
 * @param name of its schema; empty if it has none
 * @param bodies conforming bodies, the best first
 * @param fits whether each body of a shape is as documented
 * @param listed the values of a place, where the document lists them and names none
 * @returns the first that can say what is wrong, or else the first; undefined if none fits
 */
export function errorBodyOf(
  name: string,
  bodies: Iterable<unknown>,
  fits: (shape: unknown) => boolean,
  listed: Listed,
): unknown {
  let first: unknown;
  for (const body of bodies) {
    if (!fits(body)) continue;
    const shape = shapeOf(name, body, fits, listed);
    if (says(shape)) return shape;
    first ??= shape;
  }
  return first;
}

function shapeOf(schema: string, body: unknown, fits: (shape: unknown) => boolean, listed: Listed): unknown {
  let shape = body;
  const attempt = (path: readonly string[], value: unknown): boolean => {
    const next = put(shape, path, value);
    if (!fits(next)) return false;
    shape = next;
    return true;
  };
  const places = [...placesOf(body)];
  for (const place of places) candidates(place).some((value) => attempt(place.path, value));
  if (!says(shape))
    places.find(
      ({ path, value, name }) =>
        typeof value === 'string' &&
        !NO_SENTENCE.test(name) &&
        [schema, ...path].some((step) => ERROR.test(step)) &&
        attempt(path, new Fact('message')),
    );
  // From the last to the first, so that the items of a list keep their places.
  for (const { path, beside } of places.toReversed()) {
    const value = at(shape, path);
    const repeats = isNested(value) && beside.some((name) => MESSAGE.test(name));
    if (path.length > 0 && (repeats || saysNothing(value))) attempt(path, undefined);
  }
  // What must be there and says nothing is null, rather than what another error would say.
  for (const { path } of places) {
    const value = at(shape, path);
    if (path.length > 0 && value !== undefined && value !== null && saysNothing(value)) attempt(path, null);
  }
  // Of what must be one of a list, the first is rarely the case.
  for (const { path, value } of places) {
    const fault = at(shape, path) === value && typeof value === 'string' ? faultOf(listed(path)) : undefined;
    if (fault !== undefined) attempt(path, fault);
  }
  return shape;
}

const saysNothing = (shape: unknown): boolean =>
  ![...placesOf(shape)].some(({ value }) => value instanceof Fact);

/** Whether a body of this shape has the message, or another fact. */
export const says = (shape: unknown, fact = /^message$/): boolean =>
  [...placesOf(shape)].some(
    ({ value }) =>
      (value instanceof Fact && fact.test(value.name)) || (value instanceof Fault && fact.test('status')),
  );

/** The code of each fact in a shape. */
export const factsIn = (shape: unknown): string[] =>
  [...placesOf(shape)].flatMap(({ value }) => (value instanceof Expression ? value.code : []));

/** The place of the error number in a shape; undefined if it has none. */
export const numberPlace = (shape: unknown): readonly string[] | undefined =>
  [...placesOf(shape)].find(({ value }) => value instanceof Fact && value.name === 'number')?.path;

/** What may stand in a place, by its name and its value. */
function candidates({ value, name, beside }: Place): unknown[] {
  const isExplained = beside.some((other) => MESSAGE.test(other));
  const facts = (...names: (keyof typeof FACTS)[]) => names.map((each) => new Fact(each));
  if (typeof value === 'number' || typeof value === 'bigint') {
    const isInt64 = typeof value === 'bigint';
    if (STATUS.test(name)) return [new Fact('status', isInt64)];
    return CODE.test(name) || /^error$/i.test(name)
      ? [new Fact('number', isInt64), new Fact('status', isInt64)]
      : [];
  }
  if (typeof value !== 'string') return [];
  if (MESSAGE.test(name) || name === '') return facts('message');
  if (TITLE.test(name)) return facts(isExplained ? 'title' : 'message');
  if (/^type$/i.test(name))
    return facts(beside.some((other) => /^(title|status|detail)$/i.test(other)) ? 'blank' : 'kind');
  if (CODE.test(name)) return facts('kind');
  if (STATUS.test(name)) return facts('statusText');
  return /^(time|timestamp|date)$/i.test(name) ? facts('now') : [];
}

/** All places of a shape, the outer before the inner. */
function* placesOf(
  value: unknown,
  path: readonly string[] = [],
  name = '',
  beside: readonly string[] = [],
): Generator<Place> {
  yield { path, value, name, beside };
  if (!isNested(value)) return;
  const isList = Array.isArray(value);
  for (const [step, member] of Object.entries(value)) {
    const others = isList ? beside : Object.keys(value).filter((other) => other !== step);
    yield* placesOf(member, [...path, step], isList ? name : step, others);
  }
}

const isNested = (value: unknown): value is object =>
  Array.isArray(value) ||
  (isObject(value) && !(value instanceof Expression) && !(value instanceof Uint8Array));

const at = (shape: unknown, path: readonly string[]): unknown =>
  path.reduce((value, step) => (isNested(value) ? (Reflect.get(value, step) as unknown) : undefined), shape);

/** An object or list with other members; one that becomes undefined is left out. */
function changed(nested: object, change: (member: unknown, name: string) => unknown): unknown {
  const entries = Object.entries(nested)
    .map(([name, member]) => [name, change(member, name)] as const)
    .filter(([, member]) => member !== undefined);
  return Array.isArray(nested) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

/** A shape with another value in a place; undefined: without it. */
const put = (shape: unknown, [step, ...rest]: readonly string[], value: unknown): unknown =>
  step === undefined || !isNested(shape)
    ? value
    : changed(shape, (member, name) => (name === step ? put(member, rest, value) : member));

/** The body of an error. */
export function valueOf(shape: unknown, facts: Facts): unknown {
  if (shape instanceof Fact) {
    const value = FACTS[shape.name].value(facts);
    return shape.isInt64 ? BigInt(value as number) : value;
  }
  if (shape instanceof Fault) return facts.status < 500 ? shape.client : shape.server;
  return isNested(shape) ? changed(shape, (member) => valueOf(member, facts)) : shape;
}

/** The members of a body that tell a kind of refusal from another, as code; empty if there are none. */
export function recognizable(shape: unknown): string {
  const members = isObject(shape) && !(shape instanceof Fact) ? Object.entries(shape) : [];
  const plain = members.flatMap(([name, value]) =>
    value instanceof Fact && /^(kind|status|number)$/.test(value.name)
      ? [[name, new Fact(value.name)] as const]
      : [],
  );
  return plain.length === 0 ? '' : codeOf(Object.fromEntries(plain));
}
