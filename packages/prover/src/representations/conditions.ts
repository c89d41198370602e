import { header } from '../wire/message';
import { earlier } from './ranges';
import {
  type Asked,
  isWhole,
  type Compare,
  keptHeaders,
  opaque,
  OTHER_TAG,
  otherwise,
  unexpected,
  type Whole,
} from './whole';

/** Requests with the validators of a representation (RFC 9110 section 13), where its operation documents 304. */
export function conditionalRequests(whole: Whole): Asked[] {
  const { etag, modified } = whole;
  const ask = (headers: Asked['headers'], compare: Compare, fields: Partial<Asked> = {}): Asked => ({
    scenario: 'conditional requests',
    headers,
    compare,
    ...fields,
  });
  const all = isWhole('conditional requests', whole);
  const same = isUnchanged('conditional requests', whole);
  const byTag =
    etag === undefined
      ? []
      : [
          ask({ 'If-None-Match': etag }, same),
          ask({ 'If-None-Match': `${OTHER_TAG}, ${etag}` }, same),
          ask({ 'If-None-Match': '*' }, same),
          // The comparison is weak.
          ask({ 'If-None-Match': etag.startsWith('W/') ? opaque(etag) : `W/${etag}` }, same),
          // What is coded may have a tag of its own.
          ask({ 'If-None-Match': etag, 'Accept-Encoding': 'gzip' }, (outcome) =>
            outcome.status === 200 && opaque(header(outcome, 'etag') ?? '') !== opaque(etag)
              ? []
              : same(outcome),
          ),
          // Another case is about a server that does not answer HEAD.
          ask({ 'If-None-Match': etag }, (outcome) => (outcome.status < 400 ? same(outcome) : []), {
            method: 'HEAD',
          }),
          ask({ 'If-None-Match': OTHER_TAG }, all),
        ];
  const since = isUnchanged('modified since', whole);
  const byDate =
    modified === undefined
      ? []
      : [
          ask({ 'If-Modified-Since': modified }, since, { rule: 'modified since' }),
          ask({ 'If-Modified-Since': earlier(modified) }, all),
          ask({ 'If-Modified-Since': 'yesterday' }, all),
          // If-None-Match counts where both are sent.
          ...(etag === undefined
            ? []
            : [ask({ 'If-None-Match': OTHER_TAG, 'If-Modified-Since': modified }, all)]),
        ];
  return [...byTag, ...byDate];
}

const isUnchanged =
  (rule: 'conditional requests' | 'modified since', whole: Whole): Compare =>
  (outcome) =>
    outcome.status === 304 ? keptHeaders(whole, outcome) : unexpected(rule, '304', outcome);

/** A request whose precondition does not hold (RFC 9110 section 13.1.1). */
export const STALE: Asked = {
  scenario: 'preconditions',
  headers: { 'If-Match': OTHER_TAG },
  compare: (outcome) => {
    if (outcome.status === 412) return [];
    const mayBeOther = [404, 409, 410, 428].includes(outcome.status);
    return mayBeOther ? otherwise(outcome) : unexpected('preconditions', '412', outcome);
  },
};

/** A request whose precondition holds. */
export const current = (etag: string): Asked => ({
  scenario: 'preconditions',
  headers: { 'If-Match': etag },
  compare: (outcome) =>
    outcome.status === 412 ? unexpected('preconditions', 'no 412 for the current ETag', outcome) : [],
});
