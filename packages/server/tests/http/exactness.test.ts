import { receive } from './receive';
import { everyOf } from '../../../../scripts/testing/cases';
import { hidden, ok, respond } from './respond';

const BIG = 9007199254740993n;
const integer = { type: 'integer' };
const int64 = { type: 'integer', format: 'int64' };
const number = { type: 'number' };

/** Keywords with numbers that a double cannot represent, a conforming value, and its neighbor that does not conform. */
const KEYWORDS: readonly (readonly [string, object, good: string, bad: string])[] = [
  ['minimum', { minimum: BIG }, `${BIG}`, `${BIG - 1n}`],
  ['maximum', { maximum: BIG }, `${BIG}`, `${BIG + 1n}`],
  ['exclusiveMinimum', { exclusiveMinimum: BIG }, `${BIG + 1n}`, `${BIG}`],
  ['exclusiveMaximum', { exclusiveMaximum: BIG }, `${BIG - 1n}`, `${BIG}`],
  ['const', { const: BIG }, `${BIG}.0`, `${BIG - 1n}`],
  ['enum', { enum: [1, BIG] }, `${BIG}`, `${BIG + 1n}`],
  ['multipleOf', { multipleOf: BIG }, `${BIG * 3n}`, `${BIG * 3n + 1n}`],
  ['a bound that a double represents', { maximum: 2 ** 53 }, `${2 ** 53}`, `${2n ** 53n + 1n}`],
];

describe.each([
  ['an integer', integer],
  ['an int64', int64],
  ['a number', number],
  ['no type', {}],
])('%s is compared exactly', (_, type) => {
  it.each(KEYWORDS)('with %s', async (_keyword, keyword, good, bad) => {
    expect(await receive({ ...type, ...keyword }, good)).not.toContain('must');
    expect(await receive({ ...type, ...keyword }, bad)).toMatch(/^body must /);
    const send = (body: string) => respond(ok({ ...type, ...keyword }), { status: 200, body: BigInt(body) });
    expect(await send(good.replace('.0', ''))).toMatchObject({ status: 200, text: good.replace('.0', '') });
    expect(await send(bad)).toMatchObject(hidden);
  });
});

it('compares values in objects and arrays exactly', async () => {
  const schema = { enum: [{ a: [BIG] }, [1]] };
  expect(await receive(schema, `{"a":[${BIG}]}`)).not.toContain('must');
  expect(await receive(schema, '[1.0]')).toBe('[1]');
  expect(await receive(schema, `{"a":[${BIG - 1n}]}`)).toContain(
    'must be equal to one of the allowed values',
  );
  expect(await receive({ uniqueItems: true }, `[${BIG},${BIG - 1n},1e30,2e30]`)).not.toContain('must');
  expect(await receive({ uniqueItems: true }, `[{"a":${BIG},"b":1},{"b":1.0,"a":${BIG}.0}]`)).toContain(
    'must NOT',
  );
});

const POWERS = Array.from({ length: 42 }, (_, i) => `1e+${i * 7 + 21}`);

// 10^23 and larger powers are no doubles.
test.each([...everyOf(POWERS, 4), '1e+23', '-1e+23', `${Number.MAX_VALUE}`])(
  'the number %s of a document is what is written',
  async (written) => {
    const value = Number(written);
    const schema = { enum: [0, value, { a: [value] }] };
    expect(await receive(schema, written)).not.toContain('must');
    expect(await receive({ not: { const: value } }, written)).toBe('body must NOT be valid');
    const other = written.replace('e', written.includes('.') ? '1e' : '.1e');
    expect(await receive(schema, `{"a":[${other}]}`)).toContain('must');
    for (const body of [value, { a: [value] }])
      expect(await respond(ok(schema), { status: 200, body })).toMatchObject({ status: 200 });
    if (written !== '1e+21') expect(await receive(schema, String(BigInt(value)))).toContain('must');
  },
);
