import { LineCounter, parseDocument, isMap, isScalar, isSeq, type Node } from 'yaml';
import { tokensOf } from '../json/pointer';

/** A line of a document file. Lines start at 1. */
export interface Line {
  readonly file: string;
  readonly line: number;
}

/** The line of the node at a JSON pointer, or of the nearest node above it. */
export type Locate = (pointer: string) => Line;

/**
 * @param file its name in the report, relative to the root of the repository
 * @param text YAML or JSON. A syntax error does not matter: lines before it are found.
 */
export function createLocator(file: string, text: string): Locate {
  const counter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: counter, uniqueKeys: false });
  return (pointer) => {
    let node: unknown = contents;
    let offset = (contents as Node | null)?.range?.[0] ?? 0;
    for (const token of tokensOf(pointer)) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === token);
        if (!pair) break;
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        const item = node.items[Number(token)];
        if (item === undefined) break;
        offset = (item as Node).range?.[0] ?? offset;
        node = item;
      } else break;
    }
    return { file, line: counter.linePos(offset).line };
  };
}
