import type { CreateOutcome, Plant } from '../../../src/plants/plant-store';
import { StoreUnavailable } from '../../../src/store';
import { batching } from '../../../src/storage/batch';
import { buildPlant } from '../../support/plants';

/** A database whose commits end when, and as, the test says. */
function buildDatabase() {
  const commits: { plants: readonly Plant[]; succeed: () => void; fail: (error: Error) => void }[] = [];
  let arrived: (() => void) | undefined;
  return {
    commits,
    close: jest.fn(() => Promise.resolve()),
    write: (plants: readonly Plant[]) =>
      new Promise<CreateOutcome[]>((resolve, reject) => {
        commits.push({
          plants,
          succeed: () => {
            resolve(plants.map(() => 'created'));
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

const buildPlants = (count: number) => Array.from({ length: count }, (_, i) => buildPlant({ id: BigInt(i) }));

test('creations of one turn of the event loop share a commit', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const plants = buildPlants(64);
  const outcomes = Promise.all(plants.map((plant) => store.create(plant)));
  const commit = await database.commit(0);
  expect(commit.plants).toEqual(plants);
  commit.succeed();
  expect(await outcomes).toEqual(plants.map(() => 'created'));
  expect(database.commits).toHaveLength(1);
});

test('creations that come turn after turn share a commit; it does not wait for who comes later', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const plants = buildPlants(4) as [Plant, Plant, Plant, Plant];
  const outcomes: Promise<unknown>[] = [];
  const come = ([plant, ...others]: Plant[]) => {
    if (!plant) return;
    setImmediate(come, others); // before the store asks for its turn, as sockets are read before
    outcomes.push(store.create(plant));
  };
  come(plants.slice(0, 3));
  const commit = await database.commit(0);
  outcomes.push(store.create(plants[3]));
  expect(commit.plants).toEqual(plants.slice(0, 3));
  commit.succeed();
  const next = await database.commit(1);
  expect(next.plants).toEqual([plants[3]]);
  next.succeed();
  expect(await Promise.all(outcomes)).toEqual(plants.map(() => 'created'));
});

test('between two commits others get their turn, however many creations wait', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const outcomes = Promise.all(buildPlants(300).map((plant) => store.create(plant)));
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

test('creations that come while a commit runs wait for it and share the next', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const [first, second, third] = buildPlants(3) as [Plant, Plant, Plant];
  const one = store.create(first);
  const running = await database.commit(0);
  const others = [store.create(second), store.create(third)];
  await new Promise(setImmediate);
  expect(database.commits).toHaveLength(1);
  running.succeed();
  await expect(one).resolves.toBe('created');
  const next = await database.commit(1);
  expect(next.plants).toEqual([second, third]);
  next.succeed();
  await Promise.all(others);
});

test('a commit takes a bounded number of plants', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const outcomes = Promise.all(buildPlants(300).map((plant) => store.create(plant)));
  for (const [index, size] of [128, 128, 44].entries()) {
    const commit = await database.commit(index);
    expect(commit.plants).toHaveLength(size);
    commit.succeed();
  }
  await outcomes;
});

test('a commit takes a bounded length of strings, but at least one plant', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const megabytes = [2, 0.5, 0.4, 0.3].map((size) => buildPlant({ name: 'x'.repeat(size * 1_000_000) }));
  const outcomes = Promise.all(megabytes.map((plant) => store.create(plant)));
  for (const [index, size] of [1, 2, 1].entries()) {
    const commit = await database.commit(index);
    expect(commit.plants).toHaveLength(size);
    commit.succeed();
  }
  await outcomes;
});

test('a failed commit rejects all who waited for it and nobody else', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const doomed = Promise.allSettled(buildPlants(3).map((plant) => store.create(plant)));
  const commit = await database.commit(0);
  const later = store.create(buildPlant());
  const error = new StoreUnavailable('the disk is full');
  commit.fail(error);
  expect(await doomed).toEqual(Array(3).fill({ status: 'rejected', reason: error }));
  (await database.commit(1)).succeed();
  await expect(later).resolves.toBe('created');
});

test('beyond a bounded number of waiting creations, further ones and readiness are refused at once', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const accepted = Promise.all(buildPlants(1024).map((plant) => store.create(plant)));
  await expect(store.create(buildPlant())).rejects.toThrow(
    new StoreUnavailable('1024 creations wait already: try again later'),
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
  expect(probe.plants).toEqual([]);
  probe.fail(new StoreUnavailable('the database is down'));
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(database.commits).toHaveLength(1);
});

test('closing waits for the commits and closes the database once', async () => {
  const database = buildDatabase();
  const store = batching(database);
  const accepted = store.create(buildPlant());
  const closed = Promise.all([store.close(), store.close()]);
  const commit = await database.commit(0);
  await new Promise(setImmediate);
  expect(database.close).not.toHaveBeenCalled();
  commit.succeed();
  await expect(accepted).resolves.toBe('created');
  await closed;
  expect(database.close).toHaveBeenCalledTimes(1);
});
