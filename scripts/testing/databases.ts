import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from './folder';
import { createDatabase } from './shared-postgres';
import { registerThird } from '../../packages/database/tests/support/third-driver';

/** A kind of database, for `describe.each`. */
export interface Kind {
  readonly kind: string;
  /** Whether it outlives its connection, and others may open it meanwhile. */
  readonly shared: boolean;
  /** Makes an empty database, and resolves to its URL. */
  readonly locate: () => Promise<string>;
}

/** Every kind of database, a third engine among them, which is registered here. Call it once, at the top of a file. */
export function useDatabases(): readonly Kind[] {
  registerThird();
  const folder = keepFolder();
  const fileOf = (scheme: string) => () =>
    Promise.resolve(`${scheme}:${mkdtempSync(join(folder, 'db-'))}/test.db`);
  return [
    { kind: 'SQLite in memory', shared: false, locate: () => Promise.resolve('memory:') },
    { kind: 'SQLite', shared: true, locate: fileOf('sqlite') },
    { kind: 'PostgreSQL', shared: true, locate: () => createDatabase() },
    { kind: 'a third engine', shared: true, locate: fileOf('third') },
  ];
}
