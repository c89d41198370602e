import type {
  CompiledQuery,
  ConnectionProvider,
  DatabaseConnection,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import type { Database, Queries } from '..';
import { returnsRows, statementOf } from './compiler';

/**
 * - `starting`: outside of a transaction. Kysely may ask for one, before anything else has happened.
 * - `asking`: it has asked, and waits until the database has begun one.
 * - `alone`: outside of a transaction, and so for one statement.
 * - `opened`: in a transaction of the database that Kysely has not begun.
 * - `begun`: in one.
 * - `ended`: takes no more statements. The transaction ends when what Kysely does with its connection ends.
 */
type State = 'starting' | 'asking' | 'alone' | 'opened' | 'begun' | 'ended';

/** Where the statements of a Kysely run. */
class KyselyConnection implements DatabaseConnection {
  isRolledBack = false;
  /** Ends the wait of `begin`. */
  private enter: () => void = () => undefined;

  constructor(
    private queries: Queries,
    private state: State,
  ) {}

  async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.state === 'ended' || this.state === 'opened')
      throw new TypeError('expected transaction() for several statements, got connection()');
    if (this.state !== 'begun') this.state = 'ended';
    const statement = statementOf<Row>(compiled);
    if (!returnsRows(compiled))
      return { rows: [], numAffectedRows: BigInt(await this.queries.execute(statement)) };
    const rows = await this.queries.query(statement);
    // Of text nobody knows what it has done.
    return compiled.query.kind === 'RawNode' ? { rows } : { rows, numAffectedRows: BigInt(rows.length) };
  }

  streamQuery(): never {
    throw new TypeError('expected a query of bounded size, got stream(): read pages with limit()');
  }

  /** To be called once it has been handed over. @returns whether Kysely has asked for a transaction */
  isAsking(): boolean {
    if (this.state === 'starting') this.state = 'alone';
    return this.state === 'asking';
  }

  /** The transaction that Kysely has asked for has begun. */
  begun(queries: Queries): void {
    this.queries = queries;
    this.state = 'begun';
    this.enter();
  }

  /** Resolves when a transaction has begun. */
  begin({ isolationLevel = 'serializable', accessMode = 'read write' }: TransactionSettings): Promise<void> {
    if (isolationLevel !== 'serializable' || accessMode !== 'read write')
      throw new TypeError(
        `expected a transaction that is serializable and may write, got ${isolationLevel}, ${accessMode}`,
      );
    if (this.state === 'opened') {
      this.state = 'begun';
      return Promise.resolve();
    }
    if (this.state !== 'starting')
      throw new TypeError(
        'expected transaction().execute(work) of the database, which can be repeated, got another transaction',
      );
    this.state = 'asking';
    return new Promise((resolve) => (this.enter = resolve));
  }

  end(isRolledBack: boolean): void {
    this.state = 'ended';
    this.isRolledBack = isRolledBack;
  }
}

/**
 * Kysely asks for a transaction before it does anything else with a connection, and goes on when the database has begun it. If the
 * database repeats the transaction, the whole is run again on another connection.
 */
export const databaseProvider = (database: Database): ConnectionProvider => ({
  async provideConnection(consumer) {
    const first = new KyselyConnection(database, 'starting');
    const consumed = consumer(first);
    if (!first.isAsking()) return consumed;
    let isRepeated = false;
    return database.transaction(async (queries) => {
      const connection = isRepeated ? new KyselyConnection(queries, 'opened') : first;
      const consuming = isRepeated ? consumer(connection) : consumed;
      if (!isRepeated) first.begun(queries);
      isRepeated = true;
      const value = await consuming;
      if (connection.isRolledBack)
        throw new TypeError('expected connection() to fail as its transaction, got a success');
      return value;
    });
  },
});

/** For a transaction that has begun. */
export const queriesProvider = (queries: Queries): ConnectionProvider => ({
  provideConnection: (consumer) => consumer(new KyselyConnection(queries, 'begun')),
});

const nothing = () => Promise.resolve();

/** The transactions are those of the database, and so are its connections. */
export const DRIVER: Driver = {
  init: nothing,
  acquireConnection() {
    throw new TypeError('expected a connection of the database');
  },
  releaseConnection: nothing,
  beginTransaction(connection, settings) {
    return connection instanceof KyselyConnection ? connection.begin(settings) : nothing();
  },
  commitTransaction(connection) {
    if (connection instanceof KyselyConnection) connection.end(false);
    return Promise.resolve();
  },
  rollbackTransaction(connection) {
    if (connection instanceof KyselyConnection) connection.end(true);
    return Promise.resolve();
  },
  destroy() {
    return Promise.reject(new TypeError('expected close() of the database, got destroy() of its Kysely'));
  },
};
