import { parseArgs } from 'node:util';
import type { Plant } from '../../../src/plants/plant-store';
import { createPostgres, createSqlite, type Subject } from './databases';
import { randomOf, startLoad, type Ledger } from './load';
import { startServer } from './server';

/*
 * Kills the real server, or its database, with SIGKILL at random moments under load, and looks afterwards whether every
 * plant that was answered 200 is there, exactly as it was sent, and none that was never sent.
 *
 *   tsx tests/system/crash/main.ts [--rounds 50] [--store sqlite|postgres|postgres-killed] [--seed 1]
 */

const SUBJECTS = {
  sqlite: () => Promise.resolve(createSqlite()),
  postgres: createPostgres,
  'postgres-killed': createPostgres,
};
type Kind = keyof typeof SUBJECTS;

/** Milliseconds for one round, from one start to the next. */
const ROUND_TIMEOUT = 60_000;

interface Result {
  readonly sent: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly foreign: number;
}

const same = (a: Plant | undefined, b: Plant) => a?.id === b.id && a.name === b.name && a.tag === b.tag;

async function compare({ sent, count, acknowledged }: Ledger, subject: Subject): Promise<Result> {
  const stored = new Map((await subject.read()).map((plant) => [plant.id, plant]));
  const wasSent = (plant: Plant) => sent.get(plant.id)?.some((variant) => same(variant, plant)) ?? false;
  return {
    sent: count,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((plant) => !same(stored.get(plant.id), plant)).length,
    foreign: [...stored.values()].filter((plant) => !wasSent(plant)).length,
  };
}

async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`a round has taken more than ${ROUND_TIMEOUT / 1000} seconds`));
    }, ROUND_TIMEOUT);
  });
  return Promise.race([promise, late]).finally(() => {
    clearTimeout(timer);
  });
}

async function crash(kind: Kind, rounds: number, seed: number): Promise<Result> {
  const subject = await SUBJECTS[kind]();
  const ledger: Ledger = { sent: new Map(), count: 0, acknowledged: [], unexpected: [] };
  let server = await startServer(subject.url);
  let result = await compare(ledger, subject);

  async function round(number: number): Promise<void> {
    const load = startLoad(server, ledger, seed);
    await load.acknowledged(1 + Math.floor(randomOf(seed, kind, number, 'plants') * 1000));
    await new Promise((resolve) => setTimeout(resolve, randomOf(seed, kind, number, 'moment') * 20));
    if (kind === 'postgres-killed') {
      await subject.postgres?.kill();
      await subject.postgres?.start();
      // The server must find its database again by itself.
      await load.acknowledged(100);
      await load.stop();
    } else {
      await server.kill();
      await load.stop();
      server = await startServer(subject.url);
    }
    result = await compare(ledger, subject);
    if (ledger.unexpected.length > 0)
      throw new Error(`unexpected answers: ${ledger.unexpected.slice(0, 3).join('\n')}`);
    const { acknowledged, lost, foreign } = result;
    console.log(
      `${kind} ${number}/${rounds}: ${acknowledged} acknowledged, ${lost} lost, ${foreign} foreign`,
    );
  }

  try {
    for (let number = 1; number <= rounds; number++) await within(round(number));
  } finally {
    await server.kill();
    await subject.remove();
  }
  return result;
}

/** Prints the rows in columns, numbers to the right. */
function printTable(rows: readonly (readonly (string | number)[])[]): void {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, i) =>
          i === 0 ? String(cell).padEnd(widths[i] ?? 0) : String(cell).padStart(widths[i] ?? 0),
        )
        .join('  '),
    );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '50' },
      store: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
    },
  });
  const kinds = (Object.keys(SUBJECTS) as Kind[]).filter((kind) => ['', kind].includes(values.store));
  const rounds = Number(values.rounds);
  if (kinds.length === 0 || !(rounds >= 1))
    throw new Error(
      `expected --rounds N and --store ${Object.keys(SUBJECTS).join('|')}, got ${process.argv.slice(2).join(' ')}`,
    );

  const table: (string | number)[][] = [['store', 'rounds', 'sent', 'acknowledged', 'lost', 'foreign']];
  for (const kind of kinds) {
    const { sent, acknowledged, lost, foreign } = await crash(kind, rounds, Number(values.seed));
    table.push([kind, rounds, sent, acknowledged, lost, foreign]);
    if (lost + foreign > 0) process.exitCode = 1;
  }
  console.log();
  printTable(table);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
