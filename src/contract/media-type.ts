/** A media type as RFC 9110 section 8.3.1 compares it: type, subtype and parameter names without regard to case. */
export interface MediaType {
  /** `type/subtype`, in lower case. */
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const ESSENCE = new RegExp(`^(${TOKEN}/${TOKEN})[ \\t]*(?:;|$)`);
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*`,
  'y',
);

/** Parses a Content-Type field; undefined if it is not one. */
export function parseMediaType(field: string): MediaType | undefined {
  const essence = ESSENCE.exec(field)?.[1]?.toLowerCase();
  if (essence === undefined) return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = essence.length;
  while (PARAMETER.lastIndex < field.length) {
    const match = PARAMETER.exec(field);
    if (!match) return field.slice(essence.length).trim() === '' ? { essence, parameters } : undefined;
    const [, name, token, quoted] = match;
    if (name === undefined) continue;
    if (parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), token ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
  }
  return { essence, parameters };
}

/** How a body is read and written. */
export type Codec = 'json' | 'form' | 'text' | 'binary' | 'multipart';

export function codecOf(essence: string): Codec {
  if (essence === 'application/json' || essence.endsWith('+json')) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence.startsWith('multipart/')) return 'multipart';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/**
 * How well a media type or range of a document (OpenAPI 3.1 section 4.8.14) covers a media type: 3 is the type itself,
 * 2 its range, 1 everything, 0 not at all.
 */
export function coverage(key: string, essence: string): number {
  const range = essenceOf(key);
  if (range === essence) return 3;
  if (range === '*/*') return 1;
  return range.endsWith('/*') && essence.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** `type/subtype` of a key of a content map, in lower case. */
export function essenceOf(key: string): string {
  return (key.split(';')[0] ?? '').trim().toLowerCase();
}

/** OpenAPI 3.1 section 4.8.14. */
export interface MediaTypeObject {
  /** As the document has it; it may be a range. */
  readonly key: string;
  readonly codec: Codec;
  /** Where its schema stands, if it has one. */
  readonly schema: string | undefined;
}

/** Whether bodies of a media type are judged by a schema; bytes are not. */
export function isJudged(media: MediaTypeObject): media is MediaTypeObject & { readonly schema: string } {
  return media.schema !== undefined && media.codec !== 'binary';
}

/** Those of the documented media types and ranges that cover a media type, the closest first. */
export function covering<T extends { readonly key: string }>(content: readonly T[], essence: string): T[] {
  return content
    .map((media) => ({ media, covers: coverage(media.key, essence) }))
    .filter(({ covers }) => covers > 0)
    .sort((a, b) => b.covers - a.covers)
    .map(({ media }) => media);
}

/**
 * The closest of those that cover a media type, and whose bodies are read as it is written, or as the bytes they are;
 * undefined if there is none.
 */
export function cover<T extends Pick<MediaTypeObject, 'key' | 'codec'>>(
  content: readonly T[],
  essence: string,
): T | undefined {
  return covering(content, essence).find(
    ({ key, codec }) => codec === 'binary' || codec === codecOf(essence) || coverage(key, essence) === 3,
  );
}
