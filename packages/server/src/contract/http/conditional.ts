/** Conditional requests (RFC 9110 section 13), in the order of section 13.2.2. */
import { fieldLines, type RawHeaders } from './header-field';
import { Problem } from '../problem';

/** What tells one state of a resource from another. */
export interface Validators {
  /** An entity tag with its quotes: `"v7"`, or `W/"v7"` if it stands for states that are alike (RFC 9110 section 8.8.3). */
  readonly etag?: string | undefined;
  /** A date, or the text of a Last-Modified field. HTTP knows seconds: the rest is left out. */
  readonly lastModified?: Date | string | undefined;
}

/** `*`, or entity tags. */
export type EntityTags = '*' | readonly string[];

/** The preconditions of a request: If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since. */
export interface Preconditions {
  /** Whether there are any. An operation that demands one answers 428 otherwise (RFC 6585 section 3). */
  readonly areGiven: boolean;
  /** Undefined without the field. @throws {Problem} `invalidRequest` if it is not well-formed */
  readonly ifMatch: EntityTags | undefined;
  /** Undefined without the field. @throws {Problem} `invalidRequest` if it is not well-formed */
  readonly ifNoneMatch: EntityTags | undefined;
  /**
   * Whether the operation may act. If not, it answers 412, and has changed nothing.
   *
   * @param current undefined if the resource does not exist
   * @throws {Problem} `invalidRequest` if a field is not well-formed
   * @throws {TypeError} for an `etag` without quotes, or a `lastModified` that is no date
   */
  hold(current: Validators | undefined): boolean;
}

/** RFC 9110 section 8.8.3: `W/` is case-sensitive, and a tag has no escapes. */
const TAG = /(?:W\/)?"[!\x23-\x7e\x80-\xff]*"/g;
const ONE_TAG = /^(?:W\/)?"[!\x23-\x7e\x80-\xff]*"$/;

export const isEntityTag = (text: string): boolean => ONE_TAG.test(text);

/** Section 8.8.3.2: two tags of which one is weak are not alike. */
export const isStrongMatch = (one: string, other: string | undefined): boolean =>
  one === other && !one.startsWith('W/');

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** Undefined: the field is neither `*` nor a list of entity tags. */
function tagsOf(field: string): EntityTags | undefined {
  if (field === '*') return '*';
  return /^[ \t,]*$/.test(field.replace(TAG, '')) ? (field.match(TAG) ?? undefined) : undefined;
}

/** The forms of an HTTP-date (section 5.6.7): the one that is sent, and two that must be read. */
const DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** Milliseconds since 1970; undefined if the text is no HTTP-date. */
export function readDate(text: string): number | undefined {
  const {
    day = '',
    month,
    year = '',
    time,
  } = DATES.find((form) => form.test(text))?.exec(text)?.groups ?? {};
  const written = `${day.replace(' ', '0')} ${month} ${fullYear(year)} ${time} GMT`;
  const date = new Date(written);
  // Date takes the 31st of February for the third of March.
  return date.toUTCString().endsWith(written) ? date.getTime() : undefined;
}

/** A year of two digits that appears to be more than 50 years ahead is in the past. */
function fullYear(year: string): string {
  if (year.length !== 2) return year;
  const now = new Date().getUTCFullYear();
  const ofCentury = now - (now % 100) + Number(year);
  return String(ofCentury > now + 50 ? ofCentury - 100 : ofCentury);
}

/** Seconds since 1970; undefined if there is no date. */
function secondsOf(date: Date | string | undefined): number | undefined {
  const milliseconds = date instanceof Date ? date.getTime() : date && readDate(date);
  return typeof milliseconds === 'number' ? Math.floor(milliseconds / 1000) : undefined;
}

/** Reads the conditions of a request, each at its first use. */
export class Conditions implements Preconditions {
  constructor(private readonly request: RawHeaders & { readonly method?: string | undefined }) {}

  get areGiven(): boolean {
    return ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'].some(
      (name) => fieldLines(this.request, name).length > 0,
    );
  }

  get ifMatch(): EntityTags | undefined {
    return this.tags('If-Match');
  }

  get ifNoneMatch(): EntityTags | undefined {
    return this.tags('If-None-Match');
  }

  hold(current: Validators | undefined): boolean {
    const { etag, lastModified } = current ?? {};
    if (etag !== undefined && !isEntityTag(etag))
      throw new TypeError(
        `expected an entity tag with its quotes, such as "v7", got ${JSON.stringify(etag)}`,
      );
    if (lastModified !== undefined && Number.isNaN(secondsOf(lastModified) ?? NaN))
      throw new TypeError(
        `expected a Date or the text of a Last-Modified field, got ${String(lastModified)}`,
      );
    for (const name of ['If-Match', 'If-None-Match']) this.tags(name);
    return this.isExpected(current) && this.isChanged(current);
  }

  /** Steps 1 and 2: whether the state is one that the client has expected. */
  isExpected(current: Validators | undefined): boolean {
    const match = this.list('if-match');
    if (match === undefined) {
      const since = this.date('if-unmodified-since');
      const modified = secondsOf(current?.lastModified);
      return since === undefined || modified === undefined || modified <= since;
    }
    const tags = tagsOf(match);
    if (tags === '*') return current !== undefined;
    return tags?.some((tag) => isStrongMatch(tag, current?.etag)) === true;
  }

  /** Steps 3 and 4: whether the state is another one than the client has. */
  isChanged(current: Validators | undefined): boolean {
    const match = this.list('if-none-match');
    if (match === undefined) {
      const { method } = this.request;
      const since = method === 'GET' || method === 'HEAD' ? this.date('if-modified-since') : undefined;
      const modified = secondsOf(current?.lastModified);
      return since === undefined || modified === undefined || modified > since;
    }
    const tags = tagsOf(match);
    if (tags === '*') return current === undefined;
    const etag = opaque(current?.etag ?? '');
    return tags?.some((tag) => opaque(tag) === etag) !== true;
  }

  private tags(name: string): EntityTags | undefined {
    const field = this.list(name.toLowerCase());
    if (field === undefined) return undefined;
    const tags = tagsOf(field);
    if (tags !== undefined) return tags;
    const message = 'must be * or entity tags in quotes, such as "v7"';
    const violations = [{ pointer: `/header/${name}`, keyword: 'format', message }];
    throw new Problem('invalidRequest', `header/${name} ${message}`, {}, { violations });
  }

  private list(name: string): string | undefined {
    const lines = fieldLines(this.request, name);
    return lines.length > 0 ? lines.join(', ').trim() : undefined;
  }

  /** Sections 13.1.3 and 13.1.4: a field that is no date, or that is given twice, is ignored. */
  private date(name: string): number | undefined {
    const lines = fieldLines(this.request, name);
    return lines.length === 1 ? secondsOf(lines[0]) : undefined;
  }
}
