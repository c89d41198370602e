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

/** The weight of a response without a content coding, which is acceptable unless it is excluded; less than any other. */
const IDENTITY_WEIGHT = 0.0001;

/**
 * Finds the content coding that a client prefers (RFC 9110 section 12.5.3), the first of those with the highest weight.
 * Undefined if the client accepts none. Ignores elements that are not well-formed.
 *
 * @param field the Accept-Encoding field; undefined: a client that may know no coding
 */
export function preferredCoding<T extends string>(
  field: string | undefined,
  offered: readonly (T | 'identity')[],
): T | 'identity' | undefined {
  const weights = new Map<string, number>();
  for (const element of splitField(field ?? '', ',')) {
    const [coding = '', weight = 'q=1'] = splitField(element.toLowerCase(), ';');
    if (weight.startsWith('q=') && WEIGHT.test(weight.slice(2))) weights.set(coding, Number(weight.slice(2)));
  }
  let best: { coding: T | 'identity' | undefined; weight: number } = { coding: undefined, weight: 0 };
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? IDENTITY_WEIGHT : 0);
    if (weight > best.weight) best = { coding, weight };
  }
  return best.coding;
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
