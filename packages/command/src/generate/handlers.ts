/** Adds a handler to src/handlers/ for each new operation of the document. Never changes code that a person wrote. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Operation } from 'contract-first-server';
import { root } from '../paths';
import { FOLDER, type HandlerList, INDEX } from './handler-list';
import type { Renamed } from './renamed';
import { stubText } from './stub-text';

/**
 * Writes a stub for each operation without a handler, and adds it to the list of handlers.
 *
 * @param renamed operations whose handlers exist: they are to be renamed, not written again
 * @returns one sentence for each change, and one for each change that a person must make
 */
export function addStubs(
  operations: Iterable<Operation>,
  index: HandlerList,
  renamed: readonly Renamed[],
): string[] {
  const lines: string[] = [];
  for (const operation of operations) {
    const { operationId } = operation;
    if (index.has(operationId) || renamed.some((one) => one.operationId === operationId)) continue;
    const name = index.nameFor(operationId);
    const stub = `${FOLDER}/${name.file}.ts`;
    const there = existsSync(path.join(root, stub));
    if (!there) writeFileSync(path.join(root, stub), stubText(operation, name, index.ending));
    lines.push(
      there
        ? `${stub} already exists and is not changed`
        : `${stub} is a new stub: it responds from the document until you write it`,
    );
    if (index.add(operationId, name)) continue;
    const [line, entry] = index.lines(operationId, name);
    lines.push(`add to ${INDEX}: ${line}`, `and to the object that createHandlers returns there: ${entry}`);
  }
  if (index.changed) writeFileSync(path.join(root, INDEX), index.text);
  return lines;
}
