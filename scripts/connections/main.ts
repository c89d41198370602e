import { parseArgs } from 'node:util';
import { runProgram } from '../program';
import { walkConnections } from './run';

/* `make connections`: walks through a model of a connection. Exit 1 if one found a fault. `tsx main.ts [--walks 20000]` */

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { walks: { type: 'string', default: '20000' } } });
  const walks = Number(values.walks);
  if (!(Number.isInteger(walks) && walks > 0))
    throw new Error(`expected --walks of at least 1, got ${values.walks}`);
  const faults = await walkConnections(walks, (taken) =>
    process.stderr.write(`\r${taken} of ${walks} walks   `),
  );
  for (const fault of faults.slice(0, 20)) console.log(fault);
  console.log(`\n${walks} walks, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

runProgram('connections', main);
