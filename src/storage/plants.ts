import {
  createTable,
  type Database,
  INT64,
  openDatabase,
  rows,
  type Schema,
  sql,
  type StoreObserver,
  StoreUnavailable,
  TEXT,
} from 'contract-first-database';
import type { CreateOutcome, Plant, PlantStore } from '../plants/plant-store';

const COLUMNS = { id: INT64, name: TEXT, tag: TEXT };

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

type Inserted = Pick<Row, 'id'>;

/** By id, as every process does: two batches never wait for each other in a circle. */
const insert = (plants: readonly Row[]) => sql<Inserted>`
  INSERT INTO plants (id, name, tag)
  SELECT id, name, tag FROM ${rows('batch', COLUMNS, plants)} ORDER BY id
  ON CONFLICT (id) DO NOTHING RETURNING id`;

const insertOne = ({ id, name, tag }: Row) => sql`
  INSERT INTO plants (id, name, tag) VALUES (${id}, ${name}, ${tag}) ON CONFLICT (id) DO NOTHING`;

const select = (plants: readonly Row[]) => sql<Row>`
  SELECT id, name, tag FROM plants WHERE id IN (SELECT id FROM ${rows('batch', { id: COLUMNS.id }, plants)})`;

const SCHEMA: Schema = {
  name: 'plant_store',
  mark: 'Plnt',
  migrations: [
    ['plants', createTable('plants', sql`id ${INT64} PRIMARY KEY, name ${TEXT} NOT NULL, tag ${TEXT}`)],
  ],
  probe: insert([]),
};

/** How often ids are tried that were taken, but free when looked at. */
const ATTEMPTS = 3;

/**
 * Keeps plants in a database.
 *
 * @param url as `openDatabase` takes it
 * @throws {Error} when the database cannot be used, with a sentence that says why and what to do
 */
export async function openPlantStore(url: string, observer?: StoreObserver): Promise<PlantStore> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
    create: database.batched(
      (plants) => createAll(database, plants),
      ({ name, tag }) => name.length + (tag?.length ?? 0),
      ({ id }) => id,
    ),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}

/** Inserts the plants whose ids are free, and resolves to them. A plant that comes alone needs no table of plants. */
async function insertFree(database: Database, plants: readonly Row[]): Promise<readonly Inserted[]> {
  const [plant, another] = plants;
  if (!plant || another) return database.query(insert(plants));
  return (await database.execute(insertOne(plant))) === 1 ? plants : [];
}

/** Creates plants as if one after the other; resolves to one outcome each, in their order. */
async function createAll(database: Database, plants: readonly Plant[]): Promise<CreateOutcome[]> {
  /** The final plant by id. */
  const standing = new Map<bigint, Row>();
  for (const { id, name, tag = null } of plants) if (!standing.has(id)) standing.set(id, { id, name, tag });
  const created = new Set<bigint>();
  let rest = [...standing.values()];
  for (let attempt = 0; rest.length > 0; attempt++) {
    if (attempt === ATTEMPTS)
      throw new StoreUnavailable(
        `plants were deleted while they were created, ${ATTEMPTS} times in a row: try again`,
      );
    const inserted = await insertFree(database, rest);
    for (const { id } of inserted) created.add(id);
    if (inserted.length === rest.length) break;
    rest = rest.filter(({ id }) => !created.has(id));
    // A statement of its own, so that it sees what the insertion has waited for. An id that it does not find is free: the
    // plant that stood in the way has been deleted since.
    const found = await database.query(select(rest));
    for (const row of found) standing.set(row.id, row);
    const known = new Set(found.map(({ id }) => id));
    rest = rest.filter(({ id }) => !known.has(id));
  }
  return plants.map(({ id, name, tag = null }) => {
    if (created.delete(id)) return 'created';
    const row = standing.get(id);
    return row?.name === name && row.tag === tag ? 'unchanged' : 'conflict';
  });
}
