/**
 * Copies values that JSON.stringify and stringify.ts write to the same text, and that a parser reads back unchanged. The
 * validator judges the copy, and the server sends its text.
 */
import { types } from 'node:util';
import { type Holder, MAX_DEPTH, setExactNumber } from './parse';

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
function refuse(object: object): never {
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
    if (depth >= MAX_DEPTH || 'toJSON' in object) refuse(object);
    if (Array.isArray(object)) return copy;
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) refuse(object);
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
