import { getSystemErrorMap } from 'node:util';
import type { ConstraintViolation } from './store';

/**
 * What an error of a database means:
 * - `away`: the database cannot do its work now. Later the same statement may succeed.
 * - `value`: a value of the statement cannot be kept, or compared with what is kept.
 * - `statement`: the statement or the program is wrong. To repeat it is useless.
 * - the others: a row breaks a rule of its table.
 */
export type Kind = 'away' | 'value' | 'statement' | ConstraintViolation['constraint'];

/** Kinds by the code of an error or by its beginning; the longest beginning counts. */
export type Kinds = Readonly<Record<string, Kind>>;

const all = (kind: Kind, codes: string): Kinds =>
  Object.fromEntries(codes.split(/\s+/).map((code) => [code, kind]));

/**
 * SQLSTATE by class and, where it differs from its class, by code
 * (https://www.postgresql.org/docs/18/errcodes-appendix.html). A class that is missing is of the kind `statement`: 03, 09,
 * 0A to 0Z, 10, 20, 21, 24 to 27, 2B to 2F, 34, 38, 39, 3B, 3F, 42, 55, HV, P0, XX.
 */
export const SQLSTATE: Kinds = {
  // Connection exception, invalid authorization, insufficient resources, operator intervention, system error, snapshot
  // failure, configuration file error.
  ...all('away', '08 28 53 57 58 72 F0'),
  ...all('away', '25006 25P03 25P04'), // a standby; time-outs of the session
  ...all('away', '3D000'), // no such database
  ...all('away', '40'), // transaction rollback, when it has been repeated for long enough
  ...all('away', '55006 55P03'), // object in use, lock not available
  ...all('away', 'HV00N'), // a foreign server is away
  ...all('away', 'XX001 XX002'), // data or index corrupted
  // Data exception: the value that is computed from or compared with a parameter.
  ...all('value', '22 54000'), // 54000: a key that is too long for its index
  // Data exceptions that no value of a client explains.
  ...all(
    'statement',
    '2202E 22012 22005 2200B 22022 2201E 22014 22016 2201F 2201G 22P06 22010 2202H 2202G 2200G',
  ),
  ...all('statement', '22004 22002 2200H 22027 22024 22P04 22033'),
  ...all('other', '23 40002 44'), // integrity constraint violation, WITH CHECK OPTION violation
  ...all('foreign key', '23503 23001'),
  ...all('unique', '23505'),
};

/**
 * Result codes of SQLite, primary and extended (https://sqlite.org/rescode.html). One that is missing is of the kind
 * `statement`: ERROR, INTERNAL, ABORT, NOTFOUND, EMPTY, SCHEMA, MISUSE, AUTH, FORMAT, RANGE, NOTICE, WARNING.
 */
export const SQLITE_RESULT: Kinds = {
  ...all(
    'away',
    'SQLITE_BUSY SQLITE_LOCKED SQLITE_PROTOCOL SQLITE_INTERRUPT SQLITE_NOMEM SQLITE_FULL SQLITE_IOERR',
  ),
  ...all('away', 'SQLITE_CORRUPT SQLITE_NOTADB SQLITE_CANTOPEN SQLITE_READONLY SQLITE_PERM SQLITE_NOLFS'),
  ...all('value', 'SQLITE_TOOBIG SQLITE_MISMATCH SQLITE_CONSTRAINT_DATATYPE'),
  ...all('other', 'SQLITE_CONSTRAINT'),
  ...all('foreign key', 'SQLITE_CONSTRAINT_FOREIGNKEY'),
  ...all('unique', 'SQLITE_CONSTRAINT_UNIQUE SQLITE_CONSTRAINT_PRIMARYKEY SQLITE_CONSTRAINT_ROWID'),
};

/** Errors of the operating system, by the names that Node gives them (https://nodejs.org/api/errors.html#common-system-errors). */
const SYSTEM = new Set([...getSystemErrorMap().values()].map(([name]) => name));
/** Errors of TLS: of Node (https://nodejs.org/api/errors.html), and of certificates (https://nodejs.org/api/tls.html). */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_|PATH_LENGTH_|INVALID_CA|HOSTNAME_MISMATCH)/;

/** The kind of a code. One that nobody lists is of the kind `statement`. */
export function kindOf(code: string, kinds: Kinds): Kind {
  if (SYSTEM.has(code) || TLS.test(code)) return 'away';
  for (let length = code.length; length > 1; length--) {
    const kind = kinds[code.slice(0, length)];
    if (kind) return kind;
  }
  return 'statement';
}
