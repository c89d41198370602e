import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runProgram } from '../program';
import { applies, drawFaults, redrawFaults } from './draw';
import type { Fault } from './operators';
import { keyOf, runFaults } from './run';

const LIST = 'scripts/faults/faults.json';
const USAGE = `make faults: which of the faults in ${LIST} do the tests of HEAD catch?

  draw [--count N]    draw another list
  draw --again        replace the faults that no longer apply
  list                print the faults
  run                 run the tests against each fault: reports/faults.jsonl
    --ignore REGEX    leave out the suites whose paths match
    --suites REGEX    run only the suites whose paths match
    --only TEXT,TEXT  only faults whose line of the list contains one of the texts
    --workers N       copies of the project that run at once (1)
    --seconds N       end with a fault after that time, as one that survives (no bound)
`;

const readList = () => JSON.parse(readFileSync(LIST, 'utf8')) as Fault[];

const print = (faults: readonly Fault[]): void => {
  for (const fault of faults)
    console.log(
      `${applies(fault) ? '' : 'STALE '}${keyOf(fault)}  ${fault.operator} ${JSON.stringify(fault.before)}`,
    );
};

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      again: { type: 'boolean', default: false },
      count: { type: 'string', default: '110' },
      ignore: { type: 'string' },
      suites: { type: 'string', default: '' },
      only: { type: 'string', default: '' },
      workers: { type: 'string', default: '1' },
      seconds: { type: 'string', default: 'Infinity' },
    },
  });
  const [command] = positionals;
  if (command === 'draw') {
    const drawn = values.again ? redrawFaults(readList()) : drawFaults(Number(values.count));
    writeFileSync(LIST, `${JSON.stringify(drawn, null, 2)}\n`);
  }
  const texts = values.only.split(',');
  const faults = readList().filter((fault) => texts.some((text) => keyOf(fault).includes(text)));
  const stale = faults.filter((fault) => !applies(fault));
  if (command === 'run') {
    print(stale);
    const { ignore, suites } = values;
    const isOfTier = (name: string) =>
      new RegExp(suites).test(name) && !(ignore !== undefined && new RegExp(ignore).test(name));
    const fresh = faults.filter(applies);
    const tier = `${suites} without ${ignore ?? 'none'}`;
    const isDone = await runFaults(fresh, {
      isOfTier,
      workers: Number(values.workers),
      seconds: Number(values.seconds),
      tier,
    });
    process.exitCode = isDone ? 0 : 1;
  } else if (command === 'list' || command === 'draw') print(faults);
  else throw new Error(`expected draw, list or run\n\n${USAGE}`);
  if (stale.length > 0)
    console.log(`${stale.length} no longer apply: tsx scripts/faults/main.ts draw --again`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
runProgram('faults', main);
