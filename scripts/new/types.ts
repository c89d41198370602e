/** The TypeScript types of values of the document, as `generated/openapi.d.ts` names them. */
import { isObject, type JsonObject, members, OpenApiDocument, viewSchemas } from '../../src/contract';
import { splitByDirection } from '../publish/directions';
import { quoted } from './error-body';

export interface Types {
  /** The type of a body that responses have. */
  of(schema: string, response: { operationId: string; status: string; mediaType: string }): string;
  /** A value of a schema as the JSON of a file of examples: integers of 64 bits are marked. */
  example(pointers: readonly string[], value: unknown): unknown;
}

export function typesOf(document: OpenApiDocument): Types {
  const split = new OpenApiDocument(splitByDirection(document));
  const schemas = new Set(members(split.at('/components/schemas')).map(([name]) => name));
  const marked = (pointers: readonly string[], value: unknown, depth = 0): unknown => {
    const all = pointers.length === 0 || depth > 20 ? [] : branches(document, pointers);
    if (typeof value === 'number' || typeof value === 'bigint') {
      const isInt64 = all.some(({ formats }) => formats.has('int64')) && Number.isInteger(Number(value));
      // Any other integer is a number for handlers.
      return isInt64 ? { $int64: String(value) } : Number(value);
    }
    if (Array.isArray(value)) {
      const items = all.flatMap((view) => view.items);
      return value.map((item: unknown, i) =>
        marked([...all.flatMap((view) => view.prefixItems[i] ?? []), ...items], item, depth + 1),
      );
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, member]) => {
      const own = all.flatMap((view) => view.properties.get(name) ?? []);
      const described = own.length > 0 ? own : all.flatMap((view) => view.otherProperties);
      return [name, marked(described, member, depth + 1)];
    });
    return Object.fromEntries(entries) as JsonObject;
  };
  return {
    of(schema, { operationId, status, mediaType }) {
      const name = /^\/components\/schemas\/([^/~]+)$/.exec(schema)?.[1];
      const narrowed = name === undefined ? undefined : schemas.has(`${name}Response`) ? undefined : name;
      if (narrowed !== undefined) return `components['schemas'][${quoted(narrowed)}]`;
      const key = /^\d+$/.test(status) ? status : quoted(status);
      return `operations[${quoted(operationId)}]['responses'][${key}]['content'][${quoted(mediaType)}]`;
    },
    example: marked,
  };
}

/** The views of schemas and of all branches that may apply. */
function branches(document: OpenApiDocument, pointers: readonly string[], depth = 0) {
  const view = viewSchemas(document, [...pointers], 'response');
  const views = [view];
  if (depth < 6)
    for (const union of view.unions)
      for (const branch of union) views.push(...branches(document, [branch], depth + 1));
  return views;
}
