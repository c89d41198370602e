/** A text that grows: what is made of a fragment by repeating, nesting, alternating, and by a wrong end. */
export interface Text {
  readonly name: string;
  /** @param size characters, about so many */
  readonly make: (size: number) => string;
}

/** The fragment as often as it fits into so many characters, and once at least. */
export const repeat = (fragment: string, size: number): string =>
  fragment.repeat(Math.max(1, Math.floor(size / fragment.length)));

/** What stands before and behind the repeated part; the last end is the near miss. */
interface Frame {
  readonly starts?: readonly string[];
  readonly ends?: readonly string[];
}

/** Every fragment repeated, and every two neighbors alternated, in every frame. */
export function texts(fragments: readonly string[], { starts = [''], ends = [''] }: Frame = {}): Text[] {
  const pairs = fragments.flatMap((fragment, i) => {
    const next = fragments[i + 1];
    return next === undefined ? [fragment] : [fragment, fragment + next];
  });
  return pairs.flatMap((part) =>
    starts.flatMap((start) =>
      ends.map((end): Text => {
        const named = [start, part, end].map((text) => JSON.stringify(text));
        return {
          name: `${start === '' ? '' : `${named[0] ?? ''} `}${named[1] ?? ''}*${end === '' ? '' : ` ${named[2] ?? ''}`}`,
          make: (size) => start + repeat(part, size - start.length - end.length) + end,
        };
      }),
    ),
  );
}

/** Each of the texts inside others: `wrap` puts one into a JSON value, a query, a header. */
export const within = (inner: readonly Text[], wrap: (text: string) => string): Text[] =>
  inner.map(({ name, make }) => ({ name, make: (size) => wrap(make(size)) }));

/** JSON nested as deep as `depth`, again and again in a list until the size is reached. */
export function nested(open: string, leaf: string, close: string, depth: number): Text {
  const one = open.repeat(depth) + leaf + close.repeat(depth);
  return {
    name: `${JSON.stringify(open)} ${depth} deep around ${JSON.stringify(leaf)}`,
    make: (size) => `[${listOf(one, size)}]`,
  };
}

/** The item, separated by commas. */
export function listOf(item: string, size: number): string {
  return repeat(`${item},`, size - item.length) + item;
}

/** Members or items that are all different, by their number. */
export function numbered(make: (index: number) => string, size: number): string {
  const parts: string[] = [];
  for (let length = 0; length < size;) {
    const part = make(parts.length);
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join(',');
}
