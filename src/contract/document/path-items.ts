import type { Findings } from './finding';
import { joinPointer, isObject, type JsonObject } from './json-pointer';
import { OBJECTS } from './keywords';

interface Document extends Findings {
  readonly root: JsonObject;
  at(pointer: string): unknown;
  resolve(ref: unknown): string | undefined;
}

/** The methods of a Path Item Object (OpenAPI 3.1 section 4.8.9). */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A Path Item Object merged with the target of its `$ref`: the pointer of each field. */
export type PathItem = ReadonlyMap<string, string>;

/** The fields that have an effect. Two of the same name are a conflict. */
const ENFORCED = [...(OBJECTS.get('PathItem')?.keywords ?? [])].flatMap(([name, { support }]) =>
  support === 'enforced' && name !== '$ref' ? [name] : [],
);

/**
 * Reads a Path Item Object. Fields beside its `$ref` are added to those of the other path item. A field in both is a
 * finding: the specification does not define its meaning (OpenAPI 3.1 section 4.8.9).
 */
export function readPathItem(document: Document, pointer: string): PathItem {
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  let here: string | undefined = pointer;
  while (here !== undefined && !seen.has(here)) {
    seen.add(here);
    const item = document.at(here);
    if (!isObject(item)) break;
    for (const name of ENFORCED.filter((field) => Object.hasOwn(item, field))) {
      const place = joinPointer(here, name);
      const other = fields.get(name);
      if (other === undefined) fields.set(name, place);
      else
        document.addFinding(
          other,
          `is at #${place} too, where the $ref leads: which one counts is undefined`,
        );
    }
    here = '$ref' in item ? document.resolve(item['$ref']) : undefined;
  }
  return fields;
}

/** An operation of the document that is served under a path. */
export interface OperationPlace {
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly item: PathItem;
  readonly pointer: string;
}

/**
 * Each operation under `paths`, in the order of the document.
 *
 * @param at the pointer to another map of path items: `webhooks`, or a Callback Object. Clients serve these.
 */
export function operationPlaces(document: Document, at = '/paths'): OperationPlace[] {
  const paths = document.at(at);
  if (!isObject(paths)) return [];
  return Object.keys(paths)
    .filter((path) => (at === '/paths' ? path.startsWith('/') : !path.startsWith('x-')))
    .flatMap((path) => {
      const item = readPathItem(document, joinPointer(at, path));
      return METHODS.flatMap((method) => {
        const pointer = item.get(method);
        return pointer === undefined ? [] : [{ path, method, item, pointer }];
      });
    });
}
