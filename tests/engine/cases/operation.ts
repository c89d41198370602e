import { bodyCases } from './bodies';
import { isSafe } from '../document/document';
import { levelOf } from '../profile';
import type { OperationContext, ValueCases } from './case';
import { mediaTypeCases } from './media-types';
import { methodAndPathCases } from './paths';
import { securityCases } from './security';
import { valueCases } from './values';

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
  return { cases: all, contradictions, documentFaults };
}
