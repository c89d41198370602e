import { excerpt } from '../json/excerpt';
import type { MalformedParameter } from '../parameters/parameters';
import { type Problem, RequestProblem } from '../problem';
import type { SchemaViolation } from '../schema/validator';

/** How many violations a message names. */
const MAX_VIOLATIONS = 10;
/** UTF-16 code units of the place and the rule of one violation, which may contain names that the client sent. */
const MAX_PLACE = 200;
const MAX_MESSAGE = 300;

/**
 * Finds at most ten distinct violations, with their place and rule cut to a bounded length, and counts all distinct ones.
 *
 * @param first the violations of a check that ends at the first; at least one
 * @param all all violations; empty if the search exceeded its budget
 */
function distinct(first: readonly SchemaViolation[], all: readonly SchemaViolation[]) {
  const found = all.length > 0 ? all : first;
  // Several branches of an allOf can report the same violation.
  const sentences = new Map<string, SchemaViolation>();
  for (const violation of found) sentences.set(sentenceOf(violation), violation);
  return { sentences: [...sentences].slice(0, MAX_VIOLATIONS), count: sentences.size };
}

/** The violations by an item of a body, with its index in their places; without an index, those by the whole. */
export function inItem(violations: readonly SchemaViolation[], index?: number): readonly SchemaViolation[] {
  if (index === undefined) return violations;
  return violations.map((one) => ({ ...one, place: one.place.replace('/body', `/body/${index}`) }));
}

const sentenceOf = ({ place, message }: SchemaViolation): string =>
  `${excerpt(place.slice(1), MAX_PLACE)} ${excerpt(message, MAX_MESSAGE)}`.trimStart();

function describe({ sentences, count }: ReturnType<typeof distinct>): string {
  const texts = sentences.map(([sentence]) => sentence);
  if (count > texts.length) texts.push(`and ${count - texts.length} more`);
  return texts.join('; ');
}

/** A sentence for each violation, beginning with its place. The parameters are those of `invalidRequest`. */
export function describeViolations(
  first: readonly SchemaViolation[],
  all: readonly SchemaViolation[],
): string {
  return describe(distinct(first, all));
}

/**
 * Creates the problem of a request that does not conform to the document.
 *
 * @param first the violations of a check that ends at the first; at least one
 * @param all all violations; empty if the search exceeded its budget
 */
export function invalidRequest(
  first: readonly SchemaViolation[],
  all: readonly SchemaViolation[] = [],
): Problem {
  const found = distinct(first, all);
  const violations = found.sentences.map(([, { place, keyword, params, message }]) => ({
    pointer: boundedPointer(place),
    keyword,
    params,
    message: excerpt(message, MAX_MESSAGE).toWellFormed(),
  }));
  return new RequestProblem('invalidRequest', describe(found), {}, { violations });
}

/** Cuts a pointer after a whole step: half of a name would be another pointer. */
function boundedPointer(pointer: string): string {
  if (pointer.length <= MAX_PLACE) return pointer.toWellFormed();
  return pointer.slice(0, pointer.lastIndexOf('/', MAX_PLACE)).toWellFormed();
}

/** Creates the problem of a parameter or form that is not in its style. */
export function malformedParameter({ message, pointer }: MalformedParameter): Problem {
  const violations = [{ pointer: boundedPointer(pointer), keyword: 'style', message }];
  return new RequestProblem('invalidRequest', message, {}, { violations });
}

/** Creates the problem of a body that the operation does not document. */
export function unexpectedBody(): Problem {
  const violation = { pointer: '/body', keyword: 'requestBody', message: 'is not documented' };
  const options = { violations: [violation] };
  return new RequestProblem('invalidRequest', 'this operation has no request body', {}, options);
}
