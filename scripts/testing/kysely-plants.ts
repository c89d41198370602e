import type { Transaction } from 'kysely';
import { createTable, INT64, openDatabase, type Schema, sql, table, TEXT } from 'contract-first-database';
import { kysely, type TablesOf } from 'contract-first-database/kysely';
import type { CreateOutcome, Plant, PlantStore } from '../../src/plants/plant-store';

const plants = table('plants', { id: INT64.primaryKey(), name: TEXT, tag: TEXT.optional() });

const SCHEMA: Schema = {
  name: 'plant_store',
  mark: 'Plnt',
  migrations: [['plants', createTable(plants)]],
  probe: sql`INSERT INTO plants (id, name) SELECT id, name FROM plants WHERE 1 = 0`,
};

/** The plant store, with the queries of Kysely: those that wait share a transaction. */
export async function openKyselyPlants(url: string): Promise<PlantStore> {
  const database = await openDatabase(url, SCHEMA);
  const db = kysely(database, { plants });
  return {
    create: database.batched(
      (batch: readonly Plant[]) =>
        db.transaction().execute(async (trx) => {
          const outcomes: CreateOutcome[] = [];
          for (const plant of batch) outcomes.push(await create(trx, plant));
          return outcomes;
        }),
      ({ name, tag }) => name.length + (tag?.length ?? 0),
    ),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}

async function create(
  trx: Transaction<TablesOf<{ plants: typeof plants }>>,
  plant: Plant,
): Promise<CreateOutcome> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('plants')
    .values(plant)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return 'created';
  const { name, tag } = await trx
    .selectFrom('plants')
    .select(['name', 'tag'])
    .where('id', '=', plant.id)
    .executeTakeFirstOrThrow();
  return name === plant.name && (tag ?? undefined) === plant.tag ? 'unchanged' : 'conflict';
}
