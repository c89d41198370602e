import type { ClientBase, PoolClient } from 'pg';
import { MAX_WAITING, overload } from '../batch';
import { codeOf } from '../failure';
import { StoreUnavailable } from '../store';
import type { Servers, Session } from './servers';
import { STANDBY } from './statements';
import type { Server } from './url';

/** All in milliseconds. A name that has moved to another server is followed within a minute, a last statement included. */
const LIFETIME = 55_000;
/** The lifetimes of connections that began together end apart, within so large a part of it. */
const JITTER = 0.25;
const MAX_IDLE = 10_000;
/** For a place in the pool. */
const WAIT_TIMEOUT = 3000;
/** Between two looks at what has become of idle connections and of abandoned backends. */
const CHECK_INTERVAL = 2000;
/** For a server to answer that a connection ends. */
const END_TIMEOUT = 1000;

/**
 * Connections to the server that a URL leads to. Each has one of `most` places from before it begins until its backend has
 * ended. One place is for the watch: it looks for the backends of those that are abandoned.
 *
 * A connection is abandoned when nobody awaits its statement any more, though its backend may still run: a commit that waits
 * for a standby does so until that is back, whatever its client does. Nothing is cancelled: that would show rows to others
 * which no standby has.
 */
export interface Pool {
  /**
   * Each connection is to be released once.
   *
   * @throws {StoreUnavailable} if no place becomes free in time, and what the servers throw
   */
  connect(): Promise<PoolClient>;
  /** How many may have a connection at once, abandoned ones included. */
  readonly places: number;
  readonly abandoned: number;
  isAbandoned(client: ClientBase): boolean;
  /**
   * Draws the conclusions from the error of a statement, before the connection is released. One that got no answer is abandoned, and
   * its release does nothing; a server that takes no writes is left: no connection to it is used again.
   */
  failed(client: ClientBase, error: unknown): void;
  /**
   * Resolves when all connections have ended.
   *
   * @param patience milliseconds after which it gives up what is abandoned
   */
  end(patience?: number): Promise<void>;
}

interface Member extends Session {
  readonly client: PoolClient;
  readonly expires: number;
  state: 'used' | 'idle' | 'left' | 'abandoned';
  idleSince: number;
}

interface Waiting extends PromiseWithResolvers<PoolClient> {
  readonly late: NodeJS.Timeout;
}

