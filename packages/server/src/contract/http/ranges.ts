/** Range requests (RFC 9110 section 14). */
import { isEntityTag, isStrongMatch, readDate, type Validators } from './conditional';
import { fieldLines, type RawHeaders } from './header-field';

/** A part of a body in bytes. `end` is not included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One range. A request for several, which costs more than it saves, gets the whole body (section 14.2). */
const BYTES = /^bytes=(?:(?<first>\d+)-(?<last>\d*)|-(?<suffix>\d+))$/i;

/**
 * The part of a body that a GET asks for (section 14.1.2).
 *
 * @param length of the body in bytes
 * @returns undefined for the whole body: that of a request without a range, or with one that is not well-formed
 */
export function byteRangeOf(request: RawHeaders, length: number): ByteRange | 'unsatisfiable' | undefined {
  const [field = '', another] = fieldLines(request, 'range');
  const { first, last, suffix } = (another === undefined ? BYTES.exec(field)?.groups : undefined) ?? {};
  if (first === undefined && suffix === undefined) return undefined;
  if (last && Number(last) < Number(first)) return undefined;
  const start = suffix === undefined ? Number(first) : Math.max(0, length - Number(suffix));
  const end = last ? Math.min(Number(last) + 1, length) : length;
  if (start < end) return { start, end };
  // The last bytes of a body without any exist, and Content-Range has no words for them.
  return Number(suffix) > 0 ? undefined : 'unsatisfiable';
}

/** Whether the range is one of the state that the client has a part of: If-Range (section 13.1.5). */
export function isOfState(request: RawHeaders, { etag, lastModified }: Validators): boolean {
  const [field, another] = fieldLines(request, 'if-range');
  if (field === undefined) return true;
  if (another !== undefined) return false;
  if (isEntityTag(field)) return isStrongMatch(field, etag);
  const date = readDate(field);
  const isSame = date !== undefined && typeof lastModified === 'string' && date === readDate(lastModified);
  // Section 8.8.2.2: within the same second there may have been another state.
  return isSame && date + 1_000 <= Date.now();
}
