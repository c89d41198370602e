import { header, type RawResponse } from '../wire/message';
import type { Judgment } from '../cases/case';
import type { Finding } from '../profile';
import { isDecodable } from '../wire/codings';
import { earlier } from './ranges';
import {
  type Asked,
  isWhole,
  type Judge,
  keptHeaders,
  opaque,
  OTHER_TAG,
  unexpected,
  type Whole,
} from './whole';

/** Requests with the validators of a representation (RFC 9110 section 13), where its operation documents 304. */
export function conditionalRequests(whole: Whole): Asked[] {
  const { etag, modified } = whole;
  const ask = (headers: Asked['headers'], judge: Judge, fields: Partial<Asked> = {}): Asked => ({
    scenario: 'conditional requests',
    headers,
    judge,
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
          ask({ 'If-None-Match': etag, 'Accept-Encoding': 'gzip' }, same),
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
  (rule: 'conditional requests' | 'modified since', whole: Whole): Judge =>
  (outcome) =>
    outcome.status === 304 ? keptHeaders(whole, outcome) : unexpected(rule, '304', outcome);

/** A request whose precondition does not hold (RFC 9110 section 13.1.1). */
export const STALE: Asked = {
  scenario: 'preconditions',
  headers: { 'If-Match': OTHER_TAG },
  judge: (outcome): Judgment => {
    if (outcome.status === 412) return { findings: [] };
    const inconclusive = [404, 409, 410, 428].includes(outcome.status)
      ? `the server answered ${outcome.status}, which may have another reason`
      : undefined;
    return {
      findings: inconclusive === undefined ? unexpected('preconditions', '412', outcome) : [],
      inconclusive,
    };
  },
};

/** A request whose precondition holds. */
export const current = (etag: string): Asked => ({
  scenario: 'preconditions',
  headers: { 'If-Match': etag },
  judge: (outcome) =>
    outcome.status === 412 ? unexpected('preconditions', 'no 412 for the current ETag', outcome) : [],
});

/** Content codings that the prover removes, and what asks for others. */
const CODINGS: Readonly<Record<string, readonly string[]>> = {
  gzip: ['gzip', 'x-gzip'],
  br: ['br'],
  ...(isDecodable('zstd') && { zstd: ['zstd'] }),
  'gzip;q=0': [],
  'gzip;q=0.5, br;q=0': ['gzip', 'x-gzip'],
  identity: [],
  'undocumented-4f1c': [],
};

/** Requests for content codings of a representation (RFC 9110 section 12.5.3). */
export const codingRequests = (whole: Whole): Asked[] =>
  Object.entries(CODINGS).map(([accepted, allowed]) => ({
    scenario: 'content codings',
    headers: { 'Accept-Encoding': accepted },
    judge: isCoded(whole, allowed),
  }));

const isCoded =
  (whole: Whole, allowed: readonly string[]): Judge =>
  (outcome) => {
    const coding = codingOf(outcome);
    const rule = 'content codings';
    if (coding !== undefined && !allowed.includes(coding))
      return [
        {
          rule: 'unasked coding',
          message: `expected ${allowed[0] ?? 'no'} coding, got Content-Encoding: ${coding}`,
        },
      ];
    const findings = [...isWhole(rule, whole)(outcome)];
    if (coding === undefined) return findings;
    if (
      whole.etag?.startsWith('"') === true &&
      codingOf(whole.response) !== coding &&
      header(outcome, 'etag') === whole.etag
    )
      findings.push({
        rule,
        message: 'expected another strong ETag than that of the content without coding, got the same',
      });
    for (const answer of [outcome, whole.response])
      if (!/(?:^|,)\s*(?:accept-encoding|\*)\s*(?:,|$)/i.test(header(answer, 'vary') ?? ''))
        findings.push({
          rule: 'codings that vary',
          message: `expected Vary: Accept-Encoding, got ${header(answer, 'vary') ?? 'none'}`,
        });
    if (/^text\/event-stream/i.test(header(outcome, 'content-type') ?? ''))
      findings.push({
        rule: 'coded events',
        message: `expected events as they are, got Content-Encoding: ${coding}`,
      });
    return findings;
  };

const codingOf = (outcome: RawResponse): string | undefined => {
  const coding = header(outcome, 'content-encoding')?.toLowerCase();
  return coding === 'identity' ? undefined : coding;
};

/** HEAD has the headers of GET (RFC 9110 section 9.3.2). */
export const headRequest = (whole: Whole): Asked => ({
  scenario: 'HEAD of GET',
  method: 'HEAD',
  headers: {},
  judge: (outcome) => {
    const { response, isStable } = whole;
    const names = [...(isStable || response.cut ? ['Content-Type'] : []), ...(isStable ? ['ETag'] : [])];
    const finding = (rule: Finding['rule'], name: string, expected = 'none'): Finding[] => [
      { rule, message: `expected the ${name} of GET, ${expected}, got ${header(outcome, name) ?? 'none'}` },
    ];
    const length = header(outcome, 'content-length');
    // The answer to HEAD may lack what only its content would tell.
    const expected = header(response, 'content-length') ?? String(response.body.length);
    const isWrong = isStable && !response.cut && length !== undefined && length !== expected;
    return [
      ...names.flatMap((name) =>
        header(outcome, name) === header(response, name)
          ? []
          : finding('headers of HEAD', name, header(response, name)),
      ),
      ...(isWrong ? finding('length of HEAD', 'Content-Length', expected) : []),
    ];
  },
});
