/** Finds the columns of a resource: one for each property of its schema. */
import { type OpenApiDocument, type SchemaView, viewSchemas } from 'contract-first-server/tools';
import { type ColumnType, storedType } from '../../generate/column-types';
import { camelOf, capitalized } from '../names';

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
  // Without a body that creates it, a client may give what is not `readOnly`.
  const request = viewSchemas(document, asked.length > 0 ? asked : schemas, 'request');
  const taken = new Set(['others']);
  const columns = [...view.properties]
    .filter(([name]) => !view.withheld.has(name))
    .map(([property, pointers]): Column => {
      const isGiven = request.properties.has(property) && !request.withheld.has(property);
      const { type, nullable, narrow } = storedType(document, pointers, isGiven);
      return {
        ...{ property, name: columnName(property, 'value', taken), type, nullable, narrow },
        ...{ required: view.required.has(property), made: asked.length === 0 || !isGiven, schemas: pointers },
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
