import { isDeepStrictEqual } from 'node:util';
import type { Document } from '../document/model';
import { asObject, objectAt } from '../json/tree';
import {
  anyValueOf,
  branchCombinations,
  propertyLocations,
  type SchemaLocations,
  type Subschema,
} from '../schema/locations';

/** Something that the author of a document should know. It fails no run. */
export interface Remark {
  readonly text: string;
  /** JSON pointer to the place. */
  readonly pointer: string;
}

/**
 * The lists without `maxItems` in success responses, each once: a client cannot know how long one becomes, and a test
 * cannot bound it. `make generate` remarks on the same places.
 */
export function remarksOn(document: Document): Remark[] {
  const found = new Map<string, Remark>();
  for (const { id, responses } of document.operations)
    for (const { status, content } of responses.filter((response) => response.status.startsWith('2'))) {
      const schemas = content.flatMap(({ schema }) => schema ?? []);
      // The media types of a response often have the same schema.
      const isKnown = (schema: string, index: number): boolean =>
        schemas
          .slice(0, index)
          .some((other) =>
            isDeepStrictEqual(objectAt(document.json, other), objectAt(document.json, schema)),
          );
      for (const schema of schemas.filter((one, index) => !isKnown(one, index)))
        for (const [name, pointer] of unboundedLists(document, schema)) {
          const place = name === '' ? '' : `, ${name}`;
          const text = `The response ${status} of ${id} contains a list without maxItems${place}`;
          if (!found.has(pointer)) found.set(pointer, { text, pointer });
        }
    }
  return [...found.values()];
}

/** The list itself, or the lists among the properties of an object, as an envelope has them: their names and places. */
function unboundedLists({ responses }: Document, schema: string): [name: string, pointer: string][] {
  /** The schemas that apply to each value, whichever branch it takes. */
  const certain = (locations: SchemaLocations): Subschema[] =>
    (branchCombinations(responses, locations)[0] ?? []).filter(({ unconditional }) => unconditional);
  const body = certain(anyValueOf(schema));
  const names = new Set(body.flatMap((part) => Object.keys(asObject(part.schema['properties']))));
  const members = [...names].map((name) => [name, certain(propertyLocations(body, name))] as const);
  return [['', body] as const, ...members].flatMap(([name, places]): [string, string][] => {
    const list = places.find((place) => [place.schema['type']].flat().includes('array'));
    const isBounded = places.some((place) =>
      ['maxItems', 'enum', 'const'].some((bound) => bound in place.schema),
    );
    return list === undefined || isBounded ? [] : [[name, list.pointer]];
  });
}
