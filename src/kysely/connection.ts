import type {
  CompiledQuery,
  ConnectionProvider,
  DatabaseConnection,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import type { Database, Queries } from '../database';
import { returnsRows, statementOf } from './compiler';

/** Where the statements of a Kysely run. */
class Connection implements DatabaseConnection {
  /** With which `begin` has asked for a transaction. */
  asked: Error | undefined;

  /**
   * @param state `alone`: outside of a transaction, and so for one statement; `opened`: in a transaction of the database that
   * Kysely has not begun; `begun`: in one
   */
  constructor(
    private readonly queries: Queries,
    private state: 'alone' | 'spent' | 'opened' | 'begun',
  ) {}

  async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.state === 'spent')
      throw new TypeError('expected transaction() for several statements, got connection()');
    if (this.state === 'alone') this.state = 'spent';
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

  begin({ isolationLevel = 'serializable', accessMode = 'read write' }: TransactionSettings): void {
    if (isolationLevel !== 'serializable' || accessMode !== 'read write')
      throw new TypeError(
        `expected a transaction that is serializable and may write, got ${isolationLevel}, ${accessMode}`,
      );
    if (this.state !== 'opened')
      throw (this.asked = new TypeError(
        'expected transaction().execute(work) of the database, which can be repeated, got another transaction',
      ));
    this.state = 'begun';
  }
}

/**
 * Kysely begins a transaction before it runs the work, and so the first attempt to begin one ends there. The whole is run
 * again in a transaction of the database, which may repeat it.
 */
export const databaseProvider = (database: Database): ConnectionProvider => ({
  async provideConnection(consumer) {
    const alone = new Connection(database, 'alone');
    try {
      return await consumer(alone);
    } catch (error) {
      if (!alone.asked || error !== alone.asked) throw error;
    }
    return database.transaction((queries) => consumer(new Connection(queries, 'opened')));
  },
});

/** For a transaction that has begun. */
export const queriesProvider = (queries: Queries): ConnectionProvider => ({
  provideConnection: (consumer) => consumer(new Connection(queries, 'begun')),
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
    if (connection instanceof Connection) connection.begin(settings);
    return Promise.resolve();
  },
  commitTransaction: nothing,
  rollbackTransaction: nothing,
  destroy() {
    return Promise.reject(new TypeError('expected close() of the database, got destroy() of its Kysely'));
  },
};
