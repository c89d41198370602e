import { ruleKey, type ProtocolScenario } from '../obligation';
import type { Case, Comparison } from '../cases/case';
import type { Operation } from '../document/model';
import type { Finding, RuleName } from '../profile';
import { header, type RawRequest, type RawResponse, summarize, withHeader } from '../wire/message';

/** What a GET answers without conditions: the answer that those to its other requests are compared with. */
export interface Whole {
  readonly operation: Operation;
  readonly request: RawRequest;
  readonly response: RawResponse;
  /** Whether it is complete, and a second answer had the same content and validators. */
  readonly isStable: boolean;
  /** Its entity tag, if it is one (RFC 9110 section 8.8.3). */
  readonly etag: string | undefined;
  /** `Last-Modified`, if it is a date. */
  readonly modified: string | undefined;
}

export function wholeOf(
  operation: Operation,
  request: RawRequest,
  response: RawResponse,
  again: RawResponse,
): Whole {
  const etag = header(response, 'etag') ?? '';
  const modified = header(response, 'last-modified') ?? '';
  return {
    operation,
    request,
    response,
    isStable: !response.cut && !again.cut && isSame(response, again),
    etag: /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : undefined,
    modified: Number.isNaN(Date.parse(modified)) ? undefined : modified,
  };
}

/** Whether two answers have the same status, validators, and content as far as it has come. */
export const isSame = (one: RawResponse, other: RawResponse): boolean =>
  one.status === other.status &&
  (one.cut !== undefined || other.cut !== undefined || one.body.equals(other.body)) &&
  ['etag', 'last-modified'].every((name) => header(one, name) === header(other, name));

/** Whether an operation documents a status by itself, as the server must know that the document means it. */
export const documents = ({ responses }: Operation, status: number): boolean =>
  responses.some((response) => response.status === String(status));

export type Compare = (outcome: RawResponse) => readonly Finding[];

/** The judgment of an answer that may have another reason. */
export const otherwise = ({ status }: RawResponse): Comparison => ({
  findings: [],
  inconclusive: `the server answered ${status}, which may have another reason`,
});

/** A request for the representation with other headers, and the compare of its answer. */
export interface Asked {
  readonly scenario: ProtocolScenario;
  /** The rule that the case tests, if it is none of the scenario's name. */
  readonly rule?: RuleName;
  readonly method?: 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly compare: (outcome: RawResponse) => readonly Finding[] | Comparison;
}

export function caseOf({ operation, request }: Pick<Whole, 'operation' | 'request'>, asked: Asked): Case {
  const { scenario, rule = scenario, method = request.method, headers, compare } = asked;
  const fields = Object.entries(headers);
  return {
    family: 'representations',
    title: [method, ...fields.map(([name, value]) => `${name}: ${value}`)].join(' '),
    operation,
    request: fields.reduce((sent, [name, value]) => withHeader(sent, name, value), { ...request, method }),
    expect: {
      kind: 'compared',
      compare: (outcome) => {
        const compared = compare(outcome);
        return 'findings' in compared ? compared : { findings: compared };
      },
    },
    rule,
    proves: [ruleKey(operation, 'protocol', scenario)],
  };
}

/** The finding that an answer is not the expected one. */
export const unexpected = (rule: RuleName, expected: string, outcome: RawResponse): Finding[] => [
  { rule, message: `expected ${expected}, got ${summarize(outcome)}` },
];

/** The finding if an answer is not the whole representation. */
export const isWhole =
  (rule: RuleName, { response, isStable }: Whole): Compare =>
  (outcome) => {
    if (outcome.status !== response.status)
      return unexpected(rule, `${response.status} with the whole`, outcome);
    const isEqual = !isStable || outcome.body.equals(response.body);
    return isEqual ? [] : unexpected(rule, 'the content of the answer without this header', outcome);
  };

/** Headers of a 200 that a 206 and a 304 must have, too. */
const KEPT = ['ETag', 'Cache-Control', 'Content-Location', 'Expires', 'Vary'];

/** The findings about headers that the whole has and a part or a 304 lacks, and about another ETag. */
export function keptHeaders({ response, etag }: Whole, outcome: RawResponse): Finding[] {
  const missing = KEPT.filter(
    (name) => header(response, name) !== undefined && header(outcome, name) === undefined,
  );
  const got = header(outcome, 'etag');
  const rule = 'headers of 206 and 304';
  return [
    ...missing.map((name): Finding => ({
      rule,
      message: `expected the header ${name} of the whole in a ${outcome.status}, got none`,
    })),
    ...(etag !== undefined && got !== undefined && opaque(got) !== opaque(etag)
      ? [{ rule, message: `expected the ETag of the whole in a ${outcome.status}, got another` } as const]
      : []),
  ];
}

/** An entity tag without its weakness. */
export const opaque = (etag: string): string => etag.replace(/^W\//, '');

/** An entity tag that nobody has. */
export const OTHER_TAG = '"other-4f1c"';
