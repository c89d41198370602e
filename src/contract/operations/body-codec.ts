import type { OpenApiDocument } from '../document/document';
import { type Codec, codecOf, coverage, type MediaType } from '../http/media-type';
import { DescribedValue } from './described-value';

/** Media types beside `text/*` that are text: a schema of strings describes all of it. */
const TEXT = /[/+](xml|yaml|jsonl|json-seq|ndjson|x-ndjson|x-jsonlines|graphql|javascript)$/;

/**
 * How bodies of a documented media type are read and written. A range with a schema is taken for JSON: nothing else could
 * be judged by it.
 *
 * @param schema where the schema of the media type stands, if it has one
 */
export function bodyCodec(
  document: OpenApiDocument,
  { essence }: MediaType,
  schema: string | undefined,
): Codec {
  if (schema !== undefined) {
    if (coverage(essence, 'application/json') > 0 && !isOpaque(document, schema)) return 'json';
    const { format } = document.follow(schema).value;
    if (TEXT.test(essence) && isString(document, schema) && format !== 'binary') return 'text';
  }
  return codecOf(essence);
}

/**
 * Why bodies of a media type cannot be served, and what to do; undefined if they can be. A schema that a body can never
 * match, or by which nothing judges it, would otherwise refuse each request and each response.
 */
export function unservableBody(
  document: OpenApiDocument,
  key: string,
  { essence, parameters }: MediaType,
  codec: Codec,
  schema: string | undefined,
): string | undefined {
  const charset = parameters.get('charset');
  if (codec === 'multipart') return 'multipart bodies cannot be served';
  if (codec !== 'binary' && charset !== undefined) {
    return `the charset ${charset} cannot be served: only utf-8 can`;
  }
  if (schema === undefined) return undefined;
  const types = DescribedValue.at(document, schema).types();
  if (codec === 'text' && types?.includes('string') === false) {
    const described = [...new Set(types)].join(' or ') || 'nothing';
    return `a body of ${key} is text, but its schema describes ${described}: use type string, or application/json`;
  }
  if (codec === 'binary' && !isOpaque(document, schema)) {
    const advice = TEXT.test(essence) ? 'type string' : 'type string and format binary';
    return `a body of ${key} cannot be judged by a schema: use ${advice}, or application/json`;
  }
  return undefined;
}

/** Whether a schema describes strings and nothing else. */
function isString(document: OpenApiDocument, schema: string): boolean {
  const types = DescribedValue.at(document, schema).types() ?? [];
  return types.length > 0 && types.every((type) => type === 'string');
}

/** Whether a schema says no more than that there are bytes. */
function isOpaque(document: OpenApiDocument, schema: string): boolean {
  const { value } = document.follow(schema);
  return (
    Object.keys(value).every((keyword) =>
      /^(type|format|description|title|content\w+|examples?|x-.*)$/.test(keyword),
    ) && [undefined, 'string'].includes(value['type'] as string | undefined)
  );
}
