/**
 * Measures how the cost of reading a text grows with its length. Compares two lengths in one process by CPU time, so
 * that the speed and load of the machine do not affect the result.
 */

/** A text of about `length` characters that is expensive to read. */
export interface Adversary {
  readonly name: string;
  readonly text: (length: number) => string;
}

/** Characters of the shorter text. The longer one is eight times as long. */
const LENGTH = 2_000;
/** The resolution of a measurement in CPU microseconds. */
const NOISE = 500;
/** Linear cost grows by a factor of 8, quadratic cost by 64. */
const LONGER = 8;
const MOST = 24;
const ATTEMPTS = 4;

function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}

/** Whether the cost of `read` grows faster than the length of the text in each of several attempts. */
export function growsTooFast(read: (text: string) => void, { text }: Adversary): boolean {
  const costOf = (given: string) =>
    cost(() => {
      read(given);
    });
  const [short, long] = [text(LENGTH), text(LONGER * LENGTH)];
  // Too short to compare: quadratic work of this length takes several milliseconds.
  if (costOf(short) < NOISE) return false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (costOf(long) < MOST * Math.max(NOISE, costOf(short))) return false;
  }
  return true;
}

/**
 * Texts of the tokens of a language. Each token is repeated alone, in turn with the next token, after another token,
 * and before another token or an invalid character, which ends a valid prefix. Each token is also nested in each other
 * one.
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

/** Returns the name of the first text, made of the tokens, whose cost for `read` grows too fast, or undefined. Ignores errors of `read`. */
export function tooFast(tokens: readonly string[], read: (text: string) => unknown): string | undefined {
  const quietly = (text: string) => {
    try {
      read(text);
    } catch {
      // refused texts cost time too
    }
  };
  for (const adversary of adversaries(tokens)) {
    if (growsTooFast(quietly, adversary)) return adversary.name;
  }
  return undefined;
}
