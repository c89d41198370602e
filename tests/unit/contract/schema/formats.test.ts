import { FORMATS, reasonNotEnforced } from '../../../../src/contract/schema/formats';
import { Interner } from '../../../../src/contract/schema/identity';
import { createCompiler } from '../../../../src/contract/schema/validator';

/** Values that each format admits and refuses, from the examples and the grammar of its source. */
const EXAMPLES: Readonly<
  Record<string, { readonly fits: readonly unknown[]; readonly fails: readonly unknown[] }>
> = {
  date: {
    fits: ['1985-04-12', '2000-02-29', '0000-01-01', '9999-12-31'],
    fails: [
      '1900-02-29',
      '2023-02-30',
      '2023-13-01',
      '2023-00-01',
      '2023-01-00',
      '23-01-01',
      '2023-1-1',
      '2023-01-01\n',
      '٢٠٢٣-01-01',
      '',
    ],
  },
  time: {
    fits: [
      '23:20:50.52Z',
      '16:39:57-08:00',
      '23:59:60Z',
      '15:59:60-08:00',
      '00:59:60+01:00',
      '12:00:27.87+00:20',
      '00:00:00z',
      '00:00:00+23:59',
    ],
    fails: [
      '24:00:00Z',
      '23:60:00Z',
      '22:59:60Z',
      '23:59:61Z',
      '12:00:00',
      '12:00:00+01',
      '12:00:00+0100',
      '12:00:00+24:00',
      '12:00:00+01:60',
      '12:00:00.Z',
      '12:00:00Z+01:00',
      '1:00:00Z',
      '12:00Z',
    ],
  },
  'date-time': {
    fits: [
      '1985-04-12T23:20:50.52Z',
      '1996-12-19T16:39:57-08:00',
      '1990-12-31T23:59:60Z',
      '1990-12-31T15:59:60-08:00',
      '1937-01-01T12:00:27.87+00:20',
      '1985-04-12t23:20:50z',
      '2020-01-01T00:00:00.999999999999999Z',
    ],
    fails: [
      '1985-04-12',
      '1985-04-12 23:20:50Z',
      '1985-04-12T24:00:00Z',
      '1985-04-12T23:20:50',
      '1985-04-12T23:20:50+01',
      '1985-04-31T00:00:00Z',
      '1985-04-12TT00:00:00Z',
      '1990-12-31T22:59:60Z',
    ],
  },
  duration: {
    fits: ['P4DT12H30M5S', 'P4Y', 'PT0S', 'P0D', 'P1M', 'PT1M', 'PT36H', 'P1DT12H', 'P2W', 'P1Y2M3DT4H5M6S'],
    fails: [
      'PT1D',
      'P',
      'P1YT',
      'PT',
      'P2D1Y',
      'P1D2H',
      'P2S',
      'P1Y2W',
      '4DT12H30M5S',
      'P1Y2D',
      'PT1H2S',
      'P1.5D',
      'P-1D',
      'P1',
      'p1d',
    ],
  },
  uri: {
    fits: [
      'ftp://ftp.is.co.za/rfc/rfc1808.txt',
      'http://www.ietf.org/rfc/rfc2396.txt',
      'ldap://[2001:db8::7]/c=GB?objectClass?one',
      'mailto:John.Doe@example.com',
      'news:comp.infosystems.www.servers.unix',
      'tel:+1-816-555-1212',
      'telnet://192.0.2.16:80/',
      'urn:oasis:names:specification:docbook:dtd:xml:4.1.2',
      'foo://example.com:8042/over/there?name=ferret#nose',
      'http://[v1.a:b]/',
      'file:///etc/hosts',
      'a:',
      'http://a:/',
      'http://%41:1@b/?a/b?c#d/e?f',
    ],
    fails: [
      '//example.com',
      'a/b',
      '',
      '1a:b',
      ':a',
      'http://a:b/',
      'http://a:1:2/',
      'http://a@b@c/',
      'http://[::1',
      'http://[::1]a/',
      'http://[1::2::3]/',
      'http://::1/',
      'http://a b',
      'http://a/<b>',
      'http://a/%4',
      'http://a/%zz',
      'http://a/b[c]',
      'http://a/#b#c',
      'http://a/é',
      'http://[::ffff:01.2.3.4]/',
      'http://a\n',
    ],
  },
  'uri-reference': {
    fits: [
      'http://a/b/c/d;p?q',
      'g:h',
      'g',
      './g',
      'g/',
      '/g',
      '//g',
      '?y',
      'g?y',
      '#s',
      'g#s',
      ';x',
      '',
      '.',
      '../..',
      'a/b:c',
      '//a:80/b',
    ],
    fails: ['1a:b', ':a', 'a b', '\\a', 'a"b', '//a:b', '//a@b@c', 'a[b]', '#a#b', '%', 'http://[g::1]/'],
  },
  'uri-template': {
    fits: [
      'http://www.example.com/foo{?query,number}',
      '{var}',
      '{+path:6}/here',
      '{#keys*}',
      'X{.x,y}',
      '{;x,y,empty}',
      "a'b",
      '{a.b}',
      '{%41}',
      'é{x}',
      '',
    ],
    fails: [
      '{',
      '}',
      '{}',
      '{a',
      'a}',
      '{a b}',
      '{a:0}',
      '{a:10000}',
      '{a..b}',
      '{.}',
      '{a,}',
      '{a**}',
      'a b',
      'a%4',
      '<a>',
      'a\u007f',
      '\ufdd0',
    ],
  },
  email: {
    fits: [
      'joe@example.com',
      'a.b+c@d.e',
      'a@localhost',
      '"joe bloggs"@example.com',
      '"a@b"@c',
      '"a\\"b"@c',
      '""@c',
      'a@[127.0.0.1]',
      'a@[IPv6:2001:db8::1]',
      "!#$%&'*+-/=?^_`{|}~@a",
    ],
    fails: [
      '',
      'a',
      '@',
      'a@',
      '@a',
      'a@b@c',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a b@c',
      '"a@b',
      '"a"b@c',
      '"a"b"@c',
      'a@-b',
      'a@b-',
      'a@b..c',
      'a@b.',
      'a@[1]',
      'a@[127.0.0.256]',
      'a@[IPv6:1]',
      'a@[::1]',
      'é@a',
      'a@b\n',
      '"a\n"@b',
    ],
  },
  hostname: {
    fits: [
      'example.com',
      'a',
      '1',
      '3com.com',
      'a-b',
      'a--b',
      `${'a'.repeat(63)}.b`,
      'A.b',
      'xn--nxasmq6b',
      `${'a.'.repeat(126)}a`,
    ],
    fails: [
      '',
      '.',
      'example.',
      '.a',
      'a..b',
      '-a',
      'a-',
      'a_b',
      'a b',
      'é',
      'a'.repeat(64),
      `${'a.'.repeat(126)}ab`,
      'ab--c',
      'xn--X',
      'xn--hello-zed',
      'a\n',
    ],
  },
  ipv4: {
    fits: ['0.0.0.0', '255.255.255.255', '192.0.2.1', '10.0.0.100'],
    fails: [
      '256.0.0.0',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '1.2.3.04',
      '1..2.3',
      '1.2.3.',
      '0x1.2.3.4',
      '1.2.3.4/8',
      '１.2.3.4',
      '1.2.3.4\n',
      '',
    ],
  },
  ipv6: {
    fits: [
      'ABCD:EF01:2345:6789:ABCD:EF01:2345:6789',
      '2001:DB8:0:0:8:800:200C:417A',
      'FF01::101',
      '::1',
      '::',
      '1::',
      '::13.1.68.3',
      '::FFFF:129.144.52.38',
      '0:0:0:0:0:0:13.1.68.3',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
    ],
    fails: [
      '',
      ':',
      ':::',
      '1',
      '1::2::3',
      '12345::',
      'g::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7:8::',
      '1:',
      ':1',
      '1:2:3:4:5:6:7:1.2.3.4',
      '::1.2.3',
      '::01.2.3.4',
      '1.2.3.4::',
      '::1%eth0',
      '::1/64',
      '::1\n',
      '1.2.3.4',
    ],
  },
  regex: {
    fits: ['', 'a|b', '(?<n>a)\\k<n>', '\\p{L}', '(?=a)'],
    fails: ['(', '[', 'a{2,1}', '\\Z', '\\_', '(?<n>', '*'],
  },
  uuid: {
    fits: [
      'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6',
      '00000000-0000-0000-0000-000000000000',
    ],
    fails: [
      '',
      'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      '{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}',
      'f81d4fae7dec11d0a76500a0c91e6bf6',
      'f81d4fae-7dec-11d0-a765-00a0c91e6bfg',
      'f81d4fae-7dec-11d0-a765-00a0c91e6bf',
      'f81d4fae-7dec-11d0a-765-00a0c91e6bf6',
    ],
  },
  'json-pointer': {
    fits: ['', '/foo', '/foo/0', '/', '/a~1b', '/c%d', '/ ', '/m~0n', '//', '/é\n'],
    fails: ['a', 'a/b', '/~', '/~2', '/a~', '#', '#/a'],
  },
  'relative-json-pointer': {
    fits: ['0', '1/0', '0-1', '2/highly/nested/objects', '0#', '0-1#', '1+1/a', '10/a'],
    fails: ['', '/a', '01', '-1', '+1/a', '0##', '1#/a', '0/~2', '0+0', '0+01', 'a'],
  },
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
  Object.keys(FORMATS).map((format) => [format, compile({ properties: { it: { format } } })]),
);
/** By the validator as it judges requests: a format that only its package has is not in the table of this project. */
const test = (name: string, it: unknown): boolean => {
  if (typeof it !== FORMATS[name]?.type)
    throw new Error(`expected a value of the type of ${name}, got ${JSON.stringify(it)}`);
  return checks.get(name)?.({ it }).length === 0;
};

it('every format has examples, and every example a format', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(Object.keys(FORMATS).sort());
});

it.each(Object.entries(EXAMPLES))(
  '%s admits and refuses the values of its source',
  (name, { fits, fails }) => {
    expect(fits.filter((value) => !test(name, value))).toEqual([]);
    expect(fails.filter((value) => test(name, value))).toEqual([]);
  },
);

it.each(['idn-email', 'idn-hostname', 'iri', 'iri-reference', 'constructor', 'color'])(
  '%s is named as not enforced',
  (name) => {
    expect(reasonNotEnforced(name, {})).toMatch(`format ${name} is not enforced: `);
    expect(reasonNotEnforced(name, { [name]: () => true })).toBeUndefined();
  },
);

describe('a format costs time linear in the text', () => {
  const strings = Object.entries(FORMATS).filter(([, { type }]) => type === 'string');
  it.each(strings)('%s', (name) => {
    const { fits = [], fails = [] } = EXAMPLES[name] ?? {};
    // Each example and each of its halves, repeated, also with an invalid end.
    const seeds = [...fits, ...fails].filter((text) => typeof text === 'string' && text !== '') as string[];
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
      const times = [1, 2].map(() => {
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
