/**
 * A media type or media range, normalized for comparison (RFC 9110 section 8.3.1). The parameter `charset=utf-8` is left
 * out: UTF-8 is the only charset that is served.
 */
export interface MediaType {
  /** `type/subtype`, in lower case. */
  readonly essence: string;
  /** By name, in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const QUOTED = /^"(?:[^"\\]|\\.)*"$/;

/** Parses a Content-Type field or a key of a content map; undefined if it is not a media type. */
export function parseMediaType(field: string): MediaType | undefined {
  return mediaTypeOf(splitField(field, ';'));
}

/** Parses an essence and its parameters; undefined if they are not a media type. */
export function mediaTypeOf([essence = '', ...parts]: readonly string[]): MediaType | undefined {
  const slash = essence.indexOf('/');
  if (slash < 0 || !TOKEN.test(essence.slice(0, slash)) || !TOKEN.test(essence.slice(slash + 1))) {
    return undefined;
  }
  const parameters = new Map<string, string>();
  for (const part of parts) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).toLowerCase();
    const value = unquote(part.slice(at + 1));
    if (!TOKEN.test(name) || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, name === 'charset' ? value.toLowerCase() : value);
  }
  if (parameters.get('charset') === 'utf-8') parameters.delete('charset');
  return { essence: essence.toLowerCase(), parameters };
}

/** The value of a token or quoted-string (RFC 9110 section 5.6.4); undefined if it is neither. */
function unquote(text: string): string | undefined {
  if (TOKEN.test(text)) return text;
  return QUOTED.test(text) ? text.slice(1, -1).replace(/\\(.)/g, '$1') : undefined;
}

/** Splits a field at the delimiters outside of quoted-strings, and removes the white space around each part. */
export function splitField(field: string, delimiter: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  const code = delimiter.charCodeAt(0);
  for (let at = 0; at < field.length; at++) {
    const character = field.charCodeAt(at);
    if (character === QUOTE) quoted = !quoted;
    else if (character === BACKSLASH && quoted) at++;
    else if (character === code && !quoted) {
      parts.push(trimSpace(field, start, at));
      start = at + 1;
    }
  }
  parts.push(trimSpace(field, start, field.length));
  return parts;
}

/** Slices a text and strips the white space at both ends (OWS, RFC 9110 section 5.6.3). */
export function trimSpace(text: string, start: number, end: number): string {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (start < end && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** Whether an essence is a JSON MIME type (https://mimesniff.spec.whatwg.org/#json-mime-type). */
export const isJson = (essence: string): boolean =>
  essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json');

/** Media types that are text: a schema of strings describes all of it. */
const TEXT = /^text\/|[/+](xml|yaml|graphql|javascript)$/;
const LINES = /[/+](jsonl|json-seq|ndjson|x-ndjson|x-jsonlines)$/;

/** Whether a media type is a sequence of JSON values. */
export const isSequential = (essence: string): boolean => LINES.test(essence);

/** Whether a media type is text if its schema describes strings. */
export const isTextual = (essence: string): boolean => TEXT.test(essence) || isSequential(essence);

/**
 * How closely the essence of a media range covers that of a media type: 4 is the type itself, 3 a range of its suffix
 * (`application/*+json`), 2 its range, 1 everything, 0 not at all.
 */
export function coverage(range: string, essence: string): number {
  if (range === essence) return 4;
  if (range === '*/*') return 1;
  const star = range.indexOf('/*') + 1;
  if (star === 0 || !essence.startsWith(range.slice(0, star))) return 0;
  const suffix = range.slice(star + 1);
  if (suffix === '') return 2;
  return suffix.startsWith('+') && essence.endsWith(suffix) ? 3 : 0;
}

/** Whether a key of a content map is a media range (OpenAPI 3.1.1 section 4.8.14). */
export const isRange = (key: string): boolean => key.includes('*');

/** A media type of each top-level type. */
const SUBTYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'plain'],
  ['image', 'png'],
  ['audio', 'mpeg'],
  ['video', 'mp4'],
  ['font', 'woff2'],
]);

/**
 * A media type that a range covers, for content whose type nobody names.
 *
 * @param usual the preferred one
 */
export function typeOfRange(range: string, usual: string): string {
  if (coverage(range, essenceOf(usual)) > 0) return usual;
  const [top = '', subtype = ''] = range.split('/');
  // RFC 6838 section 3.4: the tree `x.` is for private use.
  return `${top}/${subtype === '*' ? (SUBTYPES.get(top) ?? 'x.any') : subtype.replace('*', 'x.any')}`;
}

/** How closely a media range covers a media type, its parameters included; 0 if it does not. */
export function specificity(range: MediaType, type: MediaType): number {
  const covers = coverage(range.essence, type.essence);
  for (const [name, value] of range.parameters) if (type.parameters.get(name) !== value) return 0;
  // A header has fewer than a million parameters: its size is bounded.
  return covers === 0 ? 0 : covers * 1_000_000 + range.parameters.size;
}

/** The `type/subtype` of a key of a content map, in lower case. */
export function essenceOf(key: string): string {
  return (key.split(';')[0] ?? '').trim().toLowerCase();
}

/** A Media Type Object with its key in the content map (OpenAPI 3.1 section 4.8.14). */
export interface MediaTypeObject {
  /** As the document has it; it may be a range. */
  readonly key: string;
  readonly type: MediaType;
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  /** JSON pointer to its schema, if it has one. */
  readonly schema: string | undefined;
  /** JSON pointer to the schema of each item of a stream (`x-item-schema`), if it has one. */
  readonly items: string | undefined;
  /** Whether handlers read and write its bodies piece by piece (`x-stream`). */
  readonly isStream: boolean;
}

/** The documented media type or range that covers a media type most closely. */
export function closest<T extends Pick<MediaTypeObject, 'type'>>(
  content: readonly T[],
  type: MediaType,
): T | undefined {
  let found: T | undefined;
  let most = 0;
  for (const media of content) {
    const covers = specificity(media.type, type);
    if (covers > most) [found, most] = [media, covers];
  }
  return found;
}

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
 * Undefined if the client accepts none. Ignores elements that are not well-formed. `x-gzip` is gzip (section 8.4.1.3).
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
    if (weight.startsWith('q=') && WEIGHT.test(weight.slice(2)))
      weights.set(coding.replace(/^x-gzip$/, 'gzip'), Number(weight.slice(2)));
  }
  let best: { coding: T | 'identity' | undefined; weight: number } = { coding: undefined, weight: 0 };
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? IDENTITY_WEIGHT : 0);
    if (weight > best.weight) best = { coding, weight };
  }
  return best.coding;
}

/**
 * Finds the language that a client prefers (RFC 4647 section 3.4): `de` for `de-CH`. The first one offered if it names none.
 *
 * @param field the Accept-Language field, if there is one
 */
export function preferredLanguage<T extends string>(
  field: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const ranges = splitField(field ?? '', ',').map((element) => {
    const [range = '', weight = 'q=1'] = splitField(element.toLowerCase(), ';');
    return { range, weight: WEIGHT.test(weight.slice(2)) ? Number(weight.slice(2)) : 0 };
  });
  for (const { range } of ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)) {
    const found = offered.find((tag) => `${range}-`.startsWith(`${tag.toLowerCase()}-`));
    if (found !== undefined) return found;
  }
  return offered[0];
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
