/** A text in YAML or JSON, read. */
export interface SourceText {
  /** Integers beyond 2^53 are bigints. */
  readonly value: unknown;
  /** The offset of the value that these steps lead to, or of their longest part that leads to one; of its name, if it has one. */
  readonly placeOf: (steps: readonly string[]) => number;
  /** The literals of its numbers, each with its offset. */
  readonly numbers: () => Iterable<readonly [literal: string, offset: number]>;
}

/** A fault of a text, with its offset in it. */
export class TextError extends Error {
  override name = 'TextError';
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}
