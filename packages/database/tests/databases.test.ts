import { type Kysely, ParseJSONResultsPlugin, sql as raw } from 'kysely';
import { copyFileSync, renameSync } from 'node:fs';
import {
  BYTES,
  ConstraintViolation,
  createTable,
  type Database,
  DOUBLE,
  IDENTITY,
  INT64,
  openDatabase,
  type PerDialect,
  type Queries,
  rows,
  type Schema,
  sql,
  StoreUnavailable,
  TEXT,
  TRY_LOCK,
  within,
} from 'contract-first-database';
import { EDGE_IDS, STRANGE_STRINGS } from '../../../scripts/testing/strange-values';
import { kysely } from 'contract-first-database/kysely';
import { useDatabases } from '../../../scripts/testing/databases';
import { byProgram } from '../../../scripts/testing/sqlite-file';

jest.setTimeout(60_000);

const DATABASES = useDatabases();

interface Tables {
  books: typeof BOOK;
}

const BOOK = { isbn: '9780140449136', title: 'The Odyssey', weight: 0.4 };

/** Resolves once it has been called so many times. */
function createBarrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return async () => {
    if (--count === 0) resolve(undefined);
    await promise;
  };
}

const SCHEMA: Schema = {
  name: 'shelf',
  mark: 'Shlf',
  migrations: [
    [
      'books',
      createTable('books', sql`isbn ${TEXT} PRIMARY KEY, title ${TEXT} NOT NULL, weight ${DOUBLE} NOT NULL`),
    ],
  ],
  probe: sql`INSERT INTO books (isbn) SELECT isbn FROM books WHERE 1 = 0`,
};

