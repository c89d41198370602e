import type { Document, Operation } from '../document/model';
import { shapeOf } from './sources';

/** A resource that the run has created. */
export interface Created {
  /** The path template that ends with its parameter. */
  readonly resource: string;
  /** Its path, encoded. */
  readonly path: string;
}

/** Milliseconds between the requests that remove resources. */
const INTERVAL_MS = 5;

/**
 * Removes resources by the DELETE that the document has for each, the last first. Takes those that are gone off the list.
 *
 * @param remove resolves with whether the resource is gone
 * @param signal ends the removal
 */
export async function removeAll(
  document: Document,
  created: Created[],
  remove: (remover: Operation, path: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (const one of created.toReversed()) {
    const remover = removerOf(document, one);
    if (!remover || signal.aborted) continue;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    if (await remove(remover, one.path)) created.splice(created.indexOf(one), 1);
  }
}

const removerOf = ({ operations }: Document, { resource }: Created): Operation | undefined =>
  operations.find(
    (operation) => operation.method === 'DELETE' && shapeOf(operation.path) === shapeOf(resource),
  );

/** A sentence for each kind of resource that is left. */
export function describeLeft(document: Document, created: readonly Created[]): string[] {
  const left = new Map<string, number>();
  for (const one of created) {
    const remover = removerOf(document, one);
    const reason = remover
      ? `${remover.id} did not remove it`
      : 'the document has no operation that removes it';
    const kind = `${shapeOf(one.resource).replaceAll('{}', '...')}: ${reason}`;
    left.set(kind, (left.get(kind) ?? 0) + 1);
  }
  return [...left].map(([kind, count]) => `${count} created and not removed, ${kind}`);
}
