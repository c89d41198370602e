import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { parseJson } from '../../../src/contract/json/parse';
import { canonicalJson, stringifyJson } from '../../../src/contract/json/stringify';
import { copyPlain, exactNumber, type Holder } from '../../../src/contract/json/values';

/** The text of a value and the value that a client parses from it; undefined if the value has no text. */
function throughText(value: unknown): { text: string; holder: Holder } | undefined {
  const holder: Holder = {};
  try {
    const text = stringifyJson(value);
    parseJson(text, holder, 'body');
    return { text, holder };
  } catch {
    return undefined;
  }
}

/** Compares a copy with the value parsed from the text. Returns how to write the copy. */
function expectSame(value: unknown): 'native' | 'exact' | undefined {
  const holder: Holder = {};
  const way = copyPlain(value, holder, 'body');
  if (way === undefined) return way;
  const expected = throughText(value);
  expect(holder).toEqual(expected?.holder);
  expect(canonicalJson(holder, 'body')).toBe(expected && canonicalJson(expected.holder, 'body'));
  const body = exactNumber(holder, 'body') ?? holder['body'];
  expect(way === 'native' ? JSON.stringify(body) : stringifyJson(body)).toBe(expected?.text);
  return way;
}

class Money {
  constructor(readonly cents: number) {}
}

const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 4, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.double() },
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.integer({ min: 0, max: 70 }).map((power) => 2 ** power),
  fc.constantFrom(true, false, null, undefined, -0, '\ud83d', '😀', 10n ** 400n),
  fc.constantFrom<unknown>(new Date(0), new Map(), new Money(1), Symbol('s'), () => 1, Promise.resolve(1)),
);
const name = fc.oneof(
  fc.constantFrom('a', 'b', '0', '__proto__', 'toJSON', 'constructor', '\udc00'),
  fc.string(),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as object),
  ),
}));

test('a copy equals the value that a client parses from its text', () => {
  const ways = new Map<unknown, number>();
  fc.assert(
    fc.property(value, (each) => {
      const way = expectSame(each);
      ways.set(way, (ways.get(way) ?? 0) + 1);
    }),
    { numRuns: 5000, seed: 8259 },
  );
  for (const way of ['native', 'exact', undefined]) expect(ways.get(way)).toBeGreaterThan(100);
});

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

test.each<[string, unknown, 'native' | 'exact' | undefined]>([
  ['plain data', { id: 1n, name: 'a', list: [1.5, null, true], nothing: undefined }, 'native'],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), 'native'],
  ['an integer that is not safe', { id: 2n ** 53n + 1n }, 'exact'],
  ['a bigint that a double represents', { id: 2n ** 60n }, 'exact'],
  ['a double that is not safe', { id: 2 ** 63 }, undefined],
  ['64 levels', nested(64), 'native'],
  ['65 levels', nested(65), undefined],
  ['a value with toJSON', { toJSON: () => 1 }, undefined],
  ['an array of a class', Object.assign([1], { toJSON: () => 1 }), undefined],
  ['a sparse array', new Array(2), undefined],
])('%s', (_title, each, way) => {
  expect(expectSame(each)).toBe(way);
});

test('a getter is read once', () => {
  let reads = 0;
  const holder: Holder = {};
  const counting = {
    get a() {
      return ++reads;
    },
  };
  copyPlain(counting, holder, 'body');
  expect([holder['body'], reads]).toEqual([{ a: 1 }, 1]);
});

it.each([
  ['({})', '{}'],
  ['({ a: [{}] })', '{"a":[{}]}'],
  ['new (class Thing {})()', undefined],
  ['new Map([[1, 2]])', undefined],
])('of another realm, such as that of JSON files in Jest: %s', (source, text) => {
  const value: unknown = runInNewContext(source);
  expect(throughText(value)?.text).toBe(text);
});
