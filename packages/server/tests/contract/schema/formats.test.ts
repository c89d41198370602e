import { OpenApiDocument } from '../../../src/contract/document/document';
import { samples } from '../../../src/contract/samples/sample';
import { FORMATS, reasonNotEnforced } from '../../../src/contract/schema/formats';
import { Interner } from '../../../src/contract/schema/identity';
import { createCompiler } from '../../../src/contract/schema/validator';
import { readSuite } from '../../http/json-schema-test-suite/suite';

interface Examples {
  readonly fits: readonly unknown[];
  readonly fails: readonly unknown[];
}

/**
 * Values that formats admit and refuse, from the examples and the grammar of their sources. The JSON Schema Test Suite has
 * those of its formats; here is what it does not have.
 */
const EXAMPLES: Readonly<Record<string, Examples>> = {
  time: { fits: ['23:59:60.5Z', '00:59:60+01:00'], fails: ['00:00:00.Z', '00:00:00'] },
  'date-time': { fits: ['2024-01-01t00:00:00z'], fails: ['2024-01-01 00:00:00Z', '2024-01-0100:00:00Z'] },
  uri: {
    fits: ['telnet://192.0.2.16:80/', 'http://[v1.a:b]/', 'http://a:/', 'http://%41:1@b/?a/b?c#d/e?f'],
    fails: ['http://[::1', 'http://[::1%25eth0]/'],
  },
  'uri-reference': { fits: [], fails: [':a'] },
  'uri-template': { fits: ['{+path:6}/here', 'X{.x,y}', 'é{x}'], fails: ['\ufdd0'] },
  email: {
    fits: ['"a\\"b"@c', '""@c', "!#$%&'*+-/=?^_`{|}~@a"],
    fails: ['"a"b"@c', 'a@-b', 'a@b-'],
  },
  hostname: { fits: [`${'a.'.repeat(126)}a`], fails: ['xn--hello-zed'] },
  ipv6: { fits: ['1:2:3:4:5:6:7::'], fails: ['::1%eth0', '::01.2.3.4'] },
  'relative-json-pointer': { fits: ['0-1', '1+1/a'], fails: ['0+0'] },
  byte: {
    fits: ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy', '+/+/'],
    fails: [
      ...['Z', 'Zg', 'Zg=', 'Zg===', 'Z===', '====', 'Zm9vYg==Zg==', 'Zm-_', 'Zm9v\n', 'Z g='],
      ...['Zh==', 'Zv==', 'Zm9=', 'Zm+=', 'Z/=='], // with unused bits that are not zero
    ],
  },
  base64url: {
    fits: ['', 'Zg==', 'Zg', 'Zm8=', 'Zm8', 'Zm9v', '-_-_'],
    fails: [
      ...['Z', 'Zg=', 'Zm8==', '+/+/', 'Zm9v\n', '=', '====', 'Z===', 'Zg==Zg=='],
      ...['Zh==', 'Zh', 'Z_', 'Z-', 'Zm9=', 'Zm9', 'Zm_', 'Zm-='],
    ],
  },
  binary: { fits: ['', '\u0000'], fails: [] },
  password: { fits: ['', 'secret'], fails: [] },
  int8: { fits: [-128, 127, 0], fails: [-129, 128, 0.5] },
  int16: { fits: [-32_768, 32_767], fails: [-32_769, 32_768, 0.5] },
  int32: { fits: [-(2 ** 31), 2 ** 31 - 1, 1e3], fails: [-(2 ** 31) - 1, 2 ** 31, 0.5] },
  int64: { fits: [-(2 ** 63), 2 ** 62], fails: [2 ** 63, -(2 ** 64), 0.5] },
  uint8: { fits: [0, 255], fails: [-1, 256, 0.5] },
  uint16: { fits: [0, 65_535], fails: [-1, 65_536, 0.5] },
  uint32: { fits: [0, 2 ** 32 - 1], fails: [-1, 2 ** 32, 0.5] },
  'double-int': { fits: [-(2 ** 53) + 1, 2 ** 53 - 1], fails: [2 ** 53, -(2 ** 53), 0.5] },
  float: { fits: [0, -0, 5e-324, 1.1, 3.4e38, -3.4e38, 3], fails: [3.5e38, -1e300] },
  double: { fits: [0, 5e-324, 1.7e308, 1], fails: [Infinity] },
};

