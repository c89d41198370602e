import type { Document, Operation } from '../document/document';
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
 * Removes resources by the DELETE that the document has for each, the last first.
 *
 * @param remove resolves with whether the resource is gone
 * @returns a sentence for each kind of resource that is left
 */
export async function removeAll(
  { operations }: Document,
  created: readonly Created[],
  remove: (remover: Operation, path: string) => Promise<boolean>,
): Promise<string[]> {
  const left = new Map<string, number>();
  for (const { resource, path } of created.toReversed()) {
    const remover = operations.find(
      (operation) => operation.method === 'DELETE' && shapeOf(operation.path) === shapeOf(resource),
    );
    await new Promise((resolve) => setTimeout(resolve, remover ? INTERVAL_MS : 0));
    if (remover && (await remove(remover, path))) continue;
    const reason = remover
      ? `${remover.id} did not remove it`
      : 'the document has no operation that removes it';
    const kind = `${shapeOf(resource).replaceAll('{}', '...')}: ${reason}`;
    left.set(kind, (left.get(kind) ?? 0) + 1);
  }
  return [...left].map(([kind, count]) => `${count} created and not removed, ${kind}`);
}
