import { EventEmitter } from 'node:events';
import { types } from 'node:util';

/** Built-in objects whose properties do not have their value; streams, sockets and requests are emitters. */
const OPAQUE: readonly ((object: object) => boolean)[] = [
  (object) => object instanceof EventEmitter,
  types.isPromise,
  types.isMap,
  types.isSet,
  types.isDate,
  types.isRegExp,
  types.isNativeError,
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
