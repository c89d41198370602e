import { compileContract } from 'contract-first-server/tools';
import { compileSelect } from '../../../src/contract/exchange/select-response';
import { Conditions, readDate } from '../../../src/contract/http/conditional';
import { byteRangeOf } from '../../../src/contract/http/ranges';
import { Problem } from '../../../src/contract/problem';
import { buildDocument } from '../../../../../scripts/testing/service';
import { everyOf } from '../../../../../scripts/testing/cases';

const [OLDER, SAME, NEWER] = [6, 7, 8]
  .map((day) => `0${day} Nov 1994 08:49:37 GMT`)
  .map((text) => new Date(text).toUTCString());
const text = { schema: { type: 'string' } };
const BYTES = Buffer.from('0123456789');

/** The values of each field in a request; undefined: the request lacks it. */
const FIELDS = {
  'If-Match': [undefined, '*', '"a"', 'W/"a"', '"b"'],
  'If-Unmodified-Since': [undefined, OLDER, SAME],
  'If-None-Match': [undefined, '*', '"a"', 'W/"a"', '"b"'],
  'If-Modified-Since': [undefined, OLDER, NEWER],
  Range: [undefined, 'bytes=2-4', 'bytes=10-'],
  'If-Range': [undefined, '"a"', SAME, NEWER],
};
type Given = Partial<Record<keyof typeof FIELDS, string | undefined>>;
const STATES: readonly Readonly<Record<string, string>>[] = [
  { ETag: '"a"', 'Last-Modified': SAME ?? '' },
  { ETag: 'W/"a"' },
  { 'Last-Modified': SAME ?? '' },
  {},
];
const STATUSES = ['206', '304', '412', '416'];

/** Every choice of one value for each name. */
function* choices(fields: Readonly<Record<string, readonly (string | undefined)[]>>): Generator<Given> {
  const [name] = Object.keys(fields);
  if (name === undefined) {
    yield {};
    return;
  }
  const { [name]: values = [], ...rest } = fields;
  for (const value of values) for (const chosen of choices(rest)) yield { [name]: value, ...chosen };
}

/** Section 13.2.2 of RFC 9110 in its words; the numbers are those of its steps. A status that is not documented is not sent. */
function expected(
  method: string,
  given: Given,
  state: (typeof STATES)[number],
  documented: ReadonlySet<string>,
): number {
  const tags = (field: string) => field.split(', ');
  const isWeak = (tag: string) => tag.startsWith('W/');
  const bare = (tag: string) => tag.replace('W/', '');
  const { ETag: etag = 'none', 'Last-Modified': modified } = state;
  const isDate = (value: string | undefined) => [OLDER, SAME, NEWER].includes(value ?? '');
  const time = (value: string) => Date.parse(value);
  const strong = (tag: string) => tag === etag && !isWeak(tag);
  const {
    'If-Match': match,
    'If-Unmodified-Since': unmodified,
    'If-None-Match': none,
    'If-Modified-Since': since,
  } = given;
  // 1, 2
  let holds = true;
  if (match !== undefined) holds = match === '*' || tags(match).some(strong);
  else if (unmodified !== undefined && isDate(unmodified) && modified !== undefined)
    holds = time(modified) <= time(unmodified);
  if (!holds && documented.has('412')) return 412;
  // 3, 4
  let differs = true;
  if (none !== undefined) differs = none !== '*' && !tags(none).some((tag) => bare(tag) === bare(etag));
  else if (since !== undefined && isDate(since) && modified !== undefined)
    differs = time(modified) > time(since);
  if (!differs && documented.has('304')) return 304;
  // 5
  const { Range: range, 'If-Range': ifRange } = given;
  if (method !== 'GET' || range === undefined || !documented.has('206')) return 200;
  if (ifRange !== undefined && !strong(ifRange) && ifRange !== modified) return 200;
  if (range === 'bytes=2-4') return 206;
  return documented.has('416') ? 416 : 200;
}

