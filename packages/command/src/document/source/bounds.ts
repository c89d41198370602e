/** What the sources of one document may cost. A document beyond a bound is refused with a sentence. */
export const BOUNDS = {
  /** Bytes of all its files together. The largest public documents have some 12 MB. */
  bytes: 32 * 2 ** 20,
  /** Files that it consists of. */
  files: 10_000,
  /** Objects and lists inside each other, in one file, with what its aliases stand for. */
  depth: 256,
  /** Values that the aliases of one YAML file stand for: each name, object, list, text, number counts. */
  aliased: 100_000,
  /** Values that are copied into the places of references which OpenAPI allows no reference in. */
  copied: 1_000_000,
} as const;
