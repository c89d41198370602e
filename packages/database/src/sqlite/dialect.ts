import { all, type Faults } from '../failure';
import { CHECKS, type Dialect, valueOf } from '../sql';

export const DIALECT: Dialect = {
  names: ['sqlite'],
  words: {
    int64: 'INTEGER',
    integer: 'INTEGER',
    double: 'REAL',
    text: 'TEXT',
    bytes: 'BLOB',
    boolean: 'INTEGER',
    timestamp: 'TEXT',
    date: 'TEXT',
    json: 'TEXT',
    identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    strict: 'STRICT',
    concurrently: '',
    tryLock: 'likely', // of a number it is that number
  },
  checks: CHECKS,
  parameters: () => () => '?',
  rows({ name, columns, items }, add) {
    const names = Object.keys(columns);
    if (items.length === 0)
      return `(SELECT ${names.map((column) => `NULL AS ${column}`).join(', ')} LIMIT 0) AS ${name}`;
    for (const item of items) for (const column of names) add(valueOf(item, column));
    const row = `(${'?,'.repeat(names.length - 1)}?)`;
    const selected = names.map((column, i) => `column${i + 1} AS ${column}`).join(', ');
    return `(SELECT ${selected} FROM (VALUES ${row}${`,${row}`.repeat(items.length - 1)})) AS ${name}`;
  },
};

/** Milliseconds to wait for the commits of other processes on the same file. */
export const BUSY_TIMEOUT = 5000;

/**
 * By primary and extended result code (https://sqlite.org/rescode.html). One that is missing is of the kind `statement`:
 * ERROR, INTERNAL, ABORT, NOTFOUND, EMPTY, SCHEMA, MISUSE, AUTH, FORMAT, RANGE, NOTICE, WARNING.
 */
export const FAULTS: Faults = {
  kinds: {
    ...all(
      'away',
      'SQLITE_BUSY SQLITE_LOCKED SQLITE_PROTOCOL SQLITE_INTERRUPT SQLITE_NOMEM SQLITE_FULL SQLITE_IOERR',
    ),
    ...all('away', 'SQLITE_CORRUPT SQLITE_NOTADB SQLITE_CANTOPEN SQLITE_READONLY SQLITE_PERM SQLITE_NOLFS'),
    ...all('value', 'SQLITE_TOOBIG SQLITE_MISMATCH SQLITE_CONSTRAINT_DATATYPE'),
    ...all('other', 'SQLITE_CONSTRAINT'),
    ...all('foreign key', 'SQLITE_CONSTRAINT_FOREIGNKEY'),
    ...all('unique', 'SQLITE_CONSTRAINT_UNIQUE SQLITE_CONSTRAINT_PRIMARYKEY SQLITE_CONSTRAINT_ROWID'),
  },
  // By result code, or the errno of making the folder.
  advice: [
    ['SQLITE_NOTADB', 'it is not a SQLite database: use another file'],
    ['SQLITE_CORRUPT', 'it is damaged: restore a backup'],
    ['SQLITE_READONLY', 'it is not writable: give this user write access to the file and its folder'],
    ['SQLITE_CANTOPEN', 'it cannot be opened: this user needs write access to the file and its folder'],
    ['SQLITE_FULL', 'the disk is full: free some space'],
    [
      'SQLITE_BUSY',
      `another process has kept it locked for ${BUSY_TIMEOUT / 1000} seconds: find that process and stop it`,
    ],
    ['SQLITE_IOERR', 'the disk is failing or full: check it'],
    ['E', 'its folder cannot be created: create it, or use a file elsewhere'],
  ],
  passing: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
};
