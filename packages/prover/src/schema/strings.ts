import * as fc from 'fast-check';
import { type Lengths, textsMatching } from 'contract-first-server/tools';
import { Untestable } from '../untestable';

/** The first code point after the surrogates, and their number. */
const AFTER_SURROGATES = 0xe000;
const SURROGATES = 0x800;

/**
 * The same characters as fast-check's unit `binary`, in the same order. That one tabulates them all on its first use, which
 * takes as long as the cases of a small document.
 */
export const ANY_CHARACTER = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < AFTER_SURROGATES - SURROGATES ? index : index + SURROGATES),
  (text) => {
    const code = typeof text === 'string' && text.isWellFormed() ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('expected one character');
    return code < AFTER_SURROGATES ? code : code - SURROGATES;
  },
);

/** The greatest number of texts for a pattern. */
const MAX_TEXTS = 50;

const known = new Map<string, readonly string[]>();

/** Texts that match all patterns, of a length in code points; empty if none is found. Cached, since it takes milliseconds. */
export function textsOf(patterns: readonly string[], lengths: Lengths): readonly string[] {
  const key = JSON.stringify([patterns, lengths.least, lengths.most]);
  for (const pattern of patterns) regExpOf(pattern);
  const texts = known.get(key) ?? textsMatching(patterns, lengths, MAX_TEXTS);
  known.set(key, texts);
  return texts;
}

/** A random text that matches a pattern, other than that of another seed; undefined if none is found. */
export const anyTextOf = (pattern: string, seed: number): string | undefined =>
  textsMatching([pattern], { least: 0, most: 40 }, 1, seed)[0];

/**
 * The regular expression of a pattern (JSON Schema core section 6.4).
 *
 * @throws {Untestable} if it is none
 */
export function regExpOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    throw new Untestable(`the pattern ${pattern} is not a regular expression of ECMA-262 with the u flag`);
  }
}