const sets = STATUSES.reduce<string[][]>((all, one) => [...all, ...all.map((some) => [...some, one])], [[]]);

test.each(everyOf(sets, 3).map((statuses) => [statuses.join(' ') || 'nothing', new Set(statuses)] as const))(
  'the status is that of RFC 9110 section 13.2.2, where the operation documents %s',
  (_, documented) => {
    const headers = { ETag: text, 'Last-Modified': text };
    const content = { 'application/octet-stream': {} };
    const response = { description: '', headers, content };
    const others = Object.fromEntries(
      [...documented].map(
        (status) => [status, { description: '', ...(status === '206' && { content }) }] as const,
      ),
    );
    const document = buildDocument({
      paths: {
        '/a': { get: { operationId: 'get', responses: { 200: response, ...others } } },
      },
    });
    const [served] = compileContract(document).served.values();
    if (!served) throw new Error('expected an operation');
    const select = compileSelect(served, () => undefined);
    const wrong: unknown[] = [];
    let count = 0;
    for (const state of STATES) {
      const answer = { status: 200, headers: state, body: BYTES };
      const whole = served.responses.write(answer);
      for (const given of choices(FIELDS))
        for (const method of ['GET', 'HEAD']) {
          const rawHeaders = Object.entries(given).flatMap(([name, value]) =>
            value === undefined ? [] : [name, value],
          );
          const { status } = select?.({ method, rawHeaders }, answer, whole) ?? whole;
          count++;
          const right = expected(method, given, state, documented);
          if (status !== right) wrong.push({ method, given, state, status, right });
        }
    }
    expect([wrong.slice(0, 3), wrong.length]).toEqual([[], 0]);
    expect(count).toBe(4 * 2 * 5 * 3 * 5 * 3 * 3 * 4);
  },
);

