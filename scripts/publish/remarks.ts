import { type OpenApiDocument, type Operation, type Remark, UNKNOWN } from '../../src/contract';
import type { Source } from '../source/source';

/** The maximum number of printed lines for each kind of remark. */
const MOST = 20;

/** One line for each remark, with its place in the sources. Beyond MOST of one kind, a count replaces the rest. */
export function remarkLines(source: Source, remarks: readonly Remark[]): string[] {
  const kinds = new Map<string, Remark[]>();
  for (const remark of remarks) {
    const known = kinds.get(remark.word);
    if (known) known.push(remark);
    else kinds.set(remark.word, [remark]);
  }
  return [...kinds].flatMap(([word, all]) => {
    const lines = all
      .slice(0, MOST)
      .map(({ pointer, message }) =>
        word === UNKNOWN
          ? `${source.locate(pointer)}: ${message}`
          : `${source.locate(pointer)}: #${pointer}: ${message}`,
      );
    return all.length > MOST ? [...lines, `and ${all.length - MOST} more of this kind`] : lines;
  });
}

/**
 * Success responses that are a list of unlimited length: a client cannot limit the time and size of such a response.
 */
export function unboundedLists(document: OpenApiDocument, operations: Iterable<Operation>): Remark[] {
  const schemas = [...operations].flatMap(({ responses }) =>
    [...responses].flatMap(([status, { content }]) =>
      status.startsWith('2') ? content.flatMap(({ schema }) => schema ?? []) : [],
    ),
  );
  return [...new Set(schemas)]
    .filter((schema) => isUnbounded(document, schema))
    .map((pointer) => ({
      pointer,
      message: 'is a list of unlimited length: add maxItems, or split the response into pages',
      word: 'Schema maxItems',
    }));
}

function isUnbounded(document: OpenApiDocument, pointer: string): boolean {
  const schemas = document.subschemas.certain(pointer).map(({ value }) => value);
  return (
    schemas.some(({ type }) => [type].flat().includes('array')) && !schemas.some((one) => 'maxItems' in one)
  );
}

export const isUnknown = ({ word }: Remark): boolean => word === UNKNOWN;
