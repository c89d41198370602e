import { run } from '../tests/contract/engine/run';
import { table } from '../tests/contract/engine/report';
import { service } from '../tests/contract/service';
import { bodies } from './mutants/bodies';
import { oracles } from './mutants/oracles';
import { responses } from './mutants/responses';
import { routes } from './mutants/routes';
import { security } from './mutants/security';
import { requests } from './mutants/values';

/**
 * `make mutants`: the contract suite against servers with one fault each. A mutant is caught if the family of cases that
 * is there for such faults fails; that something else fails does not count.
 */
async function main(): Promise<void> {
  const began = performance.now();
  const rows: (string | number)[][] = [
    ['', 'mutant', 'family that must catch it', 'failures', 'of these in it'],
  ];
  const all = [...requests, ...bodies, ...security, ...routes, ...responses, ...oracles];
  const sound = await run(service(), { generated: GENERATED });
  if (!sound.passed)
    throw new Error('expected the suite to pass on the sound server, but it fails: run `make contract`');
  let survived = 0;
  for (const [index, mutant] of all.entries()) {
    progress(`${index + 1}/${all.length} ${mutant.name}`);
    const oracle = 'oracle' in mutant ? { oracle: mutant.oracle } : {};
    const result = await run(service('parts' in mutant ? mutant.parts : {}), {
      generated: GENERATED,
      ...oracle,
    });
    const fitting = result.failures.filter(({ family }) => mutant.families.includes(family)).length;
    const caught = fitting > 0 && !result.passed;
    survived += caught ? 0 : 1;
    rows.push([
      caught ? 'caught' : 'SURVIVED',
      mutant.name,
      mutant.families.join(', '),
      result.failures.length,
      fitting,
    ]);
  }
  progress('');
  console.log(table(rows));
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(
    `\n${all.length - survived} of ${all.length} mutants caught, ${survived} survived, ${seconds} s`,
  );
  process.exitCode = survived === 0 ? 0 : 1;
}

/** Generated requests per kind: few, since the enumerated cases have to catch every mutant without luck. */
const GENERATED = 5;

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}

void main();