test.each<[string, number, ReturnType<typeof byteRangeOf>]>([
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=0-', 10, { start: 0, end: 10 }],
  ['bytes=9-', 10, { start: 9, end: 10 }],
  ['bytes=3-99', 10, { start: 3, end: 10 }],
  ['Bytes=3-4', 10, { start: 3, end: 5 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-10', 10, { start: 0, end: 10 }],
  ['bytes=-11', 10, { start: 0, end: 10 }],
  [`bytes=-${'9'.repeat(400)}`, 10, { start: 0, end: 10 }],
  [`bytes=0-${'9'.repeat(400)}`, 10, { start: 0, end: 10 }],
  [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable'],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-12', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=0-0', 0, 'unsatisfiable'],
  // No part of nothing can be sent.
  ['bytes=-1', 0, undefined],
  // Not well-formed, of another unit, or several: the whole body (section 14.2).
  ...[
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=4-2',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=+1-2',
    'bytes=1-2-3',
    'bytes=1.0-2',
    'bytes 0-1',
    'items=0-1',
    'items=99-',
    'bytes=0-1,4-5',
    'bytes=0-1, 99-',
    'bytes=99-,98-',
    'bytes=0-,0-,0-,0-',
  ].map((field): [string, number, undefined] => [field, 10, undefined]),
])('the range %s of %d bytes', (field, length, range) => {
  expect(byteRangeOf({ rawHeaders: ['Range', field] }, length)).toEqual(range);
});

test('a range that is given twice is ignored', () => {
  expect(byteRangeOf({ rawHeaders: ['Range', 'bytes=0-1', 'range', 'bytes=0-1'] }, 10)).toBeUndefined();
});

const AT = Date.UTC(1994, 10, 6, 8, 49, 37);
test.each<[string, number | undefined]>([
  ['Sun, 06 Nov 1994 08:49:37 GMT', AT],
  ['Sunday, 06-Nov-94 08:49:37 GMT', AT],
  ['Sun Nov  6 08:49:37 1994', AT],
  ['Wednesday, 06-Nov-30 08:49:37 GMT', Date.UTC(2030, 10, 6, 8, 49, 37)],
  ...[
    '',
    '0',
    '1994',
    '784111777',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Nvo 1994 08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ].map((field): [string, undefined] => [field, undefined]),
])('the date %j', (field, date) => {
  expect(readDate(field)).toBe(date);
});

/** Whether an operation with this method and these fields may act on the state. */
const holds = (method: string, fields: readonly string[], current: Parameters<Conditions['hold']>[0]) =>
  new Conditions({ method, rawHeaders: fields }).hold(current);

const DATE = new Date(AT + 999);
test.each<[string[], Parameters<Conditions['hold']>[0], boolean]>([
  [[], { etag: '"a"' }, true],
  [[], undefined, true],
  [['If-Match', '"a"'], { etag: '"a"' }, true],
  [['If-Match', '"a"'], { etag: '"b"' }, false],
  [['If-Match', '"a"'], {}, false],
  [['If-Match', '"a"'], undefined, false],
  [['If-Match', '*'], {}, true],
  [['If-Match', '*'], undefined, false],
  [['If-Match', 'W/"a"'], { etag: 'W/"a"' }, false],
  [['If-Match', '"a"'], { etag: 'W/"a"' }, false],
  [['If-Match', '"a,b", "c"'], { etag: '"a,b"' }, true],
  [['If-Match', '"a\\"'], { etag: '"a\\"' }, true],
  [['If-Match', ', ,"x",\t"a",'], { etag: '"a"' }, true],
  [['if-match', '"x"', 'IF-MATCH', '"a"'], { etag: '"a"' }, true],
  [['If-Match', '""'], { etag: '""' }, true],
  [['If-None-Match', '*'], undefined, true],
  [['If-None-Match', '*'], {}, false],
  [['If-None-Match', 'W/"a"'], { etag: '"a"' }, false],
  [['If-None-Match', '"b"'], { etag: '"a"' }, true],
  [['If-Match', '"a"', 'If-None-Match', '"a"'], { etag: '"a"' }, false],
  [['If-Unmodified-Since', SAME ?? ''], { lastModified: new Date(Date.parse(SAME ?? '') + 999) }, true],
  [['If-Unmodified-Since', OLDER ?? ''], { lastModified: SAME }, false],
  [['If-Unmodified-Since', OLDER ?? ''], {}, true],
  [['If-Unmodified-Since', OLDER ?? ''], undefined, true],
  [['If-Unmodified-Since', 'yesterday'], { lastModified: DATE }, true],
  [['If-Match', '"a"', 'If-Unmodified-Since', OLDER ?? ''], { etag: '"a"', lastModified: SAME }, true],
  // Only of GET and HEAD (section 13.1.3).
  [['If-Modified-Since', NEWER ?? ''], { lastModified: SAME }, true],
])('with %j a PUT on %j may act: %j', (fields, current, acts) => {
  expect(holds('PUT', fields, current)).toBe(acts);
});

test.each(['a', '"a', "'a'", 'w/"a"', '"a" b', '*, "a"', '', '"a b"'])(
  'If-Match and If-None-Match that nobody can compare are refused with 400: %j',
  (field) => {
    for (const name of ['If-Match', 'If-None-Match'])
      expect(() => holds('PUT', [name, field], { etag: '"a"' })).toThrow(
        new Problem('invalidRequest', `header/${name} must be * or entity tags in quotes, such as "v7"`),
      );
  },
);

test.each<[Parameters<Conditions['hold']>[0], string]>([
  [{ etag: 'v7' }, 'expected an entity tag with its quotes, such as "v7", got "v7"'],
  [{ lastModified: 'now' }, 'expected a Date or the text of a Last-Modified field, got now'],
  [{ lastModified: new Date(NaN) }, 'expected a Date or the text of a Last-Modified field, got Invalid Date'],
])('a handler that compares with %j is told', (current, message) => {
  expect(() => holds('PUT', [], current)).toThrow(new TypeError(message));
});
