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
