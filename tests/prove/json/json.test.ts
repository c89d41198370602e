import { toDouble } from '../../../scripts/prove/json/number';
import { parse, print } from '../../../scripts/prove/json/value';

describe('a JSON value', () => {
  test.each(['{"a":[1.0,1e2,-0,9223372036854775807],"b\\"1":"2"}', '{"__proto__":{"a":1}}', '"\\ud800"'])(
    'is printed as it was parsed: %s',
    (text) => {
      expect(print(parse(text))).toBe(text);
    },
  );

  test('is not parsed from malformed text', () => {
    expect(() => parse('{"a":01}')).toThrow(SyntaxError);
  });
});

test.each([
  ['9223372036854775807', 2 ** 63 - 1024],
  ['9223372036854775808', 2 ** 63],
  ['-9223372036854775808', -(2 ** 63)],
  ['-9223372036854775809', -(2 ** 63) - 2048],
  ['9007199254740993', 2 ** 53],
  ['0.1', 0.1],
  ['1e400', Infinity],
])('the double for %s is on the same side of every integer bound', (literal, want) => {
  expect(toDouble(literal)).toBe(want);
});
