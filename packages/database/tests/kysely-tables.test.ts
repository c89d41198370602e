import { type Kysely, sql as raw } from 'kysely';
import {
  addColumn,
  BOOLEAN,
  BYTES,
  createTable,
  type Database,
  DATE,
  DOUBLE,
  IDENTITY,
  INT64,
  INTEGER,
  InvalidValue,
  JSON_VALUE,
  openDatabase,
  type Schema,
  sql,
  table,
  TEXT,
  TIMESTAMP,
} from 'contract-first-database';
import { kysely, type TablesOf } from 'contract-first-database/kysely';
import { useDatabases } from '../../../scripts/testing/databases';

const DATABASES = useDatabases();

const users = table('users', { id: IDENTITY, name: TEXT.unique() });
const articles = table('articles', {
  slug: TEXT.primaryKey(),
  author: INT64.references(users.id),
  draft: BOOLEAN.default(true),
  words: INTEGER,
  score: DOUBLE.nullable(),
  createdAt: TIMESTAMP,
  day: DATE.optional(),
  tags: JSON_VALUE.as<readonly string[]>(),
  raw: BYTES.nullable(),
  checked: BOOLEAN.optional().added(),
});
const TABLES = { users, articles };

const SCHEMA: Schema = {
  name: 'typed',
  mark: 'Type',
  migrations: [
    ['tables', createTable(users), createTable(articles)],
    ['checked', addColumn(articles.checked)],
  ],
  probe: sql`INSERT INTO users (name) SELECT name FROM users WHERE 1 = 0`,
};

const GIVEN = {
  slug: 'emma',
  author: 1n,
  draft: false,
  words: 7,
  createdAt: '2026-11-22T20:03:30.5+01:00',
  day: '2026-11-22',
  tags: ['a"b', 'c'],
  raw: Buffer.of(0, 1, 92, 255),
};
const HELD = {
  ...GIVEN,
  createdAt: '2026-11-22T19:03:30.5Z',
  score: null,
  checked: null,
};

