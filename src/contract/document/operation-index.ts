import type { References } from './references';
import { joinPointer, isObject } from './json-pointer';
import { type OperationPlace, operationPlaces } from './path-items';

type Document = Parameters<typeof operationPlaces>[0] & { readonly references: References };

/** Finds the served operations that use a part of a document. */
export class OperationIndex {
  /** By the place of the operation. */
  private readonly operations = new Map<string, OperationPlace[]>();
  /** By the place of a path item, the operations under its path. */
  private readonly items = new Map<string, OperationPlace[]>();
  private readonly all: readonly OperationPlace[];

  constructor(private readonly document: Document) {
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
export const titleOf = ({ method, path }: OperationPlace): string => `${method.toUpperCase()} ${path}`;

/** A JSON pointer and all its parents except the root. */
function holdersOf(pointer: string): string[] {
  const holders: string[] = [];
  for (let here = pointer; here !== ''; here = here.slice(0, here.lastIndexOf('/'))) holders.push(here);
  return holders;
}

function add(map: Map<string, OperationPlace[]>, key: string, place: OperationPlace): void {
  const known = map.get(key);
  if (known) known.push(place);
  else map.set(key, [place]);
}
