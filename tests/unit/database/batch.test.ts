import { sql, StoreUnavailable } from '../../../src/database';
import { createDatabase } from '../../../src/database/database';
import { SQLITE } from '../../../src/database/sqlite';

interface Item {
  readonly id: number;
  readonly name: string;
}

/** A database whose commits end when, and as, the test says. */
function buildDatabase() {
  const commits: { items: readonly Item[]; succeed: () => void; fail: (error: Error) => void }[] = [];
  let arrived: (() => void) | undefined;
  return {
    commits,
    close: jest.fn(() => Promise.resolve()),
    write: (items: readonly Item[]) =>
      new Promise<string[]>((resolve, reject) => {
        commits.push({
          items,
          succeed: () => {
            resolve(items.map(() => 'created'));
          },
          fail: reject,
        });
        arrived?.();
      }),
    /** Resolves to the commit of that number, once it has begun. */
    async commit(index: number) {
      for (;;) {
        const commit = commits[index];
        if (commit) return commit;
        await new Promise<void>((resolve) => (arrived = resolve));
      }
    },
  };
}

/** A store whose writes share commits. */
function batching({ write, close }: ReturnType<typeof buildDatabase>) {
  const unused = () => Promise.reject(new Error('not used here'));
  const connection = { run: unused, begin: unused, isTransient: () => false, probe: () => write([]), close };
  const database = createDatabase(SQLITE, connection, { subject: 'the database', probe: sql`SELECT 1` });
  const create = database.batched(write, ({ name }) => name.length);
  return { create, ready: () => database.ready(), close: () => database.close() };
}

const buildItem = (overrides: Partial<Item> = {}): Item => ({ id: 1, name: 'an item', ...overrides });
const buildItems = (count: number) => Array.from({ length: count }, (_, i) => buildItem({ id: i }));

test('writes that come turn after turn share a commit; it does not wait for who comes later', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const items = buildItems(4) as [Item, Item, Item, Item];
  const outcomes: Promise<unknown>[] = [];
  const come = ([item, ...others]: Item[]) => {
    if (!item) return;
    setImmediate(come, others); // before the store asks for its turn, as sockets are read before
    outcomes.push(store.create(item));
  };
  come(items.slice(0, 3));
  const commit = await database.commit(0);
  outcomes.push(store.create(items[3]));
  expect(commit.items).toEqual(items.slice(0, 3));
  commit.succeed();
  const next = await database.commit(1);
  expect(next.items).toEqual([items[3]]);
  next.succeed();
  expect(await Promise.all(outcomes)).toEqual(items.map(() => 'created'));
});

test('between two commits others get their turn, however many writes wait', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const outcomes = Promise.all(buildItems(300).map((item) => store.create(item)));
  const first = await database.commit(0);
  let turns = 0;
  setImmediate(() => turns++);
  first.succeed();
  const second = await database.commit(1);
  expect(turns).toBe(1);
  second.succeed();
  (await database.commit(2)).succeed();
  await outcomes;
});

test('writes that come while a commit runs wait for it and share the next', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const [first, second, third] = buildItems(3) as [Item, Item, Item];
  const one = store.create(first);
  const running = await database.commit(0);
  const others = [store.create(second), store.create(third)];
  await new Promise(setImmediate);
  expect(database.commits).toHaveLength(1);
  running.succeed();
  await expect(one).resolves.toBe('created');
  const next = await database.commit(1);
  expect(next.items).toEqual([second, third]);
  next.succeed();
  await Promise.all(others);
});

test.each([
  ['number of items', buildItems(300), [128, 128, 44]],
  [
    'length of strings, but at least one item',
    [2, 0.5, 0.4, 0.3].map((size) => buildItem({ name: 'x'.repeat(size * 1_000_000) })),
    [1, 2, 1],
  ],
])('a commit takes a bounded %s', async (_, items, sizes) => {
  const database = buildDatabase();
  const store = batching(database);
  const outcomes = Promise.all(items.map((item) => store.create(item)));
  for (const [index, size] of sizes.entries()) {
    const commit = await database.commit(index);
    expect(commit.items).toHaveLength(size);
    commit.succeed();
  }
  await outcomes;
});

test('a failed commit rejects all who waited for it and nobody else', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const doomed = Promise.allSettled(buildItems(3).map((item) => store.create(item)));
  const commit = await database.commit(0);
  const later = store.create(buildItem());
  const error = new StoreUnavailable('the disk is full');
  commit.fail(error);
  expect(await doomed).toEqual(Array(3).fill({ status: 'rejected', reason: error }));
  (await database.commit(1)).succeed();
  await expect(later).resolves.toBe('created');
});

test('beyond a bounded number of waiting writes, further ones and readiness are refused at once', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const accepted = Promise.all(buildItems(1024).map((item) => store.create(item)));
  await expect(store.create(buildItem())).rejects.toThrow(
    new StoreUnavailable('1024 writes wait already: try again later'),
  );
  await expect(store.ready()).rejects.toThrow(StoreUnavailable);
  for (let index = 0; index < 8; index++) (await database.commit(index)).succeed();
  await accepted;
  const ready = store.ready();
  (await database.commit(8)).succeed();
  await expect(ready).resolves.toBeUndefined();
});

test('readiness is asked of the database, once for all who ask at a time', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const asked = Promise.allSettled([store.ready(), store.ready()]);
  const probe = await database.commit(0);
  expect(probe.items).toEqual([]);
  probe.fail(new StoreUnavailable('the database is down'));
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(database.commits).toHaveLength(1);
});

test('closing waits for the commits and closes the database once', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const accepted = store.create(buildItem());
  const closed = Promise.all([store.close(), store.close()]);
  const commit = await database.commit(0);
  await new Promise(setImmediate);
  expect(database.close).not.toHaveBeenCalled();
  commit.succeed();
  await expect(accepted).resolves.toBe('created');
  await closed;
  expect(database.close).toHaveBeenCalledTimes(1);
});
