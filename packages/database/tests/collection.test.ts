import {
  collection,
  collectionTable,
  type Database,
  openDatabase,
  type Schema,
  sql,
} from 'contract-first-database';
import { useDatabases } from '../../../scripts/testing/databases';
import { STRANGE_STRINGS } from '../../../scripts/testing/strange-values';

const SCHEMA: Schema = {
  name: 'shop',
  mark: 'Shop',
  migrations: [['collections', collectionTable('carts'), collectionTable('orders')]],
  probe: sql`INSERT INTO carts (key, value) SELECT key, value FROM carts WHERE 1 = 0`,
};

describe.each(useDatabases())('a collection in $kind', ({ locate }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(await locate(), SCHEMA);
  });
  afterAll(() => database.close());
  afterEach(async () => {
    await database.execute(sql`DELETE FROM carts`);
  });
  const carts = () => collection<unknown>(database, 'carts');

  test('adds an object once, reads, changes and removes it', async () => {
    await expect(carts().add('a', { count: 1n })).resolves.toBe(true);
    await expect(carts().add('a', { count: 2n })).resolves.toBe(false);
    await expect(collection(database, 'orders').get('a')).resolves.toBeUndefined();
    await expect(carts().update('a', () => ({ count: 3n }))).resolves.toEqual({ count: 3n });
    await expect(carts().get('a')).resolves.toEqual({ count: 3n });
    await expect(carts().remove('a')).resolves.toBe(true);
    await expect(carts().remove('a')).resolves.toBe(false);
    await expect(carts().update('a', (cart) => cart)).resolves.toBeUndefined();
  });

  test('lists by pages in the order of the keys, those of one object by the beginning of their keys', async () => {
    const keys = [
      '7/1',
      '7/2',
      '70',
      '8/1',
      ...['a', 'B', 'Z', 'z', 'ä'],
      ...STRANGE_STRINGS.filter(({ length }) => length < 1000 && length > 0),
    ];
    for (const key of keys) await carts().add(key, { key });
    const pages: string[] = [];
    for (let after = ''; ; after = pages.at(-1) ?? '') {
      const page = await carts().list(after, 5);
      if (page.length === 0) break;
      pages.push(...page.map(({ key }) => key));
    }
    expect(pages).toEqual(keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    const [first] = await carts().list('7/', 1);
    expect(first).toEqual({ key: '7/1', value: { key: '7/1' } });
  });

  test('loses no change of those that come at once', async () => {
    await carts().add('a', 0n);
    await Promise.all(Array.from({ length: 10 }, () => carts().update('a', (n) => (n as bigint) + 1n)));
    await expect(carts().get('a')).resolves.toBe(10n);
  });
});

test('a name that would be more than a name is refused', () => {
  expect(() => collection({} as Database, 'carts; DROP TABLE carts')).toThrow(
    'expected a name of at most 63 letters',
  );
});
