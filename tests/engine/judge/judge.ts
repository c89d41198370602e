import type { Case, Expectation } from '../cases/case';
import { type Document, type Response, responseFor } from '../document/document';
import { matchesMediaType } from '../document/media-type';
import { fromJson, print, type Value } from '../json/value';
import type { Oracle } from '../schema/oracle';
import type { Target } from '../target';
import { header, type Outcome, type RawResponse, summarize } from '../wire/message';
import { hasMembers, matchesRule, refusalProblems } from './refusal';
import { responseProblems, bodyProblems, mediaTypesOfSchema, mediaTypeProblem, readBody } from './response';

/** What one answer showed: what is wrong with it, and the documented response that it is an instance of. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly response?: { readonly status: string; readonly media: string };
}

/** @param entered how often the service behind the contract was entered for this request */
export type Judge = (made: Case, outcome: Outcome, entered: number) => Verdict;

const TRACE = /\n\s+at |node_modules|\.[cm]?[jt]s:\d+/;

export function createJudge(document: Document, oracle: Oracle, target: Target): Judge {
  const refusalMedia = mediaTypesOfSchema(document, target.refusalSchema);
  return (made, outcome, entered) => {
    if ('silence' in outcome) return { problems: [`expected an answer, got none: ${outcome.silence}`] };
    const { operation, expect } = made;
    // What no operation is responsible for is no operation's response.
    const elsewhere = expect.kind === 'refused' && expect.as.some((reason) => reason.startsWith('unknown'));
    const response = elsewhere ? undefined : responseFor(operation, outcome.status);
    const media = header(outcome, 'content-type')?.split(';')[0]?.trim().toLowerCase();
    const described = response?.content.find(({ name }) => matchesMediaType(name, media ?? ''));
    const body = readBody(outcome, media);
    const problems = [
      ...(TRACE.test(outcome.body.toString('latin1'))
        ? ['expected no stack trace, got one in the body']
        : []),
      ...body.problems,
      ...(response
        ? responseProblems(document, oracle, response, described, outcome, body.value, made.request.method)
        : []),
      ...(expect.kind === 'refused'
        ? refusalProblems(document, target, made, expect.as, outcome, body.value, entered)
        : []),
      ...(expect.kind === 'status' && outcome.status !== expect.status
        ? [`expected status ${expect.status}, got ${summarize(outcome)}`]
        : []),
      ...(expect.kind === 'answered'
        ? [
            ...serviceAnswerProblems(target, expect, outcome, response, body.value, entered),
            ...(expect.media === undefined || described?.name === expect.media
              ? []
              : [mediaTypeProblem([expect.media], outcome)]),
          ]
        : []),
      // A refusal that the document does not describe still speaks the service's own language.
      ...(!response && target.refusalSchema !== undefined && made.request.method !== 'HEAD'
        ? [
            ...(refusalMedia.length === 0 || refusalMedia.some((name) => matchesMediaType(name, media ?? ''))
              ? []
              : [mediaTypeProblem(refusalMedia, outcome)]),
            ...bodyProblems(document, oracle, target.refusalSchema, body.value, outcome),
          ]
        : []),
    ];
    return {
      problems,
      ...(response && { response: { status: response.status, media: described?.name ?? 'no body' } }),
    };
  };
}

/** What is wrong with an answer that the service itself should have given. */
function serviceAnswerProblems(
  { ownRefusals = {} }: Target,
  { as: names, members = {} }: Extract<Expectation, { kind: 'answered' }>,
  outcome: RawResponse,
  response: Response | undefined,
  value: Value | undefined,
  entered: number,
): string[] {
  const wanted = new Map(
    Object.entries(members).map(([name, member]): [string, Value] => [
      name,
      typeof member === 'function' ? member.toString() : fromJson(member),
    ]),
  );
  const isSuccess = outcome.status >= 200 && outcome.status <= 299;
  const fits = names.some((name) => {
    const rule = ownRefusals[name];
    return rule ? matchesRule(rule, outcome, value) : isSuccess;
  });
  return [
    ...(fits ? [] : [`expected ${names.join(' or ')}, got ${summarize(outcome)}`]),
    ...(hasMembers(members, value)
      ? []
      : [`expected a body with ${print(wanted)}, got ${summarize(outcome)}`]),
    ...(response ? [] : [`expected a documented status, got ${summarize(outcome)}`]),
    ...(entered > 0 ? [] : ['expected the service to be entered, but it was not']),
  ];
}
