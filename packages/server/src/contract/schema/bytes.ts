import type { JsonObject } from '../document/document';
import { describeBytes } from '../document/described-bytes';
import { listOf } from './applicable';
import { error, functionKeyword } from './keyword';

/** The operand of the keyword `bytes`, which replaces `type` in a schema of bytes. */
interface Bytes {
  readonly types: readonly unknown[];
  /** Of a file, in bytes. */
  readonly min: number;
  readonly max: number;
}

/**
 * The operand for a schema of a request; undefined unless its value may be a file. In a multipart body it is one, in JSON or
 * a form it is text.
 */
export function bytesOf(schema: JsonObject): Bytes | undefined {
  const types = listOf([schema['type'] ?? []].flat());
  if (!describeBytes([schema]) || types.some((type) => type !== 'string' && type !== 'null'))
    return undefined;
  return { types, min: Number(schema['minLength'] ?? 0), max: Number(schema['maxLength'] ?? Infinity) };
}

/** Judges a file by its size (OpenAPI 3.1.1 section 4.8.14.2: the length of bytes is their number), another value by its type. */
export const bytesKeyword = () =>
  functionKeyword<unknown, Bytes>('bytes', undefined, ({ types, min, max }) => {
    const [short, long] = [
      error('minLength', `must NOT have fewer than ${min} bytes`),
      error('maxLength', `must NOT have more than ${max} bytes`),
    ];
    const other = error('type', `must be ${types.join()}`);
    return (value) => {
      if (value instanceof File)
        return value.size < min ? () => short : value.size > max ? () => long : undefined;
      const type = value === null ? 'null' : typeof value;
      return types.length === 0 || types.includes(type) ? undefined : () => other;
    };
  });
