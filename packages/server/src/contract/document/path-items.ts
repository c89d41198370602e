import type { Findings } from './finding';
import { holdersOf, isObject, joinPointer, type JsonObject, members } from './json-pointer';
import { OBJECTS } from './keywords';
import type { References } from './references';

interface Document extends Findings {
  readonly root: JsonObject;
  at(pointer: string): unknown;
  resolve(ref: unknown): string | undefined;
}

/** The methods that a Path Item Object has fields for (OpenAPI 3.1 section 4.8.9; 3.2 section 4.9 adds `query`). */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** The field whose members are further methods, as requests name them (OpenAPI 3.2 section 4.9). */
const ADDITIONAL = 'additionalOperations';

/** A Path Item Object merged with the target of its `$ref`: the pointer of each field, and of each further method. */
export type PathItem = ReadonlyMap<string, string>;

/** The fields that have an effect. Two of the same name are a conflict. */
const ENFORCED = [...(OBJECTS.get('PathItem')?.keywords ?? [])].flatMap(([name, { support }]) =>
  support === 'enforced' && name !== '$ref' && name !== ADDITIONAL ? [name] : [],
);

/** The methods of a path item, as requests name them, each with the pointer of its operation. */
export const methodsOf = (item: PathItem): { readonly method: string; readonly pointer: string }[] =>
  [
    ...METHODS.map((field) => [field.toUpperCase(), item.get(field)] as const),
    ...[...item].map(([field, pointer]) => [furtherMethod(field), pointer] as const),
  ].flatMap(([method, pointer]) =>
    method === undefined || pointer === undefined ? [] : [{ method, pointer }],
  );

const furtherMethod = (field: string): string | undefined =>
  field.startsWith(`${ADDITIONAL}/`) ? field.slice(ADDITIONAL.length + 1) : undefined;

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
    const own = ENFORCED.filter((field) => Object.hasOwn(item, field)).map((name) => [name]);
    const further = members(item[ADDITIONAL]).map(([method]) => [ADDITIONAL, method]);
    for (const steps of [...own, ...further]) {
      const place = joinPointer(here, ...steps);
      const name = steps.join('/');
      const other = fields.get(name);
      if (other === undefined) fields.set(name, place);
      else
        document.addFinding(
          other,
          `is also at #${place}, the target of the $ref: OpenAPI does not define which one applies`,
        );
    }
    here = '$ref' in item ? document.resolve(item['$ref']) : undefined;
  }
  return fields;
}

/** An operation of the document that is served under a path. */
export interface OperationPlace {
  readonly path: string;
  /** As requests name it: \`GET\`. */
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
    .filter((path) => (at === '/paths' ? path.startsWith('/') : at === '/webhooks' || !path.startsWith('x-')))
    .flatMap((path) => {
      const item = readPathItem(document, joinPointer(at, path));
      return methodsOf(item).map((one) => ({ path, item, ...one }));
    });
}

interface Referred extends Document {
  readonly references: Pick<References, 'to'>;
}

/** Finds the served operations that use a part of a document. */
export class OperationIndex {
  /** By the place of the operation. */
  private readonly operations = new Map<string, OperationPlace[]>();
  /** By the place of a path item, the operations under its path. */
  private readonly items = new Map<string, OperationPlace[]>();
  private readonly all: readonly OperationPlace[];

  constructor(private readonly document: Referred) {
    this.all = operationPlaces(document);
    for (const place of this.all) {
      add(this.operations, place.pointer, place);
      add(this.items, joinPointer('/paths', place.path), place);
    }
  }

  /**
   * The operations that include the value at `pointer`, through references too; undefined if none does, or if the value
   * concerns the whole document.
   */
  operationsUsing(pointer: string): readonly OperationPlace[] | undefined {
    const found = new Set<OperationPlace>();
    const seen = new Set<string>();
    const queue = [pointer];
    for (const here of queue) {
      const own = this.ownersOf(here);
      for (const place of own) found.add(place);
      if (own.length > 0) continue;
      for (const holder of holdersOf(here)) {
        if (seen.has(holder)) continue;
        seen.add(holder);
        queue.push(...this.document.references.to(holder));
      }
    }
    const places = this.all.filter((place) => found.has(place));
    return places.length > 0 ? places : undefined;
  }

  private ownersOf(pointer: string): readonly OperationPlace[] {
    if (pointer.startsWith('/security/')) return this.all.filter((place) => !this.has(place, 'security'));
    for (const holder of holdersOf(pointer)) {
      const operations = this.operations.get(holder) ?? this.items.get(holder);
      if (operations) return operations;
    }
    return [];
  }

  private has({ pointer }: OperationPlace, field: string): boolean {
    const operation = this.document.at(pointer);
    return isObject(operation) && Object.hasOwn(operation, field);
  }
}

/** The name of an operation in messages: `POST /things`. */
export const titleOf = ({ method, path }: OperationPlace): string => `${method} ${path}`;

function add(map: Map<string, OperationPlace[]>, key: string, place: OperationPlace): void {
  const known = map.get(key);
  if (known) known.push(place);
  else map.set(key, [place]);
}
