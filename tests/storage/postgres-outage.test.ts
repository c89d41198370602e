import { Client } from 'pg';
import fc from 'fast-check';
import { StoreUnavailable } from 'contract-first-database';
import { delayed } from '../../scripts/testing/delayed';
import { buildPlant } from '../../scripts/testing/plants';
import { usePostgres } from '../../scripts/testing/postgres-bench';

const bench = usePostgres();

test('the loss of idle connections is not noticed by anybody', async () => {
  const connect = jest.spyOn(Client.prototype, 'connect');
  const store = await bench.open();
  await store.create(buildPlant());
  const client = connect.mock.contexts.at(-1) as Client;
  const noticed = new Promise((resolve) => client.once('end', resolve));
  for (const pid of await bench.backendsOfStore())
    await bench.operator.query('SELECT pg_terminate_backend($1)', [pid]);
  await noticed;
  await expect(store.create(buildPlant())).resolves.toBe('unchanged');
});

test('a batch that waits for a lock keeps nobody waiting but those who write the same id', async () => {
  const store = await bench.open();
  await bench.operator.query("BEGIN; INSERT INTO plants VALUES (1, 'not committed')");
  const settled: string[] = [];
  const create = async (id: bigint, name: string) =>
    settled.push(`${name} ${await store.create(buildPlant({ id, name }))}`);
  const same = [create(1n, 'first'), create(1n, 'second')];
  await bench.somebodyWaits();
  same.push(create(1n, 'third'));
  for (const id of [2n, 3n]) await create(id, 'other');
  expect(settled).toEqual(['other created', 'other created']);
  await bench.operator.query('ROLLBACK');
  await Promise.all(same);
  expect(settled.slice(2)).toEqual(['first created', 'second conflict', 'third conflict']);
});

test('creations of which many are under way to a far database have the outcomes of one after the other', async () => {
  const far = await delayed(bench.postgres.port, 10);
  const store = await bench.open(bench.url.replace(`:${bench.postgres.port}/`, `:${far.port}/`));
  const names = new Map<bigint, string>();
  let runs = 0n;
  const few = fc.record({ id: fc.bigInt(0n, 5n), name: fc.constantFrom('a', 'b') });
  const many = fc.record({ id: fc.bigInt(0n, 999n), name: fc.constantFrom('a', 'b') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(few, many), { minLength: 400, maxLength: 900, size: 'max' }),
      async (plants) => {
        runs++;
        const own = plants.map(({ id, name }) => ({ id: runs * 1000n + id, name }));
        const expected = own.map(({ id, name }) => {
          const known = names.get(id);
          if (known === undefined) names.set(id, name);
          return known === undefined ? 'created' : known === name ? 'unchanged' : 'conflict';
        });
        expect(await Promise.all(own.map((plant) => store.create(plant)))).toEqual(expected);
      },
    ),
    { numRuns: 10, endOnFailure: true },
  );
  expect((await bench.backendsOfStore()).length).toBeGreaterThan(2);
  await store.close();
  await far.close();
});

test('a batch takes its locks in the order of the ids, so that two batches cannot wait for each other', async () => {
  const store = await bench.open();
  const other = await bench.connect();
  await bench.operator.query("BEGIN; INSERT INTO plants VALUES (1, 'not committed')");
  const outcomes = Promise.all([2n, 1n].map((id) => store.create(buildPlant({ id }))));
  await bench.somebodyWaits();
  // The batch waits for 1, and so must not have 2 yet.
  await other.query("SET lock_timeout = 500; INSERT INTO plants VALUES (2, 'quicker')");
  await bench.operator.query('ROLLBACK');
  expect(await outcomes).toEqual(['conflict', 'created']);
});

test.each([
  ['a lock that is not released', 'BEGIN; LOCK TABLE plants', 'COMMIT', 'lock timeout'],
  [
    'a statement that takes too long',
    `CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
     CREATE TRIGGER nap BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION nap()`,
    'DROP TRIGGER nap ON plants',
    'statement timeout',
  ],
])('%s makes the store unavailable for a bounded time only', async (_, hinder, relent, reason) => {
  const store = await bench.open();
  await bench.operator.query(hinder);
  await expect(store.create(buildPlant())).rejects.toThrow(reason);
  await bench.operator.query(relent);
  await expect(store.create(buildPlant())).resolves.toBe('created');
});

test('a connection that has gone silent is given up and replaced', async () => {
  const store = await bench.open();
  await store.create(buildPlant());
  const silent = await bench.backendsOfStore();
  for (const pid of silent) process.kill(pid, 'SIGSTOP');
  try {
    await expect(store.create(buildPlant())).rejects.toThrow(StoreUnavailable);
    await expect(store.create(buildPlant())).resolves.toBe('unchanged');
  } finally {
    for (const pid of silent) process.kill(pid, 'SIGCONT');
  }
});

test('a server without room for another connection makes the store unavailable until it has some', async () => {
  const store = await bench.open(await bench.createUser('crowd'));
  await bench.operator.query('ALTER ROLE crowd CONNECTION LIMIT 0');
  for (const pid of await bench.backendsOfStore())
    await bench.operator.query('SELECT pg_terminate_backend($1)', [pid]);
  await expect(store.ready()).rejects.toThrow(StoreUnavailable);
  await expect(store.create(buildPlant())).rejects.toThrow('too many connections for role "crowd"');
  await bench.operator.query('ALTER ROLE crowd CONNECTION LIMIT -1');
  await expect(store.create(buildPlant())).resolves.toBe('created');
  await expect(store.ready()).resolves.toBeUndefined();
});
