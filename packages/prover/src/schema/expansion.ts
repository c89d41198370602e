import type { Schemas } from '../document/direction';
import { asArray } from '../json/tree';
import { Memo } from '../memo';
import {
  branchCombinations,
  itemLocations,
  locationsKey,
  propertyLocations,
  propertyNames,
  type SchemaLocations,
  type Subschema,
} from './locations';

/** Below this depth, values have required members only, so that recursive schemas end; unless a schema is first met there. */
const MAX_DEPTH = 4;

/** Parts of a value. A larger value with every listed member has each schema only once. */
const MAX_PARTS = 500;

/**
 * Where a value has optional members. Schemas that refer to one another give values whose size is exponential in their
 * depth: the members of each are then in one place only, the first that is reached from the root, however deep.
 */
export interface Expansion {
  /** Distinguishes it from those of other roots. */
  readonly key: string;
  /** Whether a child of a schema, at a depth, has more than its required members. */
  readonly includes: (parent: SchemaLocations, child: SchemaLocations, depth: number) => boolean;
}

/** For values that are small enough. */
const WHOLE: Expansion = { key: '', includes: (_parent, _child, depth) => depth <= MAX_DEPTH };

const expansions = new Memo<Schemas, Expansion>();

export function expansionOf(schemas: Schemas, root: SchemaLocations): Expansion {
  const rootKey = locationsKey(schemas, root);
  return expansions.get(schemas, rootKey, () => {
    const places = new Map([[rootKey, '']]);
    let deepest = 0;
    for (let level = [root]; level.length > 0; deepest++) {
      const next: SchemaLocations[] = [];
      for (const parent of level)
        for (const child of childrenOf(schemas, parent)) {
          const key = locationsKey(schemas, child);
          if (places.has(key)) continue;
          places.set(key, locationsKey(schemas, parent));
          next.push(child);
        }
      level = next;
    }
    if (deepest <= MAX_DEPTH + 1 && !isLarge(schemas, root)) return WHOLE;
    return {
      key: rootKey,
      includes: (parent, child) => places.get(locationsKey(schemas, child)) === locationsKey(schemas, parent),
    };
  });
}

/** Whether a value with every listed member has too many parts. Counts no more than these. */
function isLarge(schemas: Schemas, root: SchemaLocations): boolean {
  let parts = 0;
  let level: SchemaLocations[] = [root];
  for (let depth = 0; depth <= MAX_DEPTH && parts <= MAX_PARTS; depth++) {
    const next: SchemaLocations[] = [];
    for (const location of level) {
      if (parts > MAX_PARTS) break;
      const children = childrenOf(schemas, location);
      parts += children.length;
      next.push(...children);
    }
    level = next;
  }
  return parts > MAX_PARTS;
}

/** The schemas of the members and items of a value. */
const childrenOf = (schemas: Schemas, locations: SchemaLocations): SchemaLocations[] =>
  branchCombinations(schemas, locations).flatMap((subschemas) => [
    ...propertyNames(subschemas).listed.map((name) => propertyLocations(subschemas, name)),
    ...itemsOf(subschemas),
  ]);

function itemsOf(subschemas: Subschema[]): SchemaLocations[] {
  const prefix = subschemas.reduce(
    (most, { schema }) => Math.max(most, asArray(schema['prefixItems']).length),
    0,
  );
  const isArray = subschemas.some(({ schema }) => prefix > 0 || schema['items'] !== undefined);
  return isArray ? Array.from({ length: prefix + 1 }, (_, index) => itemLocations(subschemas, index)) : [];
}
