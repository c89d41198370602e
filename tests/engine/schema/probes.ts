import { excludingKeyword, type Schemas } from '../document/direction';
import { asArray, asObject, asString } from '../json/json';
import { objectAt, pointerOf } from '../json/pointer';
import type { Value } from '../json/value';
import type { Subschema } from './applicable';
import { BOUNDARIES } from './boundaries';
import { isAssertion } from './constraints';
import type { InstanceLocation } from './locations';
import { createOracle, type Oracle } from './oracle';
import { samples } from './samples';

/**
 * Values that would be right, did not a mark at one place say that they do not go this way: they fit the document without
 * this mark, and do not fit it as it is.
 */
export function valuesOneWayOnly(schemas: Schemas, oracle: Oracle, schema: string, marked: string): Value[] {
  const json = structuredClone(schemas.json);
  const mark = excludingKeyword(schemas);
  const owner = objectAt(json, marked);
  for (let node = owner; ; node = objectAt(json, pointerOf(asString(node['$ref'])))) {
    // A mark behind a reference is taken from this place alone.
    if (node !== owner) Object.assign(owner, node);
    if (typeof node['$ref'] !== 'string') break;
  }
  for (const part of [owner, ...asArray(owner['allOf']).map(asObject)]) Reflect.deleteProperty(part, mark);
  if (typeof owner['$ref'] === 'string') Reflect.deleteProperty(owner, '$ref');
  const unmarked = { json, direction: schemas.direction };
  const free = createOracle(unmarked);
  return (['all', 'any'] as const)
    .flatMap((mode) => samples(unmarked, free, schema, mode, 40))
    .filter((value) => !oracle.valid(schema, value));
}

/** One value that puts one keyword at one place to the test. */
export interface Probe {
  /** The whole value, the place changed. */
  readonly value: Value;
  /** What was put at the place. */
  readonly put: Value;
  readonly site: InstanceLocation;
  readonly subschema: Subschema;
  readonly keyword: string;
  readonly side: 'holds' | 'violates';
}

/** Every probe that a valid value gives rise to, keyword by keyword, one fault each or none. */
export const probes = (found: readonly InstanceLocation[]): Probe[] =>
  found.flatMap((site) =>
    site.subschemas.flatMap((subschema) =>
      Object.entries(subschema.schema).flatMap(([keyword, limit]) => {
        if (!isAssertion(keyword, limit)) return [];
        const probe = BOUNDARIES[keyword]?.({
          limit,
          value: site.value,
          subschema,
          subschemas: site.subschemas,
        });
        return (['holds', 'violates'] as const).flatMap((side) =>
          (probe?.[side] ?? []).map((value) => ({
            value: site.replace(value),
            put: value,
            site,
            subschema,
            keyword,
            side,
          })),
        );
      }),
    ),
  );
