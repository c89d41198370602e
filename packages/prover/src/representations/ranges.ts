import { header, type RawResponse } from '../wire/message';
import {
  type Asked,
  documents,
  isWhole,
  type Compare,
  keptHeaders,
  opaque,
  OTHER_TAG,
  unexpected,
  type Whole,
} from './whole';

/** Requests for parts of a representation (RFC 9110 section 14), where its operation documents 206. */
export function rangeRequests(whole: Whole): Asked[] {
  const size = whole.response.body.length;
  const ask = (range: string, compare: Compare, headers: Asked['headers'] = {}): Asked => ({
    scenario: 'ranges',
    rule: 'ignored range',
    headers: { Range: range, ...headers },
    compare,
  });
  const part = (first: number, last: number): Compare => isPart(whole, first, Math.min(last, size - 1));
  const all = isWhole('ranges', whole);
  const parts: Asked[] = [
    ask('bytes=0-0', part(0, 0)),
    ask('bytes=-1', part(size - 1, size - 1)),
    ask(`bytes=${size - 1}-`, part(size - 1, size - 1)),
    ask(`bytes=1-${size - 2}`, part(1, size - 2)),
    ask(`bytes=0-${size + 99}`, allOf(whole)),
    ask(`bytes=-${size + 99}`, allOf(whole)),
    ask(`bytes=0-0,${size - 1}-`, someOf(whole)),
    ask('lines=0-1', all),
    { ...ask('bytes=0-0', headOfWhole), rule: 'range of HEAD', method: 'HEAD' },
  ];
  const conditional: Asked[] = [ask('bytes=0-0', all, { 'If-Range': OTHER_TAG })];
  const { etag, modified } = whole;
  if (etag !== undefined) {
    conditional.push(ask('bytes=0-0', etag.startsWith('W/') ? all : part(0, 0), { 'If-Range': etag }));
    conditional.push(ask('bytes=0-0', all, { 'If-Range': `W/${opaque(etag)}` }));
  }
  if (modified !== undefined) conditional.push(ask('bytes=0-0', all, { 'If-Range': earlier(modified) }));
  // A second byte is needed to tell a part from the whole.
  const satisfiable = size > 2 ? [...parts, ...conditional] : [];
  const beyond = documents(whole.operation, 416) ? isBeyond(whole) : all;
  return [
    ...satisfiable,
    ...[`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0'].map((range) => ask(range, beyond)),
  ];
}

/** A second before a date. */
export const earlier = (date: string): string => new Date(Date.parse(date) - 1000).toUTCString();

const headOfWhole: Compare = (outcome) =>
  outcome.status === 200
    ? []
    : unexpected('range of HEAD', '200, since Range has no meaning for HEAD', outcome);

/** The findings about an answer that should have these bytes. A server may ignore the header. */
const isPart =
  (whole: Whole, first: number, last: number): Compare =>
  (outcome) => {
    const { body } = whole.response;
    const expected = `206 with the bytes ${first}-${last}/${body.length}`;
    if (outcome.status === 200)
      return [...unexpected('ignored range', expected, outcome), ...isWhole('ranges', whole)(outcome)];
    if (outcome.status !== 206) return unexpected('ranges', expected, outcome);
    const got = header(outcome, 'content-range');
    if (got !== `bytes ${first}-${last}/${body.length}` && got !== `bytes ${first}-${last}/*`)
      return [
        {
          rule: 'ranges',
          message: `expected Content-Range: bytes ${first}-${last}/${body.length}, got ${got ?? 'none'}`,
        },
      ];
    return [
      ...(outcome.body.equals(body.subarray(first, last + 1))
        ? []
        : unexpected('ranges', 'exactly the bytes of Content-Range', outcome)),
      ...keptHeaders(whole, outcome),
    ];
  };

/** All bytes, as a part or as the whole. */
const allOf =
  (whole: Whole): Compare =>
  (outcome) =>
    outcome.status === 200
      ? isWhole('ranges', whole)(outcome)
      : isPart(whole, 0, whole.response.body.length - 1)(outcome);

/** Several ranges: the whole, a part for each, or one part. */
const someOf =
  (whole: Whole): Compare =>
  (outcome) => {
    if (outcome.status !== 206) return isWhole('ranges', whole)(outcome);
    const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(header(outcome, 'content-range') ?? '') ?? [];
    if (first !== undefined) return isPart(whole, Number(first), Number(last))(outcome);
    return /^multipart\/byteranges/i.test(header(outcome, 'content-type') ?? '')
      ? []
      : unexpected('ranges', '206 with Content-Range or as multipart/byteranges', outcome);
  };

/** The findings about the answer to a range that no byte is in. */
const isBeyond =
  (whole: Whole): Compare =>
  (outcome: RawResponse) => {
    const { length } = whole.response.body;
    if (outcome.status === 200)
      return [...unexpected('ignored range', '416', outcome), ...isWhole('ranges', whole)(outcome)];
    if (outcome.status !== 416) return unexpected('ranges', '416', outcome);
    const got = header(outcome, 'content-range');
    if (got === `bytes */${length}`) return [];
    return [
      { rule: 'ignored range', message: `expected Content-Range: bytes */${length}, got ${got ?? 'none'}` },
    ];
  };
