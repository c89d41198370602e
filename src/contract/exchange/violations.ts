import { excerpt } from '../json/excerpt';
import type { MalformedParameter } from '../parameters/parameters';
import { Problem } from '../problem';
import type { Violation as Judged } from '../schema/validator';

/** How many violations a message names. */
const MAX_VIOLATIONS = 10;
/** UTF-16 code units of the place and of the rule of one violation: names in them come from clients. */
const MAX_PLACE = 200;
const MAX_MESSAGE = 300;

/**
 * The distinct violations, ten at most, each with its place and rule cut to a bounded length; and how many there are.
 *
 * @param first those found when judging ended at the first; there is at least one
 * @param all all of them, or none if the search for them would have cost too much
 */
function distinct(first: readonly Judged[], all: readonly Judged[]) {
  const found = all.length > 0 ? all : first;
  // Several branches of an allOf can find the same.
  const sentences = new Map<string, Judged>();
  for (const violation of found) sentences.set(sentenceOf(violation), violation);
  return { sentences: [...sentences].slice(0, MAX_VIOLATIONS), count: sentences.size };
}

const sentenceOf = ({ place, message }: Judged): string =>
  `${excerpt(place.slice(1), MAX_PLACE)} ${excerpt(message, MAX_MESSAGE)}`;

function describe({ sentences, count }: ReturnType<typeof distinct>): string {
  const texts = sentences.map(([sentence]) => sentence);
  if (count > texts.length) texts.push(`and ${count - texts.length} more`);
  return texts.join('; ');
}

/** A sentence for each violation, the place first. The parameters are those of `invalidRequest`. */
export function describeViolations(first: readonly Judged[], all: readonly Judged[]): string {
  return describe(distinct(first, all));
}

/**
 * The problem of a request that does not match the document.
 *
 * @param first the violations found when judging ended at the first; there is at least one
 * @param all all of them, or none if the search for them would have cost too much
 */
export function invalidRequest(first: readonly Judged[], all: readonly Judged[] = []): Problem {
  const found = distinct(first, all);
  const violations = found.sentences.map(([, { place, keyword, message }]) => ({
    pointer: boundedPointer(place),
    keyword,
    message: excerpt(message, MAX_MESSAGE).toWellFormed(),
  }));
  return new Problem('invalidRequest', describe(found), {}, { violations });
}

/** The pointer, or the longest one above it that is not too long: half of a name would point to something else. */
function boundedPointer(pointer: string): string {
  if (pointer.length <= MAX_PLACE) return pointer.toWellFormed();
  return pointer.slice(0, pointer.lastIndexOf('/', MAX_PLACE)).toWellFormed();
}

/** The problem of a request whose parameter or form is not of its style. */
export function malformedParameter({ message, pointer }: MalformedParameter): Problem {
  const violations = [{ pointer: boundedPointer(pointer), keyword: 'style', message }];
  return new Problem('invalidRequest', message, {}, { violations });
}

/** The problem of a body that the operation does not document. */
export function unexpectedBody(): Problem {
  const violation = { pointer: '/body', keyword: 'requestBody', message: 'is not documented' };
  const options = { violations: [violation] };
  return new Problem('invalidRequest', 'this operation has no request body', {}, options);
}
