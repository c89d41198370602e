import { types } from 'node:util';

/** Objects of JavaScript whose value is not in their properties. */
const OPAQUE = [
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
 * What kind of object this is, if it is no data: its properties do not show what it is, as those of a Map do not, or it
 * is of a class with a name for itself and has none (`Response`, `Headers`, `Blob`). Undefined for all others.
 */
export function opaqueKind(object: object): string | undefined {
  const kind = Object.prototype.toString.call(object).slice('[object '.length, -1);
  if (OPAQUE.some((is) => is(object))) return kind;
  const named = kind !== 'Object' && kind !== 'Array';
  return named && Object.keys(object).length === 0 ? kind : undefined;
}
