import type { Database } from 'contract-first-database';

/** The steps of a request with a key, in their order. */
export const STEPS = ['begin', 'lock', 'look', 'write', 'keep', 'commit'] as const;

/**
 * A database whose next transaction has a fault at one of its steps, whenever it is armed.
 *
 * @param fault does not resolve
 */
export function faulty(
  database: Database,
  fault: () => Promise<never>,
  armed: { at?: `${'before' | 'after'} ${(typeof STEPS)[number]}` | undefined },
): Database {
  async function step<T>(name: string | undefined, action: () => Promise<T>): Promise<T> {
    const fails = (when: string) => {
      const isHere = armed.at === `${when} ${name}`;
      if (isHere) armed.at = undefined;
      return isHere;
    };
    if (fails('before')) return fault();
    const result = await action();
    return fails('after') ? fault() : result;
  }
  return {
    ...database,
    transaction: async (work) => {
      let count = 0;
      const next = () => STEPS[++count];
      const isCommit = armed.at === 'before commit';
      const result = await step('begin', () =>
        database.transaction(async (queries) => {
          count = 0;
          const made = await work({
            query: (query) => step(next(), () => queries.query(query)),
            execute: (statement) => step(next(), () => queries.execute(statement)),
          });
          return isCommit ? step('commit', () => Promise.resolve(made)) : made;
        }),
      );
      return isCommit ? result : step('commit', () => Promise.resolve(result));
    },
  };
}
