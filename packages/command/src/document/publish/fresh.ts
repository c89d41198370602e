import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readDocument } from 'contract-first-server';
import { writeDocument } from 'contract-first-server/tools';
import { PUBLISHED, root, SOURCES } from '../../paths';
import { type Source, SourceError } from '../source/source';
import { differences } from './differences';
import { overlay } from './overlay';
import { publishedText } from './publish';

/**
 * Compares the published document with what the sources give now, by their contents.
 *
 * @throws {SourceError} if it is stale, with the first place that differs
 */
export async function assertFresh({ document }: Source): Promise<void> {
  const { document: current } = await overlay(document);
  const published = read();
  if (published === publishedText(current)) return;
  throw new SourceError(`${staleSentence(published, current)}: run \`npx contract-first generate\``);
}

function read(): string {
  try {
    return readFileSync(path.join(root, PUBLISHED), 'utf8');
  } catch {
    return '';
  }
}

/** What differs, where the text is a document. */
export function staleSentence(published: string, current: object): string {
  try {
    const [place] = differences(readDocument(published), current);
    if (!place) return `${PUBLISHED} is stale`;
    const textOf = (value: unknown) => (value === undefined ? 'nothing' : writeDocument(value));
    const { pointer, was, is } = place;
    return `${PUBLISHED} is stale at ${pointer} (${textOf(was)} there, ${textOf(is)} in ${SOURCES}/)`;
  } catch {
    return `${PUBLISHED} is stale`; // It is no JSON, after a merge for example.
  }
}
