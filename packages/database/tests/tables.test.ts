import fc from 'fast-check';
import {
  addColumn,
  and,
  BOOLEAN,
  BYTES,
  createTable,
  type Database,
  DATE,
  DOUBLE,
  deleteFrom,
  equal,
  IDENTITY,
  insertInto,
  INT64,
  INTEGER,
  InvalidValue,
  JSON_VALUE,
  type NewRowOf,
  openDatabase,
  or,
  type RowOf,
  rows,
  type Schema,
  select,
  type Sql,
  sql,
  table,
  TEXT,
  TIMESTAMP,
  update,
} from 'contract-first-database';
import { useDatabases } from '../../../scripts/testing/databases';
import { EDGE_IDS, STRANGE_STRINGS } from '../../../scripts/testing/strange-values';

jest.setTimeout(60_000);

/** One column of each type, and names that databases would change or take for their own. */
const things = table(
  'Things',
  {
    id: IDENTITY,
    count: INT64.nullable(),
    rank: INTEGER.nullable(),
    weight: DOUBLE.nullable(),
    user: TEXT.optional(),
    bytes: BYTES.nullable(),
    isSold: BOOLEAN.default(false),
    createdAt: TIMESTAMP.nullable(),
    order: DATE.nullable(),
    parts: JSON_VALUE.as<unknown>(),
    parent: INT64.optional(),
  },
  sql`FOREIGN KEY (parent) REFERENCES "Things" (id)`,
);
const tags = table('tags', {
  name: TEXT.primaryKey(),
  thing: INT64.references(things.id, 'CASCADE'),
  code: TEXT.as<'a' | 'b'>().unique(),
});

const SCHEMA: Schema = {
  name: 'things',
  mark: 'Thng',
  migrations: [['tables', createTable(things), createTable(tags)]],
  probe: insertInto(things, [])``,
};

