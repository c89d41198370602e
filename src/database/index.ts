/** All that a store needs of src/database/. */
export { collection, collectionTable } from './collection';
export type { Collection, Entry } from './collection';
export type { Database } from './database';
export { databaseUrls, isDatabaseUrl, openDatabase } from './open';
export type { Migration, Schema } from './schema';
export { BYTES, createTable, DOUBLE, identifier, IDENTITY, INT64, rows, sql, TEXT } from './sql';
export type { Columns, ColumnType, PerDialect, Sql, Value } from './sql';
export {
  ConstraintViolation,
  InvalidValue,
  StatementError,
  StoreUnavailable,
  UnusableDatabase,
} from './store';
export type { Store, StoreObserver } from './store';
export type { Queries } from './transaction';
