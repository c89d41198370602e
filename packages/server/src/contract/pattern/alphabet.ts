import type { CharSet } from './charset';

/** 1 for each of these code points that is a member of a set. They are ascending, and include the edges of its ranges. */
function membersOf(set: CharSet, codes: readonly number[]): Uint8Array {
  const members = new Uint8Array(codes.length);
  for (let range = 0, i = 0; range < set.length; range += 2) {
    const [first = 0, last = 0] = [set[range], set[range + 1]];
    while ((codes[i] ?? first) < first) i++;
    for (; i < codes.length && (codes[i] ?? 0) <= last; i++) members[i] = 1;
  }
  return members;
}

/** Encodes texts as symbols. Characters that are members of the same sets share a symbol. */
export class Alphabet {
  /** The first code points of the ranges of equal characters, ascending. */
  private readonly starts: number[];
  private readonly symbols: Uint16Array;
  private readonly ascii: Uint16Array;
  /** `members[set * size + symbol]` is 1 if the symbol is a member of the set. */
  readonly members: Uint8Array;
  /** The number of symbols. */
  readonly size: number;

  constructor(sets: readonly CharSet[]) {
    const edges = sets.flatMap((set) => set.map((edge, i) => (i % 2 === 0 ? edge : edge + 1)));
    this.starts = [...new Set([0, ...edges])].sort((a, b) => a - b);
    const rows = sets.map((set) => membersOf(set, this.starts));
    this.symbols = new Uint16Array(this.starts.length);
    this.size = 1;
    // Each set divides the symbols that have characters both in it and out of it.
    for (const row of rows) {
      const divided = new Map<number, number>();
      for (const [i, isMember] of row.entries()) {
        const part = 2 * (this.symbols[i] ?? 0) + isMember;
        const symbol = divided.get(part) ?? divided.size;
        divided.set(part, symbol);
        this.symbols[i] = symbol;
      }
      this.size = divided.size;
    }
    this.members = new Uint8Array(sets.length * this.size);
    for (const [set, row] of rows.entries())
      for (const [i, symbol] of this.symbols.entries()) this.members[set * this.size + symbol] = row[i] ?? 0;
    this.ascii = Uint16Array.from({ length: 128 }, (_, code) => this.symbolOf(code));
  }

  /** Returns the symbol of each code point of a text. */
  encode(text: string): Uint16Array {
    const encoded = new Uint16Array(text.length);
    let length = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.codePointAt(i) ?? 0;
      if (code > 0xffff) i++;
      encoded[length++] = this.ascii[code] ?? this.symbolOf(code);
    }
    return encoded.subarray(0, length);
  }

  private symbolOf(code: number): number {
    let low = 0;
    let high = this.starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] ?? 0) <= code) low = middle;
      else high = middle;
    }
    return this.symbols[low] ?? 0;
  }
}
