import { escapeToken } from './tree';

const TOKEN = /\s+|[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;

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
  const written: string[] = [];
  let at = 0;
  const next = (): string | undefined => {
    for (;;) {
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(text)?.[0];
      if (token === undefined) return undefined;
      at += token.length;
      written.push(token);
      if (!/^\s/.test(token)) return token;
    }
  };
  const members = (pointer: string, isObject: boolean): boolean => {
    for (let index = 0; ; index++) {
      const first = next();
      if (first === (isObject ? '}' : ']')) return index === 0;
      if (first === undefined) return false;
      if (isObject) {
        if (!first.startsWith('"') || next() !== ':') return false;
        const name = JSON.parse(first) as string;
        if (!value(`${pointer}/${escapeToken(name)}`, next())) return false;
      } else if (!value(`${pointer}/${index}`, first)) return false;
      const separator = next();
      if (separator !== ',') return separator === (isObject ? '}' : ']');
    }
  };
  const value = (pointer: string, token: string | undefined): boolean => {
    if (token === '{' || token === '[') return members(pointer, token === '{');
    if (token === undefined || /^[}\],:]/.test(token)) return false;
    const replaced = replace(pointer, token);
    if (replaced !== undefined) written[written.length - 1] = replaced;
    return true;
  };
  try {
    if (!value('', next()) || next() !== undefined || at !== text.length) return undefined;
  } catch {
    return undefined; // A name with an invalid escape.
  }
  return written.join('');
}
