import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runProgram } from '../program';
import { applies, drawFaults, redrawFaults } from './draw';
import type { Fault } from './operators';

const LIST = 'tests/system/faults/faults.json';

const readList = () => JSON.parse(readFileSync(LIST, 'utf8')) as Fault[];

/** `make faults`: which of the faults that were drawn in product code the tests catch. */
function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string', default: '110' }, again: { type: 'boolean', default: false } },
  });
  if (positionals[0] === 'draw') {
    const faults = values.again ? redrawFaults(readList()) : drawFaults(Number(values.count));
    writeFileSync(LIST, `${JSON.stringify(faults, null, 2)}\n`);
  }
  const faults = readList();
  console.log(`${faults.length} faults, ${faults.filter((fault) => !applies(fault)).length} no longer apply`);
  return Promise.resolve();
}

runProgram('faults', main);
