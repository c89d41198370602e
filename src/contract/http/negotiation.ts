import {
  isRange,
  type MediaType,
  mediaTypeOf,
  type MediaTypeObject,
  specificity,
  splitField,
} from './media-type';

/** A media range that a client accepts, with its weight. */
export interface AcceptedRange {
  readonly range: MediaType;
  /** From 0 (not acceptable) to 1. */
  readonly weight: number;
}

/** A weight (RFC 9110 section 12.4.2). */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Parses an Accept field (RFC 9110 section 12.5.1). Ignores elements that are not well-formed.
 *
 * @returns an empty list if the client accepts everything
 */
export function parseAccept(field: string | undefined): AcceptedRange[] {
  if (field === undefined || field === '*/*') return [];
  return splitField(field, ',').flatMap((element) => {
    const parts = splitField(element, ';');
    const at = parts.findIndex((part) => /^q=/i.test(part));
    const weight = at < 0 ? '1' : (parts[at] ?? '').slice(2);
    const range = mediaTypeOf(at < 0 ? parts : parts.slice(0, at));
    return range && WEIGHT.test(weight) ? [{ range, weight: Number(weight) }] : [];
  });
}

/** A documented media type, and its name for the client: in place of a range, the type that the client accepts. */
export interface Preferred<T> {
  readonly media: T;
  readonly name: string;
}

type Offered = Pick<MediaTypeObject, 'key' | 'type'>;

/**
 * Finds the documented media type that a client prefers, the first of those with the highest weight. Undefined if the client
 * accepts none.
 */
export function preferred<T extends Offered>(
  content: readonly T[],
  accepted: readonly AcceptedRange[],
): Preferred<T> | undefined {
  let best: (Preferred<T> & { weight: number }) | undefined;
  for (const media of content) {
    const { range, weight } = decisiveRange(media, accepted);
    if (weight <= (best?.weight ?? 0)) continue;
    const concrete = range && isRange(media.key) && !isRange(range.essence);
    best = { media, name: concrete ? range.essence : media.key, weight };
  }
  return best;
}

/** The range that decides the weight of a documented media type: the most specific one that covers it. */
function decisiveRange(
  { key, type }: Offered,
  accepted: readonly AcceptedRange[],
): Partial<AcceptedRange> & { weight: number } {
  if (accepted.length === 0) return { weight: 1 };
  let decisive: Partial<AcceptedRange> & { weight: number } = { weight: 0 };
  let most = 0;
  for (const { range, weight } of accepted) {
    const covers = specificity(range, type);
    if (covers > most) [most, decisive] = [covers, { range, weight }];
  }
  if (!isRange(key)) return decisive;
  // A client may accept a part of a documented range.
  for (const { range, weight } of accepted) {
    if (weight > decisive.weight && specificity(type, range) > 0) decisive = { range, weight };
  }
  return decisive;
}
