/** Matches patterns for which a backtracking engine may take exponential time. */
import type { Automaton } from './plan';

/**
 * Whether a pattern matches anywhere in a text. Follows all ways to match at once, so that the time is linear in the text: a
 * server chooses the names of the properties that it returns.
 */
export function isMatch({ nodes, start, assertions, sets }: Automaton, text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  /** By the index of the assertion, and the position. */
  const holding: boolean[][] = [];

  const has = (set: number | undefined, position: number): boolean => {
    const code = codes[position];
    const ranges = set === undefined ? undefined : sets[set];
    if (code === undefined || !ranges) return false;
    return ranges.some((first, i) => i % 2 === 0 && first <= code && code <= (ranges[i + 1] ?? first));
  };

  /** The positions at which a match ends; those at which it begins if the text is read backward. */
  const search = (from: number, isBackward: boolean): boolean[] => {
    const found: boolean[] = [];
    let reading: number[] = [];
    for (let count = 0; count <= codes.length; count++) {
      const position = isBackward ? codes.length - count : count;
      const read = isBackward ? position : position - 1;
      const after = reading.flatMap((node) => {
        const [, next = 0, set] = nodes[node] ?? [];
        return has(set, read) ? [next] : [];
      });
      // A loop over a set also visits what is added meanwhile.
      const reached = new Set([from, ...after]);
      reading = [];
      for (const node of reached) {
        const [operation, next = 0, operand = 0] = nodes[node] ?? [];
        if (operation === 'read') reading.push(node);
        else if (operation === 'match') found[position] = true;
        else if (operation === 'split') reached.add(next).add(operand);
        else if (holding[operand]?.[position] === true) reached.add(next);
      }
    }
    return found;
  };

  for (const assertion of assertions) {
    const { kind, negate = false } = assertion;
    const found = kind === 'look' ? search(assertion.start, assertion.backward) : [];
    const holds = (at: number): boolean => {
      if (kind === 'start') return at === 0 || has(assertion.lines, at - 1);
      if (kind === 'end') return at === codes.length || has(assertion.lines, at);
      if (kind === 'word') return has(assertion.word, at - 1) !== has(assertion.word, at);
      return found[at] === true;
    };
    holding.push(Array.from({ length: codes.length + 1 }, (_, at) => holds(at) !== negate));
  }
  return search(start, false).includes(true);
}
