import { layOut } from '../../packages/command/src/new/layout';
import { namesFrom } from '../../packages/command/src/new/names';
import { readSource } from '../../packages/command/src/document/source/source';

/** What `new` writes for a document, before anything is installed. */
export interface WrittenOf {
  /** The operations on resources, and those of them whose handlers are written. */
  readonly onResources: number;
  readonly written: number;
  /** The written handlers over a table that no written handler fills, though the document has an operation that does. */
  readonly ofHalves: number;
  /** The reasons of the stubs, each with its count. */
  readonly reasons: Readonly<Record<string, number>>;
}

export async function writtenOf(file: string): Promise<WrittenOf> {
  const names = namesFrom('service', 'Service');
  if (!names) throw new Error('expected names');
  const { handlers, stubs, tables } = await layOut(readSource(file, true), names, '1.0.0');
  const unfilled = tables.flatMap(({ stored }) =>
    stored?.create && !handlers.includes(stored.create) ? Object.values<unknown>({ ...stored }) : [],
  );
  const reasons: Record<string, number> = {};
  for (const { reason } of stubs) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return {
    onResources: handlers.length + stubs.length,
    written: handlers.length,
    ofHalves: handlers.filter((operation) => unfilled.includes(operation)).length,
    reasons,
  };
}
