import { isDeepStrictEqual } from 'node:util';
import type { Schemas } from '../document/direction';
import type { Oracle } from './oracle';
import { admittedTypes, anyValueOf, branchCombinations, enumeratedValues } from './locations';
import { MAX_VARIATIONS } from './variations';

/** Why there is no value of a schema, if a proof is at hand: else the bound at which the search gave up. */
export function whyNoValue(schemas: Schemas, oracle: Oracle, schema: string, drawn: number): string {
  const certain = (branchCombinations(schemas, anyValueOf(schema))[0] ?? []).filter(
    ({ unconditional }) => unconditional,
  );
  // A schema that is `false`, as the walk reads it.
  if (certain.some((one) => isDeepStrictEqual(one.schema, { not: {} }))) return 'its schema is false';
  const isTyped = certain.some((one) => one.schema['type'] !== undefined);
  if (isTyped && admittedTypes(certain).length === 0) return 'no type is admitted';
  if (enumeratedValues(certain)?.every((value) => !oracle.valid(schema, value)) === true)
    return 'no value of its enum conforms';
  return `the search gave up after ${drawn} drawn values and at most ${MAX_VARIATIONS} variations of them`;
}
