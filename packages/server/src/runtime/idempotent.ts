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
  type RowOf,
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
import type { Variables } from './config';
import { networkOf } from './limits/network';

const keys = table('idempotency_keys', {
  /** A digest of client, operation and key. */
  id: TEXT.primaryKey(),
  /** A digest of the principals; of an anonymous client, that of its network. */
  client: TEXT,
  fingerprint: TEXT,
  /** The answer without its body. */
  head: JSON_VALUE.as<Omit<Answer, 'body'>>(),
  /** JSON text, in which all numbers are as they were written, or one integer. */
  body: JSON_VALUE.as<string | bigint>().nullable(),
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

/** Keys of one client, and clients of which a process knows how many keys they may add. */
const [MAX_KEYS, MAX_CLIENTS] = [100_000, 10_000];
/** Milliseconds between two deletions of expired keys, and the keys that one statement deletes. */
const [SWEEP, SWEPT] = [60_000, 1000];

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
  /** Of the clients of the last minute, how many requests need not be counted, because each adds at most one key. */
  const allowances = new Map<string, number>();
  let next = 0;

  /** To count reads every key of the client, so it is done the less often, the more keys are left. */
  async function isFull(client: string): Promise<boolean> {
    const allowance = allowances.get(client) ?? 0;
    if (allowance > 0) {
      allowances.set(client, allowance - 1);
      return false;
    }
    const counted = select({ count: INTEGER.from(sql`count(*)`) })`
      FROM (SELECT 1 FROM ${keys} WHERE ${keys.client} = ${client} LIMIT ${most}) AS counted`;
    const left = most - only(await database.query(counted)).count;
    if (allowances.size >= MAX_CLIENTS) allowances.clear();
    allowances.set(client, Math.floor(left / 10));
    return left <= 0;
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
    const inUse = () =>
      new Problem('keyInUse', 'a request with this Idempotency-Key is in progress: try again later');
    if (running.has(id)) throw inUse();
    running.add(id);

    /** The answer that is stored, or what is answered now and then stored. */
    const repeat = (answerIn: (inner: Database) => Promise<Answer>): Promise<Answer> =>
      database.transaction(async (queries) => {
        const inner = within(database, queries);
        const locking = sql<{ locked: bigint }>`SELECT ${TRY_LOCK}(${lockOf(id)}) AS locked`;
        if (only(await inner.query(locking)).locked === 0n) throw inUse();
        const [known] = await inner.query(
          select(keys)`WHERE ${keys.id} = ${id} AND ${keys.expires} > ${Date.now()}`,
        );
        if (known && known.fingerprint !== fingerprint)
          throw new Problem('keyReused', 'the Idempotency-Key belongs to a request with other values');
        if (known) return restored(known);
        const answer = await answerIn(inner);
        const row = { id, client, fingerprint, ...stored(answer), expires: Date.now() + ttl };
        await inner.execute(
          insertInto(keys, row)`ON CONFLICT (id) DO UPDATE SET client = excluded.client, head = excluded.head,
            fingerprint = excluded.fingerprint, body = excluded.body, expires = excluded.expires`,
        );
        return answer;
      });

    /** Of the last attempt. */
    let answer: Answer | undefined;
    try {
      // Outside the transaction, in which requests of one client would collide: so the bound is not exact.
      const isOver = await isFull(client);
      return await repeat(async (inner) => {
        answer = undefined;
        if (isOver) throw tooMany(most, ttl);
        const given = await work(storeIn(inner));
        assertDocumented(given);
        if (given.status >= 500) throw new Unstored(given);
        return (answer = given);
      });
    } catch (error) {
      if (error instanceof Unstored) return error.answer;
      const rejection = answer;
      // A row broke a rule, and the handler has answered that. The transaction is over, and has written nothing.
      if (!(error instanceof ConstraintViolation) || !rejection || rejection.status < 400) throw error;
      return await repeat(() => Promise.resolve(rejection));
    } finally {
      running.delete(id);
      if (Date.now() >= next) {
        next = Date.now() + SWEEP;
        allowances.clear();
        void sweep().catch(() => undefined); // the next one may succeed
      }
    }
  };
}

const tooMany = (most: number, ttl: number) =>
  new Problem<OperationalKind>(
    'rateLimited',
    `expected at most ${most} requests with an Idempotency-Key within ${ttl / 1000} seconds, got more`,
    { 'Retry-After': '60' },
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

function stored({ body, ...head }: Answer) {
  if (body === undefined) return { head, body: null };
  return { head, body: typeof body === 'bigint' ? body : stringifyJson(body) };
}

function restored({ head, body }: RowOf<typeof keys>): Answer {
  const answer: Answer & Record<string, unknown> = { ...head, ...(typeof body === 'bigint' && { body }) };
  if (typeof body === 'string') parseJson(body, answer, 'body');
  return answer;
}

/** Milliseconds. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const [SHORTEST, DEFAULT, LONGEST] = [1000, 86_400_000, 30 * 86_400_000];

/** Reads IDEMPOTENCY_TTL, the time for which answers to requests with an Idempotency-Key are kept. @returns milliseconds */
export function readIdempotencyTtl(variables: Variables): number {
  const text = variables.read('IDEMPOTENCY_TTL') || '24h';
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS.get(unit) ?? 0);
  if (milliseconds >= SHORTEST && milliseconds <= LONGEST) return milliseconds;
  variables.expected('IDEMPOTENCY_TTL', 'a time like 90s, 15m, 24h or 7d, at most 30d');
  return DEFAULT;
}
