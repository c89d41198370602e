import type { Document } from '../document/model';
import { escapeToken } from '../json/tree';
import type { Value } from '../json/value';
import type { Finding } from '../profile';
import { isClosed, propertyNames } from '../schema/locations';
import type { Oracle } from '../schema/oracle';
import { instanceLocations } from '../schema/probes';
import { type RawResponse, summarize } from '../wire/message';

/** Judges response bodies and headers. */
export interface ResponseOracles {
  readonly strict: Oracle;
  /** Ignores annotations that the strict one asserts. A value is invalid if it is invalid for all of them. */
  readonly lenient: readonly Oracle[];
}

/** What is judged, for the findings about it. */
interface Judged {
  readonly rule: Finding['rule'];
  /** Completes `expected`, before the pointer of the schema. */
  readonly expected: string;
  /** Completes `got`. */
  readonly got: string;
  /** Completes the pointer of an unlisted property. */
  readonly place?: string;
}

/** The findings about a body: it must fit its schema, without unlisted properties. */
export const bodyFindings = (
  document: Document,
  oracles: ResponseOracles,
  schema: string,
  value: Value | undefined,
  outcome: RawResponse,
): Finding[] =>
  valueFindings(document, oracles, schema, value, {
    rule: 'response body',
    expected: 'a body that fits',
    got: summarize(outcome),
  });

/**
 * The schemas that a value fits without findings. The same value is read again and again, and judging a large one costs more than
 * the request that it answers.
 */
const fitting = new WeakMap<Oracle, WeakMap<object, Set<string>>>();

/** The findings about a value that is sent; undefined stands for one that cannot be read. */
export function valueFindings(
  document: Document,
  { strict, lenient }: ResponseOracles,
  schema: string,
  value: Value | undefined,
  { rule: broken, expected, got, place = '' }: Judged,
): Finding[] {
  if (value === undefined) return [{ rule: broken, message: `expected ${expected} ${schema}, got ${got}` }];
  const known = typeof value === 'object' && value !== null ? fittedBy(strict, value) : new Set<string>();
  if (known.has(schema)) return [];
  if (!strict.decides(schema, value)) return []; // A pattern takes too long, which is no fault of the server.
  const errors = strict.errors(schema, value);
  if (errors.length > 0) {
    const withoutAnnotations = lenient.map((oracle) => oracle.errors(schema, value));
    const isAnnotation = withoutAnnotations.some((others) => others.length === 0);
    const rule = isAnnotation ? 'response annotations' : broken;
    const error = isAnnotation ? errors[0] : (withoutAnnotations[0]?.[0] ?? errors[0]);
    const message = `expected ${expected} ${schema}, got ${got}: ${error ?? ''}`;
    return [{ rule, message }];
  }
  const locations = instanceLocations(document.responses, strict, schema, value);
  const findings = locations.flatMap(({ instancePointer, value: part, subschemas }): Finding[] => {
    if (!(part instanceof Map) || !isClosed(subschemas)) return [];
    const { listed } = propertyNames(subschemas);
    const unlisted = [...part.keys()].filter((name) => !listed.includes(name));
    return unlisted.map((name) => ({
      rule: 'unlisted response property',
      message: `expected no unlisted property, got ${instancePointer}/${escapeToken(name)}${place}`,
    }));
  });
  if (findings.length === 0) known.add(schema);
  return findings;
}

function fittedBy(oracle: Oracle, value: object): Set<string> {
  const values = fitting.get(oracle) ?? new WeakMap<object, Set<string>>();
  fitting.set(oracle, values);
  const schemas = values.get(value) ?? new Set<string>();
  values.set(value, schemas);
  return schemas;
}
