/** An object of a parsed JSON document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object; empty for other values. */
export function members(value: unknown): [name: string, value: unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Appends steps to a JSON pointer (RFC 6901), and escapes them. */
export function joinPointer(pointer: string, ...steps: (string | number)[]): string {
  let joined = pointer;
  for (const step of steps) joined += `/${typeof step === 'number' ? step : escapeStep(step)}`;
  return joined;
}

const escapeStep = (step: string): string =>
  step.includes('/') || step.includes('~') ? step.replace(/~/g, '~0').replace(/\//g, '~1') : step;

/** The last step of a JSON pointer, unescaped: a name or an index. */
export function lastStep(pointer: string): string {
  const step = pointer.slice(pointer.lastIndexOf('/') + 1);
  return step.includes('~') ? step.replace(/~1/g, '/').replace(/~0/g, '~') : step;
}

/** Marks the pointer of a derived value: in JSON pointers 0 or 1 stands behind a tilde (RFC 6901 section 3). */
const DERIVED = '~derived:';

/**
 * The pointer of what is derived from the value at a pointer. No text of a document is there.
 *
 * @param root the pointer of the value for which it is derived
 */
export const derivedOf = (pointer: string, root: string): string =>
  `${pointer}${DERIVED}${encodeURIComponent(root)}`;

/** The pointer of the text from which the value at a pointer is derived. */
export const sourceOf = (pointer: string): string => {
  const at = pointer.indexOf(DERIVED);
  return at < 0 ? pointer : pointer.slice(0, at) + pointer.slice(at).replace(/^[^/]*/, '');
};

/** An object of the document with its JSON pointer. */
export interface Place {
  readonly pointer: string;
  readonly value: JsonObject;
}

/** A JSON pointer and all its parents except the root. */
export function holdersOf(pointer: string): string[] {
  const holders: string[] = [];
  for (let here = pointer; here !== ''; here = here.slice(0, here.lastIndexOf('/'))) holders.push(here);
  return holders;
}
