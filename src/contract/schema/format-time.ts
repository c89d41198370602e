/** Dates and times of RFC 3339 section 5.6. Reading by character is fast: lists often have one in each item. */

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const ZERO = 0x30;
const [HYPHEN, COLON] = [0x2d, 0x3a];
const isDigit = (code: number) => code >= ZERO && code < ZERO + 10;

/** The number of the two digits at `at`; NaN if there are none. */
function twoDigits(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  return isDigit(first) && isDigit(second) ? (first - ZERO) * 10 + (second - ZERO) : NaN;
}

/** Whether a text from its start to `end` is a full-date. */
function beginsWithDate(text: string, end: number): boolean {
  if (end !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return false;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  return !Number.isNaN(year) && day >= 1 && day <= last;
}

/** Whether a text from `at` to its end is a full-time. */
function endsWithTime(text: string, at: number): boolean {
  if (text.charCodeAt(at + 2) !== COLON || text.charCodeAt(at + 5) !== COLON) return false;
  const hour = twoDigits(text, at);
  const minute = twoDigits(text, at + 3);
  const second = twoDigits(text, at + 6);
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return false;
  let end = at + 8;
  if (text.charAt(end) === '.') {
    const fraction = ++end;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end === fraction) return false;
  }
  const zone = text.charAt(end);
  let offset = 0;
  if (zone === '+' || zone === '-') {
    const hours = twoDigits(text, end + 1);
    const minutes = twoDigits(text, end + 4);
    if (text.charAt(end + 3) !== ':' || !(hours <= 23 && minutes <= 59)) return false;
    offset = (hours * 60 + minutes) * (zone === '-' ? -1 : 1);
    end += 6;
  } else if (zone === 'Z' || zone === 'z') end++;
  else return false;
  // A leap second is the last of a day in UTC.
  const isLast = second < 60 || (hour * 60 + minute - offset + 1440) % 1440 === 1439;
  return end === text.length && isLast;
}

export const isDate = (text: string): boolean => beginsWithDate(text, text.length);

export const isTime = (text: string): boolean => endsWithTime(text, 0);

export function isDateTime(text: string): boolean {
  const separator = text.charAt(10);
  return (separator === 'T' || separator === 't') && beginsWithDate(text, 10) && endsWithTime(text, 11);
}
