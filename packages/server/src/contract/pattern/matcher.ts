import { Alphabet } from './alphabet';
import type { Assertion, Program } from './automaton';
import { Run, type Text } from './simulate';

/**
 * Matches texts in linear time. First one pass over the text for each assertion finds the positions where it holds. A
 * lookahead is a backward pass by a separate automaton.
 */
export class Matcher {
  private readonly alphabet: Alphabet;
  private readonly main: Run;
  private readonly runs: ReadonlyMap<Assertion, Run>;

  constructor(private readonly program: Program) {
    this.alphabet = new Alphabet(program.sets);
    this.main = new Run(program, this.alphabet, program.start, false);
    this.runs = new Map(
      program.assertions.flatMap((assertion) =>
        assertion.kind === 'look'
          ? [[assertion, new Run(program, this.alphabet, assertion.start, assertion.backward)]]
          : [],
      ),
    );
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean {
    const symbols = this.alphabet.encode(text);
    const subject = { symbols, assertions: new Int32Array(symbols.length + 1) };
    for (const [bit, assertion] of this.program.assertions.entries()) {
      this.assert(subject, assertion, 1 << bit);
    }
    let found = false;
    this.main.search(subject, () => (found = true));
    return found;
  }

  /** Sets a bit at each position where an assertion holds. */
  private assert({ symbols, assertions }: Text, assertion: Assertion, bit: number): void {
    const { members, size } = this.alphabet;
    const isMember = (set: number, i: number) =>
      i >= 0 && i < symbols.length && members[set * size + (symbols[i] ?? 0)] === 1;
    const last = symbols.length;
    const mark = (i: number) => {
      assertions[i] = (assertions[i] ?? 0) ^ bit;
    };
    const markAll = (holds: (i: number) => boolean) => {
      for (let i = 0; i <= last; i++) if (holds(i)) mark(i);
    };
    switch (assertion.kind) {
      case 'start':
      case 'end': {
        const { kind, lines } = assertion;
        mark(kind === 'start' ? 0 : last);
        if (lines !== undefined && kind === 'start') markAll((i) => i > 0 && isMember(lines, i - 1));
        if (lines !== undefined && kind === 'end') markAll((i) => i < last && isMember(lines, i));
        return;
      }
      case 'word': {
        const { word, negate } = assertion;
        markAll((i) => (isMember(word, i - 1) !== isMember(word, i)) !== negate);
        return;
      }
      case 'look':
        if (assertion.negate) markAll(() => true);
        this.runs.get(assertion)?.search({ symbols, assertions }, (i) => {
          mark(i);
          return false;
        });
    }
  }
}
