/**
 * How the cost of reading a text grows with its length. Compared are two lengths of one text in one process, in CPU time,
 * so that neither the machine nor what else runs on it decides.
 */

/** A text of about `length` characters that is hard to read. */
export interface Adversary {
  readonly name: string;
  readonly text: (length: number) => string;
}

/** Characters of the shorter text; the longer one has eight times as many. */
const LENGTH = 2_000;
/** CPU microseconds of noise that no measurement is below. */
const NOISE = 500;
/** Linear work grows by 8, quadratic work by 64. */
const LONGER = 8;
const MOST = 24;
const ATTEMPTS = 4;

function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}

/** Whether the cost of `read` grows faster than the length of the text, in each of several attempts. */
export function growsTooFast(read: (text: string) => void, { text }: Adversary): boolean {
  const costOf = (given: string) =>
    cost(() => {
      read(given);
    });
  const [short, long] = [text(LENGTH), text(LONGER * LENGTH)];
  // Not worth a comparison: quadratic work of this length takes several milliseconds.
  if (costOf(short) < NOISE) return false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (costOf(long) < MOST * Math.max(NOISE, costOf(short))) return false;
  }
  return true;
}

/**
 * Texts made of the tokens of a language: each is repeated, alone and in turn with the next; behind each token, and before
 * the next or a character that is none, which is where an almost good text goes wrong. And each is nested in each.
 */
export function* adversaries(tokens: readonly string[]): Generator<Adversary> {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[(i + 1) % tokens.length] ?? '';
    for (const unit of [token, token + next]) {
      for (const before of ['', ...tokens]) {
        for (const after of ['', next, '\0']) {
          yield {
            name: `${before}(${unit})*${after}`,
            text: (length) => before + unit.repeat(length / unit.length) + after,
          };
        }
      }
    }
  }
  for (const open of tokens) {
    for (const close of tokens) {
      const nest = (length: number) => Math.floor(length / (open.length + close.length));
      yield {
        name: `(${open})n(${close})n`,
        text: (length) => open.repeat(nest(length)) + close.repeat(nest(length)),
      };
    }
  }
}

/** The name of the first adversary for which the cost of `read`, whatever it throws, grows too fast; none if there is none. */
export function tooFast(tokens: readonly string[], read: (text: string) => unknown): string | undefined {
  const quietly = (text: string) => {
    try {
      read(text);
    } catch {
      // what is refused costs as well
    }
  };
  for (const adversary of adversaries(tokens)) {
    if (growsTooFast(quietly, adversary)) return adversary.name;
  }
  return undefined;
}
