import type { Case, Expectation } from '../cases/case';
import { type Document, type Response, responseFor } from '../document/document';
import { matchesMediaType } from '../document/media-type';
import { fromJson, print, type Value } from '../json/value';
import type { Oracle } from '../schema/oracle';
import type { Target } from '../target';
import { header, type Outcome, type RawResponse, summarize } from '../wire/message';
import { hasMembers, matchesRule, refusalProblems } from './refusal';
import { bodyProblems, mediaTypeProblem, mediaTypesOfSchema, readBody, responseProblems } from './response';

/** The problems of an answer, and the documented response that it is an instance of. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly response?: { readonly status: string; readonly media: string };
}

/** @param entered the number of times that this request entered the service */
export type Judge = (sent: Case, outcome: Outcome, entered: number) => Verdict;

const STACK_TRACE = /\n\s+at |node_modules|\.[cm]?[jt]s:\d+/;

/** @param oracle judges responses */
export function createJudge(document: Document, oracle: Oracle, target: Target): Judge {
  const refusalMediaTypes = mediaTypesOfSchema(document, target.refusalSchema);
  return (sent, outcome, entered) => {
    if ('noResponse' in outcome)
      return { problems: [`expected a response, got none: ${outcome.noResponse}`] };
    const { operation, expect, request } = sent;
    // A refused path or method belongs to no operation, so no operation documents the response.
    const hasNoOperation =
      expect.kind === 'refused' &&
      expect.reasons.some((reason) => reason === 'not found' || reason === 'method not allowed');
    const response = hasNoOperation ? undefined : responseFor(operation, outcome.status);
    const mediaType = header(outcome, 'content-type')?.split(';')[0]?.trim().toLowerCase();
    const documented = response?.content.find(({ name }) => matchesMediaType(name, mediaType ?? ''));
    const body = readBody(outcome, mediaType);
    const problems = [...body.problems];
    if (STACK_TRACE.test(outcome.body.toString('latin1')))
      problems.push('expected no stack trace, got one in the body');
    if (response) {
      problems.push(
        ...responseProblems(document, oracle, response, documented, outcome, body.value, request.method),
      );
    } else if (target.refusalSchema !== undefined && request.method !== 'HEAD') {
      // An undocumented refusal has the body of the documented ones.
      if (
        refusalMediaTypes.length > 0 &&
        !refusalMediaTypes.some((name) => matchesMediaType(name, mediaType ?? ''))
      )
        problems.push(mediaTypeProblem(refusalMediaTypes, outcome));
      problems.push(...bodyProblems(document, oracle, target.refusalSchema, body.value, outcome));
    }
    switch (expect.kind) {
      case 'answered':
        problems.push(...serviceAnswerProblems(target, expect, outcome, response, body.value, entered));
        if (expect.mediaType !== undefined && documented?.name !== expect.mediaType)
          problems.push(mediaTypeProblem([expect.mediaType], outcome));
        break;
      case 'refused':
        problems.push(
          ...refusalProblems(document, target, operation, expect.reasons, outcome, body.value, entered),
        );
        break;
      case 'status':
        if (outcome.status !== expect.status)
          problems.push(`expected status ${expect.status}, got ${summarize(outcome)}`);
    }
    const instance = response && { status: response.status, media: documented?.name ?? 'no body' };
    return { problems, ...(instance && { response: instance }) };
  };
}

/** The problems of an answer that the service itself should give. */
function serviceAnswerProblems(
  { ownRefusals = {} }: Target,
  { outcomes, members = {} }: Extract<Expectation, { kind: 'answered' }>,
  outcome: RawResponse,
  response: Response | undefined,
  value: Value | undefined,
  entered: number,
): string[] {
  const isSuccess = outcome.status >= 200 && outcome.status <= 299;
  const isExpected = outcomes.some((name) => {
    const rule = ownRefusals[name];
    return rule ? matchesRule(rule, outcome, value) : isSuccess;
  });
  const problems: string[] = [];
  if (!isExpected) problems.push(`expected ${outcomes.join(' or ')}, got ${summarize(outcome)}`);
  if (!hasMembers(members, value)) {
    const expected = Object.entries(members).map(([name, member]): [string, Value] => [
      name,
      typeof member === 'function' ? member.toString() : fromJson(member),
    ]);
    problems.push(`expected a body with ${print(new Map(expected))}, got ${summarize(outcome)}`);
  }
  if (!response) problems.push(`expected a documented status, got ${summarize(outcome)}`);
  if (entered === 0) problems.push('expected the service to be entered, but it was not');
  return problems;
}
