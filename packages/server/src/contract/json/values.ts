/**
 * Values as the server holds them: plain data with doubles. The exact value of a number that its double cannot represent is in a
 * map beside the object or array that has it: `exactNumber(holder, key)`.
 */
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import { type Decimal, integerOf, parseDecimal } from './decimal';

/** The maximum depth of nesting, so that recursion over a value cannot exhaust the stack. */
export const MAX_DEPTH = 64;

/** The object or array that has a value as a member. */
export type Holder = Record<string | number, unknown>;

/** The exact value of a literal that its double does not represent. Other code handles a plain double. */
export class Exact {
  private known: bigint | undefined;

  /** @param literal undefined for an integer that is written in digits */
  constructor(
    readonly double: number,
    private readonly value: Decimal | bigint,
    readonly literal?: string,
  ) {}

  get decimal(): Decimal {
    return typeof this.value === 'bigint' ? parseDecimal(String(this.value)) : this.value;
  }

  /** `null` for a fraction whose double is an integer (1.00000000000000000001), undefined for other fractions. */
  get integer(): bigint | null | undefined {
    if (typeof this.value === 'bigint') return this.value;
    if (this.value.exponent < 0) return Number.isInteger(this.double) ? null : undefined;
    return (this.known ??= integerOf(this.value));
  }
}

const exacts = new WeakMap<object, Map<string | number, Exact>>();

export function setExact(holder: object, key: string | number, exact: Exact): void {
  const entries = exacts.get(holder);
  if (entries) entries.set(key, exact);
  else exacts.set(holder, new Map([[key, exact]]));
}

/** The exact value of the number at `holder[key]`; undefined if another value has replaced that number. */
function exactAt(holder: object, key: string | number): Exact | undefined {
  const exact = exacts.get(holder)?.get(key);
  return exact !== undefined && exact.double === Reflect.get(holder, key) ? exact : undefined;
}

/** Stores the exact value of the number at `holder[key]`, which its double cannot represent. */
export function setExactNumber(holder: object, key: string | number, integer: bigint): void {
  setExact(holder, key, new Exact(Number(integer), integer));
}

/** The numbers in an object or array that doubles cannot represent, by name or index. A value may have replaced them. */
export function exactNumbersIn(holder: object): ReadonlyMap<string | number, Exact> | undefined {
  return exacts.get(holder);
}

/** The exact value of the number at `holder[key]`; undefined if the double is exact, `null` for a fraction. */
export function exactNumber(holder: object, key: string | number): bigint | null | undefined {
  return exactAt(holder, key)?.integer;
}

/** Whether the exact value of the number at `holder[key]` differs from its double. */
export function hasExact(holder: object, key: string | number): boolean {
  return exactAt(holder, key) !== undefined;
}

/** The exact value of the number `double` at `holder[key]`. */
export function exactDecimal(holder: object, key: string | number, double: number): Decimal {
  // String() rounds a large integer to 17 digits.
  return (
    exactAt(holder, key)?.decimal ?? parseDecimal(String(Number.isInteger(double) ? BigInt(double) : double))
  );
}

/** The value has no plain copy. */
class NotPlain extends Error {}

/**
 * Copies `value` to `holder[key]` if it consists of plain objects, arrays, well-formed strings, finite numbers, bigints,
 * booleans and null. A bigint becomes a double; its exact value is stored apart.
 *
 * @returns how to write the copy: `native` if JSON.stringify writes it exactly, `exact` if stringify.ts must; undefined
 *   if there is no copy
 */
export function copyPlain(
  value: unknown,
  holder: Holder,
  key: string | number,
): 'native' | 'exact' | undefined {
  return copyBy((copier) => copier.copy(value, holder, key, 0), holder, key);
}

