/** At most `length` UTF-16 code units of a text; a surrogate pair stays whole, and what is left out is marked. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  const high = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, high ? length - 1 : length).toWellFormed()}…`;
}
