import type { Case, Expectation, Comparison } from '../cases/case';
import { type Document, type MediaType, responseFor } from '../document/model';
import { codecOf, matchesMediaType, sequenceOf } from '../document/media';
import { type Finding, levelOf, messagesOf } from '../profile';
import type { Target } from '../target';
import { header, headerItems, type Outcome, type RawResponse, summarize } from '../wire/message';
import type { Exchange, ServiceRejectionReason } from './comparison';
import { serviceFindings } from './answered';
import { bodyFindings, type ResponseOracles } from './body';
import { mediaTypeFinding, mediaTypesOfSchema, readBody, responseFindings } from './documented';
import { otherReason, refusalFindings } from './refused';
import { readStream } from './streams';

/** The problems of an answer, and the documented response that it is an instance of. */
export interface CheckResult {
  /** Each breaks a rule, and fails the run. */
  readonly problems: readonly string[];
  /** Each breaks a rule that the standards leave to the server. */
  readonly warnings: readonly string[];
  /** Whether one of the warnings is about the rule that the case tests. */
  readonly isWarned?: boolean;
  /** Why the answer proves nothing, though nothing is wrong with it. */
  readonly inconclusive?: string;
  readonly response?: { readonly status: string; readonly media: string };
  /** Whether items of a stream were judged. */
  readonly hasItems?: true;
}

/** @param entered the number of times that this request entered the service; undefined if that is unknown */
export type Check = (sent: Case, outcome: Outcome, entered: number | undefined) => CheckResult;

// Without a bound, V8 keeps a state for each space once it has compiled too much to optimize a pattern, and throws.
const STACK_TRACE = /\n[ \t]{1,80}at |node_modules|\.[cm]?[jt]s:\d+/;

/**
 * @param ownRefusal for a black box, whose own refusals the target cannot list
 */
export function createCheck(
  document: Document,
  oracles: ResponseOracles,
  target: Target,
  ownRefusal: ServiceRejectionReason = () => undefined,
): Check {
  const { profile = 'strict', refusalSchema } = target;
  const refusalMediaTypes = mediaTypesOfSchema(document, refusalSchema);

  /** An undocumented refusal has the body of the documented ones. */
  const refusalBodyFindings = (schema: string, { outcome, value }: Exchange, media: string): Finding[] => {
    const isExpected =
      refusalMediaTypes.length === 0 || refusalMediaTypes.some((name) => matchesMediaType(name, media));
    const about = bodyFindings(document, oracles, schema, value, outcome);
    return [
      ...(isExpected ? [] : [mediaTypeFinding(refusalMediaTypes, outcome, 'body of a refusal')]),
      ...about.map(({ message }): Finding => ({ rule: 'body of a refusal', message })),
    ];
  };

  const resultOf = (sent: Case, outcome: RawResponse, entered: number | undefined): CheckResult => {
    const { operation, expect, request, rule: tested = 'invalid request' } = sent;
    // A refused path or method belongs to no operation, so no operation documents the response.
    const response = isRefusedFor(expect, 'not found', 'method not allowed')
      ? undefined
      : responseFor(operation, outcome.status);
    const mediaType = header(outcome, 'content-type')?.split(';')[0]?.trim().toLowerCase();
    const documented = response?.content.find(({ name }) => matchesMediaType(name, mediaType ?? ''));
    const body = readBody(outcome, mediaType);
    const exchange = { document, target, sent, operation, outcome, response, value: body.value, entered };
    const findings = [...body.findings];
    // A file may contain anything.
    const isFile = outcome.status < 400 && codecOf(mediaType ?? '') === 'binary';
    if (!isFile && STACK_TRACE.test(outcome.body.toString('latin1')))
      findings.push({ rule: 'no stack trace', message: 'expected no stack trace, got one in the body' });
    if (response) findings.push(...responseFindings(exchange, oracles, response, documented));
    else if (refusalSchema !== undefined && request.method !== 'HEAD')
      findings.push(...refusalBodyFindings(refusalSchema, exchange, mediaType ?? ''));
    if (header(outcome, 'etag') !== undefined && headerItems(outcome, 'cache-control').includes('no-store'))
      findings.push({
        rule: 'validators that are stored',
        message: 'expected an answer with an ETag that may be stored, got Cache-Control: no-store',
      });
    const { findings: others, inconclusive } = compare(exchange, ownRefusal);
    findings.push(...others);
    const chosen = expect.kind === 'answered' ? expect.mediaType : undefined;
    if (chosen !== undefined && inconclusive === undefined && !matchesMediaType(chosen, mediaType ?? ''))
      findings.push(mediaTypeFinding([chosen], outcome, 'chosen media type'));
    return {
      problems: messagesOf(profile, 'failure', findings),
      warnings: messagesOf(profile, 'warning', findings),
      isWarned: findings.some(({ rule }) => rule === tested && levelOf(profile, rule) === 'warning'),
      ...(inconclusive !== undefined && { inconclusive }),
      ...(hasItems(outcome, documented) && { hasItems: true }),
      ...(response && { response: { status: response.status, media: documented?.name ?? 'no body' } }),
    };
  };
  return (sent, outcome, entered) => {
    const without = (got: string): CheckResult => {
      const message = `expected a response, got ${got}`;
      return { problems: messagesOf(profile, 'failure', [{ rule: 'response', message }]), warnings: [] };
    };
    if ('noResponse' in outcome) return without(outcome.noResponse);
    try {
      return resultOf(sent, outcome, entered);
    } catch (error) {
      // The stack or the memory of a validator ends before the bound of the bytes.
      if (error instanceof RangeError) return without('one that is too large or too deep to judge');
      throw error;
    }
  };
}

