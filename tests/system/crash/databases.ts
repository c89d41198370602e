import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Plant } from '../../../src/plants/plant-store';
import { startPostgres, type Postgres } from '../../support/postgres';

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
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-crash-'));
  const file = join(folder, 'plants.db');
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return {
    url: `sqlite:${file}`,
    read() {
      const db = new Database(file, { readonly: true });
      const rows = db.prepare<[], Row>('SELECT id, name, tag FROM plants').safeIntegers().all();
      db.close();
      return Promise.resolve(rows.map((row) => toPlant(row, (text) => text)));
    },
    remove() {
      remove();
      return Promise.resolve();
    },
  };
}

export async function createPostgres(): Promise<Subject> {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  // As src/database/postgres.ts documents: U+0001 "0" stands for U+0000, U+0001 "1" for U+0001.
  const decode = (text: string) => text.replaceAll('\u00010', '\0').replaceAll('\u00011', '\u0001');
  return {
    url,
    postgres,
    async read() {
      const client = new Client(url);
      await client.connect();
      const { rows } = await client.query<Row>('SELECT id, name, tag FROM plants');
      await client.end();
      return rows.map((row) => toPlant(row, decode));
    },
    remove: () => postgres.remove(),
  };
}

function toPlant({ id, name, tag }: Row, decode: (text: string) => string): Plant {
  return { id: BigInt(id), name: decode(name), ...(tag !== null && { tag: decode(tag) }) };
}
