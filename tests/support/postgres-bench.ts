import { Client } from 'pg';
import type { PlantStore } from '../../src/plants/plant-store';
import { openPlantStore } from '../../src/storage/plants';
import { startPostgres, type Postgres } from './postgres';

/** For each test of a file a database of its own, and an operator who is at it already. */
export interface Bench {
  readonly postgres: Postgres;
  readonly url: string;
  readonly operator: Client;
  /** Another connection, which may break without anybody minding. */
  connect(): Promise<Client>;
  /** A store, closed after the test. */
  open(at?: string): Promise<PlantStore>;
  /** @returns the URL of the same database for a user who is no superuser and has the given defaults */
  createUser(name: string, ...defaults: string[]): Promise<string>;
  /** The processes of the server that serve the store. */
  backendsOfStore(): Promise<number[]>;
  /** Resolves when a statement in the database waits for a lock. */
  somebodyWaits(): Promise<void>;
}

/** To be called once, at the top of a test file; the properties are those of the test that runs. */
export function usePostgres(): Bench {
  let postgres: Postgres;
  let url: string;
  let operator: Client;
  const clients: Client[] = [];
  const stores: PlantStore[] = [];

  async function connect(): Promise<Client> {
    const client = new Client(url);
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());
  beforeEach(async () => {
    url = await postgres.createDatabase();
    operator = await connect();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([
      ...stores.splice(0).map((store) => store.close()),
      ...clients.splice(0).map((c) => c.end()),
    ]);
  });

  return {
    get postgres() {
      return postgres;
    },
    get url() {
      return url;
    },
    get operator() {
      return operator;
    },
    connect,
    async open(at = url) {
      const store = await openPlantStore(at);
      stores.push(store);
      return store;
    },
    async createUser(name, ...defaults) {
      await operator.query(`CREATE ROLE ${name} LOGIN`);
      await operator.query(`GRANT ALL ON SCHEMA public TO ${name}`);
      for (const setting of defaults) await operator.query(`ALTER ROLE ${name} SET ${setting}`);
      return url.replace('postgres@', `${name}@`);
    },
    async backendsOfStore() {
      const { rows } = await operator.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      return rows.map(({ pid }) => pid);
    },
    async somebodyWaits() {
      const observer = await connect();
      const waiting =
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      while ((await observer.query(waiting)).rowCount === 0);
    },
  };
}
