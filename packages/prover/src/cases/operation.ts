import { levelOf } from '../profile';
import { pathOf } from '../wire/message';
import { bodyCases } from './bodies';
import { type Case, inputCase, type OperationContext, type ValueCases } from './case';
import { edgeCases } from './edges';
import { mediaTypeCases } from './media-types';
import { multipartCases } from './multipart';
import { methodAndPathCases } from './paths';
import { securityCases } from './security';
import { sequenceCases } from './sequences';
import { valueCases } from './values';
import { isSafe, responseFor } from '../document/model';
import { composeRequest } from '../request/compose';

/** The cases that the profile and the bounds of the target allow. */
function allowed(context: OperationContext, cases: readonly Case[]): Case[] {
  const { profile = 'strict', blackBox } = context.target;
  // Any path but that of the minimal request may belong to somebody else.
  const own = pathOf(composeRequest(context.operation, context.base));
  return cases.filter((sent) => {
    const { rule, request } = sent;
    if (rule !== undefined && levelOf(profile, rule) === 'ignored') return false;
    if (!blackBox || isSafe(request.method)) return true;
    return blackBox.write && (blackBox.writeAll === true || isRefused(sent) || pathOf(request) === own);
  });
}

const isRefused = ({ expect }: Case): boolean => expect.kind === 'refused';

/** Every enumerated case of an operation that the profile and the bounds of the target allow. */
export function operationCases(context: OperationContext): ValueCases {
  const { cases: values, ...found } = valueCases(context);
  const others = [
    ...[methodAndPathCases, securityCases, mediaTypeCases],
    ...[bodyCases, multipartCases, sequenceCases],
  ];
  const cases = allowed(context, [...values, ...others.flatMap((family) => family(context))]);
  // The refusals of a black box first: they show how it refuses an invalid request, as opposed to one that its state forbids.
  const rank = (sent: Case): number => (context.target.blackBox && isRefused(sent) ? 0 : 1);
  return { ...found, cases: cases.sort((a, b) => rank(a) - rank(b)) };
}

/** The cases of an operation that come after those of all operations. */
export const lastCases = (context: OperationContext): Case[] => allowed(context, edgeCases(context));

/** A valid request to a server in a situation that causes a status, if the operation documents the status. */
export const situationCases = (context: OperationContext, status: number): Case[] =>
  responseFor(context.operation, status)
    ? [
        inputCase(context, 'situations', `a situation that causes ${status}`, context.base, {
          expect: { kind: 'status', status },
        }),
      ]
    : [];
