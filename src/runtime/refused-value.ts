import { Problem, type ProblemKind } from '../contract';
import type { InvalidValue } from '../database';

/** The parts of a request in which a handler finds values. */
const PARTS = ['path', 'query', 'header', 'cookie', 'body'];
/** UTF-16 code units of a text so long that the handler may have put it into a longer one, such as a key of two parts. */
const LONG = 100;
/** UTF-16 code units of a place that a sentence names. */
const MAX_PLACE = 200;

/**
 * The refusal of a request because of a value that the store has refused: 404 if it stands in the path and was looked for,
 * otherwise 400 with its place.
 *
 * @param request what the handler got
 * @returns undefined if the value, or one that reads the same, does not stand in the request
 */
export function refusalOf({ values, sought, rule }: InvalidValue, request: object): Problem | undefined {
  const places = PARTS.flatMap((part) =>
    placesOf((request as Record<string, unknown>)[part], values, `/${part}`),
  );
  const [pointer] = places;
  if (pointer === undefined) return undefined;
  const place = pointer.slice(1, MAX_PLACE + 1);
  const refuse = (kind: ProblemKind, message: string) =>
    new Problem(kind, message, {}, { violations: [{ pointer, keyword: 'storable', message: rule }] });
  return sought && places.every((at) => at.startsWith('/path/'))
    ? refuse('notFound', `there is nothing at ${place}: nothing with such a value can be stored`)
    : refuse('invalidRequest', `${place} ${rule}`);
}

/** JSON pointers (RFC 6901) to the values in the request that read as one of those that were refused. */
function placesOf(value: unknown, refused: readonly unknown[], pointer: string): string[] {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    return Object.entries(value).flatMap(([name, member]) =>
      placesOf(member, refused, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  if (value === undefined || value === null) return [];
  return refused.some((other) => readsAs(other, value)) ? [pointer] : [];
}

/** Whether a handler may have made the one of the other: `BigInt(id)`, `String(id)`. */
function readsAs(refused: unknown, value: unknown): boolean {
  const [made, given] = [String(refused), String(value)];
  return (
    made === given ||
    (isNumeric(made) && isNumeric(given) && Number(made) === Number(given)) ||
    (given.length > LONG && made.includes(given))
  );
}

const isNumeric = (text: string) => /^-?\d/.test(text) && !Number.isNaN(Number(text));
