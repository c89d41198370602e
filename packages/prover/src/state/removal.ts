import { setTimeout as sleep } from 'node:timers/promises';
import { authorizedRequest, type RunContext } from '../cases/case';
import type { Inputs } from '../request/slots';
import type { Server } from '../target';
import { pathOf, type RawRequest, type RawResponse, withPath } from '../wire/message';
import { send } from '../wire/socket';
import { collectionOf, resourcesOf, shapeOf } from './sources';
import type { Document, Operation } from '../document/model';
import { minimalInputs } from '../request/compose';

/** A resource that the run has created. */
interface Created {
  /** The path template that ends with its parameter. */
  readonly resource: string;
  /** Its path, encoded. */
  readonly path: string;
}

/** Milliseconds between the requests that remove resources. */
const INTERVAL_MS = 5;

/** Milliseconds to remove what was created, after an interrupt. */
const LAST_REMOVALS_MS = 700;

/** The resources that the run has created, to remove them. */
export function openCreated(common: RunContext) {
  const { document, oracle } = common;
  const created: Created[] = [];
  /** Learns that the resource at a path is gone. */
  const forget = (path: string): void => {
    const at = created.findIndex((one) => one.path === path);
    if (at >= 0) created.splice(at, 1);
  };
  return {
    forget,
    /**
     * Learns what a successful POST or PUT has created.
     *
     * @param nameOf the encoded name of a resource that an answer names
     */
    learn(
      operation: Operation,
      request: RawRequest,
      { status }: RawResponse,
      nameOf: (resource: string) => string | undefined,
    ): void {
      const { method, path: template } = operation;
      const path = pathOf(request);
      if (method === 'PUT') {
        const isNew = status === 201 && !created.some((one) => one.path === path);
        if (isNew && resourcesOf(operation).at(-1) === template) created.push({ resource: template, path });
      }
      if (method !== 'POST') return;
      const resource = document.operations
        .flatMap(resourcesOf)
        .find((one) => shapeOf(collectionOf(one)) === shapeOf(template));
      const name = resource === undefined ? undefined : nameOf(resource);
      if (resource !== undefined && name !== undefined) created.push({ resource, path: `${path}/${name}` });
    },
    /**
     * Removes them by the DELETE that the document has for each, the last first.
     *
     * @param inputs the accepted inputs of an operation
     * @param interrupt from it on, there is less than a second left
     */
    async removeAll(
      server: Server,
      inputs: (remover: Operation) => Inputs | undefined,
      interrupt?: AbortSignal,
    ): Promise<void> {
      const end = new AbortController();
      const hurry = (): void => {
        setTimeout(() => {
          end.abort();
        }, LAST_REMOVALS_MS).unref();
      };
      if (interrupt?.aborted === true) hurry();
      else interrupt?.addEventListener('abort', hurry, { once: true });
      for (const one of created.toReversed()) {
        const remover = removerOf(document, one);
        if (!remover || end.signal.aborted) continue;
        await sleep(INTERVAL_MS);
        const base = inputs(remover) ?? minimalInputs(document, oracle, remover);
        const request = withPath(authorizedRequest({ ...common, operation: remover, base }), one.path);
        const outcome = await send(server, request, { signal: end.signal });
        if (!('noResponse' in outcome) && (outcome.status < 300 || outcome.status === 404)) forget(one.path);
      }
      interrupt?.removeEventListener('abort', hurry);
    },
    /** A sentence for each kind of resource that is left. */
    left: (): string[] => {
      const kinds = created.map((one) => {
        const remover = removerOf(document, one);
        const reason = remover
          ? `${remover.id} did not remove it`
          : 'the document has no operation that removes it';
        return `${shapeOf(one.resource).replaceAll('{}', '...')}: ${reason}`;
      });
      return [...Map.groupBy(kinds, (kind) => kind)].map(
        ([kind, { length }]) => `${length} created and not removed, ${kind}`,
      );
    },
  };
}

const removerOf = ({ operations }: Document, { resource }: Created): Operation | undefined =>
  operations.find(
    (operation) => operation.method === 'DELETE' && shapeOf(operation.path) === shapeOf(resource),
  );
