import { DatabaseSync } from 'node:sqlite';

/** What another program does with a database file. Integers are bigints. */
export function byProgram<T>(file: string, action: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { readBigInts: true });
  try {
    return action(db);
  } finally {
    db.close();
  }
}

/** The first column that a query finds in a database file. */
export const columnOf = (file: string, query: string): unknown[] =>
  byProgram(file, (db) =>
    db
      .prepare(query)
      .all()
      .map((row) => Object.values(row)[0]),
  );
