/**
 * The start of a client's text, fit for a message: at most `limit` UTF-16 code units, cut between two characters, and
 * well-formed Unicode whatever the text is. Half of a surrogate pair in a message could not be sent as JSON.
 */
export function excerpt(text: string, limit = 100): string {
  if (text.length <= limit) return text.toWellFormed();
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return text.slice(0, splitsPair ? limit - 1 : limit).toWellFormed();
}
