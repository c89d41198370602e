/**
 * Remembers operations whose operationId changed, in generated/renamed.json, until their handlers have the new names. Every
 * command says the same about them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { committed } from '../breaking/base';
import { PUBLISHED, RENAMED, root } from '../paths';
import { HandlerList, INDEX, isStubFile } from './handler-list';

/** An operation whose handler has a former operationId. */
export interface Renamed {
  readonly operationId: string;
  readonly was: string;
  /** A digest of the handler of another operation that has this operationId; undefined if none has it. */
  readonly other?: string;
}

/** The file as it was written last; as it was committed if generated/ was deleted, or cannot be read as after a merge. */
export function readRenamed(): Renamed[] {
  const isThere = existsSync(path.join(root, RENAMED));
  if (!isThere && existsSync(path.join(root, PUBLISHED))) return [];
  for (const text of [() => (isThere ? read(RENAMED) : ''), () => committed(RENAMED)]) {
    try {
      return JSON.parse(text() ?? '') as Renamed[];
    } catch {
      continue;
    }
  }
  return [];
}

/** The text of the file; empty if it must not exist. */
export const renamedText = (renamed: readonly Renamed[]): string =>
  renamed.length === 0 ? '' : `${JSON.stringify(renamed, undefined, 2)}\n`;

/**
 * The operations whose handlers have former names.
 *
 * @param ids the operationIds of the document
 * @param earlier the operationId of each one in the published document; undefined: that is unknown
 */
export function renamedOperations(
  ids: Iterable<string>,
  index: HandlerList,
  earlier?: ReadonlyMap<string, string>,
): Renamed[] {
  const known = new Map(readRenamed().map((one) => [one.operationId, one]));
  return [...ids].flatMap((operationId) => {
    const previous = earlier ? earlier.get(operationId) : operationId;
    if (previous === undefined) return [];
    const before = known.get(previous);
    const was = before?.was ?? previous;
    if (was === operationId || !index.has(was)) return [];
    if (!index.has(operationId)) return [{ operationId, was }];
    const now = digestOf(operationId, index);
    // A handler that has changed since then is the one of this operation.
    if (before && previous === operationId && before.other !== now) return [];
    return [{ operationId, was, other: now }];
  });
}

/** A digest of the handler that an operationId has in the list, without regard to white space. */
function digestOf(operationId: string, index: HandlerList): string {
  const file = index.sourceOf(operationId);
  const text = file === undefined ? '' : read(file);
  const parts = [index.identifierOf(operationId), file, text.replace(/\s+/g, ' ')];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The steps to rename a handler. */
export function renamedSentence({ operationId, was, other }: Renamed, index: HandlerList): string {
  const source = index.sourceOf(was);
  const place = index.sourceOf(operationId);
  if (other !== undefined && source !== undefined && place !== undefined)
    return `the operation ${was} is now ${operationId}: move the code of its handler from ${source} to ${place}, which contains that of another operation`;
  const { identifier, file } = index.nameFor(operationId);
  const moved = source === undefined ? '' : `rename ${source} to ${file}.ts, and `;
  return `the operation ${was} is now ${operationId}: ${moved}${index.identifierOf(was)} to ${identifier} in it and in ${INDEX}`;
}

/** What is left to do for a handler without an operation. Only a stub may be deleted: nobody wrote it. */
export function goneSentence(operationId: string, index: HandlerList): string {
  const source = index.sourceOf(operationId);
  const lines = `its lines in ${INDEX}`;
  const start = `${operationId} is not an operation of the document:`;
  if (source === undefined) return `${start} delete ${lines}`;
  return isStubFile(source)
    ? `${start} delete ${source}, which is a stub, and ${lines}`
    : `${start} ${source} is not a stub: move what other operations need from it, then delete it and ${lines}`;
}

/** What is left to do for handlers whose operations were renamed or removed, in the published contract. */
export function handlersLeft(ids: ReadonlySet<string>): string[] {
  const index = HandlerList.read();
  if (!index) return [];
  const renamed = renamedOperations(ids, index);
  const gone = index.names().filter((id) => !ids.has(id) && !renamed.some(({ was }) => was === id));
  return [...renamed.map((one) => renamedSentence(one, index)), ...gone.map((id) => goneSentence(id, index))];
}

/** What the compiler says about handlers that were renamed, by both operationIds, and about those without an operation. */
export function handlerAdvice() {
  const index = HandlerList.read() ?? new HandlerList('');
  const renamed = readRenamed().flatMap((one) => {
    const sentence = renamedSentence(one, index);
    return [[one.operationId, sentence] as const, [one.was, sentence] as const];
  });
  return { renamed: new Map(renamed), gone: (operationId: string) => goneSentence(operationId, index) };
}
