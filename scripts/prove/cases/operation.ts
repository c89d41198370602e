import { bodyCases } from './bodies';
import { isSafe } from '../document/model';
import { edgeCases } from './edges';
import { levelOf } from '../profile';
import { composeRequest } from '../request/minimal';
import type { Case, OperationContext, ValueCases } from './case';
import { mediaTypeCases } from './media-types';
import { methodAndPathCases } from './paths';
import { securityCases } from './security';
import { valueCases } from './values';

/** Whether a request is to the resource of the minimal request: any other may belong to somebody else. */
function hasPathOf({ operation, base }: OperationContext, { request }: Case): boolean {
  const [path] = composeRequest(operation, base).target.split('?');
  return request.target.split('?')[0] === path;
}

/** The cases that the profile and the bounds of the target allow. */
function allowed(context: OperationContext, cases: readonly Case[]): Case[] {
  const { profile = 'strict', blackBox } = context.target;
  const all = cases.filter(
    ({ rule, request }) =>
      (rule === undefined || levelOf(profile, rule) !== 'ignored') &&
      (blackBox?.write !== false || isSafe(request.method)),
  );
  if (!blackBox) return all;
  return all.filter(
    (sent) =>
      isRefused(sent) ||
      isSafe(sent.request.method) ||
      blackBox.writeAll === true ||
      hasPathOf(context, sent),
  );
}

const isRefused = ({ expect }: Case): boolean => expect.kind === 'refused';

/** Every enumerated case of an operation that the profile and the bounds of the target allow. */
export function operationCases(context: OperationContext): ValueCases {
  const { cases: values, contradictions, documentFaults } = valueCases(context);
  const others = [methodAndPathCases, securityCases, mediaTypeCases, bodyCases];
  const cases = allowed(context, [...values, ...others.flatMap((family) => family(context))]);
  if (!context.target.blackBox) return { cases, contradictions, documentFaults };
  // Its refusals first: they show how it refuses an invalid request, as opposed to one that its state forbids.
  return {
    cases: [...cases.filter(isRefused), ...cases.filter((sent) => !isRefused(sent))],
    contradictions,
    documentFaults,
  };
}

/** The cases of an operation that come after those of all operations. */
export const lastCases = (context: OperationContext): Case[] => allowed(context, edgeCases(context));