const { compile } = createCompiler(
  'request',
  { components: {}, constants: new Interner(), inheritedNames: false },
  false,
  {},
);
const checks = new Map(
  Array.from(FORMATS.keys(), (format) => [format, compile({ properties: { it: { format } } })]),
);
/** By the validator as it judges requests: a format that only its package has is not in the table of this project. */
const test = (name: string, it: unknown): boolean => {
  const format = FORMATS.get(name);
  if (!format) throw new Error(`${name} is not in FORMATS of formats.ts`);
  if (typeof it !== format.type)
    throw new Error(`expected a value of the type of ${name}, got ${JSON.stringify(it)}`);
  return checks.get(name)?.({ it }).length === 0;
};

/** The texts of the suite, by their format. */
const suite = new Map<string, string[]>();
for (const { text, tests } of readSuite()) {
  const { format } = JSON.parse(text) as { readonly format?: string };
  const texts = tests.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  if (format !== undefined) suite.set(format, [...(suite.get(format) ?? []), ...texts]);
}

it('every format has examples', () => {
  const without = [...FORMATS.keys()].filter((name) => !(name in EXAMPLES) && !suite.has(name));
  expect(without).toEqual([]);
});

it.each(Object.entries(EXAMPLES))(
  '%s admits and refuses the values of its source',
  (name, { fits, fails }) => {
    expect(fits.filter((value) => !test(name, value))).toEqual([]);
    expect(fails.filter((value) => test(name, value))).toEqual([]);
  },
);

it('29 February is a date in each leap year, and in no other', () => {
  const years = Array.from({ length: 10_000 }, (_, year) => String(year).padStart(4, '0'));
  const isLeap = (year: string) => new Date(`${year}-02-29T00:00:00Z`).getUTCMonth() === 1;
  expect(years.filter((year) => test('date', `${year}-02-29`))).toEqual(years.filter(isLeap));
});

it.each(['idn-email', 'idn-hostname', 'iri', 'iri-reference', 'constructor', 'color'])(
  '%s is named as not enforced',
  (name) => {
    expect(reasonNotEnforced(name, {})).toMatch(`format ${name} is not enforced: `);
    expect(reasonNotEnforced(name, { [name]: () => true })).toBeUndefined();
  },
);

describe('a format costs time linear in the text', () => {
  const strings = [...FORMATS].filter(([, { type }]) => type === 'string');
  it.each(strings)('%s', (name) => {
    const { fits = [], fails = [] } = EXAMPLES[name] ?? {};
    // Each example and each of its halves, repeated, also with an invalid end.
    const seeds = [...fits, ...fails, ...(suite.get(name) ?? [])].map(String);
    const parts = [
      ...new Set(
        seeds.flatMap((text) => [text, text.slice(0, text.length / 2), text.slice(text.length / 2)]),
      ),
    ];
    const pumps = [...parts, ...Array.from('aA0.:-@/%~"\\+_= {[(,é')].filter((text) => text !== '');
    const cost = (length: number): number => {
      const texts = pumps.flatMap((pump) =>
        ['', '\u0000'].map((end) => pump.repeat(length / pump.length) + end),
      );
      const times = [1, 2, 3, 4, 5, 6].map(() => {
        const before = process.cpuUsage();
        for (const text of texts) test(name, text);
        return process.cpuUsage(before).user / 1_000;
      });
      return Math.min(...times);
    };
    // Ten times the text: a quadratic cost is a hundred times as much.
    expect(cost(20_000)).toBeLessThan(30 * Math.max(cost(2_000), 3));
  });
});

it.each([...FORMATS.keys()].filter((name) => FORMATS.get(name)?.type === 'string'))(
  'the samples of %s conform to it',
  (format) => {
    const items = { type: 'string', format };
    const schemas = { list: { type: 'array', minItems: 5, uniqueItems: true, items } };
    const root = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas } };
    const made = samples(new OpenApiDocument(root), '/components/schemas/list', 'request').next();
    const texts = new Set(made.value as readonly unknown[]);
    expect(texts.size).toBe(5);
    expect([...texts].filter((it) => !test(format, it))).toEqual([]);
  },
);
