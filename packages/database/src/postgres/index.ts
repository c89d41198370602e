import type { Driver } from '../driver';
import { connectionOf, onPrimary } from './connection';
import { DIALECT, FAULTS } from './dialect';
import { createPool } from './pool';
import { prepare } from './schema';
import { serversOf } from './servers';
import { readUrl } from './url';

// No advisory locks, and repeatable DDL, because not every engine with this protocol can roll it back: docs/scale.md says what
// they lack.

/** A PostgreSQL database, which any number of processes can share. Its URL can have the parameters of the driver. */
export const POSTGRES: Driver = {
  urls: ['postgres://user:password@host/database'],
  accepts: /^postgres(ql)?:\/\/./s,
  dialect: DIALECT,
  faults: FAULTS,
  subjectOf: (url) => readUrl(url).subject,
  startTimeoutOf: (url) => readUrl(url).startTimeout,
  async open(url, schema, opening) {
    const target = readUrl(url);
    const pool = createPool(target.connections, serversOf(target, opening.warned));
    try {
      await onPrimary(target, () => prepare(pool, schema, opening));
    } catch (error) {
      // The next attempt would leave another backend beside the one that still waits for a standby.
      if (pool.abandoned > 0) opening.warned('a statement at startup got no response: waiting until it ends');
      await pool.end(opening.timeout);
      throw error;
    }
    return connectionOf(pool, schema, target);
  },
};
