import { faultToStderr } from '../../contract';
import type { Store } from 'contract-first-database';

/** A part of a service that is opened: it has one or both of the methods. */
type Opened = Partial<Store>;

/**
 * Opens the parts of a service one after the other, in the order of the calls of `open`. The result has what `compose` returns.
 * Its `ready` asks each part, and its `close` closes each once, in the opposite order, all of them even if one fails. If
 * `compose` throws, what is open is closed in that order too.
 *
 *     openInOrder(async (open) => ({ store: await open(openStore(url)), mail: await open(openMail(config.mail)) }))
 *
 * @throws what `compose` throws
 */
export async function openInOrder<T extends object>(
  compose: (open: <P extends Opened>(part: P | PromiseLike<P>) => Promise<P>) => T | Promise<T>,
): Promise<T & Store> {
  const parts: Promise<Opened>[] = [];
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const part of parts.toReversed()) {
      // A part that could not be opened has nothing to close, and `compose` has thrown its error.
      const opened = await part.catch(() => undefined);
      try {
        await opened?.close?.();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, 'several parts did not close');
    for (const failure of failures) throw failure;
  };
  let closing: Promise<void> | undefined;
  try {
    const composed = await compose((part) => {
      const opening = Promise.resolve(part);
      parts.push(opening);
      return opening;
    });
    return {
      ...composed,
      ready: async () => {
        for (const part of parts) await (await part).ready?.();
      },
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll().catch(faultToStderr);
    throw error;
  }
}
