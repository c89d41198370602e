import type { JsonObject } from '../json/tree';
import { NumberLiteral, type Value } from '../json/value';

/** Values for one instance location that test one keyword. */
export interface Boundary {
  /** Just inside the bound. The oracle drops those that violate another keyword. */
  readonly holds?: readonly Value[];
  /** Just outside the bound. The oracle must agree where the keyword applies unconditionally. */
  readonly violates?: readonly Value[];
}

/** Strings of each format that the prover tests. The violations are wrong in every reading of the format. */
export const STRING_FORMATS: ReadonlyMap<string, { holds: string[]; violates: string[] }> = new Map(
  Object.entries({
    uuid: { holds: ['8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21'], violates: ['8e0b5a2c', 'not-a-uuid'] },
    date: { holds: ['2024-02-29', '1999-12-31'], violates: ['2023-02-29', '2024-13-01', 'yesterday'] },
    'date-time': {
      holds: ['2024-02-29T23:59:59Z', '2024-06-01T12:00:00.5+02:00'],
      violates: ['2024-02-30T00:00:00Z', '2024-06-01', 'now'],
    },
    time: { holds: ['23:59:59Z'], violates: ['25:00:00Z', 'noon'] },
    duration: { holds: ['P1D', 'PT1H30M'], violates: ['P', '1 day', 'PT'] },
    email: { holds: ['ada@example.org', 'a@b.c'], violates: ['ada', 'ada@'] },
    ipv4: { holds: ['192.0.2.1'], violates: ['192.0.2.256', '192.0.2'] },
    ipv6: { holds: ['2001:db8::1'], violates: ['2001:db8::g', '192.0.2.1'] },
    uri: { holds: ['https://example.org/a?b=c', 'a:b'], violates: ['//example', 'no uri'] },
    'uri-reference': { holds: ['/a/b?c=d#e', 'a'], violates: ['no uri', 'a\\b'] },
    'uri-template': { holds: ['/books/{id}{?page}', 'a'], violates: ['/books/{id', '{}'] },
    hostname: { holds: ['example.org', 'a'], violates: ['-example-', 'exa mple'] },
    'json-pointer': { holds: ['/a/0/b~1c', ''], violates: ['a', '/a~2'] },
    'relative-json-pointer': { holds: ['1/a', '0#', '0'], violates: ['/a', '-1', '01'] },
    regex: { holds: ['^[a-z]+$', 'a'], violates: ['[a-', '(', '*'] },
    byte: { holds: ['Ynl0ZXM=', 'YQ==', 'YWJj'], violates: ['a', 'a b=', '****', 'YR=='] },
    base64url: { holds: ['-_-_', 'YQ', 'YQ=='], violates: ['a', 'a+b/', '*', 'YR'] },
  }),
);

/** The patterns of formats that the validator of the oracle does not know, or of which it admits too much. */
export const FORMAT_PATTERNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // RFC 3986 section 4.2: the first segment of a relative reference has no colon. No URI has a quotation mark.
    'uri-reference': '^(?![^]*")(?:[A-Za-z][\\w+.-]*:|[^:/?#]*(?:[/?#]|$))',
    // RFC 4648 sections 4 and 5; the unused bits of the last character are zero (section 3.5).
    byte: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$',
    base64url: '^(?:[\\w-]{4})*(?:[\\w-][AQgw](?:==)?|[\\w-]{2}[AEIMQUYcgkosw048]=?)?$',
  }),
);

/** The bounds of the integer formats, as doubles: `toDouble` keeps every number on its side of them. They apply to numbers only. */
export const INTEGER_FORMATS: ReadonlyMap<string, JsonObject> = new Map(
  Object.entries({
    int8: { minimum: -(2 ** 7), exclusiveMaximum: 2 ** 7, multipleOf: 1 },
    int16: { minimum: -(2 ** 15), exclusiveMaximum: 2 ** 15, multipleOf: 1 },
    int32: { minimum: -(2 ** 31), exclusiveMaximum: 2 ** 31, multipleOf: 1 },
    int64: { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63, multipleOf: 1 },
    uint8: { minimum: 0, exclusiveMaximum: 2 ** 8, multipleOf: 1 },
    uint16: { minimum: 0, exclusiveMaximum: 2 ** 16, multipleOf: 1 },
    uint32: { minimum: 0, exclusiveMaximum: 2 ** 32, multipleOf: 1 },
    'double-int': { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, multipleOf: 1 },
  }),
);

/** Numbers inside and outside of the integer formats. */
export const INTEGER_BOUNDARIES: ReadonlyMap<string, Boundary> = new Map(
  Object.entries({
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
  }),
);

export function numberLiterals(...literals: string[]): NumberLiteral[] {
  return literals.map((text) => new NumberLiteral(text));
}

/** Whether the prover has values that violate a format. It treats any other format as an annotation. */
export const isKnownFormat = (format: string): boolean =>
  INTEGER_BOUNDARIES.has(format) || STRING_FORMATS.has(format);