export function createPool(most: number, servers: Servers): Pool {
  const members = new Map<ClientBase, Member>();
  /** The one that was used last is used first: the others may then end. */
  const idle: Member[] = [];
  const waiting: Waiting[] = [];
  let taken = 0;
  let abandoned = 0;
  let ended: (() => void) | undefined;
  let isWatching = false;

  const timer = setInterval(look, CHECK_INTERVAL).unref();

  /** Begins a connection, whose place is free again when it has ended. */
  async function join(): Promise<Member> {
    taken++;
    try {
      const session = await servers.connect();
      const release = (isLost = false) => {
        putBack(member, isLost);
      };
      const member: Member = {
        ...session,
        client: Object.assign(session.client, { release }),
        expires: performance.now() + LIFETIME * (1 - JITTER * Math.random()),
        state: 'used',
        idleSince: 0,
      };
      members.set(member.client, member);
      member.client.once('end', () => {
        forget(member);
      });
      return member;
    } catch (error) {
      taken--;
      serve();
      throw error;
    }
  }

  function forget(member: Member): void {
    members.delete(member.client);
    remove(idle, member);
    if (member.state === 'abandoned') abandoned--;
    taken--;
    serve();
  }

  /** Its place is free when the server has answered, or does not. */
  function finish(member: Member, isLost = false): void {
    remove(idle, member);
    if (member.state !== 'abandoned') member.state = 'left';
    if (isLost) member.destroy();
    else {
      const late = setTimeout(member.destroy, END_TIMEOUT);
      member.client.once('end', () => {
        clearTimeout(late);
      });
      void member.client.end();
    }
  }

  function abandon(member: Member): void {
    member.state = 'abandoned';
    abandoned++;
    servers.avoid(member.server);
    // Its backend has answered.
    member.client.once('drain', () => {
      finish(member);
    });
  }

  function leave(server: Server): void {
    servers.avoid(server);
    for (const member of members.values())
      if (member.server === server) {
        if (member.state === 'idle') finish(member);
        else if (member.state === 'used') member.state = 'left';
      }
  }

  function putBack(member: Member, isLost: boolean): void {
    if (!members.has(member.client) || member.state === 'abandoned') return;
    if (isLost || ended || member.state === 'left' || performance.now() > member.expires) {
      finish(member, isLost);
      return;
    }
    const next = nextWaiting();
    if (next) next.resolve(member.client);
    else {
      member.state = 'idle';
      member.idleSince = performance.now();
      idle.push(member);
    }
  }

  /** Whoever waits gets what has become free. */
  function serve(): void {
    if (taken === 0) ended?.();
    if (taken >= most - 1) return;
    const next = nextWaiting();
    if (next)
      join().then(({ client }) => {
        next.resolve(client);
      }, next.reject);
  }

  function wait(): Promise<PoolClient> {
    if (waiting.length >= MAX_WAITING) return Promise.reject(overload());
    const place = Promise.withResolvers<PoolClient>();
    const late = setTimeout(() => {
      remove(waiting, one);
      place.reject(
        new StoreUnavailable(`no connection of the pool has become free within ${WAIT_TIMEOUT} ms`),
      );
    }, WAIT_TIMEOUT);
    const one = { ...place, late };
    waiting.push(one);
    return place.promise;
  }

  function nextWaiting(): Waiting | undefined {
    const next = waiting.shift();
    clearTimeout(next?.late);
    return next;
  }

  function look(): void {
    const now = performance.now();
    for (const member of [...idle])
      if (now > member.expires || now - member.idleSince > MAX_IDLE) finish(member);
    if (abandoned > 0 && !isWatching) {
      isWatching = true;
      void watch().finally(() => (isWatching = false));
    }
  }

  /** Ends abandoned connections whose backends have ended: a network that is cut hides that. */
  async function watch(): Promise<void> {
    const among = [...members.values()].filter(
      ({ state, backend }) => state === 'abandoned' && backend !== undefined,
    );
    if (among.length === 0) return;
    try {
      const observer = await join();
      try {
        const { rows } = await observer.client.query<{ pid: bigint }>(
          'SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)',
          [among.map(({ backend }) => backend)],
        );
        const running = new Set(rows.map(({ pid }) => Number(pid)));
        for (const member of among) if (!running.has(member.backend ?? 0)) member.destroy();
      } finally {
        finish(observer);
      }
    } catch {
      // Nobody knows; the next look may.
    }
  }

  return {
    async connect() {
      const now = performance.now();
      for (let member = idle.pop(); member; member = idle.pop()) {
        if (member.expires > now) {
          member.state = 'used';
          return member.client;
        }
        finish(member);
      }
      return taken < most - 1 ? (await join()).client : wait();
    },
    places: most - 1,
    get abandoned() {
      return abandoned;
    },
    isAbandoned: (client) => members.get(client)?.state === 'abandoned',
    failed(client, error) {
      const member = members.get(client);
      if (!member || member.state === 'abandoned') return;
      if (isUnanswered(error)) abandon(member);
      else if (codeOf(error) === STANDBY) leave(member.server);
    },
    end: (patience = 0) =>
      new Promise((resolve) => {
        const late = setTimeout(() => {
          for (const { state, destroy } of members.values()) if (state === 'abandoned') destroy();
        }, patience);
        ended = () => {
          clearInterval(timer);
          clearTimeout(late);
          resolve();
        };
        for (const member of members.values())
          if (member.state === 'idle') finish(member);
          else if (member.state !== 'abandoned') member.destroy();
        serve();
      }),
  };
}

/** What the driver says when a statement has got no answer in time. */
const NO_ANSWER = 'Query read timeout';

const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && (error.message === NO_ANSWER || isUnanswered(error.cause));

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}
