import type { Alphabet } from './alphabet';
import { MATCH, type Program, READ, SPLIT } from './automaton';

/** A text as the symbols of an alphabet. */
export interface Text {
  readonly symbols: Uint16Array;
  /** For each position, the end included, the assertions that hold there, as bits by their index. */
  readonly assertions: Int32Array;
}

/** The nodes that an automaton can reach at a position. */
interface State {
  /** The nodes that read the next character. */
  readonly reading: Int32Array;
  readonly matches: boolean;
  /** The next states by symbol, at positions where no assertion holds. */
  readonly plain: (State | undefined)[];
  /** The next states at other positions, by the symbol and the assertions that hold. */
  readonly others: Map<number, State>;
}

/** The maximum size of the cached states of an automaton, in numbers. */
const MAX_REMEMBERED = 50_000;

/**
 * Runs an automaton of a program to find matches that begin anywhere. It follows all nodes at once, so it reads each
 * character once. It caches its states and their successors: a deterministic automaton, built as texts need it. If the cache
 * exceeds its bound, it reads the rest of the text without the cache, and clears it before the next text.
 */
export class Run {
  private states = new Map<string, State>();
  private remembered = 0;
  private origin: State | undefined;
  private readonly operations: Uint8Array;
  private readonly reads: Uint8Array;
  private readonly targets: Int32Array;
  private readonly operands: Int32Array;
  /** The number of the last visit of each node. */
  private readonly visits: Float64Array;
  private visit = 0;
  private readonly pending: Int32Array;
  // The current position:
  private reading: Int32Array;
  private spare: Int32Array;
  private count = 0;
  private matches = false;

  constructor(
    { nodes }: Program,
    private readonly alphabet: Alphabet,
    private readonly start: number,
    private readonly backward: boolean,
  ) {
    this.operations = Uint8Array.from(nodes, ({ operation }) => operation);
    this.reads = this.operations.map((operation) => Number(operation === READ));
    this.targets = Int32Array.from(nodes, ({ next }) => next);
    this.operands = Int32Array.from(nodes, ({ operand }) => operand);
    this.visits = new Float64Array(nodes.length);
    this.pending = new Int32Array(2 * nodes.length + 1);
    this.reading = new Int32Array(nodes.length);
    this.spare = new Int32Array(nodes.length);
  }

  /** Reports each position at which a match ends (read backward: begins), until `report` returns true. */
  search(text: Text, report: (position: number) => boolean): void {
    if (this.remembered > MAX_REMEMBERED) this.forget();
    const { symbols, assertions } = text;
    const { size } = this.alphabet;
    const [first, last, step, behind] = this.backward
      ? [symbols.length, 0, -1, 0]
      : [0, symbols.length, 1, 1];
    // The state before the text has no nodes, so its symbol does not matter.
    let state = (this.origin ??= newState(new Int32Array(), false));
    let symbol = 0;
    for (let i = first; ; i += step) {
      const holding = assertions[i] ?? 0;
      if (i !== first) symbol = symbols[i - behind] ?? 0;
      const key = holding * size + symbol;
      let next = holding === 0 ? state.plain[symbol] : state.others.get(key);
      if (!next) {
        this.advance(state.reading, state.reading.length, symbol, holding);
        if (this.remembered > MAX_REMEMBERED) {
          this.searchOn(text, i, report);
          return;
        }
        next = this.remember();
        if (holding === 0) state.plain[symbol] = next;
        else state.others.set(key, next);
        this.remembered++;
      }
      state = next;
      if (state.matches && report(i)) return;
      if (i === last) return;
    }
  }

  /** Continues from the current position without the cache. */
  private searchOn({ symbols, assertions }: Text, from: number, report: (position: number) => boolean): void {
    const [last, step, behind] = this.backward ? [0, -1, 0] : [symbols.length, 1, 1];
    for (let i = from; ;) {
      if (this.matches && report(i)) return;
      if (i === last) return;
      i += step;
      this.advance(this.reading, this.count, symbols[i - behind] ?? 0, assertions[i] ?? 0);
    }
  }

  private forget(): void {
    this.states = new Map();
    this.origin = undefined;
    this.remembered = 0;
  }

  private remember(): State {
    const reading = this.reading.slice(0, this.count).sort();
    const key = `${reading.join()} ${this.matches}`;
    const known = this.states.get(key);
    if (known) return known;
    const state = newState(reading, this.matches);
    this.states.set(key, state);
    this.remembered += reading.length + this.alphabet.size;
    return state;
  }

  /** Reads a symbol at some nodes, and finds the nodes at the next position by the assertions that hold there. */
  private advance(from: Int32Array, count: number, symbol: number, holding: number): void {
    [this.reading, this.spare] = [this.spare, this.reading]; // `from` may be the reading nodes so far
    this.matches = false;
    this.visit++;
    const { targets, operands, reads, visits, visit, reading } = this;
    const { members, size } = this.alphabet;
    let found = 0;
    for (let i = 0; i < count; i++) {
      const node = from[i] ?? 0;
      const target = targets[node] ?? 0;
      if (members[(operands[node] ?? 0) * size + symbol] !== 1 || visits[target] === visit) continue;
      if (reads[target] === 1) {
        visits[target] = visit;
        reading[found++] = target;
      } else found = this.reach(target, holding, found);
    }
    this.count = this.reach(this.start, holding, found);
  }

  /** Adds the reading nodes that are reachable from a node to those found so far. Returns their number. */
  private reach(first: number, holding: number, count: number): number {
    const { pending, operations, targets, operands, visits, visit, reading } = this;
    let found = count;
    pending[0] = first;
    for (let length = 1; length > 0;) {
      const node = pending[--length] ?? 0;
      if (visits[node] === visit) continue;
      visits[node] = visit;
      const operation = operations[node];
      if (operation === READ) reading[found++] = node;
      else if (operation === MATCH) this.matches = true;
      else if (operation === SPLIT) {
        pending[length++] = operands[node] ?? 0;
        pending[length++] = targets[node] ?? 0;
      } else if ((holding & (1 << (operands[node] ?? 0))) !== 0) pending[length++] = targets[node] ?? 0;
    }
    return found;
  }
}

const newState = (reading: Int32Array, matches: boolean): State => ({
  reading,
  matches,
  plain: [],
  others: new Map(),
});
