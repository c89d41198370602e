import { EventEmitter, once } from 'node:events';
import {
  type Database,
  deleteFrom,
  insertInto,
  INT64,
  JSON_VALUE,
  type Queries,
  select,
  table,
} from 'contract-first-database';
import type { components } from '../../generated/openapi';

type Event = components['schemas']['EventResponse'];
/** What happened, without the number that it gets. */
type News = Unnumbered<Event>;
type Unnumbered<E> = E extends unknown ? Omit<E, 'id'> : never;

/** A number is that of the event before it, plus one. */
export const events = table('events', { id: INT64.primaryKey(), news: JSON_VALUE.as<News>() });

/** What a client that was away may still read. */
const KEPT = 10_000n;
/** Milliseconds after which a stream hears what another process has written. */
const INTERVAL = 1000;

/** Resolves to the number of the last event; 0 if there is none. */
async function lastOf({ query }: Pick<Queries, 'query'>): Promise<bigint> {
  const [last] = await query(select(events)`ORDER BY ${events.id} DESC LIMIT 1`);
  return last?.id ?? 0n;
}

/** What the store does with events. */
export const eventsIn = (database: Database) => {
  const added = new EventEmitter().setMaxListeners(0);
  return {
    /**
     * Runs work in a transaction, with the event that it makes. The transaction has read the event before, so events are committed in
     * the order of their numbers, and nobody who has read one will miss an earlier one.
     */
    async record<T>(work: (queries: Queries) => Promise<{ result: T; news?: News }>): Promise<T> {
      const result = await database.transaction(async (queries) => {
        const done = await work(queries);
        if (!done.news) return done.result;
        const id = (await lastOf(queries)) + 1n;
        await queries.execute(insertInto(events, { id, news: done.news })``);
        await queries.execute(deleteFrom(events)`WHERE ${events.id} <= ${id - KEPT}`);
        return done.result;
      });
      added.emit('event');
      return result;
    },
    last: () => lastOf(database),
    /** What happens after the event of that number, until the signal is aborted. */
    async *after(last: bigint, signal: AbortSignal): AsyncGenerator<Event> {
      while (!signal.aborted) {
        const found = await database.query(
          select(events)`WHERE ${events.id} > ${last} ORDER BY ${events.id} LIMIT 100`,
        );
        for (const { id, news } of found) {
          yield { id: String(id), ...news };
          last = id;
        }
        if (found.length > 0) continue;
        const waiting = AbortSignal.any([signal, AbortSignal.timeout(INTERVAL)]);
        await once(added, 'event', { signal: waiting }).catch(() => undefined);
      }
    },
  };
};

export type EventsPart = ReturnType<typeof eventsIn>;
