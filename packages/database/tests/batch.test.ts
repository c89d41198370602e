import fc from 'fast-check';
import { sql, StoreUnavailable } from 'contract-first-database';
import { createDatabase } from '../src/database';
import { SQLITE } from '../src/sqlite';

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

interface Options {
  readonly concurrency?: number;
  readonly keyOf?: (item: Item) => number;
  readonly close?: () => Promise<void>;
}

/** A store whose writes share commits. */
function batching<Outcome>(
  write: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  { concurrency = 1, keyOf, close = () => Promise.resolve() }: Options = {},
) {
  const unused = () => Promise.reject(new Error('not used here'));
  const probe = () => write([]);
  const connection = { concurrency, run: unused, begin: unused, isTransient: () => false, probe, close };
  const database = createDatabase(SQLITE, connection, { subject: 'the database', probe: sql`SELECT 1` });
  const create = database.batched(write, ({ name }) => name.length, keyOf);
  return { create, ready: () => database.ready(), close: () => database.close() };
}

const idOf = ({ id }: Item) => id;

/** Resolves when nothing more happens by itself; the clock of the test stands. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise(setImmediate);
}

function stopClock(): void {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
}
afterEach(() => {
  jest.useRealTimers();
});

const buildItem = (overrides: Partial<Item> = {}): Item => ({ id: 1, name: 'an item', ...overrides });
const buildItems = (count: number) => Array.from({ length: count }, (_, i) => buildItem({ id: i }));

test('writes that come turn after turn share a commit; it does not wait for who comes later', async () => {
  const database = buildDatabase();
  const store = batching(database.write);
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
  const store = batching(database.write);
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
  const store = batching(database.write);
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
  const store = batching(database.write);
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
  const store = batching(database.write);
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
  const store = batching(database.write);
  const accepted = Promise.all(buildItems(1024).map((item) => store.create(item)));
  await expect(store.create(buildItem())).rejects.toThrow(
    new StoreUnavailable('1024 writes are already waiting: try again later'),
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
  const store = batching(database.write);
  const asked = Promise.allSettled([store.ready(), store.ready()]);
  const probe = await database.commit(0);
  expect(probe.items).toEqual([]);
  probe.fail(new StoreUnavailable('the database is down'));
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(database.commits).toHaveLength(1);
});

test('closing waits for the commits and closes the database once', async () => {
  const database = buildDatabase();
  const store = batching(database.write, database);
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

test('another batch begins when it is full, or when the one before takes longer than near databases do', async () => {
  stopClock();
  const database = buildDatabase();
  const store = batching(database.write, { concurrency: 5, keyOf: idOf });
  const [first, second, third, ...others] = buildItems(400) as [Item, Item, Item, ...Item[]];
  const outcomes: Promise<unknown>[] = [];
  for (const [index, item] of [first, second, third].entries()) {
    outcomes.push(store.create(item));
    await settle();
    expect(database.commits).toHaveLength(Math.max(1, index));
    jest.advanceTimersByTime(index === 0 ? 0 : 2);
    await settle();
    expect(database.commits[index]?.items).toEqual([item]);
  }
  outcomes.push(...others.map((item) => store.create(item)));
  await settle();
  expect(database.commits.map(({ items }) => items.length)).toEqual([1, 1, 1, 128, 128]);
  jest.advanceTimersByTime(1000);
  await settle();
  expect(database.commits).toHaveLength(5); // as many are under way as may be
  for (let index = 0; index < 7; index++) (await database.commit(index)).succeed();
  expect(await Promise.all(outcomes)).toHaveLength(400);
});

test('to a near database another batch begins only if the one before is held up', async () => {
  stopClock();
  const database = buildDatabase();
  const store = batching(database.write, { concurrency: 5, keyOf: idOf });
  const come = () => store.create(buildItem({ id: ++last }));
  let last = 0;
  /** How many batches a batch of so many milliseconds has beside it. */
  const beside = async (milliseconds: number): Promise<number> => {
    const before = database.commits.length;
    const outcomes = [come()];
    await settle();
    outcomes.push(come());
    jest.advanceTimersByTime(milliseconds);
    await settle();
    const count = database.commits.length - before - 1;
    for (const index of [before, before + 1]) {
      const commit = await database.commit(index);
      if (index > before) jest.advanceTimersByTime(milliseconds);
      commit.succeed();
    }
    await Promise.all(outcomes);
    return count;
  };
  expect(await beside(1)).toBe(0);
  expect(await beside(19)).toBe(0);
  expect(await beside(20)).toBe(1);
  for (let batches = 0; batches < 30; batches++) await beside(19);
  expect(await beside(2)).toBe(1); // it is near no more
});

