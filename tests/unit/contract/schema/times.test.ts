import fc from 'fast-check';
import { FORMATS } from '../../../../src/contract/schema/formats';

// An independent oracle: the grammar of RFC 3339 section 5.6 as a pattern, with the calendar of Date.

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function conformsToDate(text: string): boolean {
  const instant = new Date(`${text}T00:00:00Z`);
  return DATE.test(text) && !Number.isNaN(instant.valueOf()) && instant.toISOString().startsWith(text);
}

function conformsToTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  if (text.slice(6, 8) !== '60') return true;
  const before = new Date(`2000-06-15T${text.replace(':60', ':59').replace(/\.\d+/, '').toUpperCase()}`);
  return before.toISOString().slice(11, 16) === '23:59';
}

const conformsToDateTime = (text: string) =>
  conformsToDate(text.slice(0, 10)) && /^[Tt]$/.test(text.slice(10, 11)) && conformsToTime(text.slice(11));

const number = (least: number, most: number, width = 2) =>
  fc.integer({ min: least, max: most }).map((value) => String(value).padStart(width, '0'));
const date = fc
  .tuple(
    fc.oneof(number(0, 9999, 4), fc.constantFrom('1900', '2000', '2024', '2100')),
    number(0, 13),
    number(0, 32),
  )
  .map((parts) => parts.join('-'));
const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '', '+00:00', '-00:00', '+0000'),
  fc
    .tuple(fc.constantFrom('+', '-'), number(0, 24), fc.constant(':'), number(0, 60))
    .map((parts) => parts.join('')),
);
const time = fc
  .tuple(
    fc
      .tuple(number(0, 24), number(0, 60), fc.oneof(number(0, 61), fc.constant('60')))
      .map((parts) => parts.join(':')),
    fc.constantFrom('', '', '.1', '.', '.123456789'),
    zone,
  )
  .map((parts) => parts.join(''));
const leapSecond = fc
  .tuple(number(0, 23), fc.constantFrom('+', '-'), number(0, 23), number(0, 59))
  .map(([hour, sign, hours, minutes]) => `${hour}:59:60${sign}${hours}:${minutes}`);
const dateTime = fc.tuple(date, fc.constantFrom('T', 't', ' ', ''), time).map((parts) => parts.join(''));

/** The text, and the text with one character replaced, added or removed. */
const altered = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    text,
    fc
      .tuple(
        text,
        fc.nat(),
        fc.constantFrom('', '0', '9', ':', '-', 'Z', '.', ' ', '٣', '\n'),
        fc.nat({ max: 1 }),
      )
      .map(([whole, at, character, removed]) => {
        const place = at % (whole.length + 1);
        return whole.slice(0, place) + character + whole.slice(place + removed);
      }),
  );

test.each([
  ['date', conformsToDate, date],
  ['time', conformsToTime, fc.oneof(time, leapSecond)],
  ['date-time', conformsToDateTime, dateTime],
] as const)('%s is that of RFC 3339', (name, conforms, text) => {
  const format = FORMATS[name];
  let good = 0;
  fc.assert(
    fc.property(altered(text), (each) => {
      const expected = conforms(each);
      if (expected) good++;
      expect([each, format?.type === 'string' && format.test(each)]).toEqual([each, expected]);
    }),
    { numRuns: 5000, seed: 3339 },
  );
  expect(good).toBeGreaterThan(50);
});
