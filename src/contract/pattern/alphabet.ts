import type { CharSet } from './charset';

/** Whether a code point is a member of a set. */
function includes(set: CharSet, code: number): boolean {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // A range begins at an even index and ends after an odd one.
    if ((set[middle] ?? 0) + (middle % 2) <= code) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
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
    const signatures = this.starts.map((start) => sets.map((set) => Number(includes(set, start))).join(''));
    const distinct = [...new Set(signatures)];
    const symbolOf = new Map(distinct.map((signature, symbol) => [signature, symbol]));
    this.symbols = Uint16Array.from(signatures, (signature) => symbolOf.get(signature) ?? 0);
    this.members = Uint8Array.from(
      sets.flatMap((_, set) => distinct.map((signature) => Number(signature[set]))),
    );
    this.size = distinct.length;
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
