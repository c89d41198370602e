import { parseArgs } from 'node:util';
import type { Plant } from '../../../src/plants/plant-store';
import { formatTable } from '../../engine/report/text';
import { type Program, startProgram } from '../../support/program';
import { createPostgres, createSqlite, type Subject } from './databases';
import { type Ledger, randomOf, sendPlants, TOKEN } from './plants';

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

// Whoever ends this process ends the server too: "exit" is not emitted at a signal that nobody listens to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

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

const start = ({ url }: Subject): Promise<Program> =>
  startProgram({ DATABASE_URL: url, API_TOKENS: TOKEN, LOG_LEVEL: 'info' });

async function crash(kind: Kind, rounds: number, seed: number): Promise<Result> {
  const subject = await SUBJECTS[kind]();
  const ledger: Ledger = { sent: new Map(), count: 0, acknowledged: [], unexpected: [] };
  let server = await start(subject);
  let result = await compare(ledger, subject);

  async function round(number: number): Promise<void> {
    const load = sendPlants(Number(new URL(server.url).port), ledger, seed);
    await load.acknowledged(1 + Math.floor(randomOf(seed, kind, number, 'plants') * 1000));
    await new Promise((resolve) => setTimeout(resolve, randomOf(seed, kind, number, 'moment') * 20));
    if (kind === 'postgres-killed') {
      await subject.postgres?.kill();
      await subject.postgres?.start();
      // The server must find its database again by itself.
      await load.acknowledged(100);
      await load.stop();
    } else {
      await server.stop('SIGKILL');
      await load.stop();
      server = await start(subject);
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
    await server.stop('SIGKILL');
    await subject.remove();
  }
  return result;
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

  const rows: (string | number)[][] = [['store', 'rounds', 'sent', 'acknowledged', 'lost', 'foreign']];
  for (const kind of kinds) {
    const { sent, acknowledged, lost, foreign } = await crash(kind, rounds, Number(values.seed));
    rows.push([kind, rounds, sent, acknowledged, lost, foreign]);
    if (lost + foreign > 0) process.exitCode = 1;
  }
  console.log(`\n${formatTable(rows)}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
