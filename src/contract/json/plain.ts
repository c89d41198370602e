/**
 * Copies values that JSON.stringify writes exactly as stringify.ts does, and that a reader of this text sees unchanged. The
 * copy stands for the text: what is judged is what is sent.
 */
import { types } from 'node:util';
import { type Holder, keepExact, MAX_DEPTH } from './parse';

/** There is no plain copy of the value. */
class NotPlain extends Error {}

/**
 * Puts a copy of `value` into `holder[key]` if it consists of plain objects, arrays, well-formed strings, finite numbers,
 * bigints, booleans and null. A bigint becomes the double that a reader makes of it; its exact value is kept beside it.
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

/** The same, for a copy that `copy` makes with a copier. */
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

/** Gives up the copy; a promise that the value holds is settled, for nobody else may wait for it. */
function refuse(object: object): never {
  if (types.isPromise(object)) object.catch(() => undefined);
  throw new NotPlain();
}

export class Copier {
  /** Whether the copy has integers that a double does not represent. */
  exact = false;

  copy(value: unknown, holder: object, key: string | number, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) throw new NotPlain();
        return value;
      case 'number':
        // JSON.stringify rounds the digits of integers that are not safe, and their exact value may be known.
        if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
          throw new NotPlain();
        return value + 0; // of -0, JSON text has no sign
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
      if (BigInt(double) !== value) keepExact(holder, key, value);
    }
    return double;
  }

  /** Checks an object before its parts are copied into `copy`. */
  enter<T>(object: object, depth: number, copy: T): T {
    if (depth >= MAX_DEPTH || 'toJSON' in object) refuse(object);
    if (Array.isArray(object)) return copy;
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) refuse(object);
    return copy;
  }

  /** Settles the promises among the properties that are not listed, for nobody else may wait for them. */
  leaveOut(object: Holder, listed: ReadonlySet<string>): void {
    for (const name of Object.keys(object)) {
      const item = listed.has(name) ? undefined : object[name];
      if (types.isPromise(item)) item.catch(() => undefined);
    }
  }

  /** Checks the name of a property. */
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
