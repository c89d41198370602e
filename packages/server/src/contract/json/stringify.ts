import { types } from 'node:util';
import { classOf, exactNumber, exactNumbersIn, MAX_DEPTH, opaqueKind } from './values';

type ExactNumbers = NonNullable<ReturnType<typeof exactNumbersIn>>;
type ExactNumber = ReturnType<ExactNumbers['get']>;

/**
 * Converts a value to JSON text. It writes a bigint in full, calls `toJSON`, and leaves out properties that are undefined.
 * It throws for values that JSON.stringify silently converts to `null` or `{}`.
 *
 * @param place the name of the value in messages
 * @throws {TypeError} with the place of a value that JSON does not have
 */
export function stringifyJson(value: unknown, place = 'body'): string {
  const steps = [place];
  try {
    return textOf(value, steps);
  } catch (error) {
    if (error instanceof NotJson) throw new TypeError(`${steps.join('/')} ${error.message}`);
    throw error;
  }
}

/** Its message follows the place in a sentence. */
class NotJson extends Error {}

/** @param steps the path to the value; if this throws, they lead to the fault */
function textOf(value: unknown, steps: string[]): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new NotJson('has half of a surrogate pair');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') return textOfNumber(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (typeof value !== 'object')
    throw new NotJson(`is of the type ${typeof value}, which JSON does not have`);
  if (steps.length > MAX_DEPTH) throw new NotJson(`is nested more than ${MAX_DEPTH} deep`);
  // Buffer.toJSON() describes the object: no schema means that.
  if ('toJSON' in value && typeof value.toJSON === 'function' && !ArrayBuffer.isView(value)) {
    if (types.isDate(value) && Number.isNaN(value.valueOf())) throw new NotJson('is an invalid Date');
    return textOf((value.toJSON as () => unknown)(), steps);
  }
  const exact = exactNumbersIn(value);
  return Array.isArray(value) ? textOfArray(value, exact, steps) : textOfObject(value, exact, steps);
}

function textOfNumber(value: number): string {
  if (!Number.isFinite(value)) throw new NotJson(`is ${value}, not a JSON number`);
  // String() rounds a large integer to 17 digits. The exact value of the double has more.
  const rounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return String(rounded ? BigInt(value) : value);
}

/** @param exact the exact value of the integer that was received there, as it was written */
function textOfPart(item: unknown, exact: ExactNumber, steps: string[]): string {
  const written = exact?.double === item && typeof exact?.integer === 'bigint';
  return written ? (exact.literal ?? String(exact.integer)) : textOf(item, steps);
}

function textOfArray(array: unknown[], exact: ExactNumbers | undefined, steps: string[]): string {
  let text = '';
  for (let i = 0; i < array.length; i++) {
    steps.push(String(i));
    text += (i > 0 ? ',' : '') + textOfPart(array[i], exact?.get(i), steps);
    steps.pop();
  }
  return `[${text}]`;
}

function textOfObject(object: object, exact: ExactNumbers | undefined, steps: string[]): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) assertJson(object);
  let text = '';
  for (const name of Object.keys(object)) {
    const item = (object as Record<string, unknown>)[name];
    if (item === undefined) continue;
    steps.push(name);
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${textOfPart(item, exact?.get(name), steps)}`;
    steps.pop();
  }
  return `{${text}}`;
}

/**
 * Refuses an object that is not data. JSON.stringify writes most of them as `{}`. An instance of any other class is its own
 * properties; if it has none, its value is hidden.
 */
function assertJson(object: object): void {
  const hidden = Object.keys(object).length === 0 && !isOfOtherRealm(object);
  const kind = opaqueKind(object) ?? (hidden ? `${classOf(object)} without properties` : undefined);
  if (kind === undefined) return;
  if (types.isPromise(object)) object.catch(() => undefined); // an unhandled rejection would end the process
  throw new NotJson(`is a ${kind}, which JSON does not have`);
}

/** Whether an object is plain in another realm, such as that of JSON files in Jest. */
function isOfOtherRealm(object: object): boolean {
  const prototype: object = Object.getPrototypeOf(object) as object;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** The canonical JSON text of the value at `holder[key]`, with sorted names. Equal values have the same text. */
export function canonicalJson(holder: object, key: string | number): string {
  const value = (holder as Record<string | number, unknown>)[key];
  if (Array.isArray(value)) return `[${value.map((_, i) => canonicalJson(value, i)).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value, name)}`).join()}}`;
  }
  return String(exactNumber(holder, key) ?? (typeof value === 'bigint' ? value : JSON.stringify(value)));
}
