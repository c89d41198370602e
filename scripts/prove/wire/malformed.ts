/** What is wrong with a response, in words. */
export class Malformed extends Error {}

/** The start of a text of a server. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
