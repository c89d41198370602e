import { createHash, createSecretKey } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { MalformedJson, parseJson, parseNumber } from '../../../src/contract/json/parse';
import { canonicalJson, stringifyJson } from '../../../src/contract/json/stringify';
import { exactDecimal, exactNumber } from '../../../src/contract/json/values';
import { equalDecimals, parseDecimal } from '../../../src/contract/json/decimal';

function parse(text: string): unknown {
  const holder: Record<string, unknown> = {};
  parseJson(text, holder, 'value');
  return holder['value'];
}

/** Values of JSON without those that this parser refuses on purpose. */
const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }).filter((value) => {
  const text = JSON.stringify(value);
  return !text.includes('__proto__') && !text.includes('e+') && !text.includes('e-');
});

describe('parseJson', () => {
  it('parses the text of JSON.stringify as JSON.parse does', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses every text that JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      ...'{}[]",:0123456789.-+eE \n\\u/truefalsn'.split(''),
      'true',
      'null',
      '"a"',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) expect(() => parse(text)).toThrow(MalformedJson);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['{"a":1', 'expected "," or "}", got the end at position 6'],
    ['[1 2]', 'expected "," or "]", got the character "2" at position 3'],
    ['{a:1}', 'expected a property name, got the character "a" at position 1'],
    ['{"a" 1}', 'expected ":", got the character "1" at position 5'],
    ['', 'expected a value, got the end at position 0'],
    ['1 2', 'expected the end of the text, got the character "2" at position 2'],
    ['"a', 'expected the rest of a string, got the end at position 2'],
    ['"\\q"', 'expected an escape sequence, got the character "q" at position 2'],
    ['1e999', 'the number 1e999 is too large'],
    ['{"a":1,"a":1}', 'the property name "a" occurs twice in one object'],
    ['{"__proto__":1}', 'the property name "__proto__" is not accepted'],
    ['["\\udc00"]', 'a string has half of a surrogate pair'],
  ])('refuses %s: %s', (text, message) => {
    expect(() => parse(text)).toThrow(new MalformedJson(message));
  });

  it('names the position, even at the start', () => {
    expect(() => parse('x')).toThrow('expected a value, got the character "x" at position 0');
  });

  it('treats names of Object.prototype as ordinary names', () => {
    expect(parse('{"constructor":1,"toString":2,"hasOwnProperty":3}')).toEqual({
      constructor: 1,
      toString: 2,
      hasOwnProperty: 3,
    });
  });
});

describe('exact numbers', () => {
  it('stores every exact integer beside the nearest double', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), (integer) => {
        const holder = parse(`{"a":${integer}}`) as { a: number };
        expect(holder.a).toBe(Number(integer));
        expect(exactNumber(holder, 'a') ?? BigInt(holder.a)).toBe(integer);
      }),
    );
  });

  it.each([
    ['1.0', undefined],
    ['-0', undefined],
    ['1e2', undefined],
    ['123456789012345', undefined],
    ['9007199254740992', undefined],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['0.9007199254740993e16', 9007199254740993n],
    ['9007199254740993000e-3', 9007199254740993n],
    ['1.23456789012345e18', 1234567890123450000n],
    ['1.00000000000000000001', null],
    ['9007199254740992.5', null],
    ['10000000000000000e-17', undefined],
    ['1e300', 10n ** 300n],
    ['-1e300', -(10n ** 300n)],
    ['1e30', 10n ** 30n],
    [`${'1'.repeat(300)}.${'0'.repeat(5_000)}`, BigInt('1'.repeat(300))],
    [`1${'0'.repeat(5_000)}e-4700`, 10n ** 300n],
    [`0.${'0'.repeat(5_000)}`, undefined],
    ['0e99999999999999999999', undefined],
    ['1e-99999999999999999999', null],
  ])('of %.30s is %p', (literal, exact) => {
    expect(exactNumber(parse(`[${literal}]`) as unknown[], 0)).toBe(exact);
  });

  it('belongs to the number that was parsed, not to one that replaces it', () => {
    const items = parse('[9007199254740993,1e300,0.10000000000000000001,9007199254740993.5,7]') as unknown[];
    expect(stringifyJson(items)).toBe('[9007199254740993,1e300,0.1,9007199254740994,7]');
    items.unshift(1);
    expect(stringifyJson(items)).toBe('[1,9007199254740992,1e+300,0.1,9007199254740994,7]');
    expect(items.map((_, i) => exactNumber(items, i))).toEqual(items.map(() => undefined));
    items.length = 0;
    items.push('a');
    expect(stringifyJson(items)).toBe('["a"]');
  });

  it.each(['1180591620717411303424', '1180591620717411303425', '1e2', '0.1', '0.10000000000000000001'])(
    'has the exact value of %s',
    (literal) => {
      const holder = parse(`[${literal}]`) as number[];
      const exact = exactDecimal(holder, 0, holder[0] ?? 0);
      expect(equalDecimals(exact, parseDecimal(literal))).toBe(true);
    },
  );

  it('has the exact value of a fraction that a double does not represent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.nat(30), (digits, places) => {
        const literal = `${digits}.${'0'.repeat(places)}1`;
        const holder = parse(`[${literal}]`) as number[];
        const stored = exactDecimal(holder, 0, holder[0] ?? 0);
        expect(equalDecimals(stored, parseDecimal(literal))).toBe(true);
      }),
    );
  });

  it.each(['', ' 1', '1 ', '+1', '01', '0x10', '1_000', 'Infinity', '1.', '.5', '1e'])(
    '%p is not a number of JSON',
    (text) => {
      expect(parseNumber(text, {}, 'a')).toBe(false);
    },
  );
});

