import { randomInt, randomUUID } from 'node:crypto';
import type { OperationContext } from '../cases/case';
import { asString } from '../json/tree';
import { rewriteLeaves } from '../json/leaves';
import { NumberLiteral, parse, print, type Value } from '../json/value';
import { type Inputs, slots } from '../request/slots';
import { anyTextOf } from '../schema/strings';
import { type InstanceLocation, instanceLocations } from '../schema/probes';

/** A primitive of a body for which there are many other values. */
export interface FreshLeaf {
  /** JSON pointer in the body. */
  readonly pointer: string;
  /** Its JSON text in the minimal request. */
  readonly text: string;
  /** JSON text of a value that no earlier request is likely to have sent. */
  readonly fresh: () => string;
}

/** Random values for one leaf; the first that fits is taken. */
const CANDIDATES = 12;

/** The leaves of the JSON body of a minimal request for which fresh values fit the schema. */
export function freshLeaves(
  { document, oracle, operation }: OperationContext,
  { body }: Inputs,
): FreshLeaf[] {
  const slot = slots(document, operation).find((one) => one.body && one.body.type === body?.type);
  if (!slot || !body || !/[/+]json/.test(body.type)) return [];
  const locations = instanceLocations(document.requests, oracle, slot.schema, parse(body.bytes.toString()));
  return locations.flatMap((location): FreshLeaf[] => {
    const make = (): Value | undefined => {
      const candidates = Array.from({ length: CANDIDATES }, () => candidateFor(location));
      return candidates.find(
        (value) => value !== undefined && oracle.valid(slot.schema, location.replace(value)),
      );
    };
    const text = print(location.value);
    if (make() === undefined) return [];
    return [{ pointer: location.instancePointer, text, fresh: () => print(make() ?? location.value) }];
  });
}

/** A random value that may fit a location; undefined if it has few values or a meaning that must be kept. */
function candidateFor({ value, subschemas }: InstanceLocation): Value | undefined {
  const schemas = subschemas.map(({ schema }) => schema);
  if (schemas.some((schema) => schema['enum'] !== undefined || schema['const'] !== undefined))
    return undefined;
  const format = schemas.map((schema) => asString(schema['format'])).find((name) => name !== '') ?? '';
  if (value instanceof NumberLiteral) {
    if (!/^-?\d+$/.test(value.text)) return undefined;
    const limit = (keyword: string, otherwise: number): number =>
      schemas.map((schema) => schema[keyword]).find((bound) => typeof bound === 'number') ?? otherwise;
    const low = Math.max(1, limit('minimum', 1), limit('exclusiveMinimum', 0) + 1);
    const high = Math.min(2 ** 31 - 2, limit('maximum', 2 ** 31 - 2), limit('exclusiveMaximum', 2 ** 31) - 1);
    const step = limit('multipleOf', 1);
    if (high - low < 1000 || !Number.isInteger(step)) return undefined;
    const number = randomInt(Math.ceil(low), Math.floor(high));
    return new NumberLiteral(String(number - (number % step)));
  }
  if (typeof value !== 'string') return undefined;
  const unique = randomUUID();
  if (format === 'uuid') return unique;
  if (format === 'email') return `${unique}@example.org`;
  if (/^ur[il]/.test(format)) return `https://example.org/${unique}`;
  if (/date|time|duration|byte|binary|ip|hostname/.test(format)) return undefined;
  const pattern = schemas.map((schema) => schema['pattern']).find((text) => typeof text === 'string');
  const text = unique.replaceAll('-', '');
  if (pattern !== undefined) return anyTextOf(pattern, randomInt(2 ** 31));
  const most = Math.min(...schemas.map(({ maxLength }) => (typeof maxLength === 'number' ? maxLength : 24)));
  const least = Math.max(
    ...schemas.map(({ minLength }) => (typeof minLength === 'number' ? minLength : 0)),
    0,
  );
  return most < 4 ? undefined : text.slice(0, Math.max(most, 0)).padEnd(least, text);
}

/**
 * The JSON text with fresh values in the place of those of the minimal request. A value under test differs from the
 * minimal request, so it stays.
 *
 * @returns undefined if the text is not JSON, or has none of the values
 */
export function withFreshLeaves(text: string, leaves: readonly FreshLeaf[]): string | undefined {
  const byPointer = new Map(leaves.map((leaf) => [leaf.pointer, leaf]));
  const rewritten = rewriteLeaves(text, (pointer, found) => {
    const leaf = byPointer.get(pointer);
    if (leaf?.text !== found) return undefined;
    return leaf.fresh();
  });
  return rewritten === text ? undefined : rewritten;
}
