import { isDeepStrictEqual } from 'node:util';
import { asArray, asObject, escapeToken, objectAt, pointerOf } from '../json/tree';
import type { Document } from './model';

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
export function remarksOn({ json, operations }: Document): Remark[] {
  const found = new Map<string, Remark>();
  for (const { id, responses } of operations) {
    for (const { status, content } of responses.filter((response) => response.status.startsWith('2'))) {
      const schemas = content.flatMap(({ schema }) => schema ?? []);
      // The media types of a response often have the same schema.
      const distinct = schemas.filter(
        (schema, i) =>
          !schemas
            .slice(0, i)
            .some((other) => isDeepStrictEqual(objectAt(json, other), objectAt(json, schema))),
      );
      for (const [name, pointer] of distinct.flatMap((schema) => unboundedLists(json, schema))) {
        const place = name === '' ? '' : `, ${name}`;
        const text = `The response ${status} of ${id} contains a list without maxItems${place}`;
        if (!found.has(pointer)) found.set(pointer, { text, pointer });
      }
    }
  }
  return [...found.values()];
}

/** The list itself, or the lists among the properties of an object, as an envelope has them: their names and places. */
function unboundedLists(json: Document['json'], schema: string): [name: string, pointer: string][] {
  const body = certain(json, [schema]);
  const names = new Set(
    body.flatMap((pointer) => Object.keys(asObject(objectAt(json, pointer)['properties']))),
  );
  const members = [...names].map((name): [string, string[]] => {
    const owners = body.filter((pointer) =>
      Object.hasOwn(asObject(objectAt(json, pointer)['properties']), name),
    );
    return [
      name,
      certain(
        json,
        owners.map((pointer) => `${pointer}/properties/${escapeToken(name)}`),
      ),
    ];
  });
  return [['', body] satisfies [string, string[]], ...members].flatMap(([name, places]) => {
    const list = places.find((pointer) => [objectAt(json, pointer)['type']].flat().includes('array'));
    const isBounded = places.some((pointer) =>
      ['maxItems', 'enum', 'const'].some((bound) => bound in objectAt(json, pointer)),
    );
    return list === undefined || isBounded ? [] : [[name, list] satisfies [string, string]];
  });
}

/** The schemas that apply to each value of one of these schemas: through `$ref` and `allOf`. */
function certain(json: Document['json'], schemas: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (pointer: string): void => {
    if (found.has(pointer)) return;
    found.add(pointer);
    const node = objectAt(json, pointer);
    if (typeof node['$ref'] === 'string') visit(pointerOf(node['$ref']));
    for (const index of asArray(node['allOf']).keys()) visit(`${pointer}/allOf/${index}`);
  };
  schemas.forEach(visit);
  return [...found];
}
