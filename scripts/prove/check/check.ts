import { ADVICE } from '../advice';
import type { Case, Expectation } from '../cases/case';
import {
  type Document,
  documentsSuccess,
  negotiableMediaTypes,
  type Operation,
  type Response,
  responseFor,
} from '../document/model';
import { codecOf, matchesMediaType } from '../document/media';
import { fromJson, print, type Value } from '../json/value';
import { type Finding, levelOf, messagesOf } from '../profile';
import type { ExpectedBytes, Target } from '../target';
import { header, type Outcome, type RawResponse, summarize } from '../wire/message';
import { hasMembers, houseRefusalFindings, matchesRule, refusalFindings } from './refused';
import {
  bodyFindings,
  mediaTypeFinding,
  mediaTypesOfSchema,
  readBody,
  responseFindings,
  type ResponseOracles,
} from './documented';

/** The problems of an answer, and the documented response that it is an instance of. */
export interface Verdict {
  /** Each breaks a rule, and fails the run. */
  readonly problems: readonly string[];
  /** Each breaks a rule that the standards leave to the server. */
  readonly warnings: readonly string[];
  /** Whether one of the warnings is about the rule that the case tests. */
  readonly isWarned?: boolean;
  /** Why the answer proves nothing, though nothing is wrong with it. */
  readonly inconclusive?: string;
  readonly response?: { readonly status: string; readonly media: string };
}

/** @param entered the number of times that this request entered the service; undefined if that is unknown */
export type Judge = (sent: Case, outcome: Outcome, entered: number | undefined) => Verdict;

/** Why the service itself may refuse a valid request in this way; undefined if it may not. */
export type OwnRefusalReason = (sent: Case, outcome: RawResponse) => string | undefined;

/** The findings about an answer, or the reason why it proves nothing. */
interface Judgement {
  readonly findings: readonly Finding[];
  readonly inconclusive?: string;
}

const STACK_TRACE = /\n[ \t]+at |node_modules|\.[cm]?[jt]s:\d+/;

/**
 * @param ownRefusal for a black box, whose own refusals the target cannot list
 */
export function createJudge(
  document: Document,
  oracles: ResponseOracles,
  target: Target,
  ownRefusal: OwnRefusalReason = () => undefined,
): Judge {
  const { profile = 'strict', refusalSchema } = target;
  const refusalMediaTypes = mediaTypesOfSchema(document, refusalSchema);
  const without = (got: string): Verdict => {
    const message = `expected a response, got ${got}`;
    return { problems: messagesOf(profile, 'failure', [{ rule: 'response', message }]), warnings: [] };
  };
  const judge = (sent: Case, outcome: RawResponse, entered: number | undefined): Verdict => {
    const { operation, expect, request } = sent;
    // A refused path or method belongs to no operation, so no operation documents the response.
    const hasNoOperation =
      expect.kind === 'refused' &&
      expect.reasons.some((reason) => reason === 'not found' || reason === 'method not allowed');
    const response = hasNoOperation ? undefined : responseFor(operation, outcome.status);
    const mediaType = header(outcome, 'content-type')?.split(';')[0]?.trim().toLowerCase();
    const documented = response?.content.find(({ name }) => matchesMediaType(name, mediaType ?? ''));
    const body = readBody(outcome, mediaType);
    const findings = [...body.findings];
    if (STACK_TRACE.test(outcome.body.toString('latin1')))
      findings.push({ rule: 'no stack trace', message: 'expected no stack trace, got one in the body' });
    if (response) {
      findings.push(
        ...responseFindings(document, oracles, response, documented, outcome, body.value, request.method),
      );
    } else if (refusalSchema !== undefined && request.method !== 'HEAD') {
      // An undocumented refusal has the body of the documented ones.
      const isExpected =
        refusalMediaTypes.length === 0 ||
        refusalMediaTypes.some((name) => matchesMediaType(name, mediaType ?? ''));
      if (!isExpected) findings.push(mediaTypeFinding(refusalMediaTypes, outcome, 'body of a refusal'));
      const about = bodyFindings(document, oracles, refusalSchema, body.value, outcome);
      findings.push(...about.map(({ message }): Finding => ({ rule: 'body of a refusal', message })));
    }
    const { findings: others, inconclusive } = judgeExpectation(
      { document, target, ownRefusal },
      { sent, outcome, response, value: body.value, entered },
    );
    findings.push(...others);
    const chosen = expect.kind === 'answered' ? expect.mediaType : undefined;
    if (chosen !== undefined && inconclusive === undefined && !matchesMediaType(chosen, mediaType ?? ''))
      findings.push(mediaTypeFinding([chosen], outcome, 'chosen media type'));
    const instance = response && { status: response.status, media: documented?.name ?? 'no body' };
    return {
      problems: messagesOf(profile, 'failure', findings),
      warnings: messagesOf(profile, 'warning', findings),
      isWarned: findings.some(
        ({ rule }) => rule === (sent.rule ?? 'invalid request') && levelOf(profile, rule) === 'warning',
      ),
      ...(inconclusive !== undefined && { inconclusive }),
      ...(instance && { response: instance }),
    };
  };
  return (sent, outcome, entered) => {
    if ('noResponse' in outcome) return without(outcome.noResponse);
    try {
      return judge(sent, outcome, entered);
    } catch (error) {
      // The stack or the memory of a validator ends before the bound of the bytes.
      if (error instanceof RangeError) return without('one that is too large or too deep to judge');
      throw error;
    }
  };
}

