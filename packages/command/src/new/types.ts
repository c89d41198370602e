/** The types and values of handlers for what the document describes. */
import { isObject, members, OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { splitByDirection } from '../document/publish/directions';
import { quoted } from '../generate/handler-names';

/** A body of a response, and where it stands. */
export interface BodyPlace {
  /** JSON pointer to its schema. */
  readonly schema: string;
  readonly operationId: string;
  readonly status: string;
  readonly mediaType: string;
}

/** Returns the function that names the TypeScript type of a body, as `generated/openapi.d.ts` does. */
export function typesOf(document: OpenApiDocument): (body: BodyPlace) => string {
  const split = new OpenApiDocument(splitByDirection(document));
  const schemas = new Set(members(split.at('/components/schemas')).map(([name]) => name));
  return ({ schema, operationId, status, mediaType }) => {
    const name = componentOf(schema);
    if (name !== undefined && !schemas.has(`${name}Response`))
      return `components['schemas'][${quoted(name)}]`;
    const key = /^\d+$/.test(status) ? status : quoted(status);
    return `operations[${quoted(operationId)}]['responses'][${key}]['content'][${quoted(mediaType)}]`;
  };
}

/** The name of the component that a pointer points to. */
export const componentOf = (pointer: string): string | undefined =>
  /^\/components\/schemas\/([^/~]+)$/.exec(pointer)?.[1];

/** A value of schemas as a handler has it: its integers of 64 bits are bigints, and all other numbers are numbers. */
export function handledValue(
  document: OpenApiDocument,
  schemas: readonly string[],
  value: unknown,
  depth = 0,
): unknown {
  const all = schemas.length === 0 || depth > 20 ? [] : branches(document, schemas);
  if (typeof value === 'number' || typeof value === 'bigint') {
    const isInt64 = all.some(({ formats }) => formats.has('int64')) && Number.isInteger(Number(value));
    return isInt64 ? BigInt(value) : Number(value);
  }
  const inner = (pointers: readonly string[], member: unknown) =>
    handledValue(document, pointers, member, depth + 1);
  if (Array.isArray(value))
    return value.map((item: unknown, i) =>
      inner(
        all.flatMap((view) => [...(view.prefixItems[i] ?? []), ...view.items]),
        item,
      ),
    );
  if (!isObject(value) || value instanceof Uint8Array) return value;
  // In the order of the document.
  const names = new Set([...all.flatMap(({ properties }) => [...properties.keys()]), ...Object.keys(value)]);
  const entries = [...names]
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => {
      const own = all.flatMap((view) => view.properties.get(name) ?? []);
      return [name, inner(own.length > 0 ? own : all.flatMap((view) => view.otherProperties), value[name])];
    });
  return Object.fromEntries(entries) as unknown;
}

/** The views of schemas and of all branches that may apply, each once. */
function branches(document: OpenApiDocument, pointers: readonly string[]) {
  const views = [viewSchemas(document, [...pointers], 'response')];
  const seen = new Set<string>();
  // The list grows while it is walked.
  for (const { unions } of views)
    for (const branch of unions.flat()) {
      if (seen.has(branch)) continue;
      seen.add(branch);
      views.push(viewSchemas(document, [branch], 'response'));
    }
  return views;
}
