import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Plant } from '../../src/plants/plant-store';
import { ownFolder } from '../testing/folder';
import { startPostgres, type Postgres } from '../testing/postgres';

/** A database that the server can keep its plants in, and that can be looked into behind its back. */
export interface Subject {
  readonly url: string;
  readonly postgres?: Postgres;
  read(): Promise<Plant[]>;
  remove(): Promise<void>;
}

interface Row {
  readonly id: bigint | string;
  readonly name: string;
  readonly tag: string | null;
}

export function createSqlite(): Subject {
  const file = join(ownFolder(), 'plants.db');
  return {
    url: `sqlite:${file}`,
    read() {
      const db = new DatabaseSync(file, { readOnly: true, readBigInts: true });
      const rows = db.prepare('SELECT id, name, tag FROM plants').all() as unknown as Row[];
      db.close();
      return Promise.resolve(rows.map((row) => toPlant(row, (text) => text)));
    },
    remove: () => Promise.resolve(),
  };
}

export async function createPostgres(): Promise<Subject> {
  const postgres = await startPostgres();
  return subjectOf(postgres, await postgres.createDatabase());
}

/** A primary whose commits wait for a standby. */
export interface Pair extends Subject {
  /** Lets the standby answer no more. */
  freeze(): void;
  /** Ends the sessions that wait for it, or only their waiting; resolves to their number. */
  interrupt(how: 'terminate' | 'cancel'): Promise<number>;
  /** Ends the primary, and makes the standby one; `read` reads what it has. */
  failOver(): Promise<void>;
}

export async function createPair(): Promise<Pair> {
  const settings = ['synchronous_standby_names=standby', 'wal_keep_size=64MB', 'fsync=off'];
  const primary = await startPostgres({ settings });
  const standby = await startPostgres({ settings: ['fsync=off'], standbyOf: primary.port });
  const url = await primary.createDatabase();
  const survivor = url.replace(String(primary.port), String(standby.port));
  const operator = new Client(url);
  operator.on('error', () => undefined); // it ends with the primary
  await operator.connect();
  return {
    url,
    freeze: () => {
      standby.freeze();
    },
    async interrupt(how) {
      const { rowCount } = await operator.query(
        `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> pg_backend_pid()`,
      );
      return rowCount ?? 0;
    },
    async failOver() {
      await primary.kill();
      await standby.kill();
      await standby.start();
    },
    read: () => subjectOf(standby, survivor).read(),
    async remove() {
      await operator.end().catch(() => undefined);
      await Promise.all([primary.remove(), standby.remove()]);
    },
  };
}

/** The plants of a PostgreSQL database. */
export async function readPlants(url: string): Promise<Plant[]> {
  // As packages/database/src/postgres/dialect.ts documents: U+0001 "0" stands for U+0000, U+0001 "1" for U+0001.
  const decode = (text: string) => text.replaceAll('\u00010', '\0').replaceAll('\u00011', '\u0001');
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<Row>('SELECT id, name, tag FROM plants');
  await client.end();
  return rows.map((row) => toPlant(row, decode));
}

function subjectOf(postgres: Postgres, url: string): Subject {
  return { url, postgres, read: () => readPlants(url), remove: () => postgres.remove() };
}

function toPlant({ id, name, tag }: Row, decode: (text: string) => string): Plant {
  return { id: BigInt(id), name: decode(name), ...(tag !== null && { tag: decode(tag) }) };
}
