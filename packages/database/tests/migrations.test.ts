import { join } from 'node:path';
import {
  BOOLEAN,
  CONCURRENTLY,
  createTable,
  type Database,
  addColumn,
  IDENTITY,
  INT64,
  insertInto,
  JSON_VALUE,
  type Migration,
  openDatabase,
  rows,
  type Schema,
  select,
  sql,
  type StoreObserver,
  table,
  TEXT,
  TIMESTAMP,
} from 'contract-first-database';
import { checksumOf } from '../src/checksum';
import { stepsOf } from '../src/migration';
import { DRIVERS } from '../src/drivers';
import { everyOf } from '../../../scripts/testing/cases';
import { COUNTED } from '../../../scripts/testing/migrator';
import { useDatabases } from '../../../scripts/testing/databases';
import { startProcess } from '../../../scripts/testing/process';
import { SOURCES } from '../../../scripts/testing/sources';

jest.setTimeout(60_000);

const KINDS = useDatabases().filter(({ shared }) => shared);

const books = table('books', {
  isbn: TEXT.primaryKey(),
  title: TEXT,
  isLent: BOOLEAN.default(false).added(),
});
const title = 'one  two';

const MIGRATIONS = [
  ['books', createTable(books)],
  ['seed', sql`INSERT INTO books (isbn, title) VALUES (${'1'}, ${title})`],
  ['lent', addColumn(books.isLent)],
] as const satisfies Migration[];

const schemaOf = (migrations: readonly Migration[]): Schema => ({
  name: 'shelf',
  mark: 'Shlf',
  migrations,
  probe: insertInto(books, [])``,
});

function observe() {
  const applied: string[] = [];
  const observer: StoreObserver = {
    waiting: () => undefined,
    committed: () => undefined,
    migrated: (name, number) => applied.push(`${number} ${name}`),
  };
  return { applied, observer };
}