describe.each(useDatabases())('a table in $kind', ({ kind, locate }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(await locate(), SCHEMA);
  });
  afterAll(() => database.close());
  afterEach(async () => {
    await database.execute(deleteFrom(tags)``);
    await database.execute(deleteFrom(things)``);
  });

  const add = async (values: object = {}) => {
    const [row] = await database.query(insertInto(things, { parts: null, ...values })``);
    if (!row) throw new Error('expected a row');
    return row;
  };

  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/));
  const offset = fc.oneof(
    fc.constantFrom('Z', 'z', '+00:00', '-00:00'),
    fc.stringMatching(/^[+-](0\d|1\d|2[0-3]):[0-5]\d$/),
  );
  const moment = fc
    .tuple(
      fc.date({
        noInvalidDate: true,
        min: new Date('0001-01-03T00:00:00Z'),
        max: new Date('9999-12-29T00:00:00Z'),
      }),
      fraction,
      offset,
    )
    .map(([date, digits, zone]) => `${date.toISOString().slice(0, 19)}${digits}${zone}`);
  // As the unit `binary`, for which fast-check makes a map of the million characters of Unicode.
  const unit = fc
    .integer({ min: 0, max: 0x10f7ff })
    .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
  const text = fc.oneof(fc.string({ unit }), fc.constantFrom(...STRANGE_STRINGS));
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n));
  const json = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false, -0, 2 ** 53, 1e21, 1e300, '\ud800', '#1', '5e0'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.bigInt(),
      text,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(text, fc.constant('__proto__')), tie('node'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  })).node;
  const row = fc.record({
    count: fc.option(fc.constantFrom(...EDGE_IDS)),
    rank: fc.option(fc.maxSafeInteger()),
    weight: fc.option(number),
    bytes: fc.option(fc.uint8Array()),
    isSold: fc.boolean(),
    order: fc.option(
      fc
        .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
        .map((date) => date.toISOString().slice(0, 10)),
    ),
    parts: json,
    user: fc.option(text, { nil: undefined }),
    createdAt: fc.option(moment),
  });

  /** As text that is ordered as the instants are. */
  const sortable = (at: string) => instantOf(at).replace(/Z$/, '');

  /** The instant of a date-time, as the table keeps it. */
  function instantOf(at: string): string {
    const [, digits = ''] = /\.(\d+)/.exec(at) ?? [];
    const whole = new Date(at.replace(/\.\d+/, '').toUpperCase()).toISOString().slice(0, 19);
    return (
      `${whole}.${digits.slice(0, 6)}`.replace(/\.?0*$/, (end) =>
        end.startsWith('.') || digits ? '' : end,
      ) + 'Z'
    );
  }

  test('holds every value of every type, alone and with others', () =>
    fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 3 }), async (given) => {
        await database.execute(deleteFrom(things)``);
        const added = await database.query(insertInto(things, given)``);
        const read = await database.query(select(things)`ORDER BY id`);
        expect(read).toEqual(added);
        for (const [i, held] of given.entries()) {
          const { id, createdAt, bytes, parts, ...rest } = read[i] ?? {};
          expect(id).toEqual(expect.any(BigInt));
          const { createdAt: at, bytes: written, parts: value, user, ...others } = held;
          expect(rest).toEqual(user === undefined ? others : { ...others, user });
          expect('user' in rest).toBe(user !== undefined);
          expect(createdAt).toBe(at === null ? null : instantOf(at));
          expect(bytes && [...bytes]).toEqual(written && [...written]);
          expect(parts).toStrictEqual(value);
          expect(JSON.stringify(parts, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v))).toBe(
            JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)),
          );
        }
      }),
      { numRuns: 60 },
    ));

  test('orders instants, and finds them, whatever their offset', () =>
    fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 2, maxLength: 4 }), moment, async (moments, since) => {
        await database.execute(deleteFrom(things)``);
        await database.execute(
          insertInto(
            things,
            moments.map((createdAt) => ({ createdAt, parts: null })),
          )``,
        );
        const read = async (condition: Sql<unknown>) =>
          (await database.query(select(things)`WHERE ${condition} ORDER BY ${things.createdAt}, id`)).map(
            ({ createdAt }) => createdAt,
          );
        const all = moments.map(sortable).sort();
        const at = sortable(since);
        const { createdAt } = things;
        expect((await read(and([]))).map((text) => sortable(text ?? ''))).toEqual(all);
        for (const [condition, fits] of [
          [sql`${createdAt} >= ${since}`, (one: string) => one >= at],
          [sql`${since} > ${createdAt}`, (one: string) => at > one],
          [
            sql`${createdAt} BETWEEN ${moments[0] ?? ''} AND ${since}`,
            (one: string) => one >= sortable(moments[0] ?? '') && one <= at,
          ],
          [
            sql`${createdAt} IN (${since}, ${moments[1] ?? ''})`,
            (one: string) => [at, sortable(moments[1] ?? '')].includes(one),
          ],
          [equal(things, { createdAt: since }), (one: string) => one === at],
        ] as const)
          expect((await read(condition)).map((text) => sortable(text ?? ''))).toEqual(all.filter(fits));
      }),
      { numRuns: 25 },
    ));

  test.each([
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['1990-12-31T15:59:60.5-08:00', '1991-01-01T00:00:00.5Z'],
    ['2024-02-29t12:00:00.123456999z', '2024-02-29T12:00:00.123456Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['0000-12-31T23:00:00-02:00', '0001-01-01T01:00:00Z'],
  ])('keeps %s as %s', async (createdAt, kept) => {
    await expect(add({ createdAt })).resolves.toMatchObject({ createdAt: kept });
    await expect(
      database.query(select(things)`WHERE ${things.createdAt} = ${createdAt}`),
    ).resolves.toHaveLength(1);
  });

  if (kind === 'PostgreSQL')
    test.each(['Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati', 'Africa/Monrovia'])(
      'reads instants in UTC, whatever the session has: %s, German',
      async (zone) => {
        const at = new URL(await locate());
        at.searchParams.set('options', `-c TimeZone=${zone} -c DateStyle=German`);
        const abroad = await openDatabase(at.href, SCHEMA);
        const moments = [
          '0001-01-01T00:00:00Z',
          '1800-06-01T12:34:56.7Z',
          '2024-07-01T00:00:00Z',
          '9999-12-31T23:59:59.999999Z',
        ];
        const given = moments.map((createdAt) => ({ createdAt, order: '2024-02-01', parts: 1 }));
        await expect(abroad.query(insertInto(things, given)``)).resolves.toMatchObject(given);
        await abroad.close();
      },
    );

  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  const refused: [keyof typeof things, ...unknown[]][] = [
    ['count', 2n ** 63n, -(2n ** 63n) - 1n, 0.5, 1e300, Infinity, '1'],
    ['rank', 2 ** 53, -(2 ** 53), 2n ** 53n, 0.5, 1e300, '1'],
    ['weight', NaN, 1n, '1'],
    ['user', '\ud800', 1, new Date()],
    ['bytes', 'x', [1]],
    ['isSold', 0, 1n, 'true'],
    [
      'createdAt',
      '',
      'now',
      'infinity',
      '2023-02-29T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:00:00',
      '2024-01-01 00:00:00',
      '0000-12-31T23:59:59Z',
      '9999-12-31T23:59:59-00:01',
      '2024-01-01',
    ],
    ['order', '', 'today', 'infinity', '2023-02-29', '0000-12-31', '2024-1-1', '2024-01-01T00:00:00Z'],
    ['parts', NaN, [undefined], new Map(), Buffer.of(1), deep],
  ];

  test.each(refused)('%s holds no value of another kind, or out of its range', async (name, ...values) => {
    for (const value of values) {
      const attempts = [
        () => insertInto(things, { parts: null, [name]: value })``,
        () => insertInto(things, [{ parts: null }, { parts: null, [name]: value }])``,
        () => update(things, { [name]: value })``,
      ];
      for (const attempt of attempts) {
        expect(attempt).toThrow(InvalidValue);
        expect(attempt).toThrow(`Things.${String(name)} must be `);
      }
    }
    await expect(database.query(select(things)``)).resolves.toEqual([]);
  });

  test('what no column holds equals nothing, and is beyond all that is there', async () => {
    await add({
      count: 2n ** 63n - 1n,
      rank: 1,
      weight: 1,
      createdAt: '9999-12-31T23:59:59.999999Z',
      order: '9999-12-31',
      user: 'x',
    });
    const { count, rank, weight, createdAt, order } = things;
    const found = async (...conditions: Sql<unknown>[]) => {
      const all = [];
      for (const condition of conditions)
        all.push((await database.query(select(things)`WHERE ${condition}`)).length);
      return all;
    };
    const beyond = [
      [count, 2n ** 63n],
      [count, 1e300],
      [count, Number.MAX_VALUE],
      [rank, 1e300],
      [rank, 2n ** 70n],
      [weight, 2n ** 70n],
      [createdAt, '9999-12-31T23:59:59-00:01'],
      [order, '10000-01-01'],
    ] as const;
    for (const [column, value] of beyond.slice(0, -1))
      expect(
        await found(
          sql`${column} = ${value}`,
          sql`${column} < ${value}`,
          sql`${column} > ${value}`,
          sql`${column} IN (${value})`,
        ),
      ).toEqual([0, 1, 0, 0]);
    for (const [column, value] of [
      [count, -1e300],
      [count, 0.5],
      [rank, 0.5],
      [createdAt, '0000-12-31T23:59:59Z'],
      [order, '0000-12-31'],
    ] as const)
      expect(
        await found(sql`${column} = ${value}`, sql`${column} < ${value}`, sql`${column} > ${value}`),
      ).toEqual([0, 0, 1]);
    for (const [column, value] of [
      [createdAt, 'now'],
      [order, '2023-02-29'],
    ] as const)
      expect(await found(sql`${column} = ${value}`, sql`${column} <> ${value}`)).toEqual([0, 0]);
    expect(() => sql`${count} = ${'1'}`).toThrow(InvalidValue);
    const statement = { kind: 'sql', strings: ['TRUE'], parts: [] };
    for (const parts of ['1', [1], statement])
      expect(() => equal(things, { parts })).toThrow('JSON values cannot be compared');
    expect(() => sql`${things.parts} = ${'1'}`).toThrow('JSON values cannot be compared');
  });

  test('joins conditions, and none is no condition', async () => {
    await add({ user: 'a', isSold: true });
    await add({ user: 'b' });
    await add();
    const users = async (condition: Sql<unknown>) =>
      (
        await database.query(select({ user: things.user })`FROM ${things} WHERE ${condition} ORDER BY id`)
      ).map(({ user }) => user);
    const isA = equal(things, { user: 'a' });
    const isB = sql`${things.user} = ${'b'} OR ${false}`;
    await expect(users(and([]))).resolves.toEqual(['a', 'b', undefined]);
    await expect(users(and([undefined, isA, undefined]))).resolves.toEqual(['a']);
    await expect(users(and([isA, isB]))).resolves.toEqual([]);
    await expect(users(and([sql`TRUE OR TRUE`, isA]))).resolves.toEqual(['a']);
    await expect(users(or([]))).resolves.toEqual([]);
    await expect(users(or([undefined, isA, isB]))).resolves.toEqual(['a', 'b']);
    await expect(users(sql`NOT ${or([isA, isB])}`)).resolves.toEqual(['a', 'b'].slice(2));
    await expect(users(equal(things, { user: null }))).resolves.toEqual([undefined]);
    await expect(users(equal(things, { isSold: true, user: undefined }))).resolves.toEqual(['a']);
    await expect(users(sql`${things.isSold} = ${false}`)).resolves.toEqual(['b', undefined]);
  });

  test('changes what is named, and tells which rows', async () => {
    const { id } = await add({ user: 'a', count: 1n });
    await add({ user: 'b' });
    const ofA = sql`${things.id} = ${id}`;
    await expect(
      database.query(update(things, { user: 'c', count: undefined })`WHERE ${ofA}`),
    ).resolves.toMatchObject([{ id, user: 'c', count: 1n }]);
    await expect(database.query(update(things, { user: null })`WHERE ${ofA}`)).resolves.toEqual([
      expect.not.objectContaining({ user: expect.anything() as unknown }),
    ]);
    await expect(database.execute(update(things, {})`WHERE ${ofA}`)).resolves.toBe(1);
    await expect(database.execute(update(things, { isSold: true })``)).resolves.toBe(2);
    await expect(database.query(deleteFrom(things)`WHERE ${ofA}`)).resolves.toMatchObject([
      { id, isSold: true },
    ]);
    const unknown: object = { nothing: 1 };
    for (const statement of [
      () => insertInto(things, { parts: null, ...unknown })``,
      () => update(things, unknown)``,
      () => equal(things, unknown),
    ])
      expect(statement).toThrow('Things has no column "nothing"');
    expect(() => insertInto(things, [{ parts: null, id: 1n }, { parts: null }])``).toThrow(
      'expected id in every row, or in none',
    );
    expect(() => insertInto(table('ids', { id: IDENTITY }), [{}, {}])``).toThrow('expected one row, got 2');
    // As every object has, and so a row that lacks it.
    const inherited = table('inherited', { constructor: TEXT.optional() });
    expect(() => insertInto(inherited, {} as never)``).not.toThrow();
    expect(rows('given', { constructor: TEXT }, [{} as never]).items).toEqual([{ constructor: null }]);
  });

  test('keeps keys, unique values and references', async () => {
    const { id } = await add();
    const tag = { name: 'new', thing: id, code: 'a' } as const;
    await expect(database.query(insertInto(tags, tag)``)).resolves.toEqual([tag]);
    await expect(
      database.execute(
        insertInto(tags, [tag, { ...tag, name: 'b', code: 'b' }])`ON CONFLICT (name) DO NOTHING`,
      ),
    ).resolves.toBe(1);
    await expect(
      database.query(insertInto(tags, tag)`ON CONFLICT (name) DO UPDATE SET code = excluded.code`),
    ).resolves.toEqual([tag]);
    await database.execute(deleteFrom(tags)`WHERE name = ${'b'}`);
    const breaches: [Partial<NewRowOf<typeof tags>>, string][] = [
      [{}, 'unique'],
      [{ name: 'c' }, 'unique'],
      [{ name: 'c', code: 'b', thing: -1n }, 'foreign key'],
    ];
    for (const [change, constraint] of breaches)
      await expect(database.execute(insertInto(tags, { ...tag, ...change })``)).rejects.toMatchObject({
        constraint,
      });
    await expect(database.execute(update(things, { parent: -1n })``)).rejects.toMatchObject({
      constraint: 'foreign key',
    });
    await database.execute(deleteFrom(things)``);
    await expect(database.query(select(tags)``)).resolves.toEqual([]);
  });

  test('a list names what it reads, from several tables too', async () => {
    const { id } = await add({ isSold: true });
    await add();
    await database.execute(insertInto(tags, { name: 'new', thing: id, code: 'a' })``);
    const listed = await database.query(select({
      Tag: tags.name.nullable(),
      isSold: things.isSold,
      n: INT64.from(sql`count(*)`),
    })`
      FROM ${things} LEFT JOIN ${tags} ON ${tags.thing} = ${things.id} GROUP BY 1, 2 ORDER BY 2 LIMIT ${10}`);
    expect(listed).toEqual([
      { Tag: null, isSold: false, n: 1n },
      { Tag: 'new', isSold: true, n: 1n },
    ]);
    const counted = {
      sum: INT64.from(sql`sum(${things.id})`),
      mean: DOUBLE.from(sql`avg(${things.id} - ${id} + 1)`),
      last: BOOLEAN.from(sql`max(${things.id}) > ${id}`),
    };
    await expect(database.query(select(counted)`FROM ${things}`)).resolves.toEqual([
      { sum: 2n * id + 1n, mean: 1.5, last: true },
    ]);
    await expect(database.query(select(counted)`FROM ${things} WHERE ${things.id} = ${id}`)).resolves.toEqual(
      [{ sum: id, mean: 1, last: false }],
    );
    const lacking = select({ name: tags.name })`FROM ${things} LEFT JOIN ${tags} ON FALSE`;
    await expect(database.query(lacking)).rejects.toThrow('expected a value of tags.name, got NULL');
    expect(() => select({ n: INT64 })`FROM ${things}`).toThrow('expected an expression for n');
  });

  test.each([
    ['isSold', 2],
    ['order', 'soon'],
    ['createdAt', 'now and then'],
  ])('nobody writes another form into %s', async (name, value) => {
    await add();
    const written = database.execute(
      sql`UPDATE ${things} SET ${{ kind: 'sql', strings: [`"${name}"`], parts: [] }} = ${value}`,
    );
    await expect(written).rejects.toThrow();
  });
});

