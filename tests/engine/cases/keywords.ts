import { codec } from '../document/media-type';
import { word } from '../json/json';
import { brief, Literal, type Value } from '../json/value';
import { constraintKey } from '../obligations';
import { fits as isFitting, type Slot } from '../request/slots';
import type { Site } from '../schema/locations';
import { type Trial, trials } from '../schema/probes';
import {
  admitted,
  authorised,
  type Case,
  type Context,
  delivering,
  type Expectation,
  type Found,
  refused,
} from './case';

/** Keywords whose violating values break them beyond doubt, so that an oracle that disagrees is itself at fault. */
const BEYOND_DOUBT = [
  ...['type', 'format', 'required', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];

/** Keywords beside which the edges of an integer format may not fit. */
const NARROWING = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
  'const',
  'not',
];

export function trialCases(context: Context, slot: Slot, bases: readonly Base[]): Found {
  const tried = new Set<string>();
  const contradictions: string[] = [];
  const cases = bases.flatMap(({ found }) => {
    const fresh = trials(found).filter(
      ({ fragment, keyword }) => !tried.has(`${fragment.pointer} ${keyword}`),
    );
    for (const { fragment, keyword } of fresh) tried.add(`${fragment.pointer} ${keyword}`);
    return fresh.flatMap((trial) => {
      const fits = isFitting(context.oracle, slot, trial.value);
      const read = slot.read(trial.value);
      if (read === undefined || !context.oracle.decides(slot.schema, read)) return [];
      if (fits === (trial.side === 'holds')) return [trialCase(context, slot, trial)];
      if (mustAgree(slot, trial)) {
        contradictions.push(
          `${slot.label}: ${brief(trial.value)} ${trial.side} ${trial.keyword} at ${trial.fragment.pointer}, but the oracle says it ${fits ? 'fits' : 'does not fit'}`,
        );
      }
      return [];
    });
  });
  return { cases, contradictions };
}

function mustAgree(slot: Slot, { fragment, keyword, side, site }: Trial): boolean {
  if (!fragment.certain || !slot.body || codec(slot.body.name) !== 'json') return false;
  if (side === 'violates') return BEYOND_DOUBT.includes(keyword);
  const narrowed = site.fragments.some(({ schema }) =>
    NARROWING.some((other) => schema[other] !== undefined),
  );
  return keyword === 'format' && /^int(?:32|64)$/.test(word(fragment.schema['format'])) && !narrowed;
}

/** How a value that does not fit is turned away, given what was put at the place that is at fault. */
export function mismatch(put: Value): Expectation {
  // A reader may set limits to numbers (RFC 8259 section 6), and say so before it looks at the schema.
  const beyond = put instanceof Literal && !Number.isFinite(Number(put.text));
  return beyond ? refused('mismatch', 'malformed') : refused('mismatch');
}

function trialCase(context: Context, slot: Slot, { value, put, fragment, keyword, side, site }: Trial): Case {
  const { operation, oracle } = context;
  // Text off the wire has no type of its own: what it breaks is judged as its receiver reads it.
  const read = site.place === '' ? (slot.read(put) ?? put) : put;
  const proper = oracle.breaks(fragment.pointer, keyword, read);
  const key = constraintKey(operation, slot.label, fragment.pointer, keyword, side);
  return {
    family: 'constraints',
    title: `${slot.label}${site.place} ${side} ${keyword} of ${fragment.pointer}: ${brief(value)}`,
    operation,
    request: authorised(context, slot.fill(context.base, value)),
    ...(side === 'holds' && delivering(context, slot, value)),
    expect: side === 'holds' ? admitted(context) : mismatch(put),
    proves: side === 'holds' || (fragment.certain && proper) ? [key] : [],
  };
}

export interface Base {
  readonly value: Value;
  readonly found: readonly Site[];
}