interface JudgeContext {
  readonly document: Document;
  readonly target: Target;
  readonly ownRefusal: OwnRefusalReason;
}

interface Answer {
  readonly sent: Case;
  readonly outcome: RawResponse;
  readonly response: Response | undefined;
  readonly value: Value | undefined;
  readonly entered: number | undefined;
}

/** Compares an answer with the expectation of its case. */
function judgeExpectation(context: JudgeContext, answer: Answer): Judgement {
  const { document, target } = context;
  const { sent, outcome, value, entered } = answer;
  const { expect } = sent;
  const findings: Finding[] = [];
  if (entered !== undefined && expect.kind === 'refused' && entered > 0)
    findings.push({
      rule: 'entered service',
      message: 'expected the service not to be entered, but it was',
    });
  if (expect.kind === 'status') {
    if (outcome.status === expect.status) return { findings };
    const message = `expected status ${expect.status}, got ${summarize(outcome)}`;
    return { findings: [{ rule: 'valid request', message }] };
  }
  const isDocumentProfile = target.profile === 'document';
  if ((isDocumentProfile || expect.kind === 'handled') && isServerError(expect, outcome.status)) {
    const message = `expected no server error, got ${summarize(outcome)}`;
    return { findings: [...findings, { rule: 'no server error', message }] };
  }
  if (expect.kind === 'handled') return { findings };
  if (expect.kind === 'answered') return judgeServiceAnswer(context, expect, answer);
  const { reasons } = expect;
  if (!isDocumentProfile)
    return {
      findings: [...findings, ...houseRefusalFindings(document, target, sent, reasons, outcome, value)],
    };
  const other = otherReason(sent, reasons.join(' or '), outcome);
  return {
    findings: [...findings, ...refusalFindings(document, sent, reasons, outcome)],
    ...(other !== undefined && { inconclusive: other }),
  };
}

/** RFC 9110 section 9.1 recommends 501 for a method that the server does not implement. */
const isServerError = (expect: Expectation, status: number): boolean =>
  status >= 500 &&
  !(status === 501 && expect.kind === 'refused' && expect.reasons.includes('method not allowed'));

/** Statuses that refuse a request for another reason than its values, before or after these are checked. */
const OTHER_STATUSES = [401, 403, 404, 405, 409, 410, 412, 423, 424, 428, 429];

/** Why a refusal does not show that the server has found the fault of the request. */
function otherReason(sent: Case, why: string, { status }: RawResponse): string | undefined {
  const { location, expect } = sent;
  if (expect.kind !== 'refused' || status < 300) return undefined;
  const isAboutValues = expect.reasons.some(
    (reason) => reason === 'invalid request' || reason === 'malformed',
  );
  const isFound = location === 'path' && status === 404; // The path names nothing.
  if (status >= 400 && (!isAboutValues || isFound || !OTHER_STATUSES.includes(status))) return undefined;
  return `the server answered ${status}, which may have another reason than: ${why}`;
}

