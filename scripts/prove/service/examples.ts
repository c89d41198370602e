import { readFileSync } from 'node:fs';

/**
 * The values of a file of examples: JSON in which an integer of 64 bits, a bigint in handlers and stores, is
 * `{ "$int64": "1" }`.
 */
export const readExamples = (file: string): unknown =>
  JSON.parse(readFileSync(file, 'utf8'), (_, value: unknown) =>
    typeof value === 'object' && value !== null && '$int64' in value ? BigInt(String(value.$int64)) : value,
  );