describe.each(KINDS)('migrations in $kind', ({ kind, locate }) => {
  let url: string;
  beforeEach(async () => {
    url = await locate();
  });
  const migrate = async (migrations: readonly Migration[]): Promise<string[]> => {
    const { applied, observer } = observe();
    await (await openDatabase(url, schemaOf(migrations), observer)).close();
    return applied;
  };
  async function withDatabase<T>(
    use: (database: Database) => Promise<T>,
    migrations: readonly Migration[] = MIGRATIONS,
  ) {
    const database = await openDatabase(url, schemaOf(migrations));
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  }
  const titles = () => withDatabase((database) => database.query(select(books)``));

  test('are told when they have run, and run once', async () => {
    await expect(migrate(MIGRATIONS)).resolves.toEqual(['1 books', '2 seed', '3 lent']);
    await expect(migrate(MIGRATIONS)).resolves.toEqual([]);
    await expect(titles()).resolves.toEqual([{ isbn: '1', title, isLent: false }]);
  });

  const [first, second, third] = MIGRATIONS;
  const trace = ['trace', sql`DELETE FROM books`] as const;
  const text = (statement: string) => ({ kind: 'sql', strings: [statement], parts: [] }) as const;

  test.each<[string, Migration[], RegExp]>([
    [
      'a statement',
      [['books', createTable('books', sql`isbn ${TEXT} PRIMARY KEY, title ${TEXT}`)], second, third],
      /migration 1, books: it has been changed since it ran/,
    ],
    [
      'a statement more',
      [['books', createTable(books), sql`CREATE INDEX titles ON books (title)`], second, third],
      /migration 1, books: it has been changed/,
    ],
    [
      'a value',
      [first, ['seed', sql`INSERT INTO books (isbn, title) VALUES (${'1'}, ${'one two'})`], third],
      /migration 2, seed: it has been changed/,
    ],
    [
      'white space in quotes',
      [first, second, ['lent', text('ALTER TABLE "books" ADD COLUMN "is Lent" INTEGER')]],
      /migration 3, lent: it has been changed/,
    ],
    [
      'a function in its place',
      [first, second, ['lent', () => Promise.resolve()]],
      /migration 3, lent: it has been changed/,
    ],
    ['the order', [second, first, third], /migration 1, seed: books has run in this database instead of it/],
    ['one less', [first, third], /migration 2, lent: seed has run in this database instead of it/],
    [
      'one between',
      [first, ['new', sql`SELECT 1`], second, third],
      /migration 2, new: seed has run in this database instead of it/,
    ],
  ])('that were edited are refused before anything runs: %s', async (_, migrations, message) => {
    await migrate(MIGRATIONS);
    const before = await titles();
    for (const more of [[], [trace, trace]]) {
      const { applied, observer } = observe();
      const opening = openDatabase(url, schemaOf([...migrations, ...more]), observer);
      // One that lacks a migration, and has no others, is an older program.
      await expect(opening).rejects.toThrow(
        migrations.length + more.length < MIGRATIONS.length ? /run the newer program/ : message,
      );
      expect(applied).toEqual([]);
    }
    await expect(titles()).resolves.toEqual(before);
  });

  test('are the same if they say the same', async () => {
    await migrate(MIGRATIONS);
    const same: Migration[] = [
      [
        'the books',
        sql`CREATE TABLE IF NOT EXISTS "books" ( -- isn't a catalogue
        "isbn" ${TEXT} NOT NULL PRIMARY KEY,
        "title" ${TEXT} NOT NULL) ${createTable(books).parts[1] ?? null}`,
      ],
      [
        'seed',
        sql`
        INSERT INTO books (isbn, title)
        VALUES (${'1'}, ${title})`,
      ],
      third,
    ];
    await expect(migrate([...same, ['more', sql`CREATE INDEX titles ON books (title)`]])).resolves.toEqual([
      '4 more',
    ]);
  });

  test('of version 2.0.0, which has kept no checksums, are taken over', async () => {
    await withDatabase((database) => database.execute(sql`DROP TABLE shelf_migrations`));
    await expect(
      migrate([...MIGRATIONS, ['more', sql`CREATE INDEX titles ON books (title)`]]),
    ).resolves.toEqual(['4 more']);
    await expect(migrate([first, ['seed', sql`SELECT 1`], third])).rejects.toThrow(
      'its schema has version 4',
    );
    const edited = [first, ['seed', sql`SELECT 1`], third, ['more', sql`SELECT 1`]] as const;
    await expect(migrate(edited)).rejects.toThrow('migration 2, seed: it has been changed');
    // Version 2.0.0 has run the last again, after the program had been put back.
    await withDatabase(
      (database) => database.execute(sql`DELETE FROM shelf_migrations WHERE number = 4`),
      [...MIGRATIONS, ['more', sql`CREATE INDEX titles ON books (title)`]],
    );
    await expect(migrate([...MIGRATIONS, ['more', sql`SELECT 1`]])).resolves.toEqual([]);
    await expect(migrate([...MIGRATIONS, ['more', sql`SELECT 2`]])).rejects.toThrow(
      'migration 4, more: it has been changed',
    );
  });

  test('a function that fails is named, and goes on where its last batch has ended', async () => {
    let calls = 0;
    const batches = (failing: number, name = 'batches'): Migration => [
      name,
      async ({ query, execute }) => {
        const [{ n } = { n: 0n }] = await query(sql<{ n: bigint }>`SELECT count(*) AS n FROM books`);
        if (n === 4n) return 0;
        calls++;
        await execute(sql`INSERT INTO books (isbn, title) VALUES (${`new ${n}`}, ${title})`);
        if (calls === failing) throw new Error('no more');
        return 1;
      },
    ];
    const { applied, observer } = observe();
    const failing = openDatabase(url, schemaOf([...MIGRATIONS, batches(1)]), observer);
    await expect(failing).rejects.toThrow('migration 4, batches: no more');
    // What stands before or after it does not share its transactions: it would lock tables for as long.
    expect(applied).toEqual(['1 books', '2 seed', '3 lent']);
    await expect(migrate([...MIGRATIONS, batches(4)])).rejects.toThrow('migration 4, batches: no more');
    expect(calls).toBe(4);
    await expect(titles()).resolves.toHaveLength(3);
    const wrong = migrate([...MIGRATIONS, batches(9), ['wrong', text('SELECT nothing FROM books')]]);
    await expect(wrong).rejects.toThrow(/migration 5, wrong: .*nothing/);
    const more: Migration = ['more', sql`CREATE INDEX titles ON books (title)`];
    await expect(migrate([...MIGRATIONS, batches(9), more])).resolves.toEqual(['5 more']);
    expect(calls).toBe(5);
    await expect(migrate([...MIGRATIONS, batches(9, 'others'), ['more', sql`SELECT 1`]])).rejects.toThrow(
      'migration 4, others: batches has run',
    );
  });

  test('a function in which a statement has failed fails, and writes nothing', async () => {
    const careless: Migration = [
      'careless',
      async ({ execute }) => {
        await execute(sql`DELETE FROM books`);
        await execute(sql`INSERT INTO books (isbn) VALUES (${'2'})`).catch(() => undefined);
      },
    ];
    await expect(migrate([...MIGRATIONS, careless])).rejects.toThrow(/migration 4, careless: .*title/);
    let late: Promise<unknown> | undefined;
    const hasty: Migration = [
      'hasty',
      async ({ execute }) => {
        late = new Promise(setImmediate).then(() => execute(sql`DELETE FROM books`));
        late.catch(() => undefined);
        await Promise.reject(new Error('the work has changed its mind'));
      },
    ];
    await expect(migrate([...MIGRATIONS, hasty])).rejects.toThrow('changed its mind');
    await expect(late).rejects.toThrow('the transaction has ended');
    await expect(titles()).resolves.toHaveLength(1);
  });

  /** Migrations of which each admits the programs that know so many. */
  const admitting = (...oldest: readonly (number | undefined)[]): Migration[] =>
    oldest.map((least, index) => ({
      name: `step ${index + 1}`,
      ...(least === undefined ? {} : { oldest: least }),
      steps: index === 0 ? [createTable(books), addColumn(books.isLent)] : [],
    }));
  const OLDEST = [1, undefined].flatMap((a) =>
    [1, 2, undefined].flatMap((b) => [1, 2, 3, undefined].map((c) => [a, b, c])),
  );

  test('let an older program run where each that it does not know says so', async () => {
    // The step has no factor in common with the numbers of choices.
    for (const oldest of everyOf(OLDEST, 5)) {
      url = await locate();
      const migrations = admitting(...oldest);
      const before: Database[] = [];
      for (const known of [1, 2]) before.push(await openDatabase(url, schemaOf(migrations.slice(0, known))));
      await migrate(migrations);
      for (const [index, older] of before.entries()) {
        const known = index + 1;
        const needed = oldest.map((least, i) => least ?? i + 1).slice(known);
        const refusing = needed.findIndex((least) => least > known);
        const number = known + refusing + 1;
        const expected =
          refusing < 0
            ? undefined
            : `its schema has version 3, but this program knows only ${known}, and migration ${number}, step ${number}, needs one that knows ${needed[refusing]}: run the newer program`;
        const refusalOf = (work: Promise<unknown>) =>
          work.then(
            () => undefined,
            (error: unknown) => (error as Error).message.replace(/^.*?: /, ''),
          );
        // It starts again, or is put back, and one that runs is ready.
        expect([oldest, await refusalOf(migrate(migrations.slice(0, known)))]).toEqual([oldest, expected]);
        if (kind !== 'a third engine')
          expect([oldest, await refusalOf(older.ready())]).toEqual([oldest, expected]);
        await older.close();
      }
      await expect(migrate(migrations)).resolves.toEqual([]);
    }
  });

  test('say which programs they admit when they have run, too', async () => {
    await migrate(MIGRATIONS);
    const [older] = [MIGRATIONS.slice(0, 2)];
    // As an earlier version of this library has left it, and as one whose program has not said it.
    for (const statement of [sql`DROP TABLE shelf_oldest`, sql`DELETE FROM shelf_oldest`, sql`SELECT 1`]) {
      await withDatabase((database) => database.execute(statement));
      await expect(migrate(older)).rejects.toThrow('migration 3, lent, needs one that knows 3');
    }
    const [, adding] = third;
    const lent = (oldest: number): Migration => ({ name: 'lent', oldest, steps: [adding] });
    await expect(migrate([first, second, lent(2)])).resolves.toEqual([]);
    await expect(migrate(older)).resolves.toEqual([]);
    await expect(migrate(MIGRATIONS)).resolves.toEqual([]);
    // The word of the program that knows most counts.
    const seed: Migration = { name: 'seed', oldest: 1, steps: [second[1]] };
    await expect(migrate([first, seed, lent(1)])).resolves.toEqual([]);
    await expect(migrate(older)).resolves.toEqual([]);
    await expect(migrate([first])).resolves.toEqual([]);
    await expect(migrate(MIGRATIONS)).resolves.toEqual([]);
    await expect(migrate(older)).rejects.toThrow('migration 3, lent, needs one that knows 3');
  });

  test.each([0, -1, 1.5, 3, Number.NaN])('refuse a program that cannot be the oldest: %p', async (oldest) => {
    await expect(migrate([first, { name: 'lent', oldest, steps: [] }])).rejects.toThrow(
      `migration 2, lent: expected oldest to be the number of a migration, from 1 to 2, got ${oldest}`,
    );
  });

  test.each([undefined, true])('run in a transaction unless they refuse it: %p', async (transaction) => {
    const steps = [sql`CREATE TABLE half (id int)`];
    const wrong = { name: 'half', transaction, steps: [...steps, sql`wrong`] };
    await migrate(MIGRATIONS);
    await expect(migrate([...MIGRATIONS, wrong])).rejects.toThrow('migration 4, half');
    await expect(migrate([...MIGRATIONS, { name: 'half', steps }])).resolves.toEqual(['4 half']);
  });

  test('outside a transaction are the same on every engine, and run alone', async () => {
    const index: Migration = {
      name: 'index',
      transaction: false,
      steps: [
        sql`CREATE INDEX ${CONCURRENTLY} IF NOT EXISTS titles ON ${books} (title)`,
        sql`CREATE UNIQUE INDEX ${CONCURRENTLY} IF NOT EXISTS "Lent" ON ${books} ("isLent", title)`,
        sql`DROP INDEX ${CONCURRENTLY} IF EXISTS titles`,
      ],
    };
    const opened = await Promise.all([1, 2, 3, 4].map(() => migrate([...MIGRATIONS, index, trace])));
    expect(opened.flat().sort()).toEqual(['1 books', '2 seed', '3 lent', '4 index', '5 trace']);
    const taken = { isbn: '1', title, isLent: true };
    await withDatabase(
      async (database) => {
        await database.query(insertInto(books, taken)``);
        await expect(database.query(insertInto(books, { ...taken, isbn: '2' })``)).rejects.toThrow(/unique/i);
      },
      [...MIGRATIONS, index, trace],
    );
  });

  const counts = sql<{
    least: bigint;
    most: bigint;
    n: bigint;
  }>`SELECT min(times) AS least, max(times) AS most, count(*) AS n FROM counted`;

  test('of programs that migrate at once, one of which is killed, each row is changed once', async () => {
    const start = (...args: string[]) =>
      startProcess([...SOURCES, join(__dirname, '../../../scripts/testing/migrator.ts'), url, ...args], {});
    const killed = start('hang');
    await killed.printed(/hangs/);
    const others = [start(), start()];
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const opening = openDatabase(url, COUNTED);
    await killed.stop('SIGKILL');
    const own = await opening;
    expect(await Promise.all(others.map(({ exit }) => exit))).toEqual([0, 0]);
    await expect(own.query(counts)).resolves.toEqual([{ least: 1n, most: 1n, n: 300n }]);
    await own.close();
    const calls = others.map(({ output }) => output().split('called').length - 1);
    // Three batches have been committed before the kill, and the last call finds nothing.
    expect(calls.reduce((sum, n) => sum + n, log.mock.calls.length)).toBe(30 - 3 + 1);
    log.mockRestore();
  });
});

