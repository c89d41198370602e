import { joinPointer, writeDocument } from '../../src/contract';

/** The first JSON pointer (RFC 6901) at which two JSON values differ, with both values. */
export function difference(was: unknown, is: unknown, pointer = ''): string | undefined {
  const keys = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value) : undefined;
  const [before, after] = [keys(was), keys(is)];
  if (!before || !after) {
    const [had, has] = [was, is].map((value) => (value === undefined ? 'nothing' : writeDocument(value)));
    return was === is ? undefined : `${pointer} (${had} there, ${has} in openapi/)`;
  }
  for (const key of new Set([...before, ...after])) {
    const found = difference(
      Reflect.get(was as object, key),
      Reflect.get(is as object, key),
      joinPointer(pointer, key),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
