/** Something that the prover cannot test. The message is a sentence for the user. */
export class Untestable extends Error {}

/**
 * A sentence about an error for the user. What a library says is about its own functions, so it is left out: only the kind
 * of the error is named.
 */
export const reasonOf = (error: unknown): string =>
  error instanceof Untestable
    ? error.message
    : `the prover cannot make requests for it: a fault of the prover (${(error as Partial<Error>).name ?? 'unknown'})`;
