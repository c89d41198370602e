import { getSystemErrorMap } from 'node:util';
import {
  ConstraintViolation,
  createTable,
  type Database,
  InvalidValue,
  openDatabase,
  type Schema,
  sql,
  StatementError,
  StoreUnavailable,
  TEXT,
} from 'contract-first-database';
import { DRIVERS } from '../src/drivers';
import { type Faults, toStoreError } from '../src/failure';
import { POSTGRES } from '../src/postgres';
import { SQLITE } from '../src/sqlite';
import { nameOf } from '../src/sqlite/engine';
import { type Postgres, startPostgres } from '../../../scripts/testing/postgres';

const NOTES: Schema = {
  name: 'notes',
  mark: 'Note',
  migrations: [['notes', createTable('notes', sql`id ${TEXT} PRIMARY KEY`)]],
  probe: sql`INSERT INTO notes (id) SELECT id FROM notes WHERE 1 = 0`,
};

/** Codes, one for each word; `40` and `P0` are all codes of a class. */
const words = (text: string) => text.trim().split(/\s+/);

/** https://www.postgresql.org/docs/18/errcodes-appendix.html, without the successes and warnings of classes 00 to 02. */
const CODES =
  words(`03000 08000 08003 08006 08001 08004 08007 08P01 09000 0A000 0B000 0F000 0F001 0L000 0LP01 0P000 0Z000
  0Z002 10608 20000 21000 22000 2202E 22021 22008 22012 22005 2200B 22022 22015 2201E 22014 22016 2201F 2201G 22018 22007
  22019 2200D 22025 22P06 22010 22023 22013 2201B 2201W 2201X 2202H 2202G 22009 2200C 2200G 22004 22002 22003 2200H 22026
  22001 22011 22027 22024 2200F 22P01 22P02 22P03 22P04 22P05 2200L 2200M 2200N 2200S 2200T 22030 22031 22032 22033 22034
  22035 22036 22037 22038 22039 2203A 2203B 2203C 2203D 2203E 2203F 2203G 23000 23001 23502 23503 23505 23514 23P01 24000
  25000 25001 25002 25008 25003 25004 25005 25006 25007 25P01 25P02 25P03 25P04 26000 27000 28000 28P01 2B000 2BP01 2D000
  2F000 2F005 2F002 2F003 2F004 34000 38000 38001 38002 38003 38004 39000 39001 39004 39P01 39P02 39P03 3B000 3B001 3D000
  3F000 40000 40002 40001 40003 40P01 42000 42601 42501 42846 42803 42P20 42P19 42830 42602 42622 42939 42804 42P18 42P21
  42P22 42809 428C9 42703 42883 42P01 42P02 42704 42701 42P03 42P04 42723 42P05 42P06 42P07 42712 42710 42702 42725 42P08
  42P09 42P10 42611 42P11 42P12 42P13 42P14 42P15 42P16 42P17 44000 53000 53100 53200 53300 53400 54000 54001 54011 54023
  55000 55006 55P02 55P03 55P04 57000 57014 57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 58P02 58P03 F0000 F0001 HV000
  HV005 HV00N P0000 P0001 P0002 P0003 P0004 XX000 XX001 XX002`);

const AWAY =
  words(`08000 08003 08006 08001 08004 08007 08P01 25006 25P03 25P04 28000 28P01 3D000 40000 40001 40003 40P01
  53000 53100 53200 53300 53400 55006 55P03 57000 57014 57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 58P02 58P03
  F0000 F0001 HV00N XX001 XX002`);
const VALUE =
  words(`22000 22021 22008 22015 22018 22007 22019 2200D 22025 22023 22013 2201B 2201W 2201X 22009 2200C 22003
  22026 22001 22011 2200F 22P01 22P02 22P03 22P05 2200L 2200M 2200N 2200S 2200T 22030 22031 22032 22034 22035 22036 22037
  22038 22039 2203A 2203B 2203C 2203D 2203E 2203F 2203G 54000`);
