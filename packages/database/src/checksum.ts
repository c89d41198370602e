/** Tells a migration from another. */
import { createHash } from 'node:crypto';
import type { Step } from './migration';
import { type Dialect, render } from './sql';

/** Text in quotes or dollar quotes; a comment, white space; a word; any other character. */
const TOKEN =
  /e'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[^]*?\1|(\/\*[^]*?\*\/|--.*|\s+)|\w+|[^]/gi;

/**
 * The SHA-256 of what a migration says: of the text of its statements and of their values. It is the same for every version of an
 * engine and of this library, which write types as they like: INT64 counts as INT64. White space outside of quotes and comments do
 * not count, and neither does the name. Of a function it is the name that counts: its text is another after each compiler.
 */
export function checksumOf({ name, parts }: Pick<Step, 'name' | 'parts'>, { names }: Dialect): string {
  const words = new Proxy({} as Dialect['words'], { get: (_, word) => `{${String(word)}}` });
  const canonical: Dialect = {
    names,
    words,
    parameters: () => () => '?',
    rows: ({ name: alias, columns, items }, add) => {
      const all = Object.keys(columns);
      for (const item of items) for (const column of all) add(item[column] ?? null);
      return `{rows ${alias} ${all.join()} ${items.length}}`;
    },
  };
  const said = parts.map((part) => {
    if (typeof part === 'function') return ['function', name];
    const { text, values } = render(part, canonical);
    const tokens = [...text.matchAll(TOKEN)].flatMap(([token, , space]) =>
      space === undefined ? token : [],
    );
    return [tokens, ...values.flat().map((value) => [typeof value, String(value)])];
  });
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}
