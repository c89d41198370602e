import {
  COUNTER,
  createTable,
  insertInto,
  only,
  openDatabase,
  select,
  table,
  TEXT,
  unlessViolated,
} from 'contract-first-database';

test('a number that is counted, the only row, and a rule that a row breaks', async () => {
  const books = table('books', { id: COUNTER, isbn: TEXT.unique() });
  const migrations = [['books', createTable(books)]] as const;
  const database = await openDatabase('memory:', {
    name: 'books',
    mark: 'book',
    migrations,
    probe: insertInto(books, [])``,
  });
  const add = (isbn: string) => database.query(insertInto(books, { isbn })``);
  expect(only(await add('a'))).toEqual({ id: 1, isbn: 'a' });
  expect(await unlessViolated(['unique'], add('a'))).toBe('unique');
  await expect(unlessViolated(['foreign key'], add('a'))).rejects.toThrow('UNIQUE');
  expect(await unlessViolated(['unique'], add('b'))).toMatchObject([{ isbn: 'b' }]);
  expect(() => only([])).toThrow('expected a row, got none');
  expect(await database.query(select(books)`WHERE ${books.id} = ${1}`)).toEqual([{ id: 1, isbn: 'a' }]);
  await database.close();
});
