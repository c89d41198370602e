import fc from 'fast-check';
import { equalDecimals, integerOf, isMultipleOf, parseDecimal } from '../../../src/contract/json/decimal';

/** A literal of digits × 10^exponent, in one of its many spellings. */
const written = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: -30, max: 30 }), fc.nat(20))
  .map(([digits, exponent, zeros]) => {
    const sign = digits < 0n ? '-' : '';
    const text = String(digits)
      .replace('-', '')
      .padStart(zeros + 1, '0');
    const at = text.length - zeros;
    const fraction = zeros === 0 ? '' : `.${text.slice(at)}${'0'.repeat(zeros)}`;
    return { digits, exponent, literal: `${sign}${text.slice(0, at)}${fraction}e${exponent + zeros}` };
  });
/** A unit in which each of these numbers is an integer. */
const scaled = ({ digits, exponent }: { digits: bigint; exponent: number }) =>
  digits * 10n ** BigInt(exponent + 30);

test('a decimal equals its literal', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const [first, second] = [parseDecimal(a.literal), parseDecimal(b.literal)];
      expect(equalDecimals(first, second)).toBe(scaled(a) === scaled(b));
      const unit = 10n ** 30n;
      expect(first.exponent >= 0 ? integerOf(first) : null).toBe(
        scaled(a) % unit === 0n ? scaled(a) / unit : null,
      );
      if (b.digits !== 0n) expect(isMultipleOf(first, second)).toBe(scaled(a) % scaled(b) === 0n);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['0.47', '0.01', true],
  ['0.475', '0.01', false],
  ['-3', '1.5', true],
  ['0', '7', true],
  ['1e300', '1e-300', true],
  ['1e30', '3', false],
  [`1${'0'.repeat(50_000)}1`, '7', 10n ** 50_001n % 7n === 6n],
  [`0.${'3'.repeat(50_000)}`, '0.3', false],
  ['1000000000000000000000000000001', '10', false],
  ['0.1000000000000000000001', '0.1', false],
])('%.30s is a multiple of %s: %s', (value, step, want) => {
  expect(isMultipleOf(parseDecimal(value), parseDecimal(step))).toBe(want);
});
