/** Finds the properties of bodies for which a table has no column. */
import type { OpenApiDocument } from '../document/document';
import { isJson } from '../http/media-type';
import type { Operation } from '../operations/operations';
import { type SchemaView, viewSchemas } from './schema-view';

/** A property without a column. */
export interface Lacking {
  readonly operation: Operation;
  /** The properties of the envelopes around the object that lacks it, the outermost first. */
  readonly within: readonly string[];
  readonly name: string;
  /** JSON pointers of its schemas. */
  readonly schemas: readonly string[];
  /** Whether every body has it. */
  readonly required: boolean;
}

/**
 * The properties that lack a column in the body of a request, or, of an operation without one, in those of its successes.
 *
 * @param places has the columns by the names of the properties: a table, or an envelope around one
 */
export function lackingColumns(document: OpenApiDocument, operation: Operation, places: object): Lacking[] {
  const { requestBody, responses } = operation;
  const direction = requestBody ? 'request' : 'response';
  const bodies = requestBody
    ? [requestBody]
    : [...responses].flatMap(([status, response]) => (status.startsWith('2') ? [response] : []));
  const lackingIn = (pointers: readonly string[], known: object, within: readonly string[]): Lacking[] => {
    const placeOf = new Map<string, unknown>(Object.entries(known));
    return viewsOf(document, pointers, direction).flatMap(({ properties, required, withheld }, i) =>
      [...properties].flatMap(([name, schemas]): Lacking[] => {
        if (withheld.has(name)) return [];
        const place = placeOf.get(name);
        if (typeof place !== 'object' || place === null)
          return [{ operation, within, name, schemas, required: i === 0 && required.has(name) }];
        const isColumn = 'kind' in place && place.kind === 'column';
        return isColumn ? [] : lackingIn(schemas, place, [...within, name]);
      }),
    );
  };
  return bodies
    .flatMap(({ content }) => content)
    .flatMap(({ type, schema }) => (isJson(type.essence) && schema !== undefined ? [schema] : []))
    .flatMap((schema) => lackingIn([schema], places, []));
}

/** The view of schemas, and of each branch that may apply. */
function viewsOf(
  document: OpenApiDocument,
  pointers: readonly string[],
  direction: 'request' | 'response',
  depth = 0,
): SchemaView[] {
  const view = viewSchemas(document, pointers, direction);
  if (depth > 6) return [view];
  return [view, ...view.unions.flat().flatMap((branch) => viewsOf(document, [branch], direction, depth + 1))];
}
