import { joinPointer } from 'contract-first-server/tools';

/** A place at which two JSON values differ, with what each has there; undefined for nothing. */
export interface Difference {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly was: unknown;
  readonly is: unknown;
}

export function* differences(was: unknown, is: unknown, pointer = ''): Generator<Difference, void> {
  if (typeof was === 'object' && was !== null && typeof is === 'object' && is !== null) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* differences(Reflect.get(was, key), Reflect.get(is, key), joinPointer(pointer, key));
  } else if (was !== is) yield { pointer, was, is };
}