const hasItems = (outcome: RawResponse, documented: MediaType | undefined): boolean => {
  const sequence = documented?.items === undefined ? undefined : sequenceOf(documented.name);
  return sequence !== undefined && readStream(sequence, outcome).items.length > 0;
};

const isRefusedFor = (expect: Expectation, ...reasons: readonly string[]): boolean =>
  expect.kind === 'refused' && expect.reasons.some((reason) => reasons.includes(reason));

/** The finding about a refusal that the operation does not document. That of a path or a method is of no operation. */
function undocumentedFindings({ response, outcome }: Exchange, expect: Expectation): Finding[] {
  const isOfNone =
    outcome.status === 404 ||
    outcome.status === 405 ||
    isRefusedFor(expect, 'not found', 'method not allowed');
  if (response || isOfNone || outcome.status < 400) return [];
  return [{ rule: 'documented error', message: `expected a documented status, got ${summarize(outcome)}` }];
}

/** Compares an answer with the expectation of its case. */
function compare(exchange: Exchange, ownRefusal: ServiceRejectionReason): Comparison {
  const { target, sent, outcome, entered } = exchange;
  const { expect } = sent;
  const finding = (rule: Finding['rule'], message: string): Comparison => ({ findings: [{ rule, message }] });
  if (expect.kind === 'status')
    return outcome.status === expect.status
      ? { findings: [] }
      : finding('valid request', `expected status ${expect.status}, got ${summarize(outcome)}`);
  // RFC 9110 section 9.1 recommends 501 for a method that the server does not implement.
  const isServerError =
    outcome.status >= 500 && !(outcome.status === 501 && isRefusedFor(expect, 'method not allowed'));
  const isDocumentProfile = target.profile === 'document';
  const error =
    isServerError && (isDocumentProfile || expect.kind === 'handled' || expect.kind === 'compared')
      ? finding('no server error', `expected no server error, got ${summarize(outcome)}`)
      : undefined;
  if (expect.kind === 'compared') return error ?? expect.compare(outcome);
  if (expect.kind === 'handled') return error ?? { findings: [] };
  if (expect.kind === 'answered') return error ?? serviceFindings(exchange, expect, ownRefusal);
  const { findings } = error ?? {
    findings: [...undocumentedFindings(exchange, expect), ...refusalFindings(exchange, expect.reasons)],
  };
  const message = 'expected the service not to be entered, but it was';
  return {
    findings: (entered ?? 0) > 0 ? [{ rule: 'entered service', message }, ...findings] : findings,
    inconclusive: error || !isDocumentProfile ? undefined : otherReason(sent, expect.reasons, outcome),
  };
}
