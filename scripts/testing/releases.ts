import { resolve } from 'node:path';
import { createApp } from '../../src/app';
import { readConfig } from '../../src/config';
import {
  addColumn,
  CONCURRENTLY,
  createTable,
  INT64,
  type Migration,
  openDatabase,
  sql,
  table,
  TEXT,
} from 'contract-first-database';
import { errors } from '../../src/errors';
import { createHandlers } from '../../src/handlers';
import type { PlantStore } from '../../src/plants/plant-store';
import { runService } from 'contract-first-server/runtime';

/*
 * The plant store in four releases, which rename a column: `tsx releases.ts RELEASE [migrate]`, with the variables of the
 * service. 1 has the old column. 2 adds the new one, fills it and writes both. 3 uses the new one alone. 4 removes the old one.
 * With HANG, its function hangs in the fourth call, to be killed.
 */

const [release = 0] = process.argv.splice(2, 1).map(Number);

const columns = { id: INT64.primaryKey(), old: TEXT.nullable(), tag: TEXT.nullable() };
const plants = table('plants', { ...columns, name: TEXT.nullable().added() });

let calls = 0;
const fill: Extract<Migration, { steps: unknown }>['steps'] = async ({ execute }) => {
  if (process.env['HANG'] !== undefined && ++calls === 4) {
    await execute(sql`UPDATE plants SET old = 'lost'`);
    console.log('hangs');
    await new Promise(() => setInterval(() => undefined, 1000));
  }
  return execute(sql`UPDATE plants SET name = old
    WHERE id IN (SELECT id FROM plants WHERE name IS NULL ORDER BY id LIMIT 20)`);
};

const RELEASES: readonly (readonly Migration[])[] = [
  [['plants', createTable(release === 1 ? table('plants', columns) : plants)]],
  [
    { name: 'new column', oldest: 1, steps: [addColumn(plants.name)] },
    {
      name: 'index',
      oldest: 1,
      transaction: false,
      steps: [sql`CREATE INDEX ${CONCURRENTLY} IF NOT EXISTS names ON plants (name)`],
    },
    { name: 'fill', oldest: 1, steps: fill },
  ],
  // What release 1 has written since is filled. Release 2, which writes both columns, may still run.
  [{ name: 'fill the rest', oldest: 4, steps: fill }],
  [{ name: 'no old column', oldest: 5, steps: [sql`ALTER TABLE plants DROP COLUMN old`] }],
];

const written =
  [sql`(id, tag, old)`, sql`(id, tag, old, name)`, sql`(id, tag, name)`][Math.min(release, 3) - 1] ?? sql``;
const read = [sql`old`, sql`coalesce(name, old)`, sql`name`][Math.min(release, 3) - 1] ?? sql``;

async function open(url: string, observer?: Parameters<typeof openDatabase>[2]): Promise<PlantStore> {
  const schema = {
    name: 'releases',
    mark: 'Rels',
    migrations: RELEASES.slice(0, release).flat(),
    probe: sql`INSERT INTO plants (id) SELECT id FROM plants WHERE 1 = 0`,
  };
  const database = await openDatabase(url, schema, observer);
  return {
    create: ({ id, name, tag = null }) =>
      database.transaction(async ({ query, execute }) => {
        const values = release === 2 ? sql`${id}, ${tag}, ${name}, ${name}` : sql`${id}, ${tag}, ${name}`;
        const count = await execute(
          sql`INSERT INTO plants ${written} VALUES (${values}) ON CONFLICT (id) DO NOTHING`,
        );
        if (count === 1) return 'created';
        const [found] = await query(
          sql<{ name: string }>`SELECT ${read} AS name FROM plants WHERE id = ${id}`,
        );
        return found?.name === name ? 'unchanged' : 'conflict';
      }),
    ready: () => database.ready(),
    close: () => database.close(),
  };
}

runService({
  readConfig,
  document: resolve(__dirname, '../../generated/openapi.json'),
  errors,
  open: async (config, observer) => {
    const store = await open(config.databaseUrl, observer);
    return { store, ready: () => store.ready(), close: () => store.close() };
  },
  createApp: (dependencies, options) => createApp(createHandlers(dependencies), options, dependencies),
});
