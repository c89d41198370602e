import { asObject } from '../json/json';
import { escapeToken, objectAt, resolvePointer } from '../json/pointer';
import type { Document } from './document';

/** Something that the author of a document should know. It fails no run. */
export interface Remark {
  readonly text: string;
  /** JSON pointer to the place. */
  readonly pointer: string;
}

/** A list in a response without `maxItems`: a client cannot know how long it becomes, and a test cannot bound it. */
export function remarksOn({ json, operations }: Document): Remark[] {
  const found = new Map<string, Remark>();
  for (const { id, responses } of operations) {
    for (const { status, content } of responses) {
      for (const { schema } of content) {
        for (const pointer of schema === undefined ? [] : unboundedLists(json, schema)) {
          const text = `The response ${status} of ${id} contains a list without maxItems`;
          if (!found.has(pointer)) found.set(pointer, { text, pointer });
        }
      }
    }
  }
  return [...found.values()];
}

/** The list itself, or the lists among the properties of an object, as an envelope has them. */
function unboundedLists(json: Document['json'], schema: string): string[] {
  const root = resolvePointer(json, schema);
  const properties = Object.keys(asObject(objectAt(json, root)['properties'])).map(
    (name) => `${root}/properties/${escapeToken(name)}`,
  );
  return [root, ...properties.map((pointer) => resolvePointer(json, pointer))].filter((pointer) => {
    const { type, maxItems, enum: values, const: value } = objectAt(json, pointer);
    return (
      [type].flat().includes('array') && maxItems === undefined && values === undefined && value === undefined
    );
  });
}
