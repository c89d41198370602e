import { createTable, IDENTITY, type Schema, sql } from 'contract-first-database';

/** A store of one table, for tests of connections. */
export const VISITS: Schema = {
  name: 'visits',
  mark: 'Vist',
  migrations: [['visits', createTable('visits', sql`id ${IDENTITY}, seen int NOT NULL`)]],
  probe: sql`INSERT INTO visits (seen) SELECT seen FROM visits WHERE 1 = 0`,
};
export const INSERT = sql`INSERT INTO visits (seen) VALUES (${1})`;