describe.each(DATABASES)('$kind', ({ kind, shared, locate }) => {
  let url: string;
  let database: Database;
  beforeEach(async () => {
    url = await locate();
    database = await openDatabase(url, SCHEMA);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await database.close();
  });

  const addBook = sql`INSERT INTO books (isbn, title, weight) VALUES (${BOOK.isbn}, ${BOOK.title}, ${BOOK.weight})`;
  const countBooks = sql<{ count: bigint }>`SELECT count(*) AS count FROM books`;
  const count = async (of = database) => (await of.query(countBooks))[0]?.count;

  test('holds every value exactly, as a parameter and as a row', async () => {
    await database.query(
      createTable('held', sql`id ${INT64} PRIMARY KEY, text ${TEXT}, number ${DOUBLE}, bytes ${BYTES}`),
    );
    const bytes = [new Uint8Array(0), Uint8Array.from([0, 1, 92, 255]), null];
    const numbers = [0, 0.1, -1.5, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, Infinity, null];
    const held = [...EDGE_IDS].map((id, i) => ({
      id,
      text: STRANGE_STRINGS[i % STRANGE_STRINGS.length] ?? null,
      number: numbers[i % numbers.length] ?? null,
      bytes: bytes[i % bytes.length] ?? null,
    }));
    const [first, ...others] = held;
    if (!first) throw new Error('expected values');
    await database.query(
      sql`INSERT INTO held (id, text, number, bytes) VALUES (${first.id}, ${first.text}, ${first.number}, ${first.bytes})`,
    );
    const columns = { id: INT64, text: TEXT, number: DOUBLE, bytes: BYTES };
    await database.query(
      sql`INSERT INTO held (id, text, number, bytes) SELECT id, text, number, bytes FROM ${rows('batch', columns, others)}`,
    );
    const read = await database.query(
      sql<(typeof held)[number]>`SELECT id, text, number, bytes FROM held ORDER BY id`,
    );
    const plain = (all: typeof held) => all.map((row) => ({ ...row, bytes: row.bytes && [...row.bytes] }));
    expect(plain(read)).toEqual(plain(held.sort((a, b) => (a.id < b.id ? -1 : 1))));
    expect(() => sql`SELECT ${NaN}`).toThrow('got NaN');
  });

  test('returns integers, sums and truth values alike', async () => {
    await database.query(addBook);
    const numbers = sql`SELECT count(*) AS n, sum(length(isbn)) AS s, avg(length(isbn)) AS a, weight < 1 AS t FROM books GROUP BY weight`;
    await expect(database.query(numbers)).resolves.toEqual([{ n: 1n, s: 13n, a: 13, t: 1n }]);
  });

  test('counts keys from 1 on, and gives none twice', async () => {
    await database.query(createTable('counted', sql`id ${IDENTITY}, name ${TEXT}`));
    const add = sql`INSERT INTO counted (name) VALUES (${'any'}) RETURNING id`;
    await expect(database.query(add)).resolves.toEqual([{ id: 1n }]);
    await database.query(sql`DELETE FROM counted`);
    await expect(database.query(add)).resolves.toEqual([{ id: 2n }]);
  });

  const ofSql = ({ query }: Queries) => ({
    add: () => query(addBook),
    addWeight: async () => {
      const [book] = await query(sql<{ weight: number }>`SELECT weight FROM books`);
      return () => query(sql`UPDATE books SET weight = ${(book?.weight ?? 0) + 1}`);
    },
    pid: async () => (await query(sql<{ pid: bigint }>`SELECT pg_backend_pid() AS pid`))[0]?.pid ?? 0n,
  });
  const ofKysely = (db: Kysely<Tables>) => ({
    add: () => db.insertInto('books').values(BOOK).execute(),
    addWeight: async () => {
      const { weight } = await db.selectFrom('books').select('weight').executeTakeFirstOrThrow();
      return () =>
        db
          .updateTable('books')
          .set({ weight: weight + 1 })
          .execute();
    },
    pid: async () => {
      const { rows: backends } = await raw<{ pid: bigint }>`SELECT pg_backend_pid() AS pid`.execute(db);
      return backends[0]?.pid ?? 0n;
    },
  });
  type Work<T> = (books: ReturnType<typeof ofSql | typeof ofKysely>) => Promise<T>;
  const byKysely = () => kysely<Tables>(database);

  describe.each([
    ['transaction()', <T>(work: Work<T>) => database.transaction((queries) => work(ofSql(queries)))],
    [
      'Kysely in transaction()',
      <T>(work: Work<T>) => database.transaction((queries) => work(ofKysely(kysely<Tables>(queries)))),
    ],
    [
      'transaction() of Kysely',
      <T>(work: Work<T>) =>
        byKysely()
          .transaction()
          .execute((trx) => work(ofKysely(trx))),
    ],
    [
      'transaction() of a Kysely with plugins',
      <T>(work: Work<T>) =>
        byKysely()
          .withPlugin(new ParseJSONResultsPlugin())
          .transaction()
          .setIsolationLevel('serializable')
          .execute((trx) => work(ofKysely(trx))),
    ],
  ])('%s', (_, transact) => {
    test.each([new Error('the work has changed its mind'), undefined, null, 'text'])(
      'leaves nothing if its work throws %p',
      async (reason) => {
        const work = transact(async ({ add }) => {
          await add();
          throw reason as Error;
        });
        await expect(work).rejects.toBe(reason);
        await expect(count()).resolves.toBe(0n);
      },
    );

    test('fails once a statement has failed, whatever its work makes of it', async () => {
      const work = transact(async ({ add, addWeight }) => {
        await add();
        await add().catch(() => undefined);
        await addWeight().catch(() => undefined);
        return 'done';
      });
      await expect(work).rejects.toThrow(ConstraintViolation);
      await expect(count()).resolves.toBe(0n);
    });

    test('takes no statement after its end', async () => {
      const late = await transact((given) => Promise.resolve(given));
      await expect(late.add()).rejects.toThrow(/committed|ended/);
      await expect(count()).resolves.toBe(0n);
    });

    test('loses no update of two that read the same row, because it is repeated', async () => {
      await database.query(addBook);
      let attempts = 0;
      const bothHaveRead = createBarrier(2);
      const increment = () =>
        transact(async ({ addWeight }) => {
          const write = await addWeight();
          // On PostgreSQL the first two read before either writes. Elsewhere one transaction waits for another.
          if (++attempts <= 2 && kind === 'PostgreSQL') await bothHaveRead();
          await write();
        });
      await Promise.all(Array.from({ length: 6 }, increment));
      await expect(database.query(sql`SELECT weight FROM books`)).resolves.toEqual([
        { weight: expect.closeTo(BOOK.weight + 6) as number },
      ]);
      if (kind === 'PostgreSQL') expect(attempts).toBeGreaterThan(6);
    });

    test('is ended before the database closes', async () => {
      const begun = Promise.withResolvers<undefined>();
      const finish = Promise.withResolvers<undefined>();
      const work = transact(async ({ add }) => {
        begun.resolve(undefined);
        await finish.promise;
        await add();
        return 'done';
      });
      await begun.promise;
      const closed = database.close();
      await new Promise(setImmediate);
      await expect(database.query(countBooks)).rejects.toThrow(StoreUnavailable);
      await expect(database.ready()).rejects.toThrow('the store is closed');
      finish.resolve(undefined);
      await expect(work).resolves.toBe('done');
      await closed;
    });

    if (kind === 'PostgreSQL')
      test('begins again when it has lost its connection', async () => {
        let attempts = 0;
        await transact(async ({ add, pid }) => {
          const backend = await pid();
          await add();
          if (++attempts === 1)
            await database.query(sql`SELECT pg_terminate_backend(CAST(${backend} AS int))`);
          await pid();
        });
        await expect(count()).resolves.toBe(1n);
        expect(attempts).toBe(2);
      });
  });

  test('a store over the database of a transaction is part of the transaction', async () => {
    const storeOver = (own: Database) => ({
      add: own.batched(
        async (titles: readonly string[]) => {
          for (const title of titles) await own.execute(insert(title));
          return titles;
        },
        (title) => title.length,
      ),
      addTwice: (title: string) =>
        own.transaction(async ({ execute }) => {
          await execute(insert(`${title} 1`));
          await execute(insert(`${title} 2`));
        }),
    });
    const insert = (title: string) =>
      sql`INSERT INTO books (isbn, title, weight) VALUES (${title}, ${title}, 1)`;
    const add = (end: () => void) =>
      database.transaction(async (queries) => {
        const batched = () => {
          throw new Error('a batch of the transaction is not one of the database, which would keep it');
        };
        const store = storeOver(within({ ...database, batched }, queries));
        expect(await store.add('batched')).toBe('batched');
        await store.addTwice('nested');
        end();
      });
    const failing = add(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count()).toBe(0n);
    await add(() => undefined);
    expect(await count()).toBe(3n);
  });

  test('a lock is that of one transaction until its end', async () => {
    const lock = ({ query }: Queries) =>
      query<{ locked: bigint }>(sql`SELECT ${TRY_LOCK}(${-7n}) AS locked`).then(
        ([row]) => row?.locked !== 0n,
      );
    let other: Promise<boolean> | undefined;
    const own = await database.transaction(async (queries) => {
      const first = await lock(queries);
      other = database.transaction(lock);
      if (kind === 'PostgreSQL') expect(await other).toBe(false);
      return first && (await lock(queries));
    });
    expect(own).toBe(true);
    // An engine of one writer lets the other transaction wait.
    expect(await other).toBe(kind !== 'PostgreSQL');
    expect(await database.transaction(lock)).toBe(true);
  });

  test('nobody sees what is not committed', async () => {
    let seen: Promise<unknown> | undefined;
    const added = database.transaction(async ({ query }) => {
      await query(addBook);
      seen = count();
      if (shared) expect(await seen).toBe(0n);
    });
    await added;
    expect(await seen).toBe(shared ? 0n : 1n);
  });

  test('work that does not end is given up, and the next has its turn', async () => {
    const { setTimeout } = globalThis;
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((action, delay) => setTimeout(action, delay === 4000 ? 50 : delay));
    const endless = database.transaction(async ({ query }) => {
      await query(addBook);
      await new Promise(() => undefined);
    });
    await expect(endless).rejects.toThrow('a transaction did not finish within 4000 ms');
    await expect(database.transaction(({ query }) => query(countBooks))).resolves.toEqual([{ count: 0n }]);
  });

  test('a statement for the connection is refused', () => {
    for (const text of ['BEGIN', ' commit', 'ROLLBACK', 'PRAGMA user_version'])
      expect(() => sql(Object.assign([text], { raw: [text] }))).toThrow(
        'expected a statement for one transaction',
      );
    expect(() => sql`SELECT isbn FROM books LIMIT -1`).toThrow('got a negative one');
  });

  test('text that a store writes for each engine itself is taken where it names the engine, or refused', async () => {
    const table: PerDialect = { kind: 'dialect', sqlite: 'books', postgres: 'books' };
    const read = database.query(sql`SELECT isbn FROM ${table}`);
    if (kind === 'a third engine')
      await expect(read).rejects.toThrow('expected text for third, got it for sqlite and postgres');
    else await expect(read).resolves.toEqual([]);
    const day = { kind: 'dialect', sqlite: 'TEXT', postgres: 'date', array: 'date[]' } as const;
    const days = rows('days', { day }, [{ day: '2026-11-22' }, { day: '2026-11-23' }]);
    await expect(
      database.query(sql`SELECT count(*) AS n, count(DISTINCT day) AS d FROM ${days}`),
    ).resolves.toEqual([{ n: 2n, d: 2n }]);
  });

  if (!shared) return;

  test('of programs that migrate at once each finds the whole schema', async () => {
    const at = await locate();
    const opened = await Promise.all(Array.from({ length: 4 }, () => openDatabase(at, SCHEMA)));
    for (const one of opened) await expect(one.ready()).resolves.toBeUndefined();
    await Promise.all(opened.map((one) => one.close()));
  });

  if (kind === 'SQLite') {
    test('nothing is read of a file that has been moved', async () => {
      await database.query(addBook);
      const file = url.replace('sqlite:', '');
      renameSync(file, `${file}.moved`);
      await expect(count()).rejects.toThrow('it has been deleted or moved: put it back');
      renameSync(`${file}.moved`, file);
      await expect(count()).resolves.toBe(1n);
    });
    test('nothing is acknowledged in a file over which an older copy has been written', async () => {
      const file = url.replace('sqlite:', '');
      const checkpoint = () => {
        byProgram(file, (db) => {
          db.exec('PRAGMA wal_checkpoint(PASSIVE)');
        });
      };
      const columns = { isbn: TEXT, title: TEXT, weight: DOUBLE };
      const addBooks = async (title: string) => {
        const books = Array.from({ length: 500 }, (_, i) => ({
          isbn: `${title} ${i}`,
          title: title.repeat(100),
          weight: 1,
        }));
        await database.query(sql`INSERT INTO books (isbn, title, weight)
          SELECT isbn, title, weight FROM ${rows('batch', columns, books)} ORDER BY isbn`);
      };
      await database.query(createTable('notes', sql`id ${IDENTITY}, text ${TEXT}`));
      await addBooks('old');
      checkpoint();
      copyFileSync(file, `${file}.copy`);
      await database.query(sql`DELETE FROM books`);
      await addBooks('new');
      checkpoint();
      copyFileSync(`${file}.copy`, file);
      // A commit to another table, of which the copy holds as much.
      const noted = database.query(sql`INSERT INTO notes (text) VALUES (${'any'})`);
      await expect(noted).rejects.toThrow(/lost rows|damaged/);
    });
    return;
  }

  if (kind !== 'PostgreSQL') return;

  test('seven transactions run at once, and no more: the eighth connection is for the watch', async () => {
    let running = 0;
    let most = 0;
    const meet = createBarrier(7);
    const work = () =>
      database.transaction(async ({ query }) => {
        most = Math.max(most, ++running);
        await query(countBooks);
        await meet();
        running--;
      });
    await Promise.all(Array.from({ length: 20 }, work));
    expect(most).toBe(7);
  });

  test('a connection that the server has ended is not used again', async () => {
    for (let i = 0; i < 20; i++) {
      const ended = database.query(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
      await expect(ended).rejects.toThrow(StoreUnavailable);
      await expect(count()).resolves.toBe(0n);
    }
  });
});