describe.each(DATABASES)('Kysely over tables in $kind', ({ locate }) => {
  let database: Database;
  let db: Kysely<TablesOf<typeof TABLES>>;
  beforeEach(async () => {
    database = await openDatabase(await locate(), SCHEMA);
    db = kysely(database, TABLES);
    await db.insertInto('users').values({ name: 'Ada' }).execute();
  });
  afterEach(() => database.close());

  const add = (more: Partial<typeof GIVEN> = {}) =>
    db
      .insertInto('articles')
      .values({ ...GIVEN, ...more })
      .returningAll()
      .executeTakeFirstOrThrow();

  const { slug, draft, createdAt, tags } = HELD;
  type Query = (db: Kysely<TablesOf<typeof TABLES>>) => { execute: () => Promise<object[]> };
  const withArticles = (isDraft: boolean) => (db: Kysely<TablesOf<typeof TABLES>>) =>
    db
      .selectFrom('users')
      .leftJoin('articles', (join) => join.onRef('author', '=', 'users.id').on('draft', '=', isDraft))
      .select(['users.name', 'draft', 'createdAt']);
  test.each<[string, Query, object]>([
    ['a table', (on) => on.selectFrom('articles').selectAll(), HELD],
    ['an alias', (on) => on.selectFrom('articles as a').selectAll('a'), HELD],
    [
      'aliases of columns',
      (on) => on.selectFrom('articles as a').select(['a.draft as isDraft', 'tags', 'a.createdAt as at']),
      { isDraft: draft, tags, at: createdAt },
    ],
    ['a join', withArticles(false), { name: 'Ada', draft, createdAt }],
    ['a join that finds none', withArticles(true), { name: 'Ada', draft: null, createdAt: null }],
    [
      'a WITH',
      (on) =>
        on
          .with('mine', (inner) => inner.selectFrom('articles').select(['slug', 'tags', 'draft as d']))
          .selectFrom('mine')
          .selectAll()
          .where('d', '=', false),
      { slug, tags, d: draft },
    ],
    [
      'a query around a subquery',
      (on) =>
        on
          .selectFrom('articles as a')
          .select('a.draft')
          .where((eb) =>
            eb.exists(eb.selectFrom('users').select('id').where('a.createdAt', '=', GIVEN.createdAt)),
          ),
      { draft },
    ],
    [
      'a subquery',
      (on) =>
        on
          .selectFrom((inner) =>
            inner.selectFrom('articles').select(['createdAt as at', 'tags as t']).as('x'),
          )
          .select(['x.at', 't'])
          .where('x.at', '=', GIVEN.createdAt),
      { at: createdAt, t: tags },
    ],
    [
      'subqueries of one value',
      (on) =>
        on.selectFrom('users').select((inner) => [
          inner.selectFrom('articles').select('draft').whereRef('author', '=', 'users.id').as('scalar'),
          inner
            .selectFrom('articles')
            .select((each) => each.fn.max('createdAt').as('m'))
            .as('latest'),
        ]),
      { scalar: draft, latest: createdAt },
    ],
    [
      'UNION',
      (on) => on.selectFrom('articles').select('draft').union(on.selectFrom('articles').select('draft')),
      { draft },
    ],
    [
      'what is no column',
      (on) =>
        on
          .selectFrom('articles')
          .selectAll()
          .select(raw<string>`upper(slug)`.as('loud')),
      { ...HELD, loud: 'EMMA' },
    ],
    ['RETURNING', (on) => on.deleteFrom('articles').returning(['tags', 'draft']), { tags, draft }],
  ])('rows are as their columns say by %s', async (_, query, row) => {
    await expect(add()).resolves.toEqual(HELD);
    await expect(query(db).execute()).resolves.toEqual([row]);
  });

  test('values are looked for in the form of their columns', async () => {
    await add();
    const found = async (...where: readonly [string, string, unknown]) => {
      const [column, operator, value] = where;
      const rows = await db
        .selectFrom('articles')
        .select('slug')
        .where(column as 'slug', operator as '=', value as string)
        .execute();
      return rows.length;
    };
    for (const [column, operator, value, count] of [
      ['draft', '=', false, 1],
      ['articles.draft', '!=', false, 0],
      ['draft', 'in', [true, false], 1],
      ['draft', 'in', [], 0],
      ['draft', 'not in', [], 1],
      ['createdAt', '=', '2026-11-22T14:03:30.500-05:00', 1],
      ['createdAt', '>', '2026-11-22T20:00:00Z', 0],
      ['createdAt', '<=', '2026-11-22T19:03:30.5Z', 1],
      ['createdAt', '=', 'no date', 0],
      ['createdAt', '<', '9999-12-31T23:59:59-23:00', 1],
      ['day', '=', '2026-11-22', 1],
      ['day', '>', '2026-13-45', 0],
      ['words', '=', 2 ** 60, 0],
      ['words', 'in', [7, 10n ** 30n], 1],
      ['author', '=', 2n ** 63n, 0],
      ['score', 'is', null, 1],
    ] as const)
      expect([column, operator, value, await found(column, operator, value)]).toEqual([
        column,
        operator,
        value,
        count,
      ]);
    await expect(
      db
        .selectFrom('articles')
        .select('slug')
        .where((eb) => eb.between('createdAt', '2026-11-22T20:00:00+01:00', '2026-11-22T21:00:00+01:00'))
        .execute(),
    ).resolves.toHaveLength(1);
    for (const [least, count] of [
      ['2026-11-22T14:03:30.500-05:00', 1],
      ['2026-11-22T14:03:31-05:00', 0],
    ] as const)
      await expect(
        db
          .selectFrom('articles')
          .select('author')
          .groupBy('author')
          .having((eb) => eb(eb.fn.max('createdAt'), '>=', least))
          .where((eb) => eb(eb.selectFrom('articles as a').select('a.draft').limit(1), '=', false))
          .execute(),
      ).resolves.toHaveLength(count);
    await expect(found('tags', '=', 'a')).rejects.toThrow('JSON values cannot be compared');
    const merged = db.mergeInto('users').using('articles', 'articles.author', 'users.id');
    await expect(
      merged
        .whenMatchedAnd('articles.tags', '=', 'a' as never)
        .thenDelete()
        .execute(),
    ).rejects.toThrow('JSON values cannot be compared');
  });

  test('values are written in the form of their columns, or refused', async () => {
    await add();
    const now = {
      draft: true,
      tags: ['x'],
      createdAt: '2026-01-01T00:00:00Z',
      score: 0.5,
      day: null,
      words: 8,
      checked: true,
    };
    const changed = db
      .updateTable('articles')
      .set({ ...now, createdAt: '2026-01-01T00:00:00+00:00' })
      .where('articles.slug', '=', 'emma')
      .returningAll();
    await expect(changed.execute()).resolves.toEqual([{ ...HELD, ...now }]);
    const again = await db
      .insertInto('articles')
      .values(GIVEN)
      .onConflict((on) =>
        on
          .column('slug')
          .doUpdateSet((eb) => ({ draft: false, createdAt: eb.ref('excluded.createdAt'), tags: ['y'] })),
      )
      .returning(['draft', 'createdAt', 'tags'])
      .execute();
    expect(again).toEqual([{ draft: false, createdAt: HELD.createdAt, tags: ['y'] }]);
    // The defaults of the columns, also where only some rows have none.
    await db
      .insertInto('articles')
      .values([
        { ...GIVEN, slug: 'a', draft: undefined },
        { ...GIVEN, slug: 'b', score: 1 },
      ])
      .execute();
    await expect(
      db.selectFrom('articles').select(['slug', 'draft', 'score']).orderBy('slug').execute(),
    ).resolves.toEqual([
      { slug: 'a', draft: true, score: null },
      { slug: 'b', draft: false, score: 1 },
      { slug: 'emma', draft: false, score: 0.5 },
    ]);
    for (const wrong of [
      { author: 2n ** 63n },
      { words: 0.5 },
      { createdAt: 'yesterday' },
      { day: '2026-02-30' },
      { draft: 'yes' as never },
      { slug: 'half \ud83c' },
    ]) {
      await expect(add({ slug: 'c', ...wrong })).rejects.toThrow(InvalidValue);
      await expect(db.updateTable('articles').set(wrong).execute()).rejects.toThrow(InvalidValue);
    }
  });

  test('transactions have the tables too', async () => {
    await add();
    const drafts = await database.transaction((queries) =>
      kysely(queries, TABLES).selectFrom('articles').select('draft').execute(),
    );
    expect(drafts).toEqual([{ draft: false }]);
    await expect(
      db.transaction().execute((trx) => trx.selectFrom('articles').select('tags').execute()),
    ).resolves.toEqual([{ tags: GIVEN.tags }]);
  });

  test('a table under another name is refused', () => {
    expect(() => kysely(database, { people: users })).toThrow(
      'expected the table "users" under its name, got people',
    );
  });
});

test('the types are those of the columns', () => {
  type Rows = TablesOf<typeof TABLES>;
  const never = (db: Kysely<Rows>) => [
    db.insertInto('articles').values(GIVEN),
    db.updateTable('articles').set({ day: null, checked: false }),
    // @ts-expect-error its type is boolean
    db.insertInto('articles').values({ ...GIVEN, draft: 1n }),
    // @ts-expect-error missing columns
    db.insertInto('articles').values({ slug: 'a' }),
    // @ts-expect-error not nullable
    db.updateTable('articles').set({ words: null }),
    // @ts-expect-error no such column
    db.selectFrom('articles').select('created_at'),
    // @ts-expect-error its type is number
    db.selectFrom('articles').where('words', '=', 'seven'),
  ];
  expect(typeof never).toBe('function');
});
