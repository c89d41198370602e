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
 * - `alone`: outside of a transaction, and so for one statement.
 * - `opened`: in a transaction of the database that Kysely has not begun.
 * - `begun`: in one.
 * - `ended`: takes no more statements. The transaction ends when what Kysely does with its connection ends.
 */
type State = 'starting' | 'alone' | 'opened' | 'begun' | 'ended';

/** Where the statements of a Kysely run. */
class Connection implements DatabaseConnection {
  /** Whether `begin` has asked for a transaction. */
  hasAsked = false;
  isRolledBack = false;

  constructor(
    private readonly queries: Queries,
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

  /** It has been handed over. */
  started(): void {
    if (this.state === 'starting') this.state = 'alone';
  }

  begin({ isolationLevel = 'serializable', accessMode = 'read write' }: TransactionSettings): void {
    if (isolationLevel !== 'serializable' || accessMode !== 'read write')
      throw new TypeError(
        `expected a transaction that is serializable and may write, got ${isolationLevel}, ${accessMode}`,
      );
    if (this.state === 'opened') this.state = 'begun';
    else {
      this.hasAsked ||= this.state === 'starting';
      throw new TypeError(
        'expected transaction().execute(work) of the database, which can be repeated, got another transaction',
      );
    }
  }

  end(isRolledBack: boolean): void {
    this.state = 'ended';
    this.isRolledBack = isRolledBack;
  }
}

/**
 * Kysely begins a transaction before it runs the work, and so the first attempt to begin one ends there. The whole is run
 * again in a transaction of the database, which may repeat it.
 */
export const databaseProvider = (database: Database): ConnectionProvider => ({
  async provideConnection(consumer) {
    const alone = new Connection(database, 'starting');
    try {
      const consumed = consumer(alone);
      alone.started();
      const value = await consumed;
      if (!alone.hasAsked) return value;
    } catch (error) {
      if (!alone.hasAsked) throw error;
    }
    return database.transaction(async (queries) => {
      const connection = new Connection(queries, 'opened');
      const value = await consumer(connection);
      if (connection.isRolledBack)
        throw new TypeError('expected connection() to fail as its transaction, got a success');
      return value;
    });
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
  commitTransaction(connection) {
    if (connection instanceof Connection) connection.end(false);
    return Promise.resolve();
  },
  rollbackTransaction(connection) {
    if (connection instanceof Connection) connection.end(true);
    return Promise.resolve();
  },
  destroy() {
    return Promise.reject(new TypeError('expected close() of the database, got destroy() of its Kysely'));
  },
};
