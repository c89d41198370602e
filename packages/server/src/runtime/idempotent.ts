/** Handlers that may be retried: the answer to a request with an Idempotency-Key is stored in the transaction of its writes. */
import { hash } from 'node:crypto';
import {
  ConstraintViolation,
  createTable,
  type Database,
  deleteFrom,
  insertInto,
  INTEGER,
  JSON_VALUE,
  only,
  select,
  sql,
  table,
  TEXT,
  TRY_LOCK,
  within,
} from 'contract-first-database';
import { type Answer, type KeyedRequest, Problem, withKey } from '../contract';
import { isObject, parseJson, stringifyJson } from '../contract/tools';
import type { OperationalKind } from './errors';
import { networkOf } from './limits/rate-limit';

/** Its body is JSON text, in which all numbers are as they were written, or one integer. */
interface StoredAnswer extends Answer {
  readonly body?: string | bigint | undefined;
}

const keys = table('idempotency_keys', {
  /** A digest of client, operation and key. */
  id: TEXT.primaryKey(),
  /** A digest of the principals; of an anonymous client, that of its network. */
  client: TEXT,
  fingerprint: TEXT,
  answer: JSON_VALUE.as<StoredAnswer>(),
  /** Milliseconds since 1970. */
  expires: INTEGER,
});

/** The statements of the migration that creates the table: `['idempotency keys', ...IDEMPOTENCY_KEYS]`. */
export const IDEMPOTENCY_KEYS = [
  createTable(keys),
  sql`CREATE INDEX IF NOT EXISTS idempotency_keys_client ON ${keys} (client)`,
  sql`CREATE INDEX IF NOT EXISTS idempotency_keys_expires ON ${keys} (expires)`,
] as const;

/** Executes a request at most once. `Store` is the store as its transaction sees it. */
export type Once<Store> = (request: KeyedRequest, work: (store: Store) => Promise<Answer>) => Promise<Answer>;

/**
 * Creates a handler that answers a retry as it answered the first request. If the request has an Idempotency-Key, `handle` runs
 * in a transaction and awaits nothing but the store that it is given. If its status is below 500, the transaction commits what
 * it has written together with the answer; otherwise, or if it throws, nothing has happened.
 *
 *     addPainting = ({ store }) => idempotent(store, async ({ body }, store) => { ... })
 */
export const idempotent = <Store, Request extends object, Response extends Answer>(
  store: Store & { readonly once: Once<Store> },
  handle: (request: Request, store: Store) => Promise<Response>,
): ((request: Request) => Promise<Response>) =>
  withKey(async (request, keyed) =>
    keyed
      ? ((await store.once(keyed, (inner) => handle(request, inner))) as Response)
      : handle(request, store),
  );

/** Keys of one client. */
const MAX_KEYS = 100_000;
/** Milliseconds between two deletions of expired keys, and for which the number of a client's keys is remembered. */
const SWEEP = 60_000;
/** Keys that a statement deletes, and clients whose numbers are remembered. */
const SWEPT = 1000;

/** An answer that is not stored. Thrown, so that the transaction rolls back. */
class Unstored extends Error {
  constructor(readonly answer: Answer) {
    super();
  }
}

/**
 * @param storeIn creates the store over a database: over the one of a transaction, too
 * @param ttl the milliseconds for which answers are kept
 */