const CONSTRAINT = words('23000 23001 23502 23503 23505 23514 23P01 40002 44000');

function expectedOf(code: string) {
  if (AWAY.includes(code)) return StoreUnavailable;
  if (VALUE.includes(code)) return InvalidValue;
  return CONSTRAINT.includes(code) ? ConstraintViolation : StatementError;
}

const failed = (code: string, faults: Faults) =>
  toStoreError(faults, 'A database', Object.assign(new Error('it fails'), { code }), {
    text: 'SELECT 1',
    values: [],
  });

test.each([
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
])('an error of the driver without a code, %s, is explained', (message) => {
  expect(toStoreError(POSTGRES.faults, 'A database', new Error(message))).toMatchObject({
    name: 'StoreUnavailable',
    message: `A database: the connection was lost (${message})`,
  });
});

describe('PostgreSQL', () => {
  let postgres: Postgres;
  let database: Database;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await openDatabase(await postgres.createDatabase(), NOTES);
    await database.query(sql`CREATE FUNCTION fail(code text) RETURNS int LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''it fails'' USING ERRCODE = code; END'`);
    await database.query(sql`CREATE TABLE things (id bigint PRIMARY KEY, day date, weight real CHECK (weight > 0),
      note text NOT NULL DEFAULT '' REFERENCES notes, UNIQUE (day))`);
    await database.query(sql`INSERT INTO notes (id) VALUES ('')`);
  });
  afterAll(async () => {
    await database.close();
    await postgres.remove();
  });

  test.each(CODES)('raises %s', async (code) => {
    const error: unknown = await database.query(sql`SELECT fail(${code})`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(expectedOf(code));
    expect((error as Error).message).toMatch(/^PostgreSQL at .*it fails/);
    if (error instanceof StatementError) expect(error).toMatchObject({ code, statement: 'SELECT fail($1)' });
  });

  test('a code that nobody knows is a fault of the program', () => {
    for (const code of ['99999', 'ZZ000', '42ZZZ', ''])
      expect(failed(code, POSTGRES.faults)).toBeInstanceOf(StatementError);
  });

  const day = '2024-13-45';
  test.each([
    ['a column that is not there', sql`SELECT nothing FROM things`, StatementError, '42703'],
    ['a table that is not there', sql`SELECT id FROM nothing`, StatementError, '42P01'],
    ['no SQL', sql`SELEKT 1`, StatementError, '42601'],
    ['a function that is not there', sql`SELECT nothing(1)`, StatementError, '42883'],
    ['a division by zero', sql`SELECT 1 / 0`, StatementError, '22012'],
    ['an integer too large', sql`INSERT INTO things (id) VALUES (${2n ** 63n})`, InvalidValue, '22003'],
    ['a double for an integer', sql`INSERT INTO things (id) VALUES (${0.5})`, InvalidValue, '22P02'],
    ['a sum too large', sql`SELECT 9223372036854775807 + ${1n}::bigint`, InvalidValue, '22003'],
    ['no date', sql`INSERT INTO things (id, day) VALUES (1, ${day})`, InvalidValue, '22008'],
    ['no uuid', sql`SELECT ${'no'}::uuid`, InvalidValue, '22P02'],
    ['a pattern that ends in its escape', sql`SELECT 'a' LIKE ${'\\'}`, InvalidValue, '22025'],
    [
      'a key too long for an index',
      sql`INSERT INTO notes (id) SELECT string_agg(md5(n::text), '') FROM generate_series(1, 999) n`,
      InvalidValue,
      '54000',
    ],
    ['a null', sql`INSERT INTO things (id, note) VALUES (1, NULL)`, ConstraintViolation, '23502'],
    [
      'a reference to nothing',
      sql`INSERT INTO things (id, note) VALUES (1, 'x')`,
      ConstraintViolation,
      '23503',
    ],
    ['a check', sql`INSERT INTO things (id, weight) VALUES (1, ${-1})`, ConstraintViolation, '23514'],
    ['a double key', sql`INSERT INTO notes (id) VALUES ('')`, ConstraintViolation, '23505'],
    ['a time-out', sql`SELECT pg_sleep(60)`, StoreUnavailable, '57014'],
  ])('%s', async (_, statement, kind, code) => {
    const error: unknown = await database.query(statement).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject(
      kind === InvalidValue || kind === StatementError ? { code } : { cause: { code } },
    );
  });
});

