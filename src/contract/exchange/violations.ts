import { excerpt } from '../json/excerpt';
import type { Violation } from '../schema/validator';

/** How many violations a message names. */
const MAX_VIOLATIONS = 10;
/** UTF-16 code units of the place and of the rule of one violation: names in them come from clients. */
const MAX_PLACE = 200;
const MAX_MESSAGE = 300;

/**
 * A sentence for each violation, the place first.
 *
 * @param first those found when judging ended at the first; there is at least one
 * @param all all of them, or none if the search for them would have cost too much
 */
export function describeViolations(first: readonly Violation[], all: readonly Violation[]): string {
  const found = all.length > 0 ? all : first;
  // Several branches of an allOf can say the same.
  const distinct = new Set(
    found.map(
      ({ place, message }) => `${excerpt(place.slice(1), MAX_PLACE)} ${excerpt(message, MAX_MESSAGE)}`,
    ),
  );
  const sentences = [...distinct].slice(0, MAX_VIOLATIONS);
  if (distinct.size > sentences.length) sentences.push(`and ${distinct.size - sentences.length} more`);
  return sentences.join('; ');
}
