/**
 * Cuts a client's text for a message: at most `limit` UTF-16 code units, and well-formed Unicode. U+FFFD replaces half of a
 * surrogate pair, which JSON text cannot carry.
 */
export function excerpt(text: string, limit = 100): string {
  if (text.length <= limit) return text.toWellFormed();
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return text.slice(0, splitsPair ? limit - 1 : limit).toWellFormed();
}
