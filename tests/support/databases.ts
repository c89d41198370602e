import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from './folder';
import { startPostgres, type Postgres } from './postgres';
import { registerThird } from './third-driver';

/** A kind of database, for `describe.each`. */
export interface Kind {
  readonly kind: string;
  /** Whether it outlives its connection, and others may open it meanwhile. */
  readonly shared: boolean;
  /** Makes an empty database, and resolves to its URL. */
  readonly locate: () => Promise<string>;
}

/**
 * Runs a PostgreSQL for the tests of a file. Call it once, at the top.
 *
 * @returns makes an empty database, and resolves to its URL
 */
export function keepPostgres(): (name?: string) => Promise<string> {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres.remove());
  return (name) => postgres.createDatabase(name);
}

/** Every kind of database, a third engine among them, which is registered here. Call it once, at the top of a file. */
export function useDatabases(): readonly Kind[] {
  registerThird();
  const folder = keepFolder();
  const createDatabase = keepPostgres();
  const fileOf = (scheme: string) => () =>
    Promise.resolve(`${scheme}:${mkdtempSync(join(folder, 'db-'))}/test.db`);
  return [
    { kind: 'SQLite in memory', shared: false, locate: () => Promise.resolve('memory:') },
    { kind: 'SQLite', shared: true, locate: fileOf('sqlite') },
    { kind: 'PostgreSQL', shared: true, locate: createDatabase },
    { kind: 'a third engine', shared: true, locate: fileOf('third') },
  ];
}