/** Sets `holder[key]` to the copy that `copy` creates by a copier. Returns the same as copyPlain(). */
export function copyBy(
  copy: (copier: Copier) => unknown,
  holder: Holder,
  key: string | number,
): 'native' | 'exact' | undefined {
  const copier = new Copier();
  try {
    holder[key] = copy(copier);
    return copier.exact ? 'exact' : 'native';
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Ends the copy. Handles the rejection of a promise: unhandled, it would end the process. */
function reject(object: object): never {
  if (types.isPromise(object)) object.catch(() => undefined);
  throw new NotPlain();
}

/** Copies values, and throws NotPlain for a value without a plain copy. */
export class Copier {
  /** Whether the copy has unsafe integers, which JSON.stringify rounds. */
  exact = false;

  copy(value: unknown, holder: object, key: string | number, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) throw new NotPlain();
        return value;
      case 'number':
        // JSON.stringify rounds unsafe integers, which may also have an exact value.
        if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
          throw new NotPlain();
        return value + 0; // JSON.stringify writes -0 as 0
      case 'bigint':
        return this.copyInteger(value, holder, key);
      case 'boolean':
        return value;
      case 'object':
        if (value === null) return value;
        return Array.isArray(value) ? this.copyArray(value, depth) : this.copyObject(value, depth);
      case 'undefined':
      case 'function':
      case 'symbol':
        throw new NotPlain();
    }
  }

  private copyInteger(value: bigint, holder: object, key: string | number): number {
    const double = Number(value);
    if (!Number.isFinite(double)) throw new NotPlain();
    if (!Number.isSafeInteger(double)) {
      this.exact = true;
      if (BigInt(double) !== value) setExactNumber(holder, key, value);
    }
    return double;
  }

  /** Checks an object before its parts are copied. Returns `copy`. */
  enter<T>(object: object, depth: number, copy: T): T {
    if (depth >= MAX_DEPTH || 'toJSON' in object) reject(object);
    if (Array.isArray(object)) return copy;
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) reject(object);
    return copy;
  }

  /** Handles the rejections of promises in properties that are not listed: unhandled, they would end the process. */
  leaveOut(object: Holder, listed: ReadonlySet<string>): void {
    for (const name of Object.keys(object)) {
      const item = listed.has(name) ? undefined : object[name];
      if (types.isPromise(item)) item.catch(() => undefined);
    }
  }

  /** Checks the name of a property, and returns it. */
  name(name: string): string {
    if (name === '__proto__' || !name.isWellFormed()) throw new NotPlain();
    return name;
  }

  private copyArray(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = this.enter(items, depth, []);
    for (let i = 0; i < items.length; i++) copy.push(this.copy(items[i], copy, i, depth + 1));
    return copy;
  }

  private copyObject(object: object, depth: number): Holder {
    const copy: Holder = this.enter(object, depth, {});
    for (const name of Object.keys(object)) {
      const item = (object as Holder)[this.name(name)];
      if (item !== undefined) copy[name] = this.copy(item, copy, name, depth + 1);
    }
    return copy;
  }
}

/** Built-in objects whose properties do not have their value; streams, sockets and requests are emitters. */
const OPAQUE: readonly ((object: object) => boolean)[] = [
  (object) => object instanceof EventEmitter,
  types.isPromise,
  types.isMap,
  types.isSet,
  types.isDate,
  types.isRegExp,
  (object) => Error.isError(object),
  types.isBoxedPrimitive,
  types.isAnyArrayBuffer,
  types.isArrayBufferView,
];

/**
 * Returns the kind of an object that is not data: a built-in object such as a Map, or an object without properties of a
 * class with a `Symbol.toStringTag` (`Response`, `Headers`, `Blob`). Undefined for all others.
 */
export function opaqueKind(object: object): string | undefined {
  const kind = Object.prototype.toString.call(object).slice('[object '.length, -1);
  if (OPAQUE.some((is) => is(object))) return kind === 'Object' ? classOf(object) : kind;
  const named = kind !== 'Object' && kind !== 'Array';
  return named && Object.keys(object).length === 0 ? kind : undefined;
}

/** The name of an object's class. */
export function classOf(object: object): string {
  const { constructor } = object as { readonly constructor?: unknown };
  return typeof constructor === 'function' ? constructor.name : 'object';
}
