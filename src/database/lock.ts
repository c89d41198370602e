import { MAX_WAITING, overload } from './batch';

export interface Lock {
  /** Resolves when nobody else holds it. @throws {StoreUnavailable} if too many wait for it */
  acquire(): Promise<void> | undefined;
  release(): void;
}

export function createLock(): Lock {
  const waiting: (() => void)[] = [];
  let locked = false;
  return {
    acquire() {
      if (waiting.length === MAX_WAITING) throw overload();
      if (locked) return new Promise((resolve) => waiting.push(resolve));
      locked = true;
      return undefined;
    },
    release() {
      const next = waiting.shift();
      if (next) next();
      else locked = false;
    },
  };
}
