import { asObject, type Json, objectsIn } from '../json/tree';
import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import { createContext, Script } from 'node:vm';
import type { Schemas } from '../document/direction';
import { print, toDoubles, type Value } from '../json/value';
import { Untestable } from '../untestable';
import { standalone } from './standalone';

/** Validates values against the schemas of a document, for one direction. A schema is named by its pointer. */
export interface Oracle {
  /** False also for a value that it cannot decide. */
  valid(schema: string, value: Value): boolean;
  /** Whether it can tell: it cannot if a pattern takes too long. */
  decides(schema: string, value: Value): boolean;
  /** The errors, innermost first; empty if the value is valid. */
  errors(schema: string, value: Value): string[];
  /** Whether the value violates one keyword of the schema object, independent of the others. */
  breaks(schema: string, keyword: string, value: Value): boolean;
}

/**
 * Creates an oracle that is independent of the server: it uses another validator, and numbers keep their digits. It
 * rewrites integer formats as bounds, so that they are exact below `anyOf` and `not` too.
 *
 * @throws {Error} on use, if a schema contains a keyword that the oracle does not support
 */
export function createOracle(schemas: Schemas): Oracle {
  const compiled = new Map<string, Compiled>();
  /** For attempts that may take long: the errors, or undefined if it cannot tell. */
  const judged = new Map<string, OutputUnit[] | undefined>();
  const compile = (pointer: string, only?: string): Compiled => {
    const key = `${pointer} ${only ?? ''}`;
    let entry = compiled.get(key);
    if (!entry) {
      const json = standalone(schemas, pointer, only);
      const schema = json as Schema;
      const quickLength = quickLengthOf(json);
      entry = { key, schema, lookup: dereference(schema), quickLength, decided: new WeakMap() };
      compiled.set(key, entry);
    }
    return entry;
  };
  /** The errors, or at least the first of them; undefined if it cannot tell. */
  const check = (
    { key, schema, lookup, quickLength }: Compiled,
    value: Value,
    all: boolean,
  ): OutputUnit[] | undefined => {
    const judge = (first: boolean) => {
      try {
        return validate(toDoubles(value), schema, '2020-12', lookup, first).errors;
      } catch (error) {
        // A timeout below: it cannot tell.
        if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        throw new Untestable(
          `the schema ${key.trim()} cannot be judged: is each pattern a regular expression?`,
        );
      }
    };
    if (!hasLongerText(value, quickLength)) return judge(!all);
    const attempt = `${key} ${print(value)}`;
    if (!judged.has(attempt))
      judged.set(
        attempt,
        withinTimeout(() => judge(false)),
      );
    return judged.get(attempt);
  };
  const isValid = (entry: Compiled, value: Value): boolean => {
    if (value === null || typeof value !== 'object') return check(entry, value, false)?.length === 0;
    let isValid = entry.decided.get(value);
    if (isValid === undefined) entry.decided.set(value, (isValid = check(entry, value, false)?.length === 0));
    return isValid;
  };
  return {
    breaks: (schema, keyword, value) => check(compile(schema, keyword), value, false)?.length !== 0,
    valid: (schema, value) => isValid(compile(schema), value),
    decides: (schema, value) => {
      const entry = compile(schema);
      return !hasLongerText(value, entry.quickLength) || check(entry, value, true) !== undefined;
    },
    errors: (schema, value) =>
      check(compile(schema), value, isSmall(value))
        ?.map((unit) => `${unit.instanceLocation} ${unit.error}`)
        .reverse() ?? [`is not judged: its patterns take more than ${PATTERN_TIMEOUT_MS} ms`],
  };
}

/** A schema as the validator takes it. */
interface Compiled {
  readonly key: string;
  readonly schema: Schema;
  readonly lookup: ReturnType<typeof dereference>;
  /** No pattern takes long for a text of this length, in UTF-16 units. */
  readonly quickLength: number;
  /** Whether values are valid. The walks over a value and its cases ask again and again. */
  readonly decided: WeakMap<object, boolean>;
}

/** Patterns in V8 can take time exponential in the length of the text. */
const PATTERN_TIMEOUT_MS = 500;

/** The length of texts, in UTF-16 units, for which no pattern of a schema takes long. */
function quickLengthOf(schema: Json): number {
  const patterns = [...objectsIn(schema)].flatMap(({ node: { pattern, patternProperties } }) => [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...Object.keys(asObject(patternProperties)),
  ]);
  return Math.min(Infinity, ...patterns.map(quickLength));
}

/**
 * A backtracking engine tries a pattern at each place of the text. Without a repeated group, each try takes at most as many
 * steps as its only unbounded quantifier has ways to match, times those of the bounded ones.
 */
function quickLength(pattern: string): number {
  const plain = pattern
    .replace(/\\./g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
  const unbounded = plain.match(/[*+]|\{\d+,\}/g) ?? [];
  if (/\)[*+?{]/.test(plain) || unbounded.length > 1) return 16;
  let ways = 2 ** (plain.match(/\?/g) ?? []).length;
  for (const [, least, most] of plain.matchAll(/\{(\d+),(\d+)\}/g)) ways *= Number(most) - Number(least) + 1;
  return ways === 1 ? 5000 : ways <= 100 ? 500 : 16;
}

const script = new Script('judge()');
const sandbox: { judge?: () => unknown } = createContext({});

/** The result of `judge`, or undefined after the timeout. */
function withinTimeout<T>(judge: () => T): T | undefined {
  sandbox.judge = judge;
  try {
    return script.runInContext(sandbox, { timeout: PATTERN_TIMEOUT_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

/** Parts of a value. A larger one has one error, since millions would not fit into the memory. */
const MAX_PARTS = 10_000;

function isSmall(value: Value): boolean {
  let rest = MAX_PARTS;
  const count = (part: Value): boolean => {
    if (--rest < 0) return false;
    if (Array.isArray(part)) return part.every(count);
    return !(part instanceof Map) || [...part.values()].every(count);
  };
  return count(value);
}

function hasLongerText(value: Value, length: number): boolean {
  if (length === Infinity) return false;
  if (typeof value === 'string') return value.length > length;
  if (Array.isArray(value)) return value.some((entry) => hasLongerText(entry, length));
  return (
    value instanceof Map &&
    [...value].some(([name, member]) => name.length > length || hasLongerText(member, length))
  );
}