describe('stringifyJson', () => {
  it('writes text that JSON.parse reads as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(JSON.parse(stringifyJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('writes parsed text unchanged, with exact integers', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808,1]}';
    expect(stringifyJson(parse(text))).toBe(text);
  });
});

describe('canonicalJson', () => {
  it.each([
    ['[1,1.0]', true],
    ['[9007199254740992,9007199254740993]', false],
    ['[{"a":1,"b":2},{"b":2,"a":1}]', true],
    ['[{"a":1},{"a":"1"}]', false],
    ['[[1,2],[2,1]]', false],
    ['[[],{}]', false],
    ['[null,"null"]', false],
  ])('of both values in %s is the same: %p', (text, same) => {
    const pair = parse(text) as unknown[];
    expect(canonicalJson(pair, 0) === canonicalJson(pair, 1)).toBe(same);
  });
});

/** Arguments with which a class may be constructed. */
const ARGUMENTS: readonly unknown[][] = [
  [],
  ['x'],
  [1],
  [new Uint8Array(4)],
  [() => undefined],
  [['x']],
  [{}],
  ['data:,'],
];

/** One holds the process, and one is deprecated. */
const UNUSED: ReadonlySet<string> = new Set(['BroadcastChannel', 'Buffer']);

/** An instance of each class of the language and of the web that can be constructed, by its name. */
function instances(): [string, unknown][] {
  const scopes = [globalThis, Intl, Reflect.get(globalThis, 'WebAssembly') as object];
  const classes = scopes.flatMap((scope) =>
    Object.getOwnPropertyNames(scope)
      .filter((name) => /^[A-Z]/.test(name) && !UNUSED.has(name))
      .map((name) => [name, Reflect.get(scope, name) as unknown] as const),
  );
  return classes.flatMap(([name, constructor]) => {
    for (const given of typeof constructor === 'function' ? ARGUMENTS : []) {
      try {
        return [[name, Reflect.construct(constructor as new () => unknown, given)]];
      } catch {
        // other arguments
      }
    }
    return [];
  });
}

/** Classes whose instances have a JSON form by their specification, or are one. */
const HAVE_JSON = /^(Object|Array|Date|URL|PerformanceMark|PerformanceMeasure)$/;

describe('no object of JavaScript, of the web or of Node silently becomes another value', () => {
  class Hidden {
    readonly #value = 1;
    get value() {
      return this.#value;
    }
  }
  const all = instances();
  const others: [string, unknown][] = [
    ['a Buffer', Buffer.from('a')],
    ['an empty Buffer', Buffer.alloc(0)],
    ['a promise', Promise.resolve(1)],
    ['a regular expression', /a/],
    ['an invalid Date', new Date(NaN)],
    ['an iterator', [1].values()],
    [
      'a generator',
      (function* () {
        yield 1;
      })(),
    ],
    ['a function', () => 1],
    ['a class', Hidden],
    ['a symbol', Symbol('a')],
    ['a boxed symbol', Object(Symbol('a'))],
    ['a boxed bigint', Object(1n)],
    ['a stream', Readable.from([])],
    ['an emitter', new EventEmitter()],
    ['a key', createSecretKey(Buffer.alloc(8))],
    ['a hash', createHash('sha256')],
    ['an instance whose value is private', new Hidden()],
    ['an object that inherits all that it has', Object.create({ a: 1 })],
    ['an object that inherits nothing', Object.create(Object.create(null) as object)],
  ];

  it('there are many', () => {
    expect(all.length).toBeGreaterThan(70);
  });

  it.each([...all.filter(([name]) => !HAVE_JSON.test(name)), ...others])('%s', (_, value) => {
    for (const given of [value, [value], { a: { b: value } }])
      expect(() => stringifyJson(given)).toThrow(/^body(\/0|\/a\/b)?[ /]/);
  });

  it('an object of any class, or without a prototype, is its own properties', () => {
    class Shown {
      readonly a = 1;
      readonly b = undefined;
    }
    const bare: unknown = Object.assign(Object.create(null), { c: 2 });
    expect(stringifyJson([new Shown(), bare])).toBe('[{"a":1},{"c":2}]');
  });
});
