import type { Store } from 'contract-first-server/database';
import type { components } from '../../generated/openapi';

export type Event = components['schemas']['Event'];
export type Ticket = components['schemas']['Ticket'];

/** An object with the key under which it is stored. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Objects of one kind. A write resolves only when it survives the end of the process and a power failure.
 *
 * Each method rejects with a StoreUnavailable if the store cannot do its work now: the client gets 503.
 */
export interface Collection<T> {
  /**
   * At most `limit` entries after a key, in the order of their keys. The first page is after the empty key. What belongs to
   * another object has its key first: `7/2`, so that those of 7 follow `7/`.
   */
  list(after: string, limit: number): Promise<readonly Entry<T>[]>;
  get(key: string): Promise<T | undefined>;
  /** Resolves to false, and changes nothing, if the key is taken. */
  add(key: string, value: T): Promise<boolean>;
  /** Reads, changes and writes one object, so that no concurrent change is lost. Resolves to undefined if there is none. */
  update(key: string, change: (value: T) => T): Promise<T | undefined>;
  /** Resolves to false if there is none. */
  remove(key: string): Promise<boolean>;
}

/** All that this service stores. */
export interface NightMuseumStore extends Store {
  readonly events: Collection<Event>;
  readonly tickets: Collection<Ticket>;
}
