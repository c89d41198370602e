export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object, of none if it is none. */
export function members(value: unknown): [name: string, value: unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The pointer (RFC 6901) one or more steps below `pointer`. */
export function joinPointer(pointer: string, ...steps: (string | number)[]): string {
  return steps.reduce<string>(
    (p, step) => `${p}/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`,
    pointer,
  );
}

/** The name or index that the last step of a pointer denotes. */
export function lastStep(pointer: string): string {
  const step = pointer.slice(pointer.lastIndexOf('/') + 1);
  return step.replace(/~1/g, '/').replace(/~0/g, '~');
}

/** An object of the document, and where it stands. */
export interface Place {
  readonly pointer: string;
  readonly value: JsonObject;
}