describe('SQLite', () => {
  /** The names of all result codes that SQLite has, and of some that it may have one day. */
  const names = Array.from({ length: 64 * 29 }, (_, i) => nameOf((Math.floor(i / 29) << 8) | (i % 29)));
  const primary = words(
    'BUSY LOCKED PROTOCOL INTERRUPT NOMEM FULL IOERR CORRUPT NOTADB CANTOPEN READONLY PERM NOLFS',
  );
  const value = words('TOOBIG MISMATCH CONSTRAINT_DATATYPE');

  test('every result code has its kind', () => {
    expect(new Set(names).size).toBe(29 + 75);
    for (const name of names) {
      const code = name.replace('SQLITE_', '');
      const kind = primary.some((one) => code === one || code.startsWith(`${one}_`))
        ? StoreUnavailable
        : value.includes(code)
          ? InvalidValue
          : code.startsWith('CONSTRAINT')
            ? ConstraintViolation
            : StatementError;
      expect([name, failed(name, SQLITE.faults).name]).toEqual([name, kind.name]);
    }
  });

  test.each([
    ['a column that is not there', sql`SELECT nothing FROM notes`, StatementError],
    ['a table that is not there', sql`SELECT id FROM nothing`, StatementError],
    ['no SQL', sql`SELEKT 1`, StatementError],
    ['two statements', sql`SELECT 1; SELECT 2`, StatementError],
    ['an integer too large', sql`INSERT INTO things (n) VALUES (${2n ** 63n})`, InvalidValue],
    ['an integer too small', sql`INSERT INTO things (n) VALUES (${-(2n ** 63n) - 1n})`, InvalidValue],
    ['a double for an integer', sql`INSERT INTO things (n) VALUES (${1e300})`, InvalidValue],
    ['a double for a key', sql`INSERT INTO things (id) VALUES (${0.5})`, InvalidValue],
    ['a value too long', sql`INSERT INTO notes (id) VALUES (zeroblob(${1_000_000_001n}))`, InvalidValue],
    ['a null', sql`INSERT INTO notes (id) VALUES (NULL)`, ConstraintViolation],
    ['a double key', sql`INSERT INTO notes (id) VALUES ('a'), ('a')`, ConstraintViolation],
    ['a reference to nothing', sql`INSERT INTO things (note) VALUES ('x')`, ConstraintViolation],
    ['a check', sql`INSERT INTO things (n) VALUES (-1)`, ConstraintViolation],
  ])('%s', async (_, statement, kind) => {
    const database = await openDatabase('memory:', NOTES);
    await database.query(sql`CREATE TABLE things (id INTEGER PRIMARY KEY, n INTEGER CHECK (n >= 0 OR n < -1e18),
      note TEXT REFERENCES notes) STRICT`);
    await expect(database.query(statement)).rejects.toBeInstanceOf(kind);
    await database.close();
  });
});

test('an error of the operating system or of TLS means that the database is away', () => {
  const system = [...getSystemErrorMap().values()].map(([name]) => name);
  const tls = words(
    'CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID',
  );
  for (const code of [...system, ...tls])
    for (const { faults } of DRIVERS) expect(failed(code, faults)).toBeInstanceOf(StoreUnavailable);
});

test('the stack of a fault leads to who asked', async () => {
  const database = await openDatabase('memory:', NOTES);
  async function askWrongly() {
    await database.query(sql`SELECT nothing FROM notes`);
  }
  const error: unknown = await askWrongly().catch((reason: unknown) => reason);
  expect((error as Error).stack).toContain('askWrongly');
  await database.close();
});