/** Judges an answer that the service itself should give. */
function judgeServiceAnswer(
  { target, ownRefusal }: JudgeContext,
  { outcomes, members = {}, bytes, mediaType }: Extract<Expectation, { kind: 'answered' }>,
  { sent, outcome, response, value, entered }: Answer,
): Judgement {
  const { ownRefusals = {} } = target;
  const { operation } = sent;
  const { status } = outcome;
  const isDocumented = response !== undefined && response.status !== 'default';
  const isSuccess = status >= 200 && (status <= 299 || (status <= 399 && isDocumented));
  const isExpected = outcomes.some((name) => {
    const rule = ownRefusals[name];
    return rule ? matchesRule(rule, outcome, value) : isSuccess;
  });
  const findings: Finding[] = [];
  const own =
    isExpected || status < 400
      ? undefined
      : (ownRefusal(sent, outcome) ?? lacksRepresentation(operation, target, mediaType, status));
  if (!isExpected && own === undefined) {
    const rule = sent.rule ?? (outcomes.includes('success') ? 'valid request' : 'own refusal');
    const hint = ownRefusalHint(target, sent, outcome, value);
    findings.push({ rule, message: `expected ${outcomes.join(' or ')}, got ${summarize(outcome)}${hint}` });
  }
  if (own === undefined && bytes !== undefined && !hasBytes(bytes, outcome.body)) {
    const expected =
      typeof bytes === 'function' ? bytes.toString() : `${Buffer.byteLength(bytes)} certain bytes`;
    const message = `expected a body of ${expected}, got ${summarize(outcome)}`;
    findings.push({ rule: 'own refusal', message });
  }
  const media = header(outcome, 'content-type') ?? '';
  const text = codecOf(media) === 'text' ? outcome.body.toString() : undefined;
  if (own === undefined && !hasMembers(members, value ?? text)) {
    const expected = Object.entries(members).map(([name, member]): [string, Value] => [
      name,
      typeof member === 'function' ? member.toString() : fromJson(member),
    ]);
    const message = `expected a body with ${print(new Map(expected))}, got ${summarize(outcome)}`;
    findings.push({ rule: 'own refusal', message });
  }
  // The document describes no success, so it says nothing of this one.
  if (!response && (status >= 400 || documentsSuccess(operation))) {
    const rule = own === undefined && status < 400 ? 'documented success' : 'documented error';
    findings.push({ rule, message: `expected a documented status, got ${summarize(outcome)}` });
  }
  if (entered === 0)
    findings.push({ rule: 'entered service', message: 'expected the service to be entered, but it was not' });
  return { findings, ...(own !== undefined && { inconclusive: own }) };
}

/** RFC 9110 section 15.5.7: a server may have only some of the documented representations. */
const lacksRepresentation = (
  operation: Operation,
  { profile }: Target,
  mediaType: string | undefined,
  status: number,
): string | undefined =>
  profile === 'document' &&
  status === 406 &&
  mediaType !== undefined &&
  negotiableMediaTypes(operation).length > 1
    ? `the service answered 406: it has no ${mediaType}`
    : undefined;

const hasBytes = (expected: ExpectedBytes, body: Buffer): boolean =>
  typeof expected === 'function' ? expected(body) : Buffer.from(expected).equals(body);

/** A valid request may meet a refusal that depends on the state of the service: the remedy. */
function ownRefusalHint(
  { ownRefusals = {}, blackBox, source = 'the target' }: Target,
  { operation, expect, family }: Case,
  outcome: RawResponse,
  value: Value | undefined,
): string {
  if (expect.kind !== 'answered' || !expect.outcomes.includes('success') || family === 'scenarios') return '';
  const name = Object.keys(ownRefusals).find((one) => {
    const rule = ownRefusals[one];
    return rule !== undefined && matchesRule(rule, outcome, value);
  });
  if (name !== undefined)
    return `; ${expect.isVaried === true ? ADVICE.allowOwnRefusal(name, operation.id, source) : ADVICE.holdExamples(name, source)}`;
  if (blackBox && outcome.status >= 400 && outcome.status <= 499) return `; ${ADVICE.refuseOtherwise()}`;
  return '';
}