test('the checksum of what has run stays what it was, in this version and in every later one', () => {
  const [sqlite, postgres] = DRIVERS;
  const all = table(
    'all',
    {
      id: IDENTITY,
      at: TIMESTAMP.nullable(),
      more: JSON_VALUE,
      n: INT64.default(0n)
        .unique()
        .references(table('others', { id: INT64 }).id, 'CASCADE'),
    },
    sql`UNIQUE (id, n)`,
  );
  const steps: Migration[] = [
    ['any', createTable('plants', sql`id ${INT64} PRIMARY KEY, name ${TEXT} NOT NULL, tag ${TEXT}`)],
    ['any', createTable(all)],
    [
      'any',
      sql`INSERT INTO plants (id, name) SELECT id, name FROM ${rows('more', { id: INT64, name: TEXT }, [{ id: 1n, name: "it's" }])}`,
    ],
    [
      'any',
      {
        kind: 'sql',
        strings: ["SELECT 'a  b', $$ c  d $$, \"e  f\" -- g\n, E'\\'  h'  /* i  j */"],
        parts: [],
      },
    ],
    ['code', () => Promise.resolve()],
  ];
  for (const { dialect } of [sqlite, postgres].flatMap((driver) => driver ?? []))
    expect(stepsOf(steps).map((step) => checksumOf(step, dialect).slice(0, 12))).toEqual([
      'eded5e94b236',
      '0ecb57d1e61a',
      '18cc3a2423a3',
      '53240180a587',
      '34824d110d96',
    ]);
});
