import type { JsonObject } from '../json/tree';

/** How a body is encoded. */
export type Codec = 'json' | 'form' | 'multipart' | 'lines' | 'text' | 'binary';

/** Sequences of JSON texts: on a line each, or each after a record separator (RFC 7464). */
const LINES = /^application\/(?:jsonl|(?:x-)?ndjson|x-jsonlines|(?:.*\+)?json-seq)$/;

/** The codec of a media type; `binary` if no other applies. */
export function codecOf(mediaType: string): Codec {
  const essence = essenceOf(mediaType);
  if (/[/+]json$/.test(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence.startsWith('multipart/')) return 'multipart';
  if (LINES.test(essence)) return 'lines';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** How the items of a body follow each other: as server-sent events, a line each, or after a record separator (RFC 7464). */
export type Sequence = 'events' | 'lines' | 'records';

/** How a media type carries one item after another (OpenAPI 3.2, sequential media types); undefined if it does not. */
export function sequenceOf(mediaType: string): Sequence | undefined {
  const essence = essenceOf(mediaType);
  if (essence === 'text/event-stream') return 'events';
  if (!LINES.test(essence)) return undefined;
  return essence.endsWith('json-seq') ? 'records' : 'lines';
}

/** The fields with the schema of each item of a sequence. */
const ITEM_SCHEMAS = ['itemSchema', 'x-item-schema'] as const;

/** The field of a Media Type Object that has the schema of its items. */
export const itemSchemaOf = (media: JsonObject) => ITEM_SCHEMAS.find((field) => media[field] !== undefined);

export const essenceOf = (mediaType: string): string => mediaType.split(';')[0]?.trim().toLowerCase() ?? '';

/** Whether a documented media type is a range (OpenAPI 3.1 section 4.8.14). */
export const isRange = (documented: string): boolean => essenceOf(documented).includes('*');

/** Whether a documented media type or range (`text/*`, `application/*+json`) includes a media type without parameters. */
export function matchesMediaType(documented: string, media: string): boolean {
  const essence = essenceOf(documented);
  if (essence === '*/*') return true;
  const [start = '', end] = essence.split('*');
  return end === undefined ? essence === media : media.startsWith(start) && media.endsWith(end);
}

/** A media type of each top-level type. */
const SUBTYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'plain'],
  ['image', 'png'],
  ['audio', 'mpeg'],
  ['video', 'mp4'],
  ['font', 'woff2'],
]);

/**
 * The media type to send for a documented one: for a range one that it covers.
 *
 * @param isStructured whether the schema describes more than a text, so that only JSON can conform
 */
export function concreteType(documented: string, isStructured: boolean): string {
  if (!isRange(documented)) return documented;
  const [top = '', subtype = ''] = essenceOf(documented).split('/');
  // RFC 6838 section 3.4: the tree `x.` is for private use.
  if (subtype !== '*') return `${top}/${subtype.replace('*', 'x.any')}`;
  if (top === '*' || top === 'application') return `application/${isStructured ? 'json' : 'octet-stream'}`;
  return `${top}/${SUBTYPES.get(top) ?? 'x.any'}`;
}

/** The essence of a media type and its parameters, as written. */
export function partsOf(mediaType: string): [essence: string, ...parameters: string[]] {
  const [essence = '', ...parameters] = mediaType.match(/(?:[^;"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  return [essence.trim(), ...parameters.map((parameter) => parameter.trim())];
}

const isCharset = (parameter: string): boolean => /^charset\s*=/i.test(parameter);

/** The media type with a charset in the place of its own. */
export function withCharset(mediaType: string, charset: string): string {
  const [essence, ...parameters] = partsOf(mediaType);
  return [essence, ...parameters.filter((parameter) => !isCharset(parameter)), charset].join('; ');
}
