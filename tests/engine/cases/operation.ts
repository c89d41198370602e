import { bodyCases } from './bodies';
import type { OperationContext, ValueCases } from './case';
import { mediaTypeCases } from './media-types';
import { methodAndPathCases } from './paths';
import { securityCases } from './security';
import { valueCases } from './values';

/** Every enumerated case of an operation. */
export function operationCases(context: OperationContext): ValueCases {
  const { cases, contradictions } = valueCases(context);
  const others = [methodAndPathCases, securityCases, mediaTypeCases, bodyCases];
  return { cases: [...cases, ...others.flatMap((family) => family(context))], contradictions };
}
