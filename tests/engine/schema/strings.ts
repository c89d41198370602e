import * as fc from 'fast-check';

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

const patternArbitraries = new Map<string, fc.Arbitrary<string>>();

/** Strings that match a pattern. Cached, since fast-check takes milliseconds to compile a pattern. */
export function stringsMatching(pattern: string, maxLength: number): fc.Arbitrary<string> {
  const key = `${maxLength} ${pattern}`;
  const cached = patternArbitraries.get(key) ?? fc.stringMatching(new RegExp(pattern, 'u'), { maxLength });
  patternArbitraries.set(key, cached);
  return cached;
}