test('without keys there is one batch at a time', async () => {
  stopClock();
  const database = buildDatabase();
  const store = batching(database.write, { concurrency: 3 });
  const outcomes = Promise.all(buildItems(300).map((item) => store.create(item)));
  for (const index of [0, 1, 2]) {
    jest.advanceTimersByTime(1000);
    await settle();
    expect(database.commits).toHaveLength(index + 1);
    (await database.commit(index)).succeed();
  }
  await outcomes;
});

test('an item that cannot be read is refused, and nobody else', async () => {
  const database = buildDatabase();
  const store = batching(database.write, {
    concurrency: 2,
    keyOf({ id }) {
      if (id === 0) throw new TypeError('no id');
      return id;
    },
  });
  const [bad, good] = buildItems(2).map((item) => store.create(item));
  await expect(bad).rejects.toThrow('no id');
  (await database.commit(0)).succeed();
  await expect(good).resolves.toBe('created');
});

const MANY_IDS = fc.array(fc.oneof(fc.nat(5), fc.nat(500)), { maxLength: 300, size: 'max' });
/** Items come, time passes, and a batch ends, in this order. */
const STEP = fc.record({
  add: fc.oneof(
    fc.constant<number[]>([]),
    fc.nat(1).map((id) => [id]),
    MANY_IDS,
  ),
  size: fc.constantFrom(0, 0, 0, 0, 600_000),
  pass: fc.nat(3),
  end: fc.option(fc.record({ number: fc.nat(), fails: fc.boolean() })),
});
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** What is wrong about the batches of a walk. */
async function walk(concurrency: number, steps: readonly Step[]): Promise<string[]> {
  const wrong = new Set<string>();
  const running: { readonly items: readonly Item[]; readonly end: (fails: boolean) => void }[] = [];
  const written = new Map<number, number[]>();
  const numbers = new Map<Item, number>();
  const numberOf = (item: Item) => numbers.get(item) ?? NaN;
  const write = (items: readonly Item[]) =>
    new Promise<number[]>((resolve, reject) => {
      const ids = new Set(running.flatMap((batch) => batch.items.map(idOf)));
      if (items.some(({ id }) => ids.has(id))) wrong.add('two batches share a key');
      if (items.length === 0 || items.length > 128) wrong.add('a batch is empty or too large');
      if (running.length === concurrency) wrong.add('too many batches');
      const batch = {
        items,
        end(fails: boolean) {
          running.splice(running.indexOf(batch), 1);
          for (const item of items) written.set(item.id, [...(written.get(item.id) ?? []), numberOf(item)]);
          if (fails) reject(new StoreUnavailable('the answer was lost'));
          else resolve(items.map(numberOf));
        },
      };
      running.push(batch);
    });
  const store = batching(write, { concurrency, keyOf: idOf });
  const outcomes: Promise<number | Error>[] = [];
  const end = async (number: number, fails: boolean): Promise<void> => {
    running[number % running.length]?.end(fails);
    await settle();
  };
  for (const step of steps) {
    for (const id of step.add) {
      const item = { id, name: ' '.repeat(step.size) }; // nobody reads its characters, so V8 never writes them
      numbers.set(item, outcomes.length);
      outcomes.push(store.create(item).catch((error: unknown) => error as Error));
    }
    await settle();
    jest.advanceTimersByTime(step.pass);
    await settle();
    if (step.end) await end(step.end.number, step.end.fails);
  }
  const closing = store.close().then(() => {
    if (running.length > 0) wrong.add('closed while a batch was under way');
  });
  const all = Promise.all(outcomes);
  while (running.length > 0) await end(0, false);
  await closing;
  const settled = await all;
  const refused = settled.filter(
    (one) => one instanceof Error && one.message.includes('writes are already waiting'),
  );
  if ([...written.values()].flat().length !== settled.length - refused.length)
    wrong.add('an item is not written once');
  for (const order of written.values())
    if (order.some((number, index) => number < (order[index - 1] ?? 0))) wrong.add('a key has another order');
  if (settled.some((outcome, index) => !(outcome instanceof Error) && outcome !== index))
    wrong.add('an item has the outcome of another');
  return [...wrong];
}

test('in any interleaving, batches under way share no key, and the items of a key are written in their order', async () => {
  stopClock();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(STEP, { maxLength: 30 }),
      async (limit, steps) => {
        expect(await walk(limit, steps)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
