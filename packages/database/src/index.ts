/** Everything that a store needs from packages/database/src/. */
export { collection, collectionTable } from './collection';
export type { Collection, Entry } from './collection';
export {
  BOOLEAN,
  BYTES,
  CONCURRENTLY,
  COUNTER,
  DATE,
  DOUBLE,
  IDENTITY,
  INT64,
  INTEGER,
  JSON_VALUE,
  TEXT,
  TIMESTAMP,
  TRY_LOCK,
} from './column';
export type { Column, Columns, ColumnsOf, ColumnType, Part, PerDialect, Sql, Table } from './column';
export { type Database, within } from './database';
export { databaseUrls, isDatabaseUrl, openDatabase, START_TIMEOUT, wrongOfUrl } from './open';
export { only, unlessViolated } from './outcome';
export type { Migration } from './migration';
export type { Schema } from './schema';
export { and, or, rows, sql } from './sql';
export {
  ConstraintViolation,
  InvalidValue,
  StatementError,
  StoreUnavailable,
  UnusableDatabase,
} from './store';
export type { ClosedDatabase, Store, StoreObserver } from './store';
export { addColumn, createTable, deleteFrom, equal, insertInto, select, table, update } from './table';
export type { ChangesOf, NewRowOf, RowOf, TableOf } from './table';
export type { Queries } from './transaction';
export type { JsonValue, Value } from './values';
