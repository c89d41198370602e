import { bodyCases } from './bodies';
import { isSafe } from '../document/document';
import { levelOf } from '../profile';
import { composeRequest } from '../request/request';
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

/** Every enumerated case of an operation that the profile and the bounds of the target allow. */
export function operationCases(context: OperationContext): ValueCases {
  const { cases, contradictions, documentFaults } = valueCases(context);
  const { profile = 'house', blackBox } = context.target;
  const others = [methodAndPathCases, securityCases, mediaTypeCases, bodyCases];
  const all = [...cases, ...others.flatMap((family) => family(context))].filter(
    ({ rule, request }) =>
      (rule === undefined || levelOf(profile, rule) !== 'ignored') &&
      (blackBox?.write !== false || isSafe(request.method)),
  );
  if (blackBox) {
    // Its refusals first: they show how it refuses an invalid request, as opposed to one that its state forbids.
    const isRefused = ({ expect }: Case): boolean => expect.kind === 'refused';
    const own = all.filter(
      (sent) =>
        isRefused(sent) ||
        isSafe(sent.request.method) ||
        blackBox.writeAll === true ||
        hasPathOf(context, sent),
    );
    return {
      cases: [...own.filter(isRefused), ...own.filter((sent) => !isRefused(sent))],
      contradictions,
      documentFaults,
    };
  }
  return { cases: all, contradictions, documentFaults };
}
