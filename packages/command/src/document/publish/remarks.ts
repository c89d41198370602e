import { isDeepStrictEqual } from 'node:util';
import { isObject, joinPointer, type OpenApiDocument, UNKNOWN } from 'contract-first-server/tools';
import { type Operation, type Remark } from 'contract-first-server';
import type { Source } from '../source/source';

/** The usual maximum number of lines for each kind of remark. */
const MOST = 20;

/** One line for each remark, with its place in the sources. Beyond `most` of one kind, a count replaces the rest. */
export function remarkLines(source: Source, remarks: readonly Remark[], most = MOST): string[] {
  const kinds = new Map<string, Remark[]>();
  for (const remark of remarks) {
    const known = kinds.get(remark.keyword);
    if (known) known.push(remark);
    else kinds.set(remark.keyword, [remark]);
  }
  return [...kinds].flatMap(([keyword, all]) => {
    const lines = all
      .slice(0, most)
      .map(({ pointer, message }) =>
        keyword === UNKNOWN
          ? `${source.locate(pointer)}: ${message}`
          : `${source.locate(pointer)}: #${pointer}: ${message}`,
      );
    return all.length > most ? [...lines, `and ${all.length - most} more of this kind`] : lines;
  });
}

/**
 * Lists of unlimited length in success responses, as the whole body or as a member of it: a client cannot limit the time
 * and size of such a response. The contract tests remark on the same places.
 */
export function unboundedLists(document: OpenApiDocument, operations: Iterable<Operation>): Remark[] {
  const responses = [...operations].flatMap((operation) => [...operation.responses]);
  const schemas = responses.flatMap(([status, { content }]) =>
    status.startsWith('2')
      ? distinct(
          document,
          content.flatMap(({ schema }) => schema ?? []),
        )
      : [],
  );
  const lists = schemas.flatMap((schema) => {
    const body = document.subschemas.certain(schema);
    const members = body.flatMap(({ pointer, value }) =>
      Object.keys(isObject(value['properties']) ? value['properties'] : {}).map((name) => ({
        name,
        places: document.subschemas.certain(joinPointer(pointer, 'properties', name)),
      })),
    );
    const byName = [...Map.groupBy(members, ({ name }) => name).values()];
    return [body, ...byName.map((all) => all.flatMap(({ places }) => places))].flatMap(
      (places) => unboundedList(places) ?? [],
    );
  });
  return [...new Set(lists)].map((pointer) => ({
    pointer,
    message: 'is a list of unlimited length: add maxItems, or split the response into pages',
    keyword: 'Schema maxItems',
  }));
}

/** The schemas without copies of one: the media types of a response often have the same. */
const distinct = (document: OpenApiDocument, schemas: readonly string[]): string[] =>
  schemas.filter(
    (schema, i) =>
      !schemas.slice(0, i).some((other) => isDeepStrictEqual(document.at(other), document.at(schema))),
  );

type Subschemas = OpenApiDocument['subschemas'];

/** The pointer to the list that these schemas of one value describe; undefined if none is, or if it has a bound. */
function unboundedList(places: ReturnType<Subschemas['certain']>): string | undefined {
  const list = places.find(({ value }) => [value['type']].flat().includes('array'));
  const bounds = ['maxItems', 'enum', 'const'];
  return places.some(({ value }) => bounds.some((bound) => bound in value)) ? undefined : list?.pointer;
}

export const isUnknown = ({ keyword }: Remark): boolean => keyword === UNKNOWN;
