import { parseAccept, parseMediaType, preferred, typeOfRange } from '../../../src/contract/http/media-type';

function typeOf(text: string) {
  const type = parseMediaType(text);
  if (!type) throw new Error(`${text} is not a media type`);
  return type;
}
const media = (key: string) => ({ key, type: typeOf(key) });
const CSV = media('text/csv');
const PLAIN = media('application/json');
const UTF8 = media('application/json; charset=UTF-8');
const [V1, V2] = [media('application/json; version=1'), media('application/json;Version="2"')];

describe('parseMediaType', () => {
  test.each([
    '',
    'json',
    'a/b/c',
    '/',
    'a/',
    'a/b c',
    'a/b, a/b',
    'a/b; c',
    'a/b; c=',
    'a/b; =c',
    'a/b; c =d',
    'a/b; c=d; C=e',
    'a/b; c="',
    'a/b; c="d"e',
  ])('refuses %p', (text) => {
    expect(parseMediaType(text)).toBeUndefined();
  });

  test.each([
    ['a/b;', {}],
    ['a/b ;; ;c=D', { c: 'D' }],
    ['a/b;\tc="d;\\"e,"', { c: 'd;"e,' }],
    ['a/b;charset=UTF-8', {}],
    ['a/b;charset=LATIN1', { charset: 'latin1' }],
    ['a/b;constructor=1', { constructor: '1' }],
  ])('reads the parameters of %p', (text, parameters) => {
    expect(Object.fromEntries(typeOf(text).parameters)).toEqual(parameters);
  });
});

describe('the media type that a client prefers', () => {
  const HTML = [
    'text/html',
    'text/html;level=1',
    'text/html;level=2',
    'text/plain',
    'image/jpeg',
    'text/html;level=3',
  ].map((key) => media(key));
  // RFC 9110 section 12.5.1
  const EXAMPLE =
    'text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5';
  const FLOWED = media('text/plain;format=flowed');
  const FIXED = media('text/plain;format=fixed');
  test.each([
    ['of the example of the RFC', [FLOWED, FIXED, CSV], EXAMPLE, 'text/plain;format=flowed'],
    ['of the example of the RFC, without the first', [FIXED, media('text/plain')], EXAMPLE, 'text/plain'],
    ['of the example of the RFC, of three others', [CSV, FIXED, media('image/jpeg')], EXAMPLE, 'image/jpeg'],
    ['of the example of the RFC, of the last two', [CSV, FIXED], EXAMPLE, 'text/plain;format=fixed'],
    [
      'by another example',
      HTML,
      'text/*;q=0.3, text/html;q=0.7, text/html;level=1, text/html;level=2;q=0.4, */*;q=0.5',
      'text/html;level=1',
    ],
    ['is the first if it weights all the same', [CSV, PLAIN], '*/*', 'text/csv'],
    ['is the first if the field is empty', [CSV, PLAIN], '', 'text/csv'],
    ['is the first if no element is well-formed', [CSV, PLAIN], 'json;q=1, x', 'text/csv'],
    ['has the greatest weight', [CSV, PLAIN], 'text/csv;q=0.899, application/json;q=0.9', 'application/json'],
    ['is not one that is excluded', [CSV, PLAIN], 'text/csv;q=0, */*;q=0.1', 'application/json'],
    ['is not one whose range is excluded', [CSV, PLAIN], 'text/*;q=0.000, */*;q=0.001', 'application/json'],
    ['is none', [CSV, PLAIN], 'image/png, text/html', undefined],
    ['is none if all are excluded', [CSV, PLAIN], '*/*;q=0', undefined],
    [
      'has the parameters of the range',
      [V1, V2],
      'application/json;version=2',
      'application/json;Version="2"',
    ],
    ['has no other parameters', [PLAIN, V1], 'application/json;version=2', undefined],
    ['may have more parameters', [V1], 'application/json', 'application/json; version=1'],
    ['is the same with utf-8', [UTF8], 'application/json', 'application/json; charset=UTF-8'],
    [
      'is the type that it names in a range',
      [media('image/*'), PLAIN],
      'image/webp, */*;q=0.1',
      'image/webp',
    ],
    ['is a range if it names no type', [media('image/*')], 'image/*', 'image/*'],
    ['may have quoted parameters', [media('a/b;c="d,e"')], 'a/b;c="d,e";q=0.5', 'a/b;c="d,e"'],
    [
      'ignores an element with an invalid weight',
      [CSV, PLAIN],
      'text/csv;q=2, application/json;q=0.1',
      'application/json',
    ],
    [
      'has a weight in any case',
      [CSV, PLAIN],
      'text/csv;Q=0.1 , application/json; q=0.2',
      'application/json',
    ],
  ])('%s', (_, content, field, name) => {
    expect(preferred(content, parseAccept(field))?.name).toBe(name);
  });
});

/** What each object inherits, such as `constructor`, is the name of no top-level type. */
test.each(Object.getOwnPropertyNames(Object.prototype))(
  'a type of the range %s/* is for private use',
  (top) => {
    expect(typeOfRange(`${top}/*`, 'application/octet-stream')).toBe(`${top}/x.any`);
  },
);
