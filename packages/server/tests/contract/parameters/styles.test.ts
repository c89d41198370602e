import fc from 'fast-check';
import { type JsonObject } from '../../../src/contract/document/document';
import { formatHeader } from '../../../src/contract/parameters/header';
import { STRING, INT64, LIST, RGB, compileValid, raw, exactly, readColor } from '../../support/parameters';

/** A string or a list of strings, written in several ways, and the like. */
const UNIONS: readonly JsonObject[] = [
  { oneOf: [STRING, LIST] },
  { anyOf: [LIST, STRING] },
  { type: ['array', 'string'], items: STRING },
  { anyOf: [{ type: 'null' }, { enum: ['one', 'a,b', ''] }, { allOf: [LIST] }] },
];
const NUMBERS = { oneOf: [INT64, { type: 'array', items: INT64 }, { type: 'boolean' }] };

describe.each<[string, string, boolean, string, string]>([
  ['query', 'form', true, 'color=', '&color='],
  ['query', 'form', false, 'color=', ','],
  ['cookie', 'form', true, 'color=', '; color='],
  ['cookie', 'form', false, 'color=', ','],
  ['cookie', 'cookie', true, 'color=', '; color='],
  ['path', 'simple', false, '', ','],
  ['path', 'simple', true, '', ','],
  ['header', 'simple', false, '', ', '],
  ['path', 'label', false, '.', ','],
  ['path', 'matrix', false, ';color=', ','],
  ['path', 'matrix', true, ';color=', ';color='],
])('one value or a list of several: %s, %s, exploded %s', (place, style, explode, before, between) => {
  const read = (schema: object, ...texts: string[]) =>
    readColor({ in: place, style, explode, schema }, before + texts.join(between));

  test.each(UNIONS)('%j', (schema) => {
    expect(read(schema, 'one')).toBe('one');
    expect(read(schema, '')).toBe('');
    expect(read(schema, 'one', 'two')).toEqual(['one', 'two']);
    expect(read(schema, '', '', '')).toEqual(['', '', '']);
    if (place !== 'header' && style !== 'cookie') expect(read(schema, 'a%2Cb')).toBe('a,b');
  });

  test('of several types', () => {
    expect(read(NUMBERS, '9007199254740993')).toBe(9007199254740993n);
    expect(read(NUMBERS, '9007199254740993', '2')).toEqual([9007199254740993n, 2n]);
    expect(read(NUMBERS, 'true')).toBe(true);
    expect(read(NUMBERS, 'true', '1')).toEqual(['true', 1n]);
  });
});

const LISTED = ['blue', 'black', 'brown'];
const MIXED = { R: 100n, G: 200n, B: 150n };

type Example = [
  place: string,
  style: string,
  explode: boolean,
  schema: JsonObject,
  text: string,
  want: unknown,
];

