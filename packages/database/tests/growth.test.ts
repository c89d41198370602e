import { or, sql } from 'contract-first-database';
import { DIALECT as POSTGRES } from '../src/postgres/dialect';
import { type Dialect, list, render } from '../src/sql';
import { DIALECT as SQLITE } from '../src/sqlite/dialect';
import { growsTooFast } from '../../../scripts/testing/growth';

describe('a statement takes time linear in the numbers of a client that stand in it', () => {
  const conditions = (values: bigint[]) => or(values.map((value) => sql`id = ${value}`));
  const items = (values: bigint[]) => sql`id IN (${list(values)})`;
  test.each<[string, (values: bigint[]) => ReturnType<typeof or>, Dialect]>([
    ['conditions in SQLite', conditions, SQLITE],
    ['conditions in PostgreSQL', conditions, POSTGRES],
    ['a list in SQLite', items, SQLITE],
    ['a list in PostgreSQL', items, POSTGRES],
  ])('%s', (name, make, dialect) => {
    const text = (length: number) => 'x'.repeat(length);
    const write = ({ length }: string) => {
      // No column holds them, which PostgreSQL must be told where they are compared.
      const values = Array.from({ length }, (_, i) => 10n ** 19n + BigInt(i));
      render(sql`SELECT id FROM things WHERE ${make(values)}`, dialect);
    };
    expect(growsTooFast(write, { name, text })).toBe(false);
  });
});
