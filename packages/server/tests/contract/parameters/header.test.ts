import { formatHeader } from '../../../src/contract/parameters/header';

describe('the text of a header', () => {
  test.each<[unknown, boolean, string]>([
    ['blue', false, 'blue'],
    ['a,b = c', false, 'a,b = c'],
    ['', false, ''],
    [true, false, 'true'],
    [9223372036854775807n, false, '9223372036854775807'],
    [1.5, false, '1.5'],
    [new Date(0), false, '1970-01-01T00:00:00.000Z'],
    [[new Date(0), { toJSON: () => 1 }], false, '1970-01-01T00:00:00.000Z,1'],
    [['blue', 1, false], false, 'blue,1,false'],
    [['blue', 1], true, 'blue,1'],
    [{ R: 100, G: undefined, B: '=' }, false, 'R,100,B,='],
    [{ R: 100, B: 150n }, true, 'R=100,B=150'],
    [{ 'R=': 100 }, false, 'R=,100'],
  ])('%p, exploded %s: %s', (value, explode, want) => {
    expect(formatHeader(value, explode)).toBe(want);
  });

  test.each<[unknown, string]>([
    ['a\r\nSet-Cookie: b', 'header has a character that a header cannot carry'],
    ['\0', 'header has a character that a header cannot carry'],
    ['\u0100', 'header has a character that a header cannot carry'],
    [['a', 'b\n'], 'header/1 has a character that a header cannot carry'],
    [{ 'R\n': 1 }, 'has a character that a header cannot carry'],
    [['a,b'], 'header/0 contains a delimiter of the style simple'],
    [{ R: ',' }, 'header/R contains a delimiter of the style simple'],
    [{ 'R=': 1 }, 'header/R= contains a delimiter of the style simple'],
    [[['a']], 'header/0 is of several parts, which a header cannot carry'],
    [null, 'header is null, which a header cannot carry'],
    [[], 'header is empty, which a header cannot carry: leave it out'],
    [new Date(NaN), 'header is null, which a header cannot carry'],
    ['\u00e9', 'header has a character that a header cannot carry'],
    ['\x7f', 'header has a character that a header cannot carry'],
    [' a', 'header has a character that a header cannot carry, or whitespace at an end'],
    [['a', 'b\t'], 'header/1 has a character that a header cannot carry, or whitespace at an end'],
    [NaN, 'header is NaN, not a JSON number'],
    [undefined, 'header is of the type undefined'],
  ])('of %p does not exist', (value, message) => {
    expect(() => formatHeader(value, true)).toThrow(TypeError);
    expect(() => formatHeader(value, true)).toThrow(message);
  });
});
