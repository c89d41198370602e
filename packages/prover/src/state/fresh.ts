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
  if (!body || slot?.codec !== 'json') return [];
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
  const limits = (keyword: string): number[] =>
    schemas.map((schema) => schema[keyword]).filter((bound) => typeof bound === 'number');
  if (schemas.some((schema) => schema['enum'] !== undefined || schema['const'] !== undefined))
    return undefined;
  const format = schemas.map((schema) => asString(schema['format'])).find((name) => name !== '') ?? '';
  if (value instanceof NumberLiteral) {
    if (!/^-?\d+$/.test(value.text)) return undefined;
    const low = Math.max(1, ...limits('minimum'), ...limits('exclusiveMinimum').map((bound) => bound + 1));
    const most = [...limits('maximum'), ...limits('exclusiveMaximum').map((bound) => bound - 1)];
    const high = Math.min(2 ** 31 - 2, ...most);
    const [step = 1] = limits('multipleOf');
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
  const most = Math.min(24, ...limits('maxLength'));
  return most < 4 ? undefined : text.slice(0, most).padEnd(Math.max(0, ...limits('minLength')), text);
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
    return leaf?.text === found ? leaf.fresh() : undefined;
  });
  return rewritten === text ? undefined : rewritten;
}

/** The primitives in JSON text, by pointer. */
export function leavesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  rewriteLeaves(text, (pointer, leaf) => {
    found.set(pointer, leaf);
    return undefined;
  });
  return found;
}

/**
 * The inputs with names of existing resources in the query and in a JSON body.
 *
 * @param find resolves with the encoded name of a resource for a parameter or property such as `authorId`
 * @returns undefined if nothing refers to a resource
 */
export async function withNames(
  inputs: Inputs,
  find: (name: string) => Promise<string | undefined>,
): Promise<Inputs | undefined> {
  const parameters = new Map(inputs.parameters);
  let isChanged = false;
  for (const parameter of parameters.keys()) {
    const name = parameter.in === 'query' ? await find(parameter.name) : undefined;
    if (name === undefined) continue;
    parameters.set(parameter, `${parameter.name}=${name}`);
    isChanged = true;
  }
  const { body } = inputs;
  const text = body?.bytes.toString() ?? '';
  const found = new Map<string, string>();
  for (const [pointer, leaf] of leavesOf(text)) {
    const name = await find(pointer.split('/').findLast((token) => !/^\d*$/.test(token)) ?? '');
    if (name === undefined) continue;
    const decoded = decodeURIComponent(name);
    found.set(pointer, leaf.startsWith('"') ? JSON.stringify(decoded) : decoded);
  }
  const rewritten = found.size > 0 ? rewriteLeaves(text, (pointer) => found.get(pointer)) : undefined;
  if (!body || rewritten === undefined) return isChanged ? { ...inputs, parameters } : undefined;
  return { parameters, body: { ...body, bytes: Buffer.from(rewritten) } };
}
