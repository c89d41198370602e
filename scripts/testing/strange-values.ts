/** Strings that a store may change, confuse or refuse by mistake. */
export const STRANGE_STRINGS: readonly string[] = [
  '',
  ' ',
  'NULL',
  'null',
  '{"a,b",NULL}',
  String.raw`\\ \x00 "' $1 ?1`,
  "'; DROP TABLE plants; --",
  '\0',
  '\0\0',
  'before\0after',
  '\u0001',
  '\u00010',
  '\u00011',
  '\u0001\0',
  '\0\u0001',
  '\u000110',
  '\r\n\t\u007f\u0085\u2028',
  '\ufeffBOM',
  '\ufffd\uffff\u{10ffff}',
  'caf\u00e9',
  'cafe\u0301',
  'e\u0301\u0323',
  'e\u0323\u0301',
  '👩🏽‍🌾🌵',
  'نبتة',
  'x'.repeat(100_000),
  '\0'.repeat(100_000),
  '🌵'.repeat(25_000),
];

/** The limits of int64, of int32 and of safe integers, with their neighbors. */
export const EDGE_IDS: readonly bigint[] = [
  ...new Set(
    [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n]
      .flatMap((edge) => [edge - 2n, edge - 1n, edge, edge + 1n, -edge - 1n, -edge, -edge + 1n])
      .filter((id) => BigInt.asIntN(64, id) === id),
  ),
];
