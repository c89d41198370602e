import { CompiledQuery, type Generated, type Kysely, Migrator, sql as raw } from 'kysely';
import {
  BYTES,
  ConstraintViolation,
  createTable,
  type Database,
  DOUBLE,
  IDENTITY,
  INT64,
  InvalidValue,
  openDatabase,
  type Schema,
  sql,
  StatementError,
  StoreUnavailable,
  TEXT,
} from 'contract-first-database';
import { kysely } from 'contract-first-database/kysely';
import { useDatabases } from '../../../scripts/testing/databases';

// databases.test.ts has its transactions, beside those without Kysely.

const DATABASES = useDatabases();

interface Item {
  readonly id: Generated<bigint>;
  readonly text: string | null;
  readonly number: number | null;
  readonly bytes: Uint8Array | null;
}

interface Tables {
  items: Item;
  tags: { item: bigint; order: string; from: bigint | null };
}

const SCHEMA: Schema = {
  name: 'kysely',
  mark: 'Kyse',
  migrations: [
    [
      'items and their tags',
      createTable(
        'items',
        sql`id ${IDENTITY}, text ${TEXT} UNIQUE, number ${DOUBLE} DEFAULT 7, bytes ${BYTES}`,
      ),
      createTable(
        'tags',
        sql`item ${INT64} NOT NULL REFERENCES items, "order" ${TEXT} NOT NULL, "from" ${INT64}`,
      ),
    ],
  ],
  probe: sql`INSERT INTO items (id) SELECT id FROM items WHERE 1 = 0`,
};

