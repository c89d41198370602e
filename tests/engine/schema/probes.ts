import { markOf, type Schemas } from '../document/direction';
import { list, object, word } from '../json/json';
import { at, target } from '../json/pointer';
import type { Value } from '../json/value';
import type { Fragment } from './applicable';
import { RULES } from './boundaries';
import { asserts } from './constraints';
import type { Site } from './locations';
import { createOracle, type Oracle } from './oracle';
import { samples } from './samples';

/**
 * Values that would be right, did not a mark at one place say that they do not go this way: they fit the document without
 * this mark, and do not fit it as it is.
 */
export function witnesses(schemas: Schemas, oracle: Oracle, schema: string, marked: string): Value[] {
  const json = structuredClone(schemas.json);
  const mark = markOf(schemas);
  const owner = object(at(json, marked));
  for (let node = owner; ; node = object(at(json, target(word(node['$ref']))))) {
    // A mark behind a reference is taken from this place alone.
    if (node !== owner) Object.assign(owner, node);
    if (typeof node['$ref'] !== 'string') break;
  }
  for (const part of [owner, ...list(owner['allOf']).map(object)]) Reflect.deleteProperty(part, mark);
  if (typeof owner['$ref'] === 'string') Reflect.deleteProperty(owner, '$ref');
  const unmarked = { json, direction: schemas.direction };
  const free = createOracle(unmarked);
  return (['all', 'any'] as const)
    .flatMap((mode) => samples(unmarked, free, schema, mode, 40))
    .filter((value) => !oracle.valid(schema, value));
}

/** One value that puts one keyword at one place to the test. */
export interface Trial {
  /** The whole value, the place changed. */
  readonly value: Value;
  /** What was put at the place. */
  readonly put: Value;
  readonly site: Site;
  readonly fragment: Fragment;
  readonly keyword: string;
  readonly side: 'holds' | 'violates';
}

/** Every trial that a valid value gives rise to, keyword by keyword, one fault each or none. */
export const trials = (found: readonly Site[]): Trial[] =>
  found.flatMap((site) =>
    site.fragments.flatMap((fragment) =>
      Object.entries(fragment.schema).flatMap(([keyword, limit]) => {
        if (!asserts(keyword, limit)) return [];
        const probe = RULES[keyword]?.({ limit, value: site.value, fragment, fragments: site.fragments });
        return (['holds', 'violates'] as const).flatMap((side) =>
          (probe?.[side] ?? []).map((value) => ({
            value: site.put(value),
            put: value,
            site,
            fragment,
            keyword,
            side,
          })),
        );
      }),
    ),
  );
