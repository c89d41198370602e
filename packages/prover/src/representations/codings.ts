import type { Finding } from '../profile';
import { isDecodable } from '../wire/codings';
import { header, type RawResponse } from '../wire/message';
import { type Asked, isWhole, type Compare, otherwise, type Whole } from './whole';

/** Content codings that the prover removes, and what asks for others. */
const CODINGS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    gzip: ['gzip', 'x-gzip'],
    br: ['br'],
    ...(isDecodable('zstd') && { zstd: ['zstd'] }),
    'gzip;q=0': [],
    'gzip;q=0.5, br;q=0': ['gzip', 'x-gzip'],
    identity: [],
    'undocumented-4f1c': [],
  }),
);

/** Requests for content codings of a representation (RFC 9110 section 12.5.3). */
export const codingRequests = (whole: Whole): Asked[] =>
  Array.from(CODINGS, ([accepted, allowed]) => ({
    scenario: 'content codings',
    headers: { 'Accept-Encoding': accepted },
    compare: isCoded(whole, allowed),
  }));

const isCoded =
  (whole: Whole, allowed: readonly string[]): Compare =>
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
  compare: (outcome) => {
    const { response, isStable } = whole;
    if (outcome.status !== response.status) return otherwise(outcome);
    const names = [...(isStable || response.cut ? ['Content-Type'] : []), ...(isStable ? ['ETag'] : [])];
    const finding = (rule: Finding['rule'], name: string, expected = 'none'): Finding[] => [
      { rule, message: `expected the ${name} of GET, ${expected}, got ${header(outcome, name) ?? 'none'}` },
    ];
    const length = header(outcome, 'content-length');
    // The answer to HEAD may lack what only its content would tell.
    const expected = header(response, 'content-length') ?? String(response.body.length);
    const isWrong = isStable && length !== undefined && length !== expected;
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
