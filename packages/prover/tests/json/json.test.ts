import { parse, print, rounded } from '../../src/json/value';

describe('a JSON value', () => {
  test.each(['{"a":[1.0,1e2,-0,9223372036854775807],"b\\"1":"2"}', '{"__proto__":{"a":1}}', '"\\ud800"'])(
    'is printed as it was parsed: %s',
    (text) => {
      expect(print(parse(text))).toBe(text);
    },
  );

  test('is rounded as a parser that has doubles alone reads it', () => {
    const text = '{"a":[9007199254740993,1.5,{"b":0.1000000000000000055,"c":"1","d":null}]}';
    expect(print(rounded(parse(text)))).toBe('{"a":[9007199254740992,1.5,{"b":0.1,"c":"1","d":null}]}');
  });

  test('is not parsed from malformed text', () => {
    expect(() => parse('{"a":01}')).toThrow(SyntaxError);
  });
});