describe.each(DATABASES)('Kysely over $kind', ({ kind, locate }) => {
  let database: Database;
  let db: Kysely<Tables>;
  beforeEach(async () => {
    database = await openDatabase(await locate(), SCHEMA);
    db = kysely<Tables>(database);
  });
  afterEach(() => database.close());

  const texts = async () =>
    (await db.selectFrom('items').select('text').orderBy('id').execute()).map(({ text }) => text);
  const insert = (text: string, on: Kysely<Tables> = db) => on.insertInto('items').values({ text });

  test('counts what it writes, and names what it makes', async () => {
    await expect(insert('a').execute()).resolves.toMatchObject([
      { numInsertedOrUpdatedRows: 1n, insertId: undefined },
    ]);
    await expect(insert('b').returning('id').executeTakeFirst()).resolves.toEqual({ id: 2n });
    const again = insert('b').onConflict((conflict) => conflict.doNothing());
    await expect(again.executeTakeFirst()).resolves.toMatchObject({ numInsertedOrUpdatedRows: 0n });
    const all = await db.updateTable('items').set({ number: null, text: undefined }).execute();
    expect(all).toMatchObject([{ numUpdatedRows: 2n }]);
    await expect(texts()).resolves.toEqual(['a', 'b']);
    await expect(db.deleteFrom('items').where('id', 'in', [2n, 3n]).execute()).resolves.toMatchObject([
      { numDeletedRows: 1n },
    ]);
    const counted = await db
      .selectFrom('items')
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .execute();
    expect(counted).toEqual([{ count: 1n }]);
  });

  test('joins, names that are key words, and text of its own', async () => {
    const { id } = await insert('a').returning('id').executeTakeFirstOrThrow();
    await db.insertInto('tags').values({ item: id, order: 'x"y', from: null }).execute();
    const joined = db
      .selectFrom('items')
      .innerJoin('tags', 'tags.item', 'items.id')
      .select(['text', 'tags.order']);
    await expect(joined.where('order', '=', 'x"y').execute()).resolves.toEqual([{ text: 'a', order: 'x"y' }]);
    await expect(
      raw<{ n: bigint }>`SELECT id + ${1n} AS n FROM ${raw.table('items')}`.execute(db),
    ).resolves.toMatchObject({
      rows: [{ n: 2n }],
    });
  });

  const beyond = [-(2n ** 63n) - 1n, 2n ** 63n, 10n ** 30n, 1e300, 0.5];
  if (kind !== 'a third engine')
    // it does not know what its errors mean
    test.each(beyond)('no id is %p', async (id) => {
      await insert('a').execute();
      const items = db.selectFrom('items').select('text');
      const sought = id as bigint;
      for (const query of [
        items.where('id', '=', sought),
        items.where('id', 'in', [sought]),
        db.selectFrom('tags').select('order').where('from', '=', sought),
        items.innerJoin('tags', (join) => join.on('tags.item', '=', sought)),
      ])
        await expect(query.execute()).resolves.toEqual([]);
      await expect(db.insertInto('items').values({ id: sought, text: null }).execute()).rejects.toThrow(
        InvalidValue,
      );
      await expect(
        items
          .limit(2n ** 70n)
          .offset(10n ** 30n)
          .execute(),
      ).resolves.toEqual([]);
    });

  test.each([
    ['a Date', new Date(0), 'got Date'],
    ['an array', [['a']], 'got Array'],
    ['an object', { a: 1 }, 'got Object'],
    ['a statement that came as JSON', { kind: 'sql', strings: ["'a' OR 1 = 1"], parts: [] }, 'got Object'],
    ['undefined', undefined, 'got undefined'],
    ['a symbol', Symbol('a'), 'got symbol'],
    ['NaN', NaN, 'got NaN'],
    ['half of a surrogate pair', '\ud83c', 'half of a surrogate pair'],
  ])('%s is no parameter', async (_, value, message) => {
    const query = db
      .selectFrom('items')
      .selectAll()
      .where('text', '=', value as never);
    await expect(query.execute()).rejects.toThrow(message);
  });

  test('a parameter for each of 32,766 values, and no more', async () => {
    const sought = (count: number) =>
      db
        .selectFrom('items')
        .select('text')
        .where(
          'id',
          'in',
          Array.from({ length: count }, (_, i) => BigInt(i)),
        )
        .execute();
    await expect(sought(32_766)).resolves.toEqual([]);
    for (const count of [32_767, 65_536, 70_000])
      await expect(sought(count)).rejects.toThrow(
        `expected at most 32766 values in a statement, got ${count}`,
      );
  });

  test.each([
    [
      'two statements that ask for one connection',
      () =>
        db
          .connection()
          .execute(async (one) => [
            await one.selectFrom('items').selectAll().execute(),
            await insert('b', one).execute(),
          ]),
      'expected transaction() for several statements, got connection()',
    ],
    [
      'a transaction without work',
      () => db.startTransaction().execute(),
      'expected transaction().execute(work) of the database, which can be repeated',
    ],
    [
      'a transaction in another',
      () => db.transaction().execute((trx) => trx.startTransaction().execute()),
      'expected transaction().execute(work) of the database',
    ],
    [
      'a transaction in that of the database',
      () => database.transaction((queries) => kysely(queries).startTransaction().execute()),
      'expected transaction().execute(work) of the database',
    ],
    [
      'less isolation',
      () =>
        db
          .transaction()
          .setIsolationLevel('read committed')
          .execute(() => texts()),
      'got read committed, read write',
    ],
    [
      'a promise not to write',
      () =>
        db
          .transaction()
          .setAccessMode('read only')
          .execute(() => texts()),
      'got serializable, read only',
    ],
    [
      'a stream',
      async () => {
        for await (const row of db.selectFrom('items').selectAll().stream()) expect(row).toBe(undefined);
      },
      'got stream(): read pages with limit()',
    ],
    ['an end', () => db.destroy(), 'expected close() of the database'],
    [
      'a table',
      () => db.schema.createTable('other').addColumn('id', 'bigint').execute(),
      'expected a query, got CreateTable',
    ],
    [
      'text that is compiled already',
      () => db.executeQuery(CompiledQuery.raw('SELECT 1')),
      'write it with sql',
    ],
    ['a statement for the connection', () => raw`BEGIN`.execute(db), 'got BEGIN: use transaction()'],
    [
      'rows of several kinds',
      () =>
        db
          .insertInto('items')
          .values([{ text: 'a', number: 1 }, { text: 'b' }])
          .execute(),
      'use null where a row has no value',
    ],
    ['its introspection', async () => db.introspection.getTables(), 'expected the migrations of the schema'],
    [
      'a negative limit',
      () => db.selectFrom('items').selectAll().limit(-1).execute(),
      'expected a non-negative integer after LIMIT, got -1',
    ],
    [
      'a negative offset',
      () => db.selectFrom('items').selectAll().limit(1).offset(-1n).execute(),
      'after OFFSET, got -1',
    ],
  ] as const)('refuses %s', async (_, attempt, message) => {
    await expect(attempt()).rejects.toThrow(message);
    await expect(texts()).resolves.toEqual([]);
    await expect(database.ready()).resolves.toBeUndefined();
  });

  test('nothing runs twice that is not the work of a transaction', async () => {
    let runs = 0;
    const one = db.connection().execute(async (connection) => {
      runs++;
      await insert('a', connection).execute();
      await connection.transaction().execute((trx) => insert('b', trx).execute());
    });
    await expect(one).rejects.toThrow('expected transaction().execute(work) of the database');
    const another = db.connection().execute(async (connection) => {
      runs++;
      await Promise.resolve(); // something else
      await connection.transaction().execute((trx) => insert('b', trx).execute());
    });
    await expect(another).rejects.toThrow('expected transaction().execute(work) of the database');
    const caught = db.connection().execute((connection) =>
      connection
        .transaction()
        .execute(async (trx) => {
          await insert('c', trx).execute();
          throw new Error('the work has changed its mind');
        })
        .catch(() => 'caught'),
    );
    await expect(caught).rejects.toThrow('expected connection() to fail as its transaction');
    const more = db.connection().execute(async (connection) => {
      await connection.transaction().execute((trx) => insert('d', trx).execute());
      await insert('e', connection).execute();
    });
    await expect(more).rejects.toThrow('expected transaction() for several statements');
    await expect(texts()).resolves.toEqual(['a']);
    expect(runs).toBe(2);
    await db.connection().execute((connection) => {
      runs++;
      return connection.transaction().execute((trx) => insert('f', trx).execute());
    });
    await expect(texts()).resolves.toEqual(['a', 'f']);
    expect(runs).toBe(3);
  });

  test('its migrations are refused, with their reason', async () => {
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve({}) } });
    const { error } = await migrator.migrateToLatest();
    expect(error).toMatchObject({
      message: expect.stringContaining('the migrations of the schema') as string,
    });
  });

  test('its errors are those of the database', async () => {
    await insert('a').execute();
    await expect(insert('a').execute()).rejects.toMatchObject({ constraint: 'unique' });
    const orphan = db.insertInto('tags').values({ item: 9n, order: 'x', from: null });
    await expect(orphan.execute()).rejects.toThrow(ConstraintViolation);
    // SQLite has been known to take such a name for a text.
    const misspelled = db
      .selectFrom('items')
      .select('txt' as 'text')
      .execute();
    await expect(misspelled).rejects.toThrow(StatementError);
    await expect(misspelled).rejects.toMatchObject({ statement: 'select "txt" from "items"' });
    await database.close();
    await expect(insert('b').execute()).rejects.toThrow(StoreUnavailable);
    await expect(db.transaction().execute((trx) => insert('b', trx).execute())).rejects.toThrow(
      'the store is closed',
    );
  });
});