describe('the style examples of the specification', () => {
  test.each<Example>([
    ['path', 'matrix', false, STRING, ';color', ''],
    ['path', 'matrix', false, RGB, ';color=R,100,G,200,B,150', MIXED],
    ['path', 'matrix', true, STRING, ';color', ''],
    ['path', 'matrix', true, RGB, ';R=100;G=200;B=150', MIXED],
    ['path', 'label', false, STRING, '.', ''],
    ['path', 'label', false, RGB, '.R,100,G,200,B,150', MIXED],
    ['path', 'label', true, STRING, '.', ''],
    ['path', 'label', true, LIST, '.blue.black.brown', LISTED],
    ['path', 'label', true, RGB, '.R=100.G=200.B=150', MIXED],
    ...['path', 'header'].flatMap((place): Example[] => [
      [place, 'simple', false, STRING, '', ''],
      [place, 'simple', false, STRING, 'blue', 'blue'],
      [place, 'simple', false, LIST, 'blue,black,brown', LISTED],
      [place, 'simple', false, RGB, 'R,100,G,200,B,150', MIXED],
      [place, 'simple', true, STRING, '', ''],
      [place, 'simple', true, STRING, 'blue', 'blue'],
      [place, 'simple', true, LIST, 'blue,black,brown', LISTED],
      [place, 'simple', true, RGB, 'R=100,G=200,B=150', MIXED],
    ]),
    ...['query', 'cookie'].flatMap((place): Example[] => [
      [place, 'form', false, STRING, 'color=', ''],
      [place, 'form', false, STRING, 'color=blue', 'blue'],
      [place, 'form', false, LIST, 'color=blue,black,brown', LISTED],
      [place, 'form', false, RGB, 'color=R,100,G,200,B,150', MIXED],
      [place, 'form', true, STRING, 'color=', ''],
      [place, 'form', true, STRING, 'color=blue', 'blue'],
    ]),
    ['query', 'form', true, LIST, 'color=blue&color=black&color=brown', LISTED],
    ['query', 'form', true, RGB, 'R=100&G=200&B=150', MIXED],
    ['cookie', 'form', true, LIST, 'color=blue; color=black; color=brown', LISTED],
    ['cookie', 'form', true, RGB, 'R=100; G=200; B=150', MIXED],
    ['query', 'spaceDelimited', false, LIST, 'color=blue%20black%20brown', LISTED],
    ['query', 'spaceDelimited', false, LIST, 'color=blue+black+brown', LISTED],
    ['query', 'spaceDelimited', false, RGB, 'color=R%20100%20G%20200%20B%20150', MIXED],
    ['query', 'pipeDelimited', false, LIST, 'color=blue%7Cblack%7cbrown', LISTED],
    ['query', 'pipeDelimited', false, LIST, 'color=blue|black|brown', LISTED],
    ['query', 'pipeDelimited', false, RGB, 'color=R%7C100%7CG%7C200%7CB%7C150', MIXED],
    ['query', 'deepObject', true, RGB, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150', MIXED],
    ['query', 'deepObject', false, RGB, 'color[R]=100&color[G]=200&color[B]=150', MIXED],
  ])('%s %s, exploded %s, %j: %s', (place, style, explode, schema, text, want) => {
    expect(readColor({ in: place, style, explode, schema }, text)).toEqual(want);
  });
});

describe('a text becomes a value of its schema', () => {
  const either = { anyOf: [{ type: 'integer' }, { type: 'boolean' }, STRING] };
  test.each([
    [INT64, '42', 42n],
    [INT64, '-1', -1n],
    [INT64, '1.0', 1n],
    [INT64, '1e2', 100n],
    [INT64, '042', '042'],
    [INT64, '%2B1', '+1'],
    [INT64, '0x10', '0x10'],
    [INT64, '%201', ' 1'],
    [INT64, 'Infinity', 'Infinity'],
    [INT64, '', ''],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, 'TRUE', 'TRUE'],
    [{ type: 'boolean' }, '1', '1'],
    [STRING, '42', '42'],
    [STRING, 'true', 'true'],
    [{}, '42', '42'],
    [{ type: ['integer', 'null'] }, '42', 42n],
    [either, '42', 42n],
    [either, 'true', true],
    [either, 'x', 'x'],
    [{ allOf: [{ type: ['integer', 'string'] }, STRING] }, '42', '42'],
    [{ allOf: [{ minimum: 1 }, { oneOf: [{ $ref: '#/components/schemas/Id' }] }] }, '42', 42n],
    [{ $ref: '#/components/schemas/Cycle' }, '42', 42n],
    [{ enum: [1, 2] }, '2', 2n],
    [{ enum: ['1', '2'] }, '2', '2'],
    [{ const: true }, 'true', true],
  ])('%j: %s', (schema, text, want) => {
    const components = {
      schemas: { Id: INT64, Cycle: { anyOf: [{ $ref: '#/components/schemas/Cycle' }, INT64] } },
    };
    const read = compileValid({ parameters: [{ schema }], components });
    expect(exactly(read(raw({ query: `color=${text}` })).query ?? {}, 'color')).toEqual(want);
  });

  test.each([
    [
      { type: 'array', prefixItems: [STRING, INT64], items: { type: 'boolean' } },
      '1,2,true',
      ['1', 2n, true],
    ],
    [{ items: INT64 }, '1,2', [1n, 2n]],
    [{ oneOf: [{ properties: { R: INT64 } }, { properties: { G: STRING } }] }, 'R,1,G,2', { R: 1n, G: '2' }],
    [{ type: 'object', additionalProperties: INT64 }, 'x,1', { x: 1n }],
    [
      { allOf: [{ properties: { R: {} } }, { properties: {}, additionalProperties: INT64 }] },
      'R,1',
      { R: 1n },
    ],
    [LIST, 'a%2Cb,c', ['a,b', 'c']],
    [LIST, '', ['']],
  ])('%j: %s', (schema, text, want) => {
    expect(readColor({ explode: false, schema }, `color=${text}`)).toEqual(want);
  });

  test('JSON is read as JSON, exactly', () => {
    const parameter = { content: { 'application/json': { schema: RGB } } };
    expect(readColor(parameter, `color=${encodeURIComponent('{"R":9007199254740993}')}`)).toEqual({
      R: 9007199254740993n,
    });
  });
});

