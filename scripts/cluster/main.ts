import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from 'contract-first-prover';
import { runProgram, startChild } from '../program';
import { backupScenarios } from './backups';
import { checkInstalled } from './daemons';
import { faultScenarios } from './faults';
import { pgBouncerScenarios } from './pgbouncer';
import { migrationsWhileServing } from './releases';
import { rollingScenarios } from './rolling';
import { add, isKept, NOTHING, type Outcome, type Scenario } from './scenario';

/*
 * PostgreSQL of Debian under Patroni, servers under load, and what befalls machines: killed, frozen, cut off, switched over.
 * Afterwards every answer is compared with what the survivor has. Each scenario is a process and a cluster of its own.
 *
 *   tsx scripts/cluster/main.ts [--rounds 20] [--only kill-primary-sync,cut-standby-async] [--jobs 3] [--seed 1] [--save]
 *
 * What each has seen is kept in reports/cluster.json, so that a part can be run again: the table has all of them. `--save` puts it
 * into docs/cluster.md.
 */

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...faultScenarios(),
  ...pgBouncerScenarios(),
  ...rollingScenarios(),
  'migrations-while-serving': migrationsWhileServing,
  ...backupScenarios(),
};

const REPORT = join(__dirname, '../../reports/cluster.json');

const PAGE = join(__dirname, '../../docs/cluster.md');
/** Before and after the table. */
const MARK = '<!-- make cluster SAVE=1 -->';

type Seen = Readonly<Record<string, Outcome & { readonly at: string }>>;

const readSeen = (): Seen => {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8')) as Seen;
  } catch {
    return {};
  }
};

const PROMISED = { none: '0', any: 'any', some: '> 0' };

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
const longest = (silences: Outcome['silences']) =>
  Object.entries(silences)
    .map(([way, values]) => `${way} ${seconds(Math.max(...values))}`)
    .join(', ');

function table(seen: Seen): string {
  const rows: (string | number)[][] = [
    [
      'scenario',
      'date',
      'rounds',
      'acknowledged',
      'lost',
      'promised',
      'wrong',
      'failed',
      'seconds without a write',
    ],
  ];
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const outcome = seen[name];
    if (!outcome) continue;
    const { at, rounds, acknowledged, lost, wrong, failed, silences } = outcome;
    rows.push([
      name,
      at,
      rounds,
      acknowledged,
      lost,
      PROMISED[scenario.lost],
      wrong,
      failed ?? '',
      longest(silences),
    ]);
  }
  return formatTable(rows);
}

/** Runs one scenario in this process; sends what each round has seen to the process that started this one. */
async function runOne(name: string, rounds: number, seed: number): Promise<void> {
  process.once('disconnect', () => process.exit(1));
  await SCENARIOS[name]?.run(rounds, seed, (round) => process.send?.(round));
  process.exit(0);
}

async function runChild(name: string, args: readonly string[]): Promise<Outcome> {
  const options = { execArgv: process.execArgv };
  const child = startChild(name, __filename, ['--child', name, ...args], options, 'SIGTERM');
  let total = NOTHING;
  child.each((message) => {
    const round = message as Outcome;
    total = add(total, round);
    console.log(
      `${name} ${total.rounds}: ${total.acknowledged} acknowledged, ${total.lost} lost, ${total.wrong} wrong, ${total.failed ?? 0} failed, ${longest(round.silences)}`,
    );
  });
  const status = await child.exit;
  if (status !== 0) throw new Error(`${name} has ended with status ${String(status)}`);
  return total;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
      child: { type: 'string' },
      save: { type: 'boolean', default: false },
    },
  });
  const { rounds, seed } = values;
  if (values.child !== undefined) return runOne(values.child, Number(rounds), Number(seed));
  const all = Object.keys(SCENARIOS);
  const chosen = values.only === '' ? all : values.only.split(',');
  const unknown = chosen.filter((name) => !all.includes(name));
  if (unknown.length > 0 || !(Number(rounds) >= 1) || !(Number(values.jobs) >= 1))
    throw new Error(
      `expected --rounds N, --jobs N and --only of ${all.join(', ')}; got ${process.argv.slice(2).join(' ')}`,
    );
  checkInstalled();

  const waiting = [...chosen];
  const failures: string[] = [];
  async function work(): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        const outcome = await runChild(name, ['--rounds', rounds, '--seed', seed]);
        mkdirSync(join(REPORT, '..'), { recursive: true });
        const seen = { ...readSeen(), [name]: { ...outcome, at: new Date().toISOString().slice(0, 10) } };
        writeFileSync(REPORT, `${JSON.stringify(seen, undefined, 2)}\n`);
        const scenario = SCENARIOS[name];
        if (scenario && !isKept(scenario, outcome)) failures.push(`${name} does not keep what is promised`);
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const text = table(readSeen());
  console.log(`\n${text}`);
  if (values.save) {
    const page = readFileSync(PAGE, 'utf8').split(MARK);
    page[1] = `\n\n\`\`\`text not run: the figures of make cluster\n${text}\n\`\`\`\n\n`;
    writeFileSync(PAGE, page.join(MARK));
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
runProgram('cluster', main);
