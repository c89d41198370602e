import { Client } from 'pg';
import type { StoreObserver } from 'contract-first-database';
import type { PlantStore } from '../../src/plants/plant-store';
import { openPlantStore } from '../../src/storage/plants';
import { startPostgres, type Postgres } from './postgres';

/** A separate database for each test of a file, with an operator connected to it. */
export interface Bench {
  readonly postgres: Postgres;
  readonly url: string;
  readonly operator: Client;
  /** Another connection. Its loss does not fail the test. */
  connect(): Promise<Client>;
  /** A store that is closed after the test. */
  open(at?: string, observer?: StoreObserver): Promise<PlantStore>;
  /** @returns the URL of the same database for a user who is not a superuser and has the given defaults */
  createUser(name: string, ...defaults: string[]): Promise<string>;
  /** The server processes of the store's connections. */
  backendsOfStore(): Promise<number[]>;
  /** Resolves when a statement in the database waits for a lock. */
  somebodyWaits(): Promise<void>;
}

/** Call it once, at the top of a test file. The properties belong to the current test. */
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
    async open(at = url, observer) {
      const store = await openPlantStore(at, observer);
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