/** A property below has the int64 by itself. */
describe.each([9007199254740993n, -9223372036854775808n])('the int64 %s', (id) => {
  test.each([
    ['path', String(id)],
    ['query', `color=${id}`],
    ['header', String(id)],
    ['cookie', `color=${id}`],
  ])('is exact in the items of an array in a %s', (place, text) => {
    const parameter = { in: place, explode: false, schema: { type: 'array', items: INT64 } };
    expect(readColor(parameter, `${text},${id},1`)).toEqual([id, id, 1n]);
  });
});
/** An independent encoder (RFC 6570 section 3.2.1): percent-encodes all but unreserved characters, and the dot too. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[.!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

type Value = string | readonly string[] | Readonly<Record<string, string>>;
const OPERATORS = {
  simple: { first: '', between: ',', named: false },
  label: { first: '.', between: '.', named: false },
  matrix: { first: ';', between: ';', named: true },
  form: { first: '', between: '&', named: true },
};

function expand(value: Value, style: keyof typeof OPERATORS, explode: boolean): string {
  const { first, between, named } = OPERATORS[style];
  const own = (text: string) => (named ? `color=${text}` : text);
  if (typeof value === 'string') return first + own(encode(value));
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, text]) => {
    if (isList) return explode ? own(encode(text)) : encode(text);
    return `${encode(key)}${explode ? '=' : ','}${encode(text)}`;
  });
  return first + (explode ? parts.join(between) : own(parts.join(',')));
}

describe('reads back every written value', () => {
  const text = fc.string({ unit: 'grapheme' });
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => key !== '__proto__');
  const value: fc.Arbitrary<Value> = fc.oneof(
    text,
    fc.array(text, { minLength: 1 }),
    fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true }),
  );
  const schemaOf = (of: Value): JsonObject => {
    if (typeof of === 'string') return STRING;
    return Array.isArray(of) ? LIST : { type: 'object', additionalProperties: STRING };
  };

  test.each([
    ['path', 'simple'],
    ['path', 'label'],
    ['path', 'matrix'],
    ['query', 'form'],
  ] as const)('in a %s in the style %s', (place, style) => {
    fc.assert(
      fc.property(value, fc.boolean(), (written, explode) => {
        const parameter = { in: place, style, explode, schema: schemaOf(written) };
        expect(readColor(parameter, expand(written, style, explode))).toEqual(written);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('in a header, by formatHeader', () => {
    const part = fc.stringMatching(/^[!-+\--<>-~]+$/);
    const plain = fc.oneof(
      part,
      fc.array(part, { minLength: 1 }),
      fc.dictionary(part, part, { minKeys: 1, noNullPrototype: true }),
    );
    fc.assert(
      fc.property(plain, fc.boolean(), (written, explode) => {
        fc.pre(typeof written === 'string' || !Object.hasOwn(written, '__proto__'));
        const parameter = { in: 'header', explode, schema: schemaOf(written) };
        expect(readColor(parameter, formatHeader(written, explode))).toEqual(written);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('int64 in every place', () => {
    const places = [
      ['path', ''],
      ['query', 'color='],
      ['header', ''],
      ['cookie', 'color='],
    ] as const;
    fc.assert(
      fc.property(
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        fc.constantFrom(...places),
        (id, [place, before]) => {
          expect(readColor({ in: place, schema: INT64 }, `${before}${id}`)).toBe(id);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });
});
