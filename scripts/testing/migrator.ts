import { openDatabase, type Schema, sql } from 'contract-first-database';
import { registerThird } from '../../packages/database/tests/support/third-driver';

/*
 * A program of which several migrate at once: `tsx migrator.ts URL [hang]`. It counts each row once, ten in a batch, prints the
 * calls of its function, and ends; or it hangs in the middle of the fourth batch, to be killed.
 */

let calls = 0;
const numbers = Array.from({ length: 300 }, (_, i) => `(${i})`).join();

export const COUNTED: Schema = {
  name: 'counted',
  mark: 'Cntd',
  migrations: [
    [
      'rows',
      sql`CREATE TABLE IF NOT EXISTS counted (id INTEGER PRIMARY KEY, times INTEGER NOT NULL DEFAULT 0)`,
      { kind: 'sql', strings: [`INSERT INTO counted (id) VALUES ${numbers}`], parts: [] },
    ],
    [
      'counts',
      async ({ execute }) => {
        console.log('called');
        const count = await execute(sql`UPDATE counted SET times = times + 1
          WHERE id IN (SELECT id FROM counted WHERE times = 0 ORDER BY id LIMIT 10)`);
        if (process.argv[3] === 'hang' && ++calls === 4) {
          console.log('hangs');
          await new Promise(() => setInterval(() => undefined, 1000));
        }
        return count;
      },
    ],
    ['notes', sql`CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY)`],
  ],
  probe: sql`INSERT INTO notes (id) SELECT id FROM notes WHERE 1 = 0`,
};

const [, , url] = process.argv;
if (require.main === module && url !== undefined) {
  registerThird();
  void openDatabase(url, COUNTED).then(async (database) => {
    console.log('done');
    await database.close();
  });
}
