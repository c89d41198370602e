/** Finds the columns of a resource: one for each property of its schema. */
import { type Bound, type OpenApiDocument, type SchemaView, viewSchemas } from 'contract-first-server/tools';
import { camelOf, capitalized } from '../names';

/** The word of the library for the type of a column. */
export type ColumnType =
  'TEXT' | 'INT64' | 'INTEGER' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'DATE' | 'JSON_VALUE';

export interface Column {
  /** The property of the object; undefined: the column is part of the key only. */
  readonly property: string | undefined;
  /** The name in SQL. */
  readonly name: string;
  readonly type: ColumnType;
  /** Whether every object has the property. */
  readonly required: boolean;
  /** Whether null is one of its values. */
  readonly nullable: boolean;
  /** Whether its values are some of those of its type, or JSON: its type in TypeScript is that of the document. */
  readonly narrow: boolean;
  /** `readOnly`, or in responses only: the service makes it. */
  readonly made: boolean;
  /** JSON pointers of its schemas. */
  readonly schemas: readonly string[];
}

/** PostgreSQL cuts longer names. */
const LONGEST = 63;

/** A name for a table or column: the text itself, where it is one that no other has in any case. */
export function columnName(text: string, fallback: string, taken: Set<string>): string {
  const own = /^[A-Za-z_]\w*$/.test(text) && text !== '__proto__' ? text : camelOf(text, fallback);
  // In a type, what every object inherits is never absent.
  const base = Object.hasOwn(Object.prototype, own) ? `${own}${capitalized(fallback)}` : own;
  let name = base.slice(0, LONGEST);
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base.slice(0, LONGEST - 4)}${n}`;
  taken.add(name.toLowerCase());
  return name;
}

/** The columns of an object. */
export interface Columns {
  readonly columns: readonly Column[];
  /** Whether it may have further properties: those of one of several shapes, or that no schema lists. */
  readonly isOpen: boolean;
}

/**
 * The columns of an object with these schemas; undefined if it is none, or has no property of its own.
 *
 * @param asked the schemas of the body that creates it, if there is one
 */
export function columnsOf(
  document: OpenApiDocument,
  schemas: readonly string[],
  asked: readonly string[],
): Columns | undefined {
  const view = viewSchemas(document, schemas, 'response');
  if (!isObjectView(view) || view.properties.size === 0) return undefined;
  const request = viewSchemas(document, asked, 'request');
  const taken = new Set(['others']);
  const columns = [...view.properties]
    .filter(([name]) => !view.withheld.has(name))
    .map(([property, pointers]): Column => {
      const { type: given, nullable, narrow } = typeOf(document, pointers);
      const isAsked = request.properties.has(property) && !request.withheld.has(property);
      // A client may send 1e300 where any integer is one. The service itself makes none of that size.
      const type =
        given === 'INTEGER' && (isAsked || asked.length === 0) && !isBounded(document, pointers)
          ? 'DOUBLE'
          : given;
      return {
        ...{ property, name: columnName(property, 'value', taken), type, nullable, narrow },
        ...{ required: view.required.has(property), made: !isAsked, schemas: pointers },
      };
    });
  return { columns, isOpen: isOpen(document, schemas, view) };
}

export const isObjectView = ({ types, properties }: SchemaView): boolean =>
  types.has('object') && (properties.size > 0 || [...types].every((type) => /^(object|null)$/.test(type)));

/** Whether an object may have properties that its schemas do not list. */
const isOpen = (document: OpenApiDocument, schemas: readonly string[], view: SchemaView): boolean =>
  view.unions.length > 0 ||
  view.otherProperties.length > 0 ||
  view.further.has('patternProperties') ||
  schemas
    .flatMap((pointer) => document.subschemas.certain(pointer))
    .some(({ value }) => value['additionalProperties'] === true || value['unevaluatedProperties'] === true);

/** Whether all of its integers are exact as numbers. */
function isBounded(document: OpenApiDocument, pointers: readonly string[]): boolean {
  const { formats, least, most, values } = viewSchemas(document, pointers, 'response');
  const isSafe = (bound: Bound | undefined) =>
    bound !== undefined && Number.isSafeInteger(Number(bound.value));
  return (
    formats.has('int32') || values !== undefined || (isSafe(least.get('imum')) && isSafe(most.get('imum')))
  );
}

interface Typed {
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly narrow: boolean;
}

/** The type of the column for a value of these schemas. */
export function typeOf(document: OpenApiDocument, pointers: readonly string[]): Typed {
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
