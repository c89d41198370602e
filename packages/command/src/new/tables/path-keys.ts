/** Keys that a path has in another type than the objects: `/issues/7` is the issue with the id "7", or the reverse. */
import { type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { type ColumnType, typeOf } from '../../generate/column-types';
import type { Column } from './columns';
import { isAnyText } from './resources';

/** Digits of the integers that each type has exactly, and that databases can hold. */
const DIGITS = { INTEGER: 15, INT64: 18 } as const;
type IntegerType = keyof typeof DIGITS;
const isInteger = (type: ColumnType): type is IntegerType => type in DIGITS;

/** The texts of integers that can be keys, each in one spelling. */
const spellings = (type: IntegerType): string => `^(0|-?[1-9]\\d{0,${DIGITS[type] - 1}})$`;

/** How a handler makes a key of the value in its path. */
export interface Conversion {
  readonly code: (given: string) => string;
  /** Whether a value can be a key; undefined: each can. */
  readonly test?: (given: string) => string;
}

/** How values of one type become those of another; undefined if they cannot. */
export function conversionOf(given: ColumnType, held: ColumnType): Conversion | undefined {
  if (held === 'TEXT') return isInteger(given) ? { code: (name) => `String(${name})` } : undefined;
  if (!isInteger(held)) return undefined;
  const code = (name: string) => `${held === 'INT64' ? 'BigInt' : 'Number'}(${name})`;
  if (given === 'TEXT') return { code, test: (name) => `/${spellings(held)}/.test(${name})` };
  if (!isInteger(given)) return undefined;
  const number = given === 'INT64' ? (name: string) => `Number(${name})` : (name: string) => name;
  return { code, test: (name) => `Number.isSafeInteger(${number(name)})` };
}

/** Whether the values of a parameter can stand for those of a property of another type. */
export function isConvertible(
  document: OpenApiDocument,
  parameter: readonly string[],
  property: Pick<Column, 'type' | 'schemas'>,
): boolean {
  const { type } = typeOf(document, parameter);
  if (type === property.type || !conversionOf(type, property.type)) return false;
  const texts = [
    { type, schemas: parameter },
    { type: property.type, schemas: property.schemas },
  ].filter((one) => one.type === 'TEXT');
  return texts.every(({ schemas }) => isAnyText(viewSchemas(document, schemas, 'response')));
}

/** The key of an object, of the example that its path has; undefined if it cannot be one. */
export function keyValue(type: ColumnType, example: unknown): unknown {
  if (typeof example === 'number' || typeof example === 'bigint') {
    if (type === 'TEXT') return String(example);
    return type === 'INT64' ? BigInt(example) : Number(example);
  }
  if (typeof example !== 'string' || !isInteger(type)) return example;
  if (!new RegExp(spellings(type)).test(example)) return undefined;
  return type === 'INT64' ? BigInt(example) : Number(example);
}

/** Fewer numbers would not do for keys that are drawn. */
const FEWEST = 2 ** 30;
/** `randomInt` of Node draws below this. */
const MOST = 2 ** 47;

/** The least number, and the first that is too large, of those that a path can have; undefined if they are too few. */
export function numbersFor(
  document: OpenApiDocument,
  parameter: readonly string[],
): readonly [least: number, end: number] | undefined {
  const { least, most, multiples, values, formats } = viewSchemas(document, parameter, 'request');
  const [low, high] = [least.get('imum'), most.get('imum')];
  // A bound of an integer may be a fraction.
  const above = (value: unknown, isExclusive: boolean) =>
    isExclusive ? Math.floor(Number(value)) + 1 : Math.ceil(Number(value));
  const from = Math.max(1, low ? above(low.value, low.exclusive) : 1);
  const bound = high ? above(high.value, !high.exclusive) : MOST;
  const end = Math.min(MOST, formats.has('int32') ? 2 ** 31 : MOST, bound);
  return multiples.size > 0 || values || !(end - from >= FEWEST) ? undefined : [from, end];
}
