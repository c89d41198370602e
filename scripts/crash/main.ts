import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { formatTable } from 'contract-first-prover';
import { type Program, startProgram } from '../testing/program';
import { randomOf, runProgram, within } from '../program';
import { createPair, createPostgres, createSqlite, type Pair, type Subject } from './databases';
import { compare, newLedger, type Result, sendPlants, TOKEN } from './plants';

/*
 * Kills the real server, or its database, with SIGKILL at random moments under load, and looks afterwards whether every
 * plant that was answered 200 is there, exactly as it was sent, and none that was never sent. Of two workers one is killed, or
 * their primary. Of a primary and its
 * synchronous standby the standby falls silent, sessions that wait for it are ended (so that others find rows that it lacks)
 * or told to wait no longer, and then it takes over.
 *
 *   tsx scripts/crash/main.ts [--rounds 50] [--store sqlite|postgres|postgres-killed|workers|standby-ended|standby-cancelled] [--seed 1]
 */

const SUBJECTS = {
  sqlite: () => Promise.resolve(createSqlite()),
  postgres: createPostgres,
  'postgres-killed': createPostgres,
  workers: () => Promise.resolve(createSqlite()),
};
/** What happens to the sessions that wait for the standby. */
const PAIRS = { 'standby-ended': 'terminate', 'standby-cancelled': 'cancel' } as const;
type Kind = keyof typeof SUBJECTS | keyof typeof PAIRS;

/** Interruptions after which clients have sent everything again more than once. */
const INTERRUPTIONS = 5;

/** Milliseconds for one round, from one start to the next. */
const ROUND_TIMEOUT = 60_000;
const LATE = 'a round does not end';

// Whoever ends this process ends the server too: "exit" is not emitted at a signal that nobody listens to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const print = (what: string, { acknowledged, lost, foreign }: Result): void => {
  console.log(`${what}: ${acknowledged} acknowledged, ${lost} lost, ${foreign} foreign`);
};

const start = ({ url }: Subject, workers = 1): Promise<Program> =>
  startProgram({
    DATABASE_URL: url,
    API_TOKENS: TOKEN,
    LOG_LEVEL: workers > 1 ? 'error' : 'info', // so that the output ends with what is looked for
    WORKERS: String(workers),
  });

/** Kills a worker, whose place another takes. */
async function killWorker({ output, printed }: Program, number: number): Promise<void> {
  const pids = [...output().matchAll(new RegExp(`"worker":${number},"pid":(\\d+)`, 'g'))];
  const position = output().length;
  process.kill(Number(pids.at(-1)?.[1]), 'SIGKILL');
  await printed(new RegExp(`"worker":${number},"pid":`), position);
}

async function crash(kind: keyof typeof SUBJECTS, rounds: number, seed: number): Promise<Result> {
  const subject = await SUBJECTS[kind]();
  const ledger = newLedger();
  const workers = kind === 'workers' ? 2 : 1;
  let server = await start(subject, workers);
  let result = compare(ledger, await subject.read());

  async function round(number: number): Promise<void> {
    const load = sendPlants(Number(new URL(server.url).port), ledger, seed);
    await load.acknowledged(1 + Math.floor(randomOf(seed, kind, number, 'plants') * 1000));
    await sleep(randomOf(seed, kind, number, 'moment') * 20);
    if (kind === 'postgres-killed') {
      await subject.postgres?.kill();
      await subject.postgres?.start();
      // The server must find its database again by itself.
      await load.acknowledged(100);
      await load.stop();
    } else if (kind === 'workers' && number % 3 !== 0) {
      await killWorker(server, number % 3);
      await load.acknowledged(100);
      await load.stop();
    } else {
      await server.stop('SIGKILL');
      await load.stop();
      server = await start(subject, workers);
    }
    result = compare(ledger, await subject.read());
    if (ledger.unexpected.length > 0)
      throw new Error(`unexpected answers: ${ledger.unexpected.slice(0, 3).join('\n')}`);
    print(`${kind} ${number}/${rounds}`, result);
  }

  try {
    for (let number = 1; number <= rounds; number++) await within(ROUND_TIMEOUT, round(number), LATE);
  } finally {
    await server.stop('SIGKILL');
    await subject.remove();
  }
  return result;
}

/** A primary and a standby, from their start to the end of the primary. */
async function failOver(kind: keyof typeof PAIRS, number: number, seed: number, pair: Pair): Promise<Result> {
  const ledger = newLedger();
  const server = await start(pair);
  try {
    const load = sendPlants(Number(new URL(server.url).port), ledger, seed + number);
    await load.acknowledged(1 + Math.floor(randomOf(seed, kind, number, 'plants') * 1000));
    pair.freeze();
    for (let interrupted = 0; interrupted < INTERRUPTIONS;) interrupted += await pair.interrupt(PAIRS[kind]);
    const { status } = await fetch(`${server.url}/-/ready`);
    if (status !== 503)
      throw new Error(`expected 503 of /-/ready while the standby is silent, got ${status}`);
    await server.printed(/"not ready: /);
    await pair.failOver();
    await load.stop();
  } finally {
    await server.stop('SIGKILL');
  }
  return compare(ledger, await pair.read());
}

async function failOvers(kind: keyof typeof PAIRS, rounds: number, seed: number): Promise<Result> {
  const total = { sent: 0, acknowledged: 0, lost: 0, foreign: 0 };
  for (let number = 1; number <= rounds; number++) {
    const pair = await createPair();
    try {
      const result = await within(ROUND_TIMEOUT, failOver(kind, number, seed, pair), LATE);
      for (const name of ['sent', 'acknowledged', 'lost', 'foreign'] as const) total[name] += result[name];
    } finally {
      await pair.remove();
    }
    print(`${kind} ${number}/${rounds}`, total);
  }
  return total;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '50' },
      store: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
    },
  });
  const all = [...Object.keys(SUBJECTS), ...Object.keys(PAIRS)] as Kind[];
  const kinds = all.filter((kind) => ['', kind].includes(values.store));
  const rounds = Number(values.rounds);
  if (kinds.length === 0 || !(rounds >= 1))
    throw new Error(
      `expected --rounds N and --store ${all.join('|')}, got ${process.argv.slice(2).join(' ')}`,
    );

  const rows: (string | number)[][] = [['store', 'rounds', 'sent', 'acknowledged', 'lost', 'foreign']];
  for (const kind of kinds) {
    const seed = Number(values.seed);
    const result =
      kind in PAIRS
        ? failOvers(kind as keyof typeof PAIRS, rounds, seed)
        : crash(kind as keyof typeof SUBJECTS, rounds, seed);
    const { sent, acknowledged, lost, foreign } = await result;
    rows.push([kind, rounds, sent, acknowledged, lost, foreign]);
    if (lost + foreign > 0) process.exitCode = 1;
  }
  console.log(`\n${formatTable(rows)}`);
}

runProgram('crash', main);
