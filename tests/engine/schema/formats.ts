import type { JsonObject } from '../json/json';
import { NumberLiteral, type Value } from '../json/value';

/** For each format that this engine puts to the test, some that fit and some that clearly do not. */
export const STRING_FORMATS: Readonly<Record<string, { fits: string[]; fails: string[] }>> = {
  uuid: { fits: ['8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21'], fails: ['8e0b5a2c', 'not-a-uuid'] },
  date: { fits: ['2024-02-29', '1999-12-31'], fails: ['2023-02-29', '2024-13-01', 'yesterday'] },
  'date-time': {
    fits: ['2024-02-29T23:59:59Z', '2024-06-01T12:00:00.5+02:00'],
    fails: ['2024-02-30T00:00:00Z', '2024-06-01', 'now'],
  },
  time: { fits: ['23:59:59Z'], fails: ['25:00:00Z', 'noon'] },
  email: { fits: ['ada@example.org'], fails: ['ada', 'ada@'] },
  ipv4: { fits: ['192.0.2.1'], fails: ['192.0.2.256', '192.0.2'] },
  ipv6: { fits: ['2001:db8::1'], fails: ['2001:db8::g', '192.0.2.1'] },
  uri: { fits: ['https://example.org/a?b=c'], fails: ['//example', 'no uri'] },
  hostname: { fits: ['example.org'], fails: ['-example-', 'exa mple'] },
};

/** Bounds of the integer formats as doubles that {@link toPlain} never steps over. */
export const INTEGER_FORMATS: Readonly<Record<string, JsonObject>> = {
  int8: { minimum: -(2 ** 7), exclusiveMaximum: 2 ** 7 },
  int16: { minimum: -(2 ** 15), exclusiveMaximum: 2 ** 15 },
  int32: { minimum: -(2 ** 31), exclusiveMaximum: 2 ** 31 },
  int64: { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 },
  uint8: { minimum: 0, exclusiveMaximum: 2 ** 8 },
  uint16: { minimum: 0, exclusiveMaximum: 2 ** 16 },
  uint32: { minimum: 0, exclusiveMaximum: 2 ** 32 },
  'double-int': { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
};

export const INTEGER_BOUNDARIES: Readonly<Record<string, Boundary>> = {
  int32: {
    holds: numberLiterals('0', '-0', '1.0', '1e2', '2147483647', '-2147483648', '2.147483647e9'),
    violates: numberLiterals('2147483648', '-2147483649', '9007199254740993', '0.5', '1e300', '1e400'),
  },
  int64: {
    holds: numberLiterals(
      ...['0', '-0', '1.0', '1e2', '2147483648', '-2147483649', '9007199254740991', '9007199254740993'],
      ...['-9007199254740993', '9223372036854775807', '-9223372036854775808', '9223372036854775807.0'],
    ),
    violates: numberLiterals(
      ...['9223372036854775808', '-9223372036854775809', '18446744073709551616', '1e19', '1e300', '1e400'],
      ...['0.5', '9007199254740992.5', '1.00000000000000000001'],
    ),
  },
};

export function numberLiterals(...literals: string[]): NumberLiteral[] {
  return literals.map((text) => new NumberLiteral(text));
}

/** Formats beyond these are annotations to this engine: it knows no value that clearly breaks them. */
export const isKnownFormat = (format: string): boolean =>
  format in INTEGER_BOUNDARIES || format in STRING_FORMATS;

/** Values for one place that put one keyword to the test. */
export interface Boundary {
  /** Just inside the bound. The oracle drops those that another keyword forbids. */
  readonly holds?: readonly Value[];
  /** Just outside. At a place that must fit, the oracle has to agree. */
  readonly violates?: readonly Value[];
}
