import fc from 'fast-check';
import { judgeHead } from '../../../src/contract/http/head';
import { REFUSED, SERVED } from '../../../../../scripts/testing/heads';

/** The server refuses it by another rule: it is no proxy. */
const CONNECT = 'CONNECT x:80 ';

const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

/** The kind of the problem of a head; undefined if it is valid. */
function kindOf(head: string): string | undefined {
  const judged = judgeHead(head);
  return typeof judged === 'object' ? judged.kind : undefined;
}

test.each([...SERVED, ['9110 7.8: an upgrade', UPGRADE] as const])('%s is accepted', (_, head) => {
  expect(kindOf(head)).toBeUndefined();
});

test.each([
  ['Content-Length: 12\r\n', 12],
  ['CONTENT-LENGTH:\t007 \r\n', 7],
  ['X-Content-Length: 12\r\n', 0],
  ['Transfer-Encoding: chunked\r\n', 0],
  ['', 0],
])('the Content-Length that %j declares is %i', (fields, length) => {
  expect(judgeHead(`POST / HTTP/1.1\r\nHost: x\r\n${fields}\r\n`)).toBe(length);
});

test.each(REFUSED.filter(([, head]) => !head.startsWith(CONNECT)))('%s is refused', (_, head, kind) => {
  expect(kindOf(head)).toBe(kind);
});

// The grammar of RFC 9110, RFC 9112 and RFC 3986, rule by rule.
const ALPHA = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGIT = '0123456789';
const UNRESERVED = `${ALPHA}${DIGIT}-._~`;
const TCHAR = `!#$%&'*+-.^_\`|~${DIGIT}${ALPHA}`;
const bytes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCharCode(from + i)).join('');
const VCHAR = bytes(0x21, 0x7e);
const OBS_TEXT = bytes(0x80, 0xff);

const some = (characters: string, minLength = 0) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength, maxLength: 8 });
const octet = some(`${DIGIT}abcdefABCDEF`, 2).map((text) => `%${text.slice(0, 2)}`);
const encoded = (characters: string, minLength = 0) =>
  fc
    .array(fc.oneof(fc.constantFrom(...Array.from(characters)), octet), { minLength, maxLength: 8 })
    .map((parts) => parts.join(''));
const joined = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((texts) => texts.join(''));
const maybe = (part: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), part);

const token = some(TCHAR, 1);
const PCHAR = `${UNRESERVED}!$&'()*+,;=:@`;
const path = joined(
  '/',
  fc.array(encoded(PCHAR)).map((segments) => segments.join('/')),
);
const query = joined('?', encoded(`${PCHAR}/?`));
const regName = encoded(`${UNRESERVED}!$&'()*+;=`, 1); // without the comma: head.ts says why
const ipFuture = joined('[v', some(`${DIGIT}abcdef`, 1), '.', some(`${UNRESERVED}!$&'()*+,;=:`, 1), ']');
const ipv6 = fc.ipV6().map((address) => `[${address}]`);
const port = fc.oneof(fc.constant(''), fc.integer({ min: 0, max: 65_535 }).map(String));
const authority = joined(fc.oneof(regName, fc.ipV4(), ipv6, ipFuture), maybe(joined(':', port)));

/** Methods with a target of each form that they allow. */
const target = fc.oneof(
  joined(path, maybe(query)),
  joined(fc.constantFrom('http://', 'https://', 'hTTp://'), authority, maybe(path), maybe(query)),
);
const start = fc.oneof(
  fc.tuple(token, target),
  fc.constant(['OPTIONS', '*'] as const),
  fc.tuple(fc.constant('CONNECT'), joined(regName, ':', fc.integer({ min: 0, max: 65_535 }).map(String))),
);
const ows = some(' \t');
const value = some(`${VCHAR}${OBS_TEXT} \t`);
const fieldLine = joined(token, ':', ows, value, ows).filter(
  (text) => !/^(host|content-length|transfer-encoding):/i.test(text),
);
const framing = fc.oneof(
  fc.constant([]),
  fc.nat().map((length) => [`Content-Length:${length}`]),
  fc.constantFrom('chunked', 'Chunked', ' CHUNKED\t').map((coding) => [`Transfer-Encoding:${coding}`]),
);

/** The parts of a valid head, which the mutations change. */
interface Parts {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly fields: readonly string[];
}

const valid: fc.Arbitrary<Parts> = fc
  .tuple(
    start,
    fc.constantFrom('HTTP/1.0', 'HTTP/1.1'),
    fc.oneof(fc.constant(''), authority),
    framing,
    fc.array(fieldLine),
  )
  .chain(([[method, to], version, host, [body = ''], others]) => {
    const fields = [
      `Host:${host}`,
      ...(body && !(version === 'HTTP/1.0' && /^t/i.test(body)) ? [body] : []),
      ...others,
    ];
    return fc
      .shuffledSubarray(fields, { minLength: fields.length })
      .map((all) => ({ method, target: to, version, fields: all }));
  });