export function onceIn<Store>(
  database: Database,
  storeIn: (database: Database) => Store,
  ttl: number,
  most = MAX_KEYS,
): Once<Store> {
  const running = new Set<string>();
  let counts = new Map<string, number>();
  let sweeping: Promise<unknown> | undefined;
  let next = 0;

  /** Counted outside the transaction, in which requests of one client would collide: so the bound is not exact. */
  async function countOf(client: string): Promise<number> {
    const known = counts.get(client);
    if (known !== undefined) return known;
    const some = select({ count: INTEGER.from(sql`count(*)`) })`
      FROM (SELECT 1 FROM ${keys} WHERE ${keys.client} = ${client} LIMIT ${most}) AS counted`;
    const { count } = only(await database.query(some));
    if (counts.size < SWEPT) counts.set(client, count);
    return count;
  }

  async function sweep(): Promise<void> {
    const expired = sql`${keys.expires} <= ${Date.now()}`;
    const some = sql`SELECT ${keys.id} FROM ${keys} WHERE ${expired} LIMIT ${SWEPT}`;
    // The first condition is for a key that has been used again meanwhile.
    while (
      (await database.execute(deleteFrom(keys)`WHERE ${expired} AND ${keys.id} IN (${some})`)) === SWEPT
    );
  }

  return async (request, work) => {
    const { fingerprint, assertDocumented } = request;
    const { id, client } = namesOf(request);
    if (running.has(id)) throw inUse();
    running.add(id);
    /** Of the last attempt. */
    let answer: Answer | undefined;

    const repeated = async (inner: Database): Promise<Answer | undefined> => {
      const [{ locked } = {}] = await inner.query(
        sql<{ locked: bigint }>`SELECT ${TRY_LOCK}(${lockOf(id)}) AS locked`,
      );
      if (locked === 0n) throw inUse();
      const [known] = await inner.query(
        select(keys)`WHERE ${keys.id} = ${id} AND ${keys.expires} > ${Date.now()}`,
      );
      if (known && known.fingerprint !== fingerprint)
        throw new Problem('keyReused', 'the Idempotency-Key belongs to a request with other values');
      return known && restored(known.answer);
    };
    const keep = async (inner: Database, given: Answer) => {
      await inner.execute(
        insertInto(keys, { id, client, fingerprint, answer: stored(given), expires: Date.now() + ttl })`
          ON CONFLICT (id) DO UPDATE SET client = excluded.client, fingerprint = excluded.fingerprint,
            answer = excluded.answer, expires = excluded.expires`,
      );
      if (counts.has(client)) counts.set(client, (counts.get(client) ?? 0) + 1);
    };

    try {
      const isFull = (await countOf(client)) >= most;
      return await database.transaction(async (queries) => {
        const inner = within(database, queries);
        answer = undefined;
        const known = await repeated(inner);
        if (known) return known;
        if (isFull) throw tooMany(most, ttl);
        const given = await work(storeIn(inner));
        assertDocumented(given);
        if (given.status >= 500) throw new Unstored(given);
        answer = given;
        await keep(inner, given);
        return given;
      });
    } catch (error) {
      if (error instanceof Unstored) return error.answer;
      const rejection = answer;
      // A row broke a rule, and the handler has answered that. The transaction is over, and has written nothing.
      if (!(error instanceof ConstraintViolation) || !rejection || rejection.status < 400) throw error;
      return await database.transaction(async (queries) => {
        const inner = within(database, queries);
        const known = await repeated(inner);
        if (!known) await keep(inner, rejection);
        return known ?? rejection;
      });
    } finally {
      running.delete(id);
      if (Date.now() >= next) {
        next = Date.now() + SWEEP;
        counts = new Map();
        sweeping ??= sweep()
          .catch(() => undefined) // the next one may succeed
          .finally(() => (sweeping = undefined));
      }
    }
  };
}

const inUse = () =>
  new Problem('keyInUse', 'a request with this Idempotency-Key is in progress: try again later');

const tooMany = (most: number, ttl: number) =>
  new Problem<OperationalKind>(
    'rateLimited',
    `expected at most ${most} requests with an Idempotency-Key within ${ttl / 1000} seconds, got more`,
    { 'Retry-After': String(SWEEP / 1000) },
  );

const digest = (...parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** The number of a lock; never 0. */
const lockOf = (id: string): bigint => Buffer.from(id, 'base64url').readBigInt64LE() | 1n;

/**
 * @throws {TypeError} if a principal has no id: its keys could not be told from those of others
 */
function namesOf({ principals, operationId, key, remoteAddress }: KeyedRequest) {
  const names = Object.entries(principals).map(([scheme, principal]) => {
    const id = isObject(principal) ? principal['id'] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint')
      throw new TypeError(`idempotent(): expected a principal with an id from the verifier of ${scheme}`);
    return [scheme, typeof id, String(id)];
  });
  const client = names.length > 0 ? digest(names) : digest('anonymous', networkOf(remoteAddress));
  return { id: digest(names, operationId, key), client };
}

const stored = ({ status, headers, contentType, body }: Answer): StoredAnswer => ({
  status,
  headers,
  contentType,
  body: body === undefined || typeof body === 'bigint' ? body : stringifyJson(body),
});

function restored({ body, ...rest }: StoredAnswer): Answer {
  const answer: Answer & Record<string, unknown> = { ...rest, body };
  if (typeof body === 'string') parseJson(body, answer, 'body');
  return answer;
}
