/** Which type of column holds the values of a schema. */
import { oncePer } from '../memo';
import { type Bound, type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';

/** The word of the library for the type of a column. */
export type ColumnType =
  'TEXT' | 'INT64' | 'INTEGER' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'DATE' | 'JSON_VALUE';

interface Typed {
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly narrow: boolean;
}

/**
 * The type of the column for a value of these schemas.
 *
 * @param isGiven whether a client gives it: one may send 1e300 where any integer is one, and the service itself makes none of
 * that size
 */
export function storedType(document: OpenApiDocument, pointers: readonly string[], isGiven: boolean): Typed {
  const typed = typeOf(document, pointers);
  return typed.type === 'INTEGER' && isGiven && !isBounded(document, pointers)
    ? { ...typed, type: 'DOUBLE' }
    : typed;
}

/** Whether all of its integers are exact as numbers. */
export function isBounded(document: OpenApiDocument, pointers: readonly string[]): boolean {
  const { formats, least, most, values } = viewSchemas(document, pointers, 'response');
  const isSafe = (bound: Bound | undefined) =>
    bound !== undefined && Number.isSafeInteger(Number(bound.value));
  return (
    formats.has('int32') || values !== undefined || (isSafe(least.get('imum')) && isSafe(most.get('imum')))
  );
}

const once = oncePer<Typed>();

/** The type of the column for a value that fits it. */
export const typeOf = (document: OpenApiDocument, pointers: readonly string[]): Typed =>
  once(document, pointers.join(' '), () => typeFor(document, pointers));

function typeFor(document: OpenApiDocument, pointers: readonly string[]): Typed {
  const view = viewSchemas(document, pointers, 'response');
  const types = new Set(view.types);
  const nullable = types.delete('null');
  const [only, ...more] = view.unions;
  if (only && more.length === 0 && types.size > 1) {
    // `anyOf: [A, { type: null }]`, or branches of one type.
    const branches = only.map((branch) => typeOf(document, [branch]));
    const kinds = branches.filter((_, i) => !isNull(document, only[i] ?? ''));
    const [first] = kinds;
    if (first && kinds.every(({ type }) => type === first.type))
      return {
        type: first.type,
        nullable: nullable && (kinds.length < only.length || kinds.some((kind) => kind.nullable)),
        narrow: first.narrow || kinds.length > 1,
      };
  }
  const type = view.unions.length > 0 && types.size > 1 ? 'JSON_VALUE' : scalarOf(types, view.formats);
  return {
    type,
    nullable,
    narrow: type === 'JSON_VALUE' || view.values !== undefined || view.unions.length > 0,
  };
}

const isNull = (document: OpenApiDocument, pointer: string): boolean => {
  const { types } = viewSchemas(document, [pointer], 'response');
  return types.size === 1 && types.has('null');
};

function scalarOf(types: ReadonlySet<string>, formats: ReadonlySet<string>): ColumnType {
  const [first = '', ...others] = types;
  if ([...types].every(isNumber) && first !== '') {
    // A handler has an int64 as a bigint, and any other number as a double.
    if (!types.has('fraction')) return formats.has('int64') ? 'INT64' : 'INTEGER';
    return formats.has('int64') ? 'JSON_VALUE' : 'DOUBLE';
  }
  if (others.length > 0) return 'JSON_VALUE';
  if (first === 'boolean') return 'BOOLEAN';
  if (first !== 'string') return 'JSON_VALUE';
  return formats.has('date-time') ? 'TIMESTAMP' : formats.has('date') ? 'DATE' : 'TEXT';
}

const isNumber = (type: string): boolean => type === 'integer' || type === 'fraction';