const headOf = ({ method, target: to, version, fields }: Parts) =>
  `${method} ${to} ${version}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

test('every head that the grammar generates is accepted', () => {
  fc.assert(
    fc.property(valid, (parts) => {
      expect(kindOf(headOf(parts))).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

const CONTROLS = `${bytes(0, 8)}${bytes(0x0b, 0x1f)}\x7f`;
const inserted = (text: string, at: number, what: string) => {
  const index = text.length === 0 ? 0 : at % (text.length + 1);
  return text.slice(0, index) + what + text.slice(index);
};

type Mutation = (parts: Parts, at: number, bad: string) => Partial<Parts> | string;

/** Changes each field behind its name, or within it. */
const inFields =
  (change: (name: string, value: string, at: number, bad: string) => string): Mutation =>
  ({ fields }, at, bad) => ({
    fields: fields.map((field) => {
      const colon = field.indexOf(':');
      return change(field.slice(0, colon), field.slice(colon + 1), at, bad);
    }),
  });
/** Puts a field in the place of others. */
const inPlaceOf =
  (names: RegExp, field: (at: number, bad: string) => string): Mutation =>
  ({ fields }, at, bad) => ({
    version: 'HTTP/1.1',
    fields: [...fields.filter((other) => !names.test(other)), field(at, bad)],
  });

/** Each breaks one rule of a valid head. `at` and `bad` are arbitrary. */
const MUTATIONS: readonly [rule: string, bad: string, Mutation][] = [
  [
    '3 a space between the parts, twice',
    ' \t',
    (parts, at, bad) => {
      const head = headOf(parts);
      const spaces = [head.indexOf(' '), head.indexOf(' ', head.indexOf(' ') + 1)];
      return inserted(head, spaces[at % 2] ?? 0, bad);
    },
  ],
  [
    '3.1 a character in the method',
    `()<>@,;:\\"/[]?={}${CONTROLS}${OBS_TEXT}`,
    ({ method }, at, bad) => ({ method: inserted(method, at, bad) }),
  ],
  [
    '3.2 a character in the target',
    `#"<>\t${CONTROLS}${OBS_TEXT}`,
    (parts, at, bad) => ({ target: inserted(parts.target, at, bad) }),
  ],
  [
    '2.3 a character in the version',
    ` ./${VCHAR}${CONTROLS}${OBS_TEXT}`,
    ({ version }, at, bad) => ({ version: inserted(version, at, bad) }),
  ],
  [
    '5 a character in a name',
    ` \t()<>@,;\\"/[]?={}${CONTROLS}${OBS_TEXT}`,
    inFields((name, text, at, bad) => `${inserted(name, at, bad)}:${text}`),
  ],
  [
    '5 a character in a value',
    `${CONTROLS}\n`,
    inFields((name, text, at, bad) => `${name}:${inserted(text, at, bad)}`),
  ],
  [
    '5.2 a line that continues another',
    ' \t',
    ({ fields }, at, bad) => ({ fields: fields.toSpliced(at % fields.length, 0, `${bad}a`) }),
  ],
  [
    '2.2 a line without its CR or LF',
    '\r\n',
    (parts, at, bad) => {
      const lines = headOf(parts).split('\r\n').slice(0, -1);
      return lines.map((text, i) => text + (i === at % lines.length ? bad : '\r\n')).join('');
    },
  ],
  [
    '3.2 a Host that is none',
    `@/?#,\\"<>^\`{|}${CONTROLS}${OBS_TEXT} \t`,
    inPlaceOf(/^host:/i, (at, bad) => `Host:a${inserted('b', at % 2, bad)}c`),
  ],
  [
    '6 a length that is no number',
    `${VCHAR.replaceAll(/\d/g, '')}${OBS_TEXT}`,
    inPlaceOf(/^(con|tra)/i, (at, bad) => `Content-Length:${inserted('12', at, bad)}`),
  ],
  [
    '6.1 a coding beside chunked',
    `,;"=${VCHAR}${OBS_TEXT}`,
    inPlaceOf(/^(con|tra)/i, (at, bad) => `Transfer-Encoding:${inserted('chunked', at, bad)}`),
  ],
];

test.each(MUTATIONS)('RFC 9112 section %s', (_, bad, mutate) => {
  fc.assert(
    fc.property(valid, fc.nat(), fc.constantFrom(...Array.from(bad)), (parts, at, character) => {
      const mutated = mutate(parts, at, character);
      const head = typeof mutated === 'string' ? mutated : headOf({ ...parts, ...mutated });
      if (kindOf(head) === undefined) throw new Error(`accepted: ${JSON.stringify(head)}`);
    }),
    { numRuns: 1_000 },
  );
});

test('a head that ends early is refused', () => {
  const head = 'OPTIONS http://x:1/?a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (let end = 0; end < head.length; end++) expect(kindOf(head.slice(0, end))).toBe('malformed');
});
