import { escapeToken } from './tree';

/** A name with its colon, a primitive, or a character that opens, closes or continues an array or object. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\],]|[^\s{}[\],"]+/g;

/**
 * Replaces primitive values in JSON text, and leaves every other character as it is.
 *
 * @param replace receives the JSON pointer and the text of each primitive; returns its new text, or undefined
 * @returns undefined if the text is not JSON
 */
export function rewriteLeaves(
  text: string,
  replace: (pointer: string, leaf: string) => string | undefined,
): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  /** For each open array the index of its next item, for each open object the name of its last member. */
  const path: (number | string)[] = [];
  return text.replace(TOKEN, (token) => {
    const last = path.length - 1;
    const index = path[last];
    if (token === '{' || token === '[') path.push(token === '{' ? '' : 0);
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',') path[last] = typeof index === 'number' ? index + 1 : '';
    else if (token.endsWith(':')) path[last] = escapeToken(JSON.parse(token.slice(0, -1)) as string);
    else return replace(path.map((part) => `/${part}`).join(''), token) ?? token;
    return token;
  });
}
