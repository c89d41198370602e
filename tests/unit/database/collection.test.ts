import fc from 'fast-check';
import { collection, collectionTable, type Collection, openDatabase, sql } from '../../../src/database';

let things: Collection<unknown>;
let close: () => Promise<void>;
beforeEach(async () => {
  const database = await openDatabase('memory:', {
    name: 'shop',
    mark: 'shop',
    migrations: [['collections', collectionTable('things')]],
    probe: sql`INSERT INTO things (key, value) SELECT key, value FROM things WHERE 1 = 0`,
  });
  things = collection(database, 'things');
  close = () => database.close();
});
afterEach(() => close());

it('adds, lists in the order of keys, changes and removes', async () => {
  expect([await things.add('b', 1n), await things.add('a', { name: 'x' })]).toEqual([true, true]);
  expect(await things.add('a', 'another')).toBe(false);
  expect(await things.list('', 10)).toEqual([
    { key: 'a', value: { name: 'x' } },
    { key: 'b', value: 1n },
  ]);
  expect(await things.list('a', 1)).toEqual([{ key: 'b', value: 1n }]);
  expect(await things.update('b', (value) => [value])).toEqual([1n]);
  expect(await things.update('none', (value) => value)).toBeUndefined();
  expect([await things.remove('b'), await things.remove('b'), await things.get('b')]).toEqual([
    true,
    false,
    undefined,
  ]);
});

it('loses no concurrent change', async () => {
  await things.add('count', 0n);
  await Promise.all(Array.from({ length: 20 }, () => things.update('count', (n) => (n as bigint) + 1n)));
  expect(await things.get('count')).toBe(20n);
});

it('stores what clients send as it is, whatever marks the integers of 64 bits', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).filter((some) => some.isWellFormed()),
    fc.array(fc.constantFrom('#', '##', '1', '-', '\\', '$int64')).map((parts) => parts.join('')),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        text,
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.integer(),
        fc.constantFrom(null, true),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        text.filter((name) => name !== '__proto__'),
        tie('value'),
        { maxKeys: 3, noNullPrototype: true },
      ),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      await things.add('one', given);
      expect(await things.get('one')).toStrictEqual(given);
      await things.remove('one');
    }),
    { numRuns: 500 },
  );
});
