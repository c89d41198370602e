import type { Remark } from '../src/contract/document';
import { UNKNOWN } from '../src/contract/document/accounting';
import type { Source } from './source';

/** Of what is remarked in the same way, as many lines are printed. */
const MOST = 20;

/** Remarks as lines of text, each with where in the sources it stands; of many of one kind the first, and a count. */
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

export const isUnknown = ({ word }: Remark): boolean => word === UNKNOWN;
