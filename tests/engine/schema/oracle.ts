import { textOf } from '../json/json';
import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import { createContext, Script } from 'node:vm';
import type { Schemas } from '../document/direction';
import { print, toDoubles, type Value } from '../json/value';
import { standalone } from './standalone';

/** Validates values against the schemas of a document, for one direction. A schema is named by its pointer. */
export interface Oracle {
  /** False also for a value without a verdict. */
  valid(schema: string, value: Value): boolean;
  /** Whether there is a verdict. There is none if a pattern takes too long. */
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
  /** For attempts that may take long: the errors, or undefined if there is no verdict. */
  const judged = new Map<string, OutputUnit[] | undefined>();
  const compile = (pointer: string, only?: string): Compiled => {
    const key = `${pointer} ${only ?? ''}`;
    let entry = compiled.get(key);
    if (!entry) {
      const schema = standalone(schemas, pointer, only) as Schema;
      const hasPattern = textOf(schema).includes('"pattern');
      entry = { key, schema, lookup: dereference(schema), hasPattern };
      compiled.set(key, entry);
    }
    return entry;
  };
  /** The errors, or at least the first of them; undefined if there is no verdict. */
  const check = (
    { key, schema, lookup, hasPattern }: Compiled,
    value: Value,
    all: boolean,
  ): OutputUnit[] | undefined => {
    const judge = (first: boolean) => validate(toDoubles(value), schema, '2020-12', lookup, first).errors;
    if (!hasPattern || !hasLongText(value)) return judge(!all);
    const attempt = `${key} ${print(value)}`;
    if (!judged.has(attempt))
      judged.set(
        attempt,
        withinTimeout(() => judge(false)),
      );
    return judged.get(attempt);
  };
  return {
    breaks: (schema, keyword, value) => check(compile(schema, keyword), value, false)?.length !== 0,
    valid: (schema, value) => check(compile(schema), value, false)?.length === 0,
    decides: (schema, value) => {
      const entry = compile(schema);
      return !entry.hasPattern || !hasLongText(value) || check(entry, value, true) !== undefined;
    },
    errors: (schema, value) =>
      check(compile(schema), value, true)
        ?.map((unit) => `${unit.instanceLocation} ${unit.error}`)
        .reverse() ?? [`is not judged: its patterns take more than ${PATTERN_TIMEOUT_MS} ms`],
  };
}

/** A schema as the validator takes it. */
interface Compiled {
  readonly key: string;
  readonly schema: Schema;
  readonly lookup: ReturnType<typeof dereference>;
  readonly hasPattern: boolean;
}

/** Patterns in V8 can take time exponential in the length of the text. */
const PATTERN_TIMEOUT_MS = 500;

/** No pattern takes long for a text of this length, in UTF-16 units. */
const SHORT_TEXT_LENGTH = 16;

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

function hasLongText(value: Value): boolean {
  if (typeof value === 'string') return value.length > SHORT_TEXT_LENGTH;
  if (Array.isArray(value)) return value.some(hasLongText);
  return (
    value instanceof Map && [...value].some(([name, member]) => hasLongText(name) || hasLongText(member))
  );
}
