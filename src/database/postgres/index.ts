import type { Driver } from '../driver';
import { retryTransient } from '../failure';
import { connectionOf } from './connection';
import { DIALECT, FAULTS } from './dialect';
import { createPool } from './pool';
import { prepare } from './schema';
import { serversOf } from './servers';
import { readUrl } from './url';

// No advisory locks, and DDL that may be repeated, because not all engines of this protocol can roll it back: docs/scale.md has
// what they lack.

/** All in milliseconds. For a database that starts at the same time as this process, or nine others that do. */
const OPEN_TIMEOUT = 10_000;
const OPEN_INTERVAL = 200;

/**
 * What passes by itself, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or errno. Of
 * processes that make the same table at once some get 23505, 42710 or 42P07, `IF NOT EXISTS` or not.
 */
const TRANSIENT = /^(08|23505|40|42710|42P07|53|55P03|57|XX000|READ_ONLY|25006|ECONN|EAI_AGAIN|ETIMEDOUT)/;

/** A PostgreSQL database, which any number of processes may share. Its URL may have the parameters of the driver. */
export const POSTGRES: Driver = {
  urls: ['postgres://user:password@host/database'],
  accepts: /^postgres(ql)?:\/\/./s,
  dialect: DIALECT,
  faults: FAULTS,
  subjectOf: (url) => readUrl(url).subject,
  async open(url, schema, report, warned) {
    const target = readUrl(url);
    const pool = createPool(target.connections, serversOf(target, warned));
    try {
      await retryTransient(() => prepare(pool, schema, report), TRANSIENT, OPEN_TIMEOUT, OPEN_INTERVAL);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return connectionOf(pool, schema);
  },
};