test.each(
  [['', 'a-b', '1a', 'x'.repeat(64), 'sqlite_x', 'ctid', 'a"b'].map((name) => () => table(name, {}))].flat(),
)('a name that is none in every database is refused', (define) => {
  expect(define).toThrow('expected a name of at most 63 letters');
});

test('a wrong name, a wrong type or a value that is missing does not compile', () => {
  type Same<A, B> = [A, B] extends [B, A] ? true : false;
  interface Thing {
    readonly id: bigint;
    readonly count: bigint | null;
    readonly rank: number | null;
    readonly weight: number | null;
    readonly user?: string;
    readonly bytes: Uint8Array | null;
    readonly isSold: boolean;
    readonly createdAt: string | null;
    readonly order: string | null;
    readonly parts: unknown;
    readonly parent?: bigint;
  }
  const isSame: [Same<RowOf<typeof things>, { [K in keyof Thing]: Thing[K] }>] = [true];
  const selected = select({ Tag: tags.name.nullable(), n: INT64.from(sql`count(*)`) })``;
  const isSameList: [Same<typeof selected, Sql<{ readonly Tag: string | null; readonly n: bigint }>>] = [
    true,
  ];
  const added: NewRowOf<typeof things> = { parts: 1 };
  const wrong = (): unknown => [
    // @ts-expect-error no such column
    'nothing' satisfies keyof typeof tags,
    // @ts-expect-error a row without what it must have
    insertInto(tags, { name: 'a', code: 'a' })``,
    // @ts-expect-error no such column
    insertInto(tags, { name: 'a', code: 'a', thing: 1n, nothing: 1 })``,
    // @ts-expect-error a number for a bigint
    insertInto(tags, { name: 'a', code: 'a', thing: 1 })``,
    // @ts-expect-error another text than those of the column
    insertInto(tags, [{ name: 'a', code: 'c', thing: 1n }])``,
    // @ts-expect-error no such column
    update(tags, { nothing: 1 })``,
    // @ts-expect-error NULL where none may be
    update(tags, { code: null })``,
    // @ts-expect-error no such column
    equal(tags, { nothing: 'a' }),
    // @ts-expect-error a bigint for a text
    equal(tags, { name: 1n }),
    // @ts-expect-error a text that refers to an integer
    TEXT.references(things.id),
    // @ts-expect-error a text as the default of an integer
    INT64.default('1'),
    // @ts-expect-error what is no Part
    sql`${things.id} = ${{ id: 1n }}`,
  ];
  expect([isSame, isSameList, selected, added, wrong]).toHaveLength(5);
});

test.each([
  ['a column that is not added', tags.name],
  ['a type alone', TEXT],
  ['a key', table('t', { a: TEXT.primaryKey().added() }).a],
  ['a unique one', table('t', { a: TEXT.nullable().unique().added() }).a],
  ['one that is NOT NULL', table('t', { a: TEXT.added() }).a],
  ['a reference with a default', table('t', { a: INT64.references(things.id).default(1n).added() }).a],
])('SQLite could not add %s, and so no database does', (_, column) => {
  expect(() => addColumn(column)).toThrow(TypeError);
});
